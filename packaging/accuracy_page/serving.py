# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Errors of served requests and of the kernels of decode steps: tests/data/serving."""

import statistics

from accuracy_page.program import ROOT, markdown, percent, rows_of, signed_errors, summary_of, validated, within

FOLDER = ROOT / "tests/data/serving"
TITLES = {
    "tpot_ms": "time per output token",
    "tokens_per_s": "tokens/s",
    "ttft_ms": "time to first token",
    "decode_kernels_ms": "kernels of a decode step",
}


def line(what, title, errors, used):
    """One line of a table: the errors of some rows, and how many of them are held out."""
    held = sum(used[identity]["use"] == "held out" for identity in errors)
    values = list(errors.values())
    return [
        what,
        title,
        str(len(values)),
        str(held),
        percent(statistics.mean(map(abs, values))),
        percent(statistics.mean(values), "+"),
        percent(max(values, key=abs), "+"),
    ]


HEADER = ["rows", "metric", "number", "held out", "mean error", "bias", "largest error"]


def served(document, rows):
    """By metric and source, and all that are held out."""
    lines = []
    for metric, title in TITLES.items():
        errors = signed_errors(document, metric)
        by_source = {}
        for identity, error in errors.items():
            by_source.setdefault(rows[identity]["source"], {})[identity] = error
        lines += [line(source, title, some, rows) for source, some in by_source.items()]
        held = {i: e for i, e in errors.items() if rows[i]["use"] == "held out"}
        if held and len(by_source) > 1:
            lines.append(line("all held out", title, held, rows))
    return markdown(HEADER, lines, 2)


def worst(document, rows, count=6):
    errors = [
        (error, identity, title)
        for metric, title in TITLES.items()
        for identity, error in signed_errors(document, metric).items()
    ]
    errors.sort(key=lambda e: -abs(e[0]))
    lines = []
    for error, identity, title in errors[:count]:
        row = rows[identity]
        place = f"{row['model']}, {row['weights']}, {row['gpu']}, {row['framework']}"
        lines.append([f"`{identity}`", place, row["prompt"], row["batch"], title, percent(error, "+")])
    return markdown(["row", "what", "prompt", "batch", "metric", "error"], lines, 5)


def by_software(document, rows):
    """Of times to first token, by framework: measured over predicted."""
    lines = []
    for s in document["summary"]:
        if s["by"] == "framework" and s["metric"] == "ttft_ms":
            ratios = [f"{s[key]:.1f}" for key in ("residual_p10", "residual_p50", "residual_p90")]
            lines.append([s["value"], str(s["rows"]), *ratios])
    return markdown(["framework", "rows", "P10", "median", "P90 of measured over predicted"], lines, 1)


def kernels(document, rows):
    errors = signed_errors(document, "decode_kernels_ms")
    groups = {"all": errors}
    groups |= {f"{use}": {i: e for i, e in errors.items() if rows[i]["use"] == use} for use in ("fit", "held out")}
    for identity, error in errors.items():
        row = rows[identity]
        gpu = row["gpu"].partition("-")[0].upper()
        groups.setdefault(f"{row['source'].partition(': ')[2]}, {gpu}", {})[identity] = error
    lines = []
    for name, some in groups.items():
        cells = line(name, "", some, rows)
        lines.append([cells[0], *cells[2:], percent(within(some.values(), 0.9))])
    return markdown(["rows", "decode steps", *HEADER[3:], "nine of ten within"], lines, 1)


def blocks():
    files = {name: FOLDER / f"{name}.csv" for name in ("served", "decode_kernels")}
    rows = {name: rows_of(file) for name, file in files.items()}
    documents = {name: validated(file) for name, file in files.items()}
    held = summary_of(documents["served"], "tpot_ms", "use", "held out")
    return {
        "served": served(documents["served"], rows["served"]),
        "served-held-out": f"Over all {held['rows']} held-out times per output token, the mean error is "
        f"{percent(held['mape'])}.",
        "served-worst": worst(documents["served"], rows["served"]),
        "served-first-token": by_software(documents["served"], rows["served"]),
        "decode-kernels": kernels(documents["decode_kernels"], rows["decode_kernels"]),
    }
