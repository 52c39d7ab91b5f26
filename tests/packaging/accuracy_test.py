# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""What packaging/accuracy.py writes into docs/accuracy.md, from a few rows: a block for each mark, and no other."""

import csv
import os
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parent.parent.parent
if len(sys.argv) > 1:
    os.environ["SLIPWAY"] = sys.argv.pop(1)
sys.path.insert(0, str(ROOT / "packaging"))

import accuracy  # noqa: E402
from accuracy_page import errors, outside, own_runs, page, program, serving  # noqa: E402


class OutsideRuns(unittest.TestCase):
    def test_each_row_names_its_document_and_its_software(self):
        with open(outside.FILE, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), len({row["id"] for row in rows}))
        for row in rows:
            for column in ("source_repo_or_paper", "source_path_or_section", "framework", "tokens_per_s_per_gpu"):
                self.assertTrue(row[column], f"{row['id']}: {column}")
            self.assertRegex(row["date"], r"^20\d\d-\d\d$", row["id"])

    def test_notes_tell_what_is_assumed(self):
        row = {"notes": "no biases; assumed: micro-batch, ZeRO-1", "fitted": "rate of GEMMs"}
        self.assertEqual(outside.assumed(row), "micro-batch, ZeRO-1; fitted: rate of GEMMs")


class Blocks(unittest.TestCase):
    def test_a_mark_without_a_block_is_named(self):
        text = "<!-- accuracy: one -->\n\nold\n\n<!-- end -->\n"
        self.assertIn("\n\nnew\n\n<!-- end -->", page.with_blocks(text, {"one": "new"}))
        with self.assertRaises(KeyError) as missing:
            page.with_blocks(text, {"one": "new", "two": "new"})
        self.assertEqual(missing.exception.args[0], "two")

    def test_each_mark_of_the_page_has_a_block(self):
        own_runs.after_runs = lambda documents, tables: "takes minutes"
        published = list(program.rows_of(ROOT / "tests/data/published_runs.csv").values())
        released = [row for row in program.rows_of(outside.FILE).values() if row["id"].startswith("titan-paper")]
        with tempfile.TemporaryDirectory() as folder:
            files = {
                "published": program.write_table(f"{folder}/published.csv", published[::4]),
                "released": program.write_table(f"{folder}/released.csv", released),
                "outside": outside.FILE,
            }
            blocks, readme_row = accuracy.training_blocks(files)
        blocks |= serving.blocks() | {"date": ""}
        text = page.with_blocks((ROOT / "docs/accuracy.md").read_text(encoding="utf-8"), blocks)
        self.assertIn("takes minutes", text)
        self.assertRegex((ROOT / "README.md").read_text(encoding="utf-8"), page.README_ROW)
        self.assertRegex(readme_row, page.README_ROW)


class Errors(unittest.TestCase):
    DOCUMENT = {
        "rows": [
            {"id": "a", "peak_mem_gib": {"measured": 12.0, "predicted": 10.0, "p10": 8.0, "p90": 11.0}},
            {"id": "b", "peak_mem_gib": {"measured": 10.5, "predicted": 10.0, "p10": 8.0, "p90": 11.0}},
            {"id": "c", "peak_mem_gib": {"measured": 9.0, "predicted": 10.0, "p10": 8.0, "p90": 11.0}},
            {"id": "d", "peak_mem_gib": {"measured": None, "predicted": 10.0, "p10": 8.0, "p90": 11.0}},
        ]
    }

    def test_peaks_above_the_prediction_are_counted(self):
        low = errors.low_parts(self.DOCUMENT)
        self.assertEqual((low["all"], low["over"], low["over_tenth"], low["over_p90"]), (3, 2, 1, 1))
        self.assertAlmostEqual(low["most"], 1.2)

    def test_four_of_five_errors_are_within_the_fourth(self):
        self.assertEqual(program.within([-0.1, 0.2, 0.3, -0.4, 0.5], 0.8), 0.4)


if __name__ == "__main__":
    unittest.main()
