# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Holds a training up at a step until its test lets it go on: the file "go" in the working folder."""

import os
import time


def hold(step, at, stopped=lambda: False):
    if step != at or os.path.exists("go"):
        return
    open("waiting", "w").close()
    while not os.path.exists("go") and not stopped():
        time.sleep(0.02)
