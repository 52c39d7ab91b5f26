# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Line lengths of C++ and Markdown, and links between the Markdown files. Prints findings; status 1 if there are any."""

import re
import subprocess
import sys
import unicodedata
from pathlib import Path
from urllib.parse import unquote

LONGEST = 120
CHECKED = (".cpp", ".h", ".cu", ".md")
LINK = re.compile(r"!?\[[^\]]*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)|^\[[^\]]+\]:\s*(\S+)|<img [^>]*src=\"([^\"]+)\"")


def without_code(text):
    """Markdown with fenced blocks and inline code blanked, so that only prose is searched for links and headings."""
    text = re.sub(r"^```.*?^```", lambda m: "\n" * m.group(0).count("\n"), text, flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(text):
    """The anchors that GitHub makes of a Markdown file's headings, and those written by hand."""
    found, seen = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text)), {}
    fenceless = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    for heading in re.findall(r"^#{1,6}\s+(.+?)\s*#*$", fenceless, flags=re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        kept = "".join(c for c in heading if c in " -_" or unicodedata.category(c)[0] in "LN")
        slug = kept.replace(" ", "-")
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        found.add(slug if count == 0 else f"{slug}-{count}")
    return found


def long_lines(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        # A table's row, a link and a quoted command cannot be wrapped in Markdown.
        unbreakable = path.suffix == ".md" and (line.lstrip().startswith("|") or " " not in line.strip())
        if len(line) > LONGEST and not unbreakable:
            yield f"{path}:{number}: {len(line)} columns; at most {LONGEST}"


def broken_links(path, text):
    prose = without_code(text)
    for match in LINK.finditer(prose):
        target = next(group for group in match.groups() if group)
        line = prose.count("\n", 0, match.start()) + 1
        if re.match(r"[a-z]+:", target):
            continue  # the web is not asked
        name, _, anchor = unquote(target).partition("#")
        file = path if not name else path.parent / name
        if not file.exists():
            yield f"{path}:{line}: link to {target}: there is no {file}"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text(encoding="utf-8")):
            yield f"{path}:{line}: link to {target}: {file} has no heading #{anchor}"


def main():
    tracked = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    findings = []
    for name in filter(None, tracked.split("\0")):
        path = Path(name)
        if not path.is_file() or not name.endswith(CHECKED):
            continue
        text = path.read_text(encoding="utf-8")
        findings += long_lines(path, text)
        if path.suffix == ".md":
            findings += broken_links(path, text)
    print("\n".join(findings), end="\n" if findings else "")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
