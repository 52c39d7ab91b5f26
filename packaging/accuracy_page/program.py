# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Calls slipway, and reads and writes the tables that all sections need."""

import csv
import json
import math
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = os.environ.get("SLIPWAY", str(ROOT / "build/bin/slipway"))
SPEED, PEAK = "tokens_per_s_per_gpu", "peak_mem_gib"
TITLES = {SPEED: "throughput", PEAK: "peak memory"}


def ask(*arguments, environment=None):
    """The JSON document that a command prints."""
    ran = subprocess.run(
        [PROGRAM, *map(str, arguments), "--json"], env=environment, capture_output=True, text=True, check=True
    )
    return json.loads(ran.stdout)


def validated(table, *flags, environment=None):
    return ask("validate", table, *flags, environment=environment)


def rows_of(file):
    """The rows of a measurement table by their id."""
    with open(file, encoding="utf-8", newline="") as table:
        return {row["id"]: row for row in csv.DictReader(table)}


def write_table(file, rows):
    with open(file, "w", encoding="utf-8", newline="") as table:
        writer = csv.DictWriter(table, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return file


def percent(part, sign="", digits=1):
    return f"{100 * part:{sign}.{digits}f} %"


def markdown(header, rows, text=0):
    """A table whose first columns, so many, are text, and all others numbers."""
    bars = ["---"] * text + ["---:"] * (len(header) - text)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [header, bars, *rows])


def signed_errors(document, metric):
    """Predicted over measured, less 1, by the id of the row."""
    return {
        row["id"]: row[metric]["predicted"] / row[metric]["measured"] - 1
        for row in document["rows"]
        if row[metric]["measured"] and row[metric]["predicted"]
    }


def summary_of(document, metric, by="all", value="all"):
    return next(s for s in document["summary"] if (s["metric"], s["by"], s["value"]) == (metric, by, value))


def source_errors(document, metric):
    return sorted(s["mape"] for s in document["summary"] if s["metric"] == metric and s["by"] == "source")


def within(errors, part):
    """The bound within which this part of the errors lies."""
    ordered = sorted(map(abs, errors))
    return ordered[math.ceil(part * len(ordered)) - 1]
