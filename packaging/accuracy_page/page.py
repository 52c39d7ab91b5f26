# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""The sentences that docs/accuracy.md and README.md begin with, and the places of the generated blocks."""

import collections
import re
import statistics

from accuracy_page.errors import low_parts, worst_sources
from accuracy_page.program import (
    ROOT,
    SPEED,
    TITLES,
    ask,
    markdown,
    percent,
    signed_errors,
    source_errors,
    within,
)

BEGIN, END = "<!-- accuracy: {} -->", "<!-- end -->"
README_ROW = re.compile(r"^\| Predictions \|.*$", re.MULTILINE)


def wrapped(bullets, columns=116):
    """Markdown bullets in lines of at most so many columns."""
    lines = []
    for bullet in bullets:
        line = "-"
        for word in bullet.replace(" %", "\0%").split():
            if len(line) + 1 + len(word) > columns:
                lines.append(line)
                line = " "
            line += " " + word.replace("\0%", " %")
        lines.append(line)
    return "\n".join(lines)


def rely(documents):
    def medians(name):
        return [percent(statistics.median(source_errors(documents[name], metric)), digits=0) for metric in TITLES]

    (speed, peak), (outside_speed, outside_peak) = medians("released"), medians("outside")
    return (
        f"If the software is named, the median source has a mean error of {speed} in throughput and {peak} in peak "
        f"memory (released table). For the figures outside the tables, it is {outside_speed} and {outside_peak}."
    )


def counted(documents):
    counts = collections.Counter()
    for document in documents.values():
        counts.update(document["verdicts"])
    return counts


def fail(documents, unnamed):
    lines = []
    for metric, found in worst_sources(documents, 3).items():
        named = ", ".join(f"{s['value'].partition(' (')[0]} ({percent(s['mape'], digits=0)})" for s in found)
        lines.append(f"The largest mean errors in {TITLES[metric]} are those of {named}.")
    named, without = counted(documents), counted(unnamed)
    lines.append(
        f"Of {named['fits']:,} runs that fitted, {named['false_oom']} are predicted out of memory. "
        f"Of {named['oom']} failures, the predictions miss {named['missed_oom']}. "
        f"If the software is not named, it is {without['false_oom']} and {without['missed_oom']}."
    )
    return " ".join(lines)


def low(documents, unnamed):
    def share(found, key):
        return percent(sum(p[key] for p in found) / sum(p["all"] for p in found), digits=0)

    named, others = ([low_parts(document) for document in some.values()] for some in (documents, unnamed))
    return (
        f"Of the measured peaks, {share(named, 'over')} are above the prediction and {share(named, 'over_p90')} above "
        f"P90. {share(named, 'over_tenth')} exceed the prediction by more than a tenth. If the software is not named, it is "
        f"{share(others, 'over')}, {share(others, 'over_p90')} and {share(others, 'over_tenth')}."
    )


def top(documents, unnamed):
    return wrapped(
        [
            f"**What to rely on.** {rely(documents)}",
            f"**Where predictions fail.** {fail(documents, unnamed)}",
            f"**A peak predicted too low does more harm than one too high.** {low(documents, unnamed)}",
        ]
    )


def readme_row(documents):
    published = list(signed_errors(documents["published"], SPEED).values())
    outside = list(signed_errors(documents["outside"], SPEED).values())
    peaks = low_parts(documents["released"])

    def halves(errors):
        half, most = (percent(within(errors, part), digits=0) for part in (0.5, 0.9))
        return f"half of the throughput errors are at most {half}, and nine of ten at most {most}"

    return (
        f"| Predictions | For {len(published):,} published runs, to which the constants were fitted, "
        f"{halves(published)}. For {len(outside)} figures outside this table, {halves(outside)}. "
        f"Of runs that name their software, {percent(peaks['over'] / peaks['all'], digits=0)} of the measured peaks "
        "are above the prediction. Errors are larger if the software is unknown. "
        "See [accuracy](docs/accuracy.md). |"
    )


def origins():
    """How many fields of the training profiles have which origin."""
    counts = collections.Counter(
        field["origin"]
        for profile in ask("catalog", "frameworks")["frameworks"]
        if profile["workload"] == "training"
        for field in profile["fields"]
    )
    rows = [[f"`{origin}`", str(count)] for origin, count in counts.most_common()]
    return markdown(["origin", "fields"], [*rows, ["all", str(counts.total())]], 1)


def memory_factors():
    """The factors by which allocations are scaled, as in resources/catalogue/rates.yaml."""
    text = (ROOT / "resources/catalogue/rates.yaml").read_text(encoding="utf-8")
    entry = re.compile(r"^  - \{framework: (\S+), p10: (\S+), p50: (\S+), p90: (\S+), origin: (\w+)", re.MULTILINE)
    found = [[match[1], match[2], match[3], match[4], match[5]] for match in entry.finditer(text)]
    return markdown(["engine", "P10", "median", "P90", "origin"], found, 1)


def marks(text):
    """The names of the blocks that a document has."""
    return re.findall(BEGIN.format("([a-z0-9-]+)"), text)


def with_blocks(text, blocks):
    """The document with the generated blocks; KeyError if there is no place for one, or no block for a place."""
    if sorted(marks(text)) != sorted(blocks):
        raise KeyError(", ".join(sorted(set(marks(text)) ^ set(blocks))))
    for name, block in blocks.items():
        at = text.index(BEGIN.format(name)) + len(BEGIN.format(name))
        text = text[:at] + "\n\n" + block + "\n\n" + text[text.index(END, at) :]
    return text
