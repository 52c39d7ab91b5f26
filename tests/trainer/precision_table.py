# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""The table of losses in docs/trainer.md, out of what test_trainer wrote with --gtest_output=json:FILE."""

import json
import sys


def main(path: str) -> None:
    with open(path, encoding="utf-8") as file:
        suites = json.load(file)["testsuites"]
    rows = [test["curve"] for suite in suites for test in suite["testsuite"] if "curve" in test]
    print(
        "| lower precision against reference | last loss, reference | last loss, lower | difference |"
        " largest difference | limit |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    print("\n".join(rows))


if __name__ == "__main__":
    main(sys.argv[1])
