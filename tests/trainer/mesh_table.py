# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""The table of docs/guide/parallelism.md, out of what test_trainer_mesh wrote with --gtest_output=json:FILE."""

import json
import sys


def main(path: str) -> None:
    with open(path, encoding="utf-8") as file:
        suites = json.load(file)["testsuites"]
    rows = [test["mesh"] for suite in suites for test in suite["testsuite"] if "mesh" in test]
    print(
        "| ranks | `tp` | `cp` | `ep` | `pp` | schedule | `parallel` | `grad_accum` | `recompute` | model "
        "| loss | gradients |"
    )
    print("| ---: | ---: | ---: | ---: | ---: | --- | --- | ---: | --- | --- | ---: | ---: |")
    print("\n".join(rows))


if __name__ == "__main__":
    main(sys.argv[1])
