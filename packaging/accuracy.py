#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Generates the tables of docs/accuracy.md: packaging/accuracy.py PUBLISHED.csv RELEASED.csv

PUBLISHED.csv: the table that constants were fitted to; RELEASED.csv: rows that name their software. Each table of the
document is between <!-- accuracy: NAME --> and <!-- end -->. The program is build/bin/slipway, or $SLIPWAY."""

import collections
import csv
import datetime
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("SLIPWAY", str(ROOT / "build/bin/slipway"))
SPEED, PEAK = "tokens_per_s_per_gpu", "peak_mem_gib"
TITLES = {SPEED: "throughput", PEAK: "peak memory"}
BEGIN, END = "<!-- accuracy: {} -->", "<!-- end -->"
WORST = 10
DRAWS, OTHERS = 4, 30  # of the rows of a source on one GPU that are given, and that are predicted


def answer(table, *flags):
    ran = subprocess.run([PROGRAM, "validate", table, "--json", *flags], capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)


def percent(part, sign=""):
    return f"{100 * part:{sign}.1f} %"


def table_of(header, rows, text=0):
    """Markdown; so many columns are text, all others numbers."""
    bars = ["---"] * text + ["---:"] * (len(header) - text)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [header, bars, *rows])


def by_source(document, metric):
    lines = [s for s in document["summary"] if s["metric"] == metric and s["by"] in ("all", "source")]
    lines.sort(key=lambda s: (s["by"] != "all", s["value"].lower()))
    return table_of(
        ["source", "rows", "mean error", "bias", "largest error", "between P10 and P90"],
        [
            [
                s["value"],
                f"{s['rows']:,}",
                percent(s["mape"]),
                percent(s["bias"], "+"),
                percent(s["max"], "+"),
                f"{100 * s['in_range']:.0f} %",
            ]
            for s in lines
        ],
        1,
    )


def verdicts(documents):
    return table_of(
        ["table", "runs that fitted", "false out-of-memory verdicts", "runs that failed", "missed failures"],
        [
            [name, *(f"{d['verdicts'][key]:,}" for key in ("fits", "false_oom", "oom", "missed_oom"))]
            for name, d in documents.items()
        ],
        1,
    )


def source_errors(document, metric):
    return sorted(s["mape"] for s in document["summary"] if s["metric"] == metric and s["by"] == "source")


def sources(documents):
    rows = []
    for name, document in documents.items():
        for metric, title in TITLES.items():
            errors = source_errors(document, metric)
            every = next(s for s in document["summary"] if s["by"] == "all" and s["metric"] == metric)
            rows.append(
                [
                    name,
                    title,
                    str(len(errors)),
                    percent(statistics.mean(errors)),
                    percent(statistics.median(errors)),
                    percent(errors[min(len(errors) - 1, 3 * len(errors) // 4)]),
                    f"{100 * every['in_range']:.0f} %",
                ]
            )
    return table_of(
        ["table", "metric", "sources", "mean", "median source", "three of four within", "rows in range"], rows, 2
    )


def left_out(documents):
    rows = [
        [
            name,
            c["class"],
            TITLES[c["metric"]],
            str(c["sources"]),
            f"{c['rows']:,}",
            f"{100 * c['median_error']:.0f} %",
            f"{c['residual_p10']:.2f} to {c['residual_p90']:.2f}",
            f"{100 * c['in_range']:.0f} %",
            f"{100 * c['above_p90']:.0f} %",
            f"{100 * c['in_range_of_others']:.0f} %",
            f"{100 * c['in_range_of_other_frameworks']:.0f} %" if c["class"] != "unknown" else "",
        ]
        for name, document in documents.items()
        for c in document["classes"]
    ]
    header = ["table", "known", "metric", "sources", "rows", "median source", "P10 to P90 of the errors"]
    header += ["between P10 and P90", "above P90", "in the range of the other sources"]
    return table_of([*header, "in the range of the other frameworks"], rows, 3)


def with_profiles(table, document, file):
    """Writes the rows of a table whose software an annotation names, with that name in a column of their own."""
    mark = re.compile(r"framework (\S+) \(source\)")
    names = {}
    for row in document["rows"]:
        for said in filter(None, map(mark.fullmatch, row["assumed"])):
            names[row["id"]] = said.group(1)
    rows = [row | {"framework": names[identity]} for identity, row in table.items() if identity in names]
    with open(file, "w", encoding="utf-8", newline="") as written:
        writer = csv.DictWriter(written, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return file


def left_out_documents(files, documents, tables):
    """By table; the rows of the published one also with the profiles that its annotations name."""
    found = {name: answer(file, "--leave-one-out") for name, file in files.items()}
    with tempfile.TemporaryDirectory() as folder:
        file = with_profiles(tables["published"], documents["published"], f"{folder}/named.csv")
        named = answer(file, "--leave-one-out")
    found["published, named"] = {"classes": [c for c in named["classes"] if c["class"] != "unknown"]}
    return found


ANNOTATED = {
    "all": "all annotations",
    "consistent": "without those that a column contradicts",
    "none": "without any",
}


def annotated(file):
    """Means over the rows of the published table, by which annotations of its sources count."""
    rows = []
    for use, title in ANNOTATED.items():
        document = answer(file, "--annotations", use)
        every = {s["metric"]: s for s in document["summary"] if s["by"] == "all"}
        errors = [percent(statistics.mean(source_errors(document, metric))) for metric in TITLES]
        rows.append(
            [
                title,
                percent(every[SPEED]["mape"]),
                percent(every[PEAK]["mape"]),
                *errors,
                f"{document['verdicts']['false_oom']:,}",
                f"{document['verdicts']['missed_oom']:,}",
            ]
        )
    header = ["published table", "throughput, by row", "peak memory, by row", "throughput, by source"]
    return table_of([*header, "peak memory, by source", "false out-of-memory verdicts", "missed failures"], rows, 1)


def figures(document, metric):
    """Errors of predicted figures, by row."""
    return {
        row["id"]: abs(row[metric]["predicted"] / row[metric]["measured"] - 1)
        for row in document["rows"]
        if row[metric]["measured"] and row[metric]["predicted"]
    }


def spread(everything, count, first):
    return [everything[(first + i * len(everything) // count) % len(everything)] for i in range(count)]


def calibrated_errors(own, others, metric):
    """Of the other rows of a source on one GPU, when its own rows are given to calibrate."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"XDG_DATA_HOME": folder}
        for name, rows in (("own", own), ("others", others)):
            with open(f"{folder}/{name}.csv", "w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, rows[0].keys())
                writer.writeheader()
                writer.writerows(rows)
        fit = [PROGRAM, "calibrate", f"{folder}/own.csv", "--as", "given"]
        if subprocess.run(fit, env=environment, capture_output=True, check=False).returncode != 0:
            return None  # nothing was fitted: the errors stay as they are
        ran = subprocess.run(
            [PROGRAM, "validate", f"{folder}/others.csv", "--calibration", "given", "--json"],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
    return figures(json.loads(ran.stdout), metric)


def after_runs(documents, tables, runs):
    """Means over sources and GPUs: errors before and after so many of their rows are given to calibrate."""
    rows = []
    for metric, title in TITLES.items():
        groups = {}
        for name, document in documents.items():
            for identity in figures(document, metric):
                told = tables[name][identity]
                if told["oom"] != "1":
                    groups.setdefault((name, told["source_repo_or_paper"], told["gpu"]), []).append(identity)
        changes = []
        for (name, _, _), identities in groups.items():
            if len(identities) <= runs:
                continue
            known, before, after = figures(documents[name], metric), [], []
            draws = min(len(identities), DRAWS)
            for draw in range(draws):
                own = spread(identities, runs, draw * len(identities) // draws)
                left = [i for i in identities if i not in own]
                others = spread(left, min(len(left), OTHERS), 0)
                pick = tables[name].__getitem__
                errors = calibrated_errors([pick(i) for i in own], [pick(i) for i in others], metric) or known
                before.append(statistics.mean(known[i] for i in others))
                after.append(statistics.mean(errors.get(i, known[i]) for i in others))
            changes.append((statistics.mean(before), statistics.mean(after)))
        lost = [after - before for before, after in changes]
        rows.append(
            [
                str(runs),
                title,
                str(len(changes)),
                percent(statistics.mean(before for before, _ in changes)),
                percent(statistics.mean(after for _, after in changes)),
                str(sum(each > 0.02 for each in lost)),
                f"{100 * max(0, *lost):.1f} points",
            ]
        )
    return rows


def worst(documents, tables):
    rows = []
    for metric, title in TITLES.items():
        errors = []
        for name, document in documents.items():
            for row in document["rows"]:
                figure = row[metric]
                if figure["measured"] and figure["predicted"]:
                    errors.append((figure["predicted"] / figure["measured"] - 1, name, row["id"]))
        errors.sort(key=lambda e: -abs(e[0]))
        for error, name, identity in errors[:WORST]:
            told = tables[name][identity]
            rows.append(
                [title, name, identity, told["model_name"], f"{told['n_gpus']} x {told['gpu']}", percent(error, "+")]
            )
    return table_of(["metric", "table", "row", "model", "GPUs", "error"], rows, 5)


def origins():
    """How many fields of the training profiles have which origin."""
    listed = subprocess.run([PROGRAM, "catalog", "frameworks", "--json"], capture_output=True, text=True, check=True)
    counts = collections.Counter(
        field["origin"]
        for profile in json.loads(listed.stdout)["frameworks"]
        if profile["workload"] == "training"
        for field in profile["fields"]
    )
    rows = [[f"`{origin}`", str(count)] for origin, count in counts.most_common()]
    return table_of(["origin", "fields"], [*rows, ["all", str(counts.total())]], 1)


def main():
    if len(sys.argv) != 3 or sys.argv[1] in ("-h", "--help"):
        print(__doc__, file=sys.stderr)
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    files = {"published": sys.argv[1], "released": sys.argv[2]}
    tables = {}
    for name, file in files.items():
        with open(file, encoding="utf-8", newline="") as rows:
            tables[name] = {row["id"]: row for row in csv.DictReader(rows)}
    documents = {name: answer(file) for name, file in files.items()}
    blocks = {
        "date": f"These tables were made on {datetime.date.today().isoformat()}.",
        "verdicts": verdicts(documents),
        "sources": sources(documents),
        "annotations": annotated(files["published"]),
        "throughput": by_source(documents["published"], SPEED),
        "memory": by_source(documents["published"], PEAK),
        "released-throughput": by_source(documents["released"], SPEED),
        "released-memory": by_source(documents["released"], PEAK),
        "left-out": left_out(left_out_documents(files, documents, tables)),
        "after-runs": table_of(
            ["runs", "metric", "sources and GPUs", "before", "after", "worse by 2 points", "lost most"],
            [row for runs in (1, 3) for row in after_runs(documents, tables, runs)],
        ),
        "worst": worst(documents, tables),
        "origins": origins(),
    }
    path = ROOT / "docs/accuracy.md"
    text = path.read_text(encoding="utf-8")
    for name, block in blocks.items():
        begin = BEGIN.format(name)
        if begin not in text:
            print(f"error: {path}: '{begin}' is missing", file=sys.stderr)
            return 1
        at = text.index(begin) + len(begin)
        text = text[:at] + "\n\n" + block + "\n\n" + text[text.index(END, at) :]
    path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
