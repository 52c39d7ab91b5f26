# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Man pages and completions of a built program, read by the programs that they are for.

shell_docs_test.py PROGRAM
"""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = sys.argv.pop()


def run(*words: str, **more: object) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True, **more).stdout


class ShellDocs(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = Path(cls.folder.name)
        run(sys.executable, str(ROOT / "packaging/shell_docs.py"), str(cls.out), PROGRAM)
        cls.commands = [
            line.split()[0] for line in run(PROGRAM, "--help").split("Subcommands:\n")[1].split("\n\n")[0].splitlines()
        ]

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    def completed(self, *words: str) -> list[str]:
        """What bash offers for the last of these words."""
        script = f"""
            shopt -s progcomp
            compopt() {{ :; }}
            source {self.out}/bash/slipway
            COMP_WORDS=({" ".join(repr(word) for word in words)})
            COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
            _slipway slipway "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD - 1]}}"
            printf '%s\\n' "${{COMPREPLY[@]}}"
        """
        return run("bash", "-c", script).split()

    def test_every_command_has_a_page_that_man_reads_without_a_warning(self) -> None:
        for name in ["slipway", *(f"slipway-{command}" for command in self.commands)]:
            page = self.out / "man1" / f"{name}.1"
            self.assertTrue(page.exists(), name)
            if shutil.which("man"):
                said = subprocess.run(
                    ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", str(page)],
                    capture_output=True,
                    text=True,
                    check=True,
                    env={"LC_ALL": "C.UTF-8", "MANROFFSEQ": "", "MANWIDTH": "80", "PATH": "/usr/bin:/bin"},
                )
                self.assertEqual(said.stderr, "", name)

    def test_a_page_has_every_flag_of_the_help(self) -> None:
        for command in self.commands:
            page = (self.out / "man1" / f"slipway-{command}.1").read_text()
            # A line of the help gives all names of a flag, apart by commas: "--pipeline-schedule,--schedule KIND".
            for word in run(PROGRAM, command, "--help").replace(",", " ").split():
                if word.startswith("--") and word[2:3].isalpha() and not page_has(page, word):
                    self.fail(f"slipway-{command}.1 lacks {word}")

    def test_bash_completes_commands_flags_and_choices(self) -> None:
        self.assertEqual(self.completed("slipway", "swe"), ["sweep"])
        self.assertEqual(sorted(self.completed("slipway", "")), sorted(self.commands))
        self.assertIn("--micro-batch", self.completed("slipway", "plan", "--micro"))
        self.assertEqual(self.completed("slipway", "plan", "--attention", ""), ["flash", "vanilla"])
        self.assertEqual(self.completed("slipway", "plan", "--attention", "fl"), ["flash"])

    def test_zsh_and_fish_can_read_theirs(self) -> None:
        for shell, file in (("zsh", "zsh/_slipway"), ("fish", "fish/slipway.fish")):
            if shutil.which(shell):
                run(shell, "-n", str(self.out / file))
        if shutil.which("fish"):
            offered = run("fish", "-c", f"source {self.out}/fish/slipway.fish; complete -C 'slipway plan --attention '")
            self.assertEqual([line.split("\t")[0] for line in offered.splitlines()], ["flash", "vanilla"])


def page_has(page: str, flag: str) -> bool:
    return flag.strip(".,;:()`").replace("-", "\\-") in page


if __name__ == "__main__":
    unittest.main()
