#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Usage: tests/ui/screenshots.py OUT [PROGRAM]

Draws a pairwise set of pictures of the window into OUT: each pair of scene, theme, language, size and scale occurs in
at least one picture. PROGRAM is slipway-desktop (default: build/bin/slipway-desktop). OUT/index.html shows all of them
for review by a person. Nothing is compared automatically.
"""

import html
import itertools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

SCENES = {
    "plan": ["plan", "--model", "1B", "--gpus", "8", "--parallel", "ddp"],
    "plan-oom": ["plan", "--model", "2B", "--gpu", "a100-sxm-40gb", "--micro-batch", "64"],
    "plan-first": ["plan", "--model", "500M", "--view", "first"],
    "plan-textbook": ["plan", "--model", "1B", "--view", "textbook"],
    "explore-table": ["explore", "--view", "table"],
    "explore-heat": ["explore", "--view", "heat"],
    "explore-pareto": ["explore", "--view", "pareto"],
    "explore-gpu": ["explore", "--view", "gpu"],
    "runs-charts": ["runs", "--run", "first"],
    "runs-comparison": ["runs", "--run", "first", "--tab", "comparison"],
    "runs-compared": ["runs", "--run", "first", "--run", "second", "--tab", "comparison"],
    "hosts": ["hosts"],
    "serve": ["serve", "--model", "1B"],
    "serve-oom": ["serve", "--model", "llama-3.1-8b", "--gpu", "rtx-4060-ti-16gb", "--view", "cache"],
}
FACTORS = {
    "scene": list(SCENES),
    "size": ["960x640", "1280x720", "1440x900", "1920x1080", "2560x1440"],
    "language": ["en", "de", "pseudo"],
    "scale": ["1", "1.5", "2"],
    "theme": ["light", "dark"],
}


def pairs_of(case):
    return {frozenset(pair) for pair in itertools.combinations(sorted(case.items()), 2)}


def pairwise():
    """Each scene in each size; the other factors of a case are those that add the most new pairs."""
    missing = set()
    for (a, of_a), (b, of_b) in itertools.combinations(sorted(FACTORS.items()), 2):
        missing |= {frozenset(((a, x), (b, y))) for x in of_a for y in of_b}
    rest = [name for name in FACTORS if name not in ("scene", "size")]
    cases = []
    for scene, size in itertools.product(FACTORS["scene"], FACTORS["size"]):
        choices = [
            {"scene": scene, "size": size, **dict(zip(rest, values))}
            for values in itertools.product(*(FACTORS[name] for name in rest))
        ]
        best = max(choices, key=lambda case: len(pairs_of(case) & missing))
        missing -= pairs_of(best)
        cases.append(best)
    assert not missing, f"not covered: {missing}"
    return cases


def make_home(home):
    runs = home / ".local/share/slipway/runs"
    runs.mkdir(parents=True)
    for name in ("first", "second"):
        shutil.copytree(ROOT / "tests/data/run-format-1", runs / name)


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    out = pathlib.Path(sys.argv[1]).resolve()
    program = pathlib.Path(sys.argv[2] if len(sys.argv) == 3 else ROOT / "build/bin/slipway-desktop").resolve()
    out.mkdir(parents=True, exist_ok=True)
    cases = pairwise()
    failed = []
    with tempfile.TemporaryDirectory() as home:
        make_home(pathlib.Path(home))
        entries = []
        for number, case in enumerate(cases, 1):
            name = f"{number:02}-{case['scene']}-{case['size']}-{case['language']}-{case['theme']}-{case['scale']}.png"
            flags = ["--out", str(out / name)]
            for factor in ("size", "language", "theme", "scale"):
                flags += ["--" + factor, case[factor]]
            environment = {**os.environ, "HOME": home}
            for variable in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
                environment.pop(variable, None)
            drawn = subprocess.run(
                [program, "shot", *SCENES[case["scene"]], *flags], env=environment, capture_output=True, text=True
            )
            if drawn.returncode != 0 or drawn.stderr:
                failed.append(f"{name}: {drawn.stderr.strip() or drawn.returncode}")
            entries.append(
                f'<figure><img src="{name}" width="640"><figcaption>{html.escape(name)}</figcaption></figure>'
            )
    style = "figure{display:inline-block;margin:8px}img{border:1px solid #888}"
    (out / "index.html").write_text(
        '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Pictures of the window</title>'
        f"<style>{style}</style><body>{''.join(entries)}</body></html>\n"
    )
    print(f"{len(cases)} pictures in {out}")
    for line in failed:
        print(line, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
