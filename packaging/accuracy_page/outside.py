# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Figures of public documents that are in neither table: tests/data/outside_runs.csv."""

import statistics

from accuracy_page.errors import ranks
from accuracy_page.program import PEAK, ROOT, SPEED, TITLES, markdown, percent, signed_errors, summary_of, within

FILE = ROOT / "tests/data/outside_runs.csv"
AXES = {"tp": "tensor-parallel", "pp": "stages", "vp": "model chunks", "cp": "context-parallel"}
KINDS = {"fsdp_full": "FSDP", "fsdp_grad_op": "ZeRO-2", "hsdp": "hybrid sharding", "zero1": "ZeRO-1", "ddp": "DDP"}
RECOMPUTED = {"full": "recomputed", "selective": "recomputed in part"}


def figure(value):
    """Four digits, or more if the figure is an integer."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def error(figures):
    if not figures["measured"] or not figures["predicted"]:
        return ""
    return percent(figures["predicted"] / figures["measured"] - 1, "+")


def is_inside(figures):
    return figures["p10"] <= figures["measured"] <= figures["p90"]


def how(row):
    """The setting that the document names, the parallelism and the recomputation."""
    kind = row["parallelism"].partition(";")[0].partition("+")[0]
    parts = [row["setting"], KINDS.get(kind, "")]
    parts += [f"{ranks(row, axis)} {name}" for axis, name in AXES.items() if ranks(row, axis) > 1]
    parts += [RECOMPUTED.get(row["recompute"], "")]
    return ", ".join(dict.fromkeys(filter(None, parts)))


def assumed(row):
    found = row["notes"].partition("assumed: ")[2].partition(";")[0]
    return "; ".join(filter(None, [found, f"fitted: {row['fitted']}" if row["fitted"] else ""]))


def runs(document, table):
    lines = []
    for predicted in document["rows"]:
        row, speed = table[predicted["id"]], predicted[SPEED]
        lines.append(
            [
                f"`{row['id']}`",
                row["model_name"],
                f"{int(row['n_gpus']):,} x {row['gpu']}",
                f"{row['micro_batch_size']} x {int(row['seq_len']):,}",
                how(row),
                f"`{row['framework']}`",
                assumed(row),
                figure(speed["measured"]),
                figure(speed["predicted"]),
                error(speed),
                "yes" if is_inside(speed) else "no",
                error(predicted[PEAK]),
            ]
        )
    header = ["row", "model", "GPUs", "micro-batch", "settings", "framework", "assumed or fitted"]
    header += ["published (tokens/s per GPU)", "predicted", "error", "between P10 and P90", "error of the peak memory"]
    return markdown(header, lines, 7)


def documents_of(table):
    """Each document once, with its date and its rows."""
    found = {}
    for row in table.values():
        key = (row["source_repo_or_paper"], row["source_path_or_section"], row["date"])
        found.setdefault(key, []).append(row["id"])
    lines = [
        [source, place, date, f"`{ids[0]}`" + (f" to `{ids[-1]}`" if len(ids) > 1 else ""), str(len(ids))]
        for (source, place, date), ids in found.items()
    ]
    return markdown(["source", "document", "date", "rows", "figures"], lines, 4)


def by_source(document):
    lines = []
    for s in sorted(document["summary"], key=lambda s: (s["by"] != "all", s["value"].lower())):
        if s["by"] in ("all", "source"):
            part = [percent(s[key], sign) for key, sign in (("mape", ""), ("bias", "+"), ("max", "+"))]
            lines.append([s["value"], TITLES[s["metric"]], str(s["rows"]), *part, percent(s["in_range"], digits=0)])
    header = ["source", "metric", "rows", "mean error", "bias", "largest error", "between P10 and P90"]
    return markdown(header, lines, 2)


def summary(document, table):
    """Sentences above the tables."""
    held = {i: e for i, e in signed_errors(document, SPEED).items() if not table[i]["fitted"]}
    errors = list(signed_errors(document, SPEED).values())
    speed, peak = summary_of(document, SPEED), summary_of(document, PEAK)
    said = sum("assumed: " in row["notes"] for row in table.values())
    return "\n".join(
        [
            f"- The median error of the throughput is {percent(statistics.median(errors), '+')}.",
            f"- Half of the throughput errors are within {percent(within(errors, 0.5))}, four of five within "
            f"{percent(within(errors, 0.8))}.",
            f"- {percent(speed['in_range'], digits=0)} of the {speed['rows']} throughputs and "
            f"{percent(peak['in_range'], digits=0)} of the {peak['rows']} peaks are between P10 and P90.",
            f"- Constants were fitted to {len(table) - len(held)} rows. Without them, four of five errors are within "
            f"{percent(within(held.values(), 0.8))}.",
            f"- In {said} of the {len(table)} rows, a setting is assumed, because the document does not give it.",
        ]
    )
