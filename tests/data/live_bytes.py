# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""The peak of live bytes over a training step on this machine's processor, as PyTorch's profiler sees them come and go."""
import json
import os
import tempfile

from torch.profiler import ProfilerActivity, profile


def peak_over(live, step):
    """`live`: bytes that are there before; `step`: what runs."""
    peak = live
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        step()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        profiler.export_chrome_trace(path)
        with open(path, encoding="utf-8") as file:
            events = [e for e in json.load(file)["traceEvents"] if e.get("name") == "[memory]"]
    for event in sorted(events, key=lambda e: e["ts"]):
        live += event["args"]["Bytes"]
        peak = max(peak, live)
    return peak
