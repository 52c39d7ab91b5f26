# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""The tables of docs/guide/parallelism.md, out of what test_trainer_mesh wrote with --gtest_output=json:FILE."""

import json
import sys


def print_table(tests: list, key: str, first: list) -> None:
    names = [*first, "ranks", "`tp`", "`cp`", "`ep`", "`pp`", "schedule", "`parallel`", "`grad_accum`"]
    names += ["`recompute`", "model", "loss", "gradients"]
    text = {"`precision`", "schedule", "`parallel`", "`recompute`", "model"}
    print("| " + " | ".join(names) + " |")
    print("| " + " | ".join("---" if name in text else "---:" for name in names) + " |")
    print("\n".join(test[key] for test in tests if key in test))


def main(path: str) -> None:
    with open(path, encoding="utf-8") as file:
        suites = json.load(file)["testsuites"]
    tests = [test for suite in suites for test in suite["testsuite"]]
    print_table(tests, "mesh", [])
    print()
    print_table(tests, "narrow_mesh", ["`precision`"])


if __name__ == "__main__":
    main(sys.argv[1])
