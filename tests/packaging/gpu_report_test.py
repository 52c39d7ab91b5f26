# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""What packaging/gpu_report.py makes of measurements: its table, its rows, and which bounds count."""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parent.parent.parent
GIB = 2**30


class GpuReport(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    # Our own trainer reserves 1 GiB more than it allocates, unless told otherwise; it plans so.
    def put(self, name, rate, peak, planned=None, reserved=None, **config):
        shape = {"layers": 12, "hidden": 768, "heads": 12, "kv_heads": None, "ffn": 2048, "vocab": 32000}
        run = {
            "device": "NVIDIA H100 80GB HBM3",
            "config": shape | {"seq_len": 1024, "micro_batch": 16} | config,
            "params": 134105856,
            "tokens_per_s": rate,
            "peak_allocated_bytes": peak,
            "planned_peak_allocated_bytes": planned,
        }
        if name.startswith("step"):
            run["peak_reserved_bytes"] = reserved or peak + GIB
            run["planned_peak_reserved_bytes"] = (planned or peak) + GIB
        (self.folder / f"{name}.json").write_text(json.dumps(run))

    def put_all(self, planned=10 * GIB):
        for size in ("125m", "1100m"):
            self.put(f"step-{size}-1", 400e3, 10 * GIB, planned)
        self.put("eager-125m-1", 200e3, 20 * GIB)
        self.put("compile-125m-1", 300e3, 15 * GIB)
        self.learn(10.0, 4.0)

    def learn(self, *losses):
        lines = [json.dumps({"loss": loss}) for loss in losses]
        (self.folder / "train-metrics.txt").write_text("\n".join(lines) + "\n")

    def report(self, *flags):
        run = [sys.executable, ROOT / "packaging" / "gpu_report.py", self.folder, *flags]
        return subprocess.run(run, capture_output=True, text=True, check=False)

    def rows(self):
        with open(self.folder / "results.csv", newline="") as file:
            return {row["id"]: row for row in csv.DictReader(file)}

    def test_the_first_part_answers_its_four_questions(self):
        self.put_all()
        done = self.report("--first")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("a run of 2 steps on text: first loss 10.000, last loss 4.000", done.stdout)
        self.assertRegex(done.stdout, r"125m tokens/s relative to compile +1\.333 +at least 1\.0 +passed")
        self.assertRegex(done.stdout, r"125m tokens/s relative to eager +2\.000 +at least 1\.8 +passed")
        self.assertRegex(done.stdout, r"1100m allocated deviation from plan +0\.000 +at most 0\.02 +passed")

    def test_memory_off_the_plan_by_more_than_two_percent_is_told_and_fails(self):
        self.put_all(planned=int(10.3 * GIB))
        done = self.report("--first")
        self.assertEqual(done.returncode, 1)
        self.assertIn("failed: 125m allocated deviation from plan", done.stdout)

    def test_more_reserved_than_was_planned_fails_though_the_allocated_bytes_are_the_planned_ones(self):
        self.put_all()
        self.put("step-1100m-1", 400e3, 10 * GIB, 10 * GIB, reserved=12 * GIB)
        done = self.report("--first")
        self.assertEqual(done.returncode, 1)
        self.assertIn("failed: 1100m reserved deviation from plan", done.stdout)

    def test_of_a_rehearsal_only_what_is_missing_fails(self):
        self.put_all(planned=20 * GIB)
        self.assertEqual(self.report("--first", "--rehearsal").returncode, 0)
        (self.folder / "step-1100m-1.json").unlink()
        self.assertEqual(self.report("--first", "--rehearsal").returncode, 1)

    def test_a_run_that_does_not_learn_or_gave_nothing_fails(self):
        self.put_all()
        self.learn(10.0, 9.5)
        self.assertIn("failed: the run did not learn", self.report("--first").stdout)
        self.learn(10.0, float("nan"))
        self.assertIn("failed: the run did not learn", self.report("--first").stdout)
        (self.folder / "train-metrics.txt").unlink()
        self.assertIn("failed: the run reported no losses", self.report("--first").stdout)

    def test_rows_are_of_the_measurement_format(self):
        self.put_all()
        self.put("step-1100m-fp8-1", 500e3, 10 * GIB, 10 * GIB, precision="fp8-mixed")
        self.put("step-350m-fsdp-full-1", 800e3, 10 * GIB, 10 * GIB, gpus=8, parallel="fsdp-full", tp=2)
        self.report()
        rows = self.rows()
        self.assertEqual(rows["gpu-1100m-step-fp8"]["precision"], "fp8_mixed")
        self.assertEqual(rows["gpu-125m-eager"]["precision"], "bf16_mixed")
        self.assertEqual(rows["gpu-125m-eager"]["compiled"], "no")
        split = rows["gpu-350m-step-fsdp-full"]
        self.assertEqual((split["parallelism"], split["n_gpus"]), ("fsdp_full;tp=2,pp=1,cp=1,dp=4", "8"))
        self.assertEqual(float(split["tokens_per_s_per_gpu"]), 100e3)

    def put_losses(self, name, first, last, **config):
        self.put(f"step-350m-{name}-1", 100e3, 10 * GIB, 10 * GIB, **config)
        path = self.folder / f"step-350m-{name}-1.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"loss_first": first, "loss_last": last}))

    def test_losses_of_split_steps_must_be_those_of_unsplit_ones_even_in_a_rehearsal(self):
        self.put_all()
        self.put_losses("unsplit", 10.4, 8.1)
        self.put_losses("unsplit-experts", 10.6, 8.9)
        self.put_losses("tp2", 10.41, 8.11)
        self.put_losses("ep2", 10.61, 8.91)
        done = self.report("--first", "--rehearsal")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"350m losses of tp2, relative +1\.2e-03 +at most 0\.002 +passed")
        self.put_losses("tp2", 10.41, 8.11, precision="fp32")
        self.assertIn("failed: 350m tp2: other losses", self.report("--first", "--rehearsal").stdout)
        for wrong in (8.2, float("nan")):
            self.put_losses("tp2", 10.41, wrong)
            done = self.report("--first", "--rehearsal")
            self.assertEqual(done.returncode, 1)
            self.assertIn("failed: 350m tp2: other losses than without the split", done.stdout)

    def test_a_split_step_without_one_to_compare_with_fails(self):
        self.put_all()
        self.put_losses("cp2", 10.4, 8.1)
        self.assertIn("failed: 350m cp2: no step without the split", self.report("--first").stdout)

    def test_what_deterministic_kernels_cost_is_told_and_is_no_row(self):
        self.put_all()
        self.put("step-125m-deterministic-1", 300e3, 10 * GIB, 10 * GIB)
        done = self.report("--first")
        self.assertRegex(
            done.stdout, r"125m deterministic +1 GPUs: 300000 tokens/s each, 0\.750 of the step on one GPU"
        )
        self.assertNotIn("gpu-125m-step-deterministic", self.rows())

    def test_a_part_that_was_cut_off_leaves_the_others(self):
        self.put_all()
        (self.folder / "step-2b-1.json").write_text("")
        done = self.report("--first")
        self.assertEqual(done.returncode, 0)
        self.assertIn("step-2b-1.json: holds no result", done.stdout)


if __name__ == "__main__":
    unittest.main()
