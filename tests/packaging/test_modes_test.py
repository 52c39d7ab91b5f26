# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""What the modes of packaging/test that compare with Python run, in order. Programs are stand-ins that write a log.

test_modes_test.py BUILD
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"
BUILD_FOLDER = sys.argv.pop()
SETUP, CONFIGURE, BUILD = "setup build test", "cmake --preset", "cmake --build"


def write_program(path: Path, *lines: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/bash\n" + "\n".join(lines) + "\n")
    path.chmod(0o755)


class Modes(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root, self.log = Path(folder.name) / "root", Path(folder.name) / "log"
        (self.root / "packaging").mkdir(parents=True)
        for name in ("test", "lib.sh", "oracles.txt"):
            shutil.copy(PACKAGING / name, self.root / "packaging")
        record = f'echo "$(basename "$0") $*" >>"{self.log}"'
        write_program(self.root / "packaging/setup", record)
        programs = Path(folder.name) / "programs"
        for name in ("cmake", "ctest"):
            write_program(programs / name, record, "echo '--   TRAINER: yes'", "echo '100% tests passed'")
        version = hashlib.sha256((self.root / "packaging/oracles.txt").read_bytes()).hexdigest()[:12]
        write_program(Path(folder.name) / f"cache/slipway/oracles-{version}/python", record, "echo a row")
        self.environment = {
            **os.environ,
            "XDG_CACHE_HOME": str(Path(folder.name) / "cache"),
            "PATH": f"{programs}:{os.environ['PATH']}",
        }

    def steps(self, mode: str) -> list[str]:
        self.log.write_text("")
        done = subprocess.run(
            [self.root / "packaging/test", mode], env=self.environment, capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return self.log.read_text().splitlines()

    def test_each_mode_sets_up_and_builds_what_it_runs(self) -> None:
        for mode, target, first in (
            ("--oracles", "", "ctest"),
            ("--families", "--target family_run", "python"),
            ("--decoding", "--target family_run", "python"),
            ("--tokenizing", "--target slipway-train", "python"),
        ):
            with self.subTest(mode):
                steps = self.steps(mode)
                for step, begin in zip(steps, (SETUP, CONFIGURE, BUILD, first), strict=False):
                    self.assertTrue(step.startswith(begin), steps)
                self.assertTrue(steps[2].endswith(target), steps[2])

    def test_each_comparison_with_python_is_a_test_that_there_is(self) -> None:
        listed = subprocess.run(["ctest", "--test-dir", BUILD_FOLDER, "-N"], capture_output=True, text=True, check=True)
        if "_NOT_BUILT" in listed.stdout:
            self.skipTest("not all tests are built")
        names = re.findall(r"^ *Test +#\d+: (\S+)", listed.stdout, re.MULTILINE)
        chosen = re.search(r" -R \^\((\S+)\)$", self.steps("--oracles")[3])[1].split("|")
        for part in ("TokenizerOracle\\.", "BpeTrainer\\.ThePackageTokenizers", "Convert\\.WithTransformers"):
            self.assertIn(part, chosen)
        for part in chosen:
            self.assertTrue(any(re.match(part, name) for name in names), part)


if __name__ == "__main__":
    unittest.main()
