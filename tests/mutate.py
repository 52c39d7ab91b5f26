#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Mutation testing: changes one operator at a time and runs the tests of its folder.

A change that no test notices is either equivalent (tests/mutation.md says why) or shows a missing test. ROOT is a clean
checkout of its own with a configured build/, best with -DCMAKE_UNITY_BUILD=OFF, so that a change compiles one file;
files are edited there and restored.

    tests/mutate.py ROOT --only core/plan --count 100 --seed 1 --out changes.jsonl
"""

import argparse
import collections
import dataclasses
import json
import os
import random
import re
import subprocess
import time
from pathlib import Path

# The test programs that stand for a source folder, the nearest first. A test holds that every folder is here.
TESTS = {
    "core/base": ["test_core_base", "test_core_runs", "test_core_config"],
    "core/config": ["test_core_config", "test_core_predict"],
    "core/cost": ["test_core_cost", "test_core_predict"],
    "core/explore": ["test_core_explore"],
    "core/frameworks": ["test_core_frameworks", "test_core_config"],
    "core/hardware": ["test_core_hardware", "test_core_speed"],
    "core/hosts": ["test_core_hosts"],
    "core/measure": ["test_core_measure", "test_core_calibration"],
    "core/memory": ["test_core_memory", "test_core_predict", "test_core_calibration"],
    "core/model": ["test_core_model", "test_core_plan"],
    "core/plan": ["test_core_plan", "test_core_predict", "test_core_calibration"],
    "core/plan/inference": ["test_core_plan", "test_core_serve"],
    "core/plan/native": ["test_core_plan", "test_trainer_mesh", "test_trainer"],
    "core/plan/passes": ["test_core_plan", "test_trainer_mesh"],
    "core/predict": ["test_core_predict", "test_core_explore"],
    "core/report": ["test_core_report"],
    "core/runs": ["test_core_runs"],
    "core/serve": ["test_core_serve"],
    "core/speed": ["test_core_speed", "test_core_predict", "test_core_serve", "test_core_calibration"],
    "trainer/comm": ["test_trainer_comm", "test_trainer", "test_trainer_run"],
    "trainer/tokenizer": ["test_trainer_tokenizer"],
    "trainer/data": ["test_trainer_data", "test_trainer_run"],
    "trainer/exec": ["test_trainer_ops", "test_trainer"],
    "trainer/fused_ops": ["test_trainer"],
    "trainer/cpu_ops": ["test_trainer_ops", "test_trainer"],
    "trainer/run": ["test_trainer_run"],
    "trainer/state": ["test_trainer_state", "test_trainer_run"],
    "trainer/aten_ops": ["test_trainer_ops", "test_trainer"],
    "app/cli": ["test_e2e"],
    "app/train": ["test_slipway_train"],
    "ui": ["test_ui"],
    # Runs on GPUs only, or draws; no test of the ordinary build sees a change there.
    "trainer/cuda": [],
    "app/desktop": [],
}

OPERATORS = [
    (r" < ", " <= "),
    (r" <= ", " < "),
    (r" > ", " >= "),
    (r" >= ", " > "),
    (r" == ", " != "),
    (r" != ", " == "),
    (r'(?<!") \+ (?!"|std::to_string)', " - "),  # a text is only joined, so the change would not build
    (r" - ", " + "),
    (r" \* ", " / "),
    (r'\+= (?!"|std::to_string|fmt::format)', "-= "),
    (r" && ", " || "),
    (r" \|\| ", " && "),
    (r"\btrue\b", "false"),
    (r"\bfalse\b", "true"),
    (r"std::max\(", "std::min("),
    (r"std::min\(", "std::max("),
]

# A change that makes a program hang is noticed: after so long, or once the program has passed, ten times its longest.
# The slowest takes 220 seconds on an idle core.
TEST_SECONDS = 900
passed_seconds = {}  # of the whole program, by its name


@dataclasses.dataclass(frozen=True)
class Change:
    file: str
    line: int  # from 0
    old: str
    new: str


def folder_of(file):
    """The innermost folder of the table: core/plan/native before core/plan."""
    return next((str(folder) for folder in Path(file).parents if str(folder) in TESTS), None)


def source_files(root, only):
    listed = subprocess.run(["git", "ls-files", "*.cpp"], cwd=root, capture_output=True, text=True, check=True)
    return [file for file in listed.stdout.split() if TESTS.get(folder_of(file)) and file.startswith(only)]


def changes_of_line(line):
    """Every change of a line of code; none of comments, preprocessor lines, assertions, reserved memory and texts."""
    code = line.split("//")[0]
    if code.lstrip().startswith(("#", "*")) or any(word in code for word in ("assert(", ".reserve(")):
        return []
    return [
        line[: match.start()] + new + line[match.end() :]
        for pattern, new in OPERATORS
        for match in re.finditer(pattern, code)
        if code[: match.start()].count('"') % 2 == 0
    ]


def lines_of_scripts(text):
    """The numbers of the lines of raw strings, from 0: they are scripts of a shell, whose operators are others."""
    return {
        number
        for script in re.finditer(r'R"(\w*)\(.*?\)\1"', text, re.DOTALL)
        for number in range(text.count("\n", 0, script.start()), text.count("\n", 0, script.end()) + 1)
    }


def random_changes(root, only, rng):
    """Lines are drawn from all files alike, each at most once, and one change of a line."""
    lines = []
    for file in source_files(root, only):
        text = (root / file).read_text()
        scripts = lines_of_scripts(text)
        lines += [(file, number) for number in range(text.count("\n") + 1) if number not in scripts]
    rng.shuffle(lines)
    for file, number in lines:
        old = (root / file).read_text().split("\n")[number]
        possible = changes_of_line(old)
        if possible:
            yield Change(file, number, old, rng.choice(possible))


def nearest_tests(root, file):
    """A filter for the suites of the file's own test: run first, they notice most changes in less than a second."""
    suites = set()
    for test in (root / "tests").rglob(Path(file).stem + "_test.cpp"):
        suites.update(re.findall(r"^TEST(?:_F|_P)?\((\w+),", test.read_text(), re.MULTILINE))
    return ":".join(f"{suite}.*:*/{suite}.*" for suite in sorted(suites))


def passes(root, program, tests):
    environment = dict(os.environ, QT_QPA_PLATFORM="offscreen", SLIPWAY_RESOURCES=str(root / "resources"))
    command = [root / "build/tests" / program, "--gtest_brief=1", "--gtest_fail_fast", f"--gtest_filter={tests}"]
    limit = min(TEST_SECONDS, 30 + 10 * passed_seconds[program]) if program in passed_seconds else TEST_SECONDS
    begin = time.monotonic()
    try:
        result = subprocess.run(command, cwd=root, capture_output=True, timeout=limit, env=environment)
    except subprocess.TimeoutExpired:
        return False
    if result.returncode == 0 and tests == "*":
        passed_seconds[program] = max(passed_seconds.get(program, 0), time.monotonic() - begin)
    return result.returncode == 0


def verdict_of_tests(root, file):
    """Builds and runs one program after the other: most changes are noticed by the first."""
    nearest = nearest_tests(root, file)
    for program in TESTS[folder_of(file)]:
        build = ["cmake", "--build", "build", "-j1", "--target", program]
        if subprocess.run(build, cwd=root, capture_output=True).returncode:
            return "does not build"
        if nearest and not passes(root, program, nearest):
            return "noticed"
        if not passes(root, program, "*"):
            return "noticed"
    return "survived"


def verdict_of(root, change):
    path = root / change.file
    source = path.read_text()
    lines = source.split("\n")
    lines[change.line] = change.new
    try:
        path.write_text("\n".join(lines))
        return verdict_of_tests(root, change.file)
    finally:
        path.write_text(source)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path, help="a clean checkout with a configured build/")
    parser.add_argument("--count", type=int, default=100, help="changes that build (100)")
    parser.add_argument("--seed", type=int, default=1, help="of the choice of changes (1)")
    parser.add_argument("--only", default="", help="only files whose path begins so")
    parser.add_argument("--out", type=Path, default=Path("changes.jsonl"), help="a line for each change is added here")
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    if subprocess.run(["git", "diff", "--quiet"], cwd=root).returncode:
        parser.error(f"{root} has changes that are not committed")
    counts = collections.Counter()
    with arguments.out.open("a") as out:
        for change in random_changes(root, arguments.only, random.Random(arguments.seed)):
            begin = time.monotonic()
            verdict = verdict_of(root, change)
            counts[verdict] += 1
            record = dict(
                file=change.file,
                line=change.line + 1,
                old=change.old.strip(),
                new=change.new.strip(),
                verdict=verdict,
                seconds=round(time.monotonic() - begin),
            )
            out.write(json.dumps(record) + "\n")
            out.flush()
            if counts["noticed"] + counts["survived"] >= arguments.count:
                break
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))


if __name__ == "__main__":
    main()
