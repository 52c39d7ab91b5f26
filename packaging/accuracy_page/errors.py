# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Errors by table, by source and by kind of run, verdicts, and the largest errors."""

import statistics

from accuracy_page.program import (
    PEAK,
    SPEED,
    TITLES,
    markdown,
    percent,
    signed_errors,
    source_errors,
    summary_of,
    validated,
    within,
)

WORST = 10
LARGE = ("mosaicml/llm-foundry", "VIA-Research/vTrain")  # most rows of the published table


def sizes(documents, tables):
    rows = [
        [
            name,
            f"{len(document['rows']):,}",
            str(len({row["source_repo_or_paper"] for row in tables[name].values()})),
            str(sum(1 for row in document["rows"] if row["skipped"])),
        ]
        for name, document in documents.items()
    ]
    return markdown(["table", "runs", "sources", "not answered"], rows, 1)


def by_source(document, metric):
    lines = [s for s in document["summary"] if s["metric"] == metric and s["by"] in ("all", "source")]
    lines.sort(key=lambda s: (s["by"] != "all", s["value"].lower()))
    return markdown(
        ["source", "rows", "mean error", "bias", "largest error", "between P10 and P90"],
        [
            [
                s["value"],
                f"{s['rows']:,}",
                percent(s["mape"]),
                percent(s["bias"], "+"),
                percent(s["max"], "+"),
                percent(s["in_range"], digits=0),
            ]
            for s in lines
        ],
        1,
    )


def verdicts(documents):
    keys = ("fits", "false_oom", "oom", "missed_oom")
    return markdown(
        ["table", "runs that fitted", "false out-of-memory verdicts", "runs that failed", "missed failures"],
        [[name, *(f"{d['verdicts'][key]:,}" for key in keys)] for name, d in documents.items()],
        1,
    )


def wrong_verdicts(documents, tables):
    """Where the wrong verdicts are: by table and source."""
    counts = {}
    for name, document in documents.items():
        for row in document["rows"]:
            failed, predicted = row["oom"]["measured"], row["oom"]["predicted"]
            if failed is None or predicted is None or failed == predicted:
                continue
            source = tables[name][row["id"]]["source_repo_or_paper"]
            counts.setdefault((name, source), [0, 0])[1 if failed else 0] += 1
    ordered = sorted(counts.items(), key=lambda item: -sum(item[1]))
    rows = [[name, source, str(false), str(missed)] for (name, source), (false, missed) in ordered]
    return markdown(["table", "source", "false out-of-memory verdicts", "missed failures"], rows, 2)


def sources(documents):
    rows = []
    for name, document in documents.items():
        for metric, title in TITLES.items():
            errors = source_errors(document, metric)
            rows.append(
                [
                    name,
                    title,
                    str(len(errors)),
                    percent(statistics.mean(errors)),
                    percent(statistics.median(errors)),
                    percent(errors[min(len(errors) - 1, 3 * len(errors) // 4)]),
                    percent(summary_of(document, metric)["in_range"], digits=0),
                ]
            )
    header = ["table", "metric", "sources", "mean", "median source", "three of four within", "rows in range"]
    return markdown(header, rows, 2)


def parts_to_trust(documents, tables):
    """Errors by row: name of the set, metric, errors."""
    for name, document in documents.items():
        for metric, title in TITLES.items():
            errors = signed_errors(document, metric)
            yield name, title, list(errors.values())
            if name == "published" and metric == SPEED:
                left = [e for i, e in errors.items() if tables[name][i]["source_repo_or_paper"] not in LARGE]
                yield "published without llm-foundry and vTrain", title, left
            if name == "outside" and metric == SPEED:
                left = [e for i, e in errors.items() if not tables[name][i]["fitted"]]
                yield "outside, rows that nothing was fitted to", title, left


def trust(documents, tables):
    rows = [
        [
            name,
            title,
            f"{len(errors):,}",
            *(percent(within(errors, part)) for part in (0.5, 0.8, 0.9)),
            percent(statistics.median(errors), "+"),
        ]
        for name, title, errors in parts_to_trust(documents, tables)
    ]
    header = ["set", "metric", "rows", "half within", "four of five within", "nine of ten within", "median error"]
    return markdown(header, rows, 2)


def is_sharded(row):
    return row["parallelism"].lower().replace("-", "_").startswith(("fsdp", "hsdp"))


def number(row, column):
    return int(float(row[column] or 0))


def ranks(row, axis):
    """The size of an axis in a cell such as "zero1+tp;tp=4,dp=2"."""
    pairs = (pair.split("=") for pair in row["parallelism"].partition(";")[2].split(",") if "=" in pair)
    return next((int(size) for name, size in pairs if name.strip() == axis), 1)


KINDS = {
    "fully or hybrid sharded, 256 GPUs and more": lambda r: is_sharded(r) and number(r, "n_gpus") >= 256,
    "other parallelism, 256 GPUs and more": lambda r: not is_sharded(r) and number(r, "n_gpus") >= 256,
    "eager tensor parallelism with sharding": lambda r: is_sharded(r) and ranks(r, "tp") > 1 and r["compiled"] == "no",
    "context parallelism": lambda r: ranks(r, "cp") > 1,
    "sequences of 32,768 tokens and more": lambda r: number(r, "seq_len") >= 32768,
    "Blackwell GPUs": lambda r: any(name in r["gpu"].upper() for name in ("B200", "B300", "RTX 50", "RTX-50", "RTX50")),
    "fp8": lambda r: r["precision"].startswith("fp8"),
    "neither attention nor compilation stated": lambda r: not r["attention"] and not r["compiled"],
}


def kinds(documents, tables):
    rows = []
    for kind, belongs in KINDS.items():
        for metric, title in TITLES.items():
            errors = [
                error
                for name, document in documents.items()
                for identity, error in signed_errors(document, metric).items()
                if belongs(tables[name][identity])
            ]
            if errors:
                rows.append(
                    [
                        kind,
                        title,
                        str(len(errors)),
                        percent(statistics.mean(map(abs, errors)), digits=0),
                        percent(statistics.mean(errors), "+", 0),
                        percent(max(errors, key=abs), "+", 0),
                    ]
                )
    return markdown(["runs", "metric", "rows", "mean error", "bias", "largest error"], rows, 2)


def low_parts(document):
    """Of the measured peaks: all, above the prediction, above P90, and the largest factor."""
    peaks = [row[PEAK] for row in document["rows"] if row[PEAK]["measured"] and row[PEAK]["predicted"]]
    over = [p for p in peaks if p["measured"] > p["predicted"]]
    return {
        "all": len(peaks),
        "over": len(over),
        "over_tenth": sum(p["measured"] > 1.1 * p["predicted"] for p in peaks),
        "over_p90": sum(p["measured"] > p["p90"] for p in peaks),
        "most": max((p["measured"] / p["predicted"] for p in peaks), default=0),
    }


def low_peaks(documents):
    rows = []
    for name, document in documents.items():
        low = low_parts(document)
        share = [
            f"{low[key]} ({percent(low[key] / low['all'], digits=0)})" for key in ("over", "over_tenth", "over_p90")
        ]
        rows.append([name, str(low["all"]), *share, f"{low['most']:.2f}"])
    header = ["table", "peaks", "measured above predicted", "by more than 10 %", "measured above P90"]
    return markdown([*header, "largest measured over predicted"], rows, 1)


ANNOTATED = {
    "all": "all annotations",
    "consistent": "without those that a column contradicts",
    "none": "without any",
}


def annotated(file):
    """Means over the rows of the published table, by which annotations of its sources count."""
    rows = []
    for use, title in ANNOTATED.items():
        document = validated(file, "--annotations", use)
        by_row = [percent(summary_of(document, metric)["mape"]) for metric in TITLES]
        of_sources = [percent(statistics.mean(source_errors(document, metric))) for metric in TITLES]
        wrong = [f"{document['verdicts'][key]:,}" for key in ("false_oom", "missed_oom")]
        rows.append([title, *by_row, *of_sources, *wrong])
    header = ["published table", "throughput, by row", "peak memory, by row", "throughput, by source"]
    return markdown([*header, "peak memory, by source", "false out-of-memory verdicts", "missed failures"], rows, 1)


def worst(documents, tables, count=WORST):
    rows = []
    for metric, title in TITLES.items():
        errors = [
            (error, name, identity)
            for name, document in documents.items()
            for identity, error in signed_errors(document, metric).items()
        ]
        errors.sort(key=lambda e: -abs(e[0]))
        for error, name, identity in errors[:count]:
            told = tables[name][identity]
            gpus = f"{told['n_gpus']} x {told['gpu']}"
            rows.append([title, name, identity, told["model_name"], gpus, percent(error, "+")])
    return markdown(["metric", "table", "row", "model", "GPUs", "error"], rows, 5)


def worst_sources(documents, count):
    """By metric, the sources with the largest mean errors."""
    found = {}
    for metric in TITLES:
        lines = [
            s
            for document in documents.values()
            for s in document["summary"]
            if s["metric"] == metric and s["by"] == "source"
        ]
        lines.sort(key=lambda s: -s["mape"])
        found[metric] = lines[:count]
    return found


def named_worst(document, remarks, count=6):
    """The sources with the largest errors, with what is known to be missing."""
    errors = {}
    for s in document["summary"]:
        if s["by"] == "source":
            errors.setdefault(s["value"], {})[s["metric"]] = s
    ordered = sorted(errors.items(), key=lambda item: -max(s["mape"] for s in item[1].values()))
    rows = []
    for source, metrics in ordered[:count]:
        cells = [percent(metrics[metric]["mape"], digits=0) if metric in metrics else "" for metric in TITLES]
        most = str(max(s["rows"] for s in metrics.values()))
        rows.append([source, remarks.get(source, "not known"), most, *cells])
    return markdown(["source", "what is missing", "rows", *TITLES.values()], rows, 2)
