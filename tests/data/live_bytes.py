# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""The peak of live bytes over a training step on this machine's processor, as PyTorch's profiler sees them come and
go."""

import gc
import json
import os
import tempfile

from torch.profiler import ProfilerActivity, profile, record_function

MEASURED = "the measured step"


def events_of(run):
    """What came and went while `run` ran, in order, and when the step that it marks by MEASURED began."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        run()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        profiler.export_chrome_trace(path)
        with open(path, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
    begins = min((e["ts"] for e in events if e.get("name") == MEASURED), default=0)
    return sorted((e for e in events if e.get("name") == "[memory]"), key=lambda e: e["ts"]), begins


def peak_over(live, step):
    """`live`: bytes that are there before; `step`: what runs."""
    peak = live
    for event in events_of(step)[0]:
        live += event["args"]["Bytes"]
        peak = max(peak, live)
    return peak


def peak_of_last(build, steps=3):
    """`build` makes model and optimizer and returns a step; of the last one of `steps`. Whatever the build holds
    counts, C++'s too."""

    def run():
        step = build()
        for _ in range(steps - 1):
            step()
        with record_function(MEASURED):
            step()

    gc.collect()  # what an earlier one leaves would die in this one
    live = peak = 0
    events, begins = events_of(run)
    for event in events:
        live += event["args"]["Bytes"]
        if event["ts"] >= begins:
            peak = max(peak, live)
    return peak
