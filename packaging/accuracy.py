#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Generates the figures of docs/accuracy.md: packaging/accuracy.py PUBLISHED.csv RELEASED.csv

PUBLISHED.csv: the table that constants were fitted to; RELEASED.csv: rows that name their software. The third table,
tests/data/outside_runs.csv, and those of serving are in the repository. Each block of the document is between
<!-- accuracy: NAME --> and <!-- end -->. In README.md, the row "Predictions" is generated. The program is
build/bin/slipway, or $SLIPWAY. The parts are in packaging/accuracy_page."""

import datetime
import sys

from accuracy_page import errors, outside, own_runs, page, serving, unknown
from accuracy_page.program import PEAK, ROOT, SPEED, rows_of, validated

# What is known to be missing, for the sources with the largest errors of the released table.
REMARKS = {
    "aws-samples/awsome-distributed-training": "The rows state one sequence. Two sequences would explain the peak.",
    "pytorch/ao": "The rows do not state recomputation. Their peaks look like full recomputation; torchtitan's "
    "default is selective.",
    "InternLM/xtuner": "The network is not stated.",
    "intelligent-machine-learning/dlrover": "All-gathers without a limit are modeled, but not their order.",
    "MooreThreads/SimuMax": "The rate of a B200 in a training loop is little known.",
}


def training_blocks(files):
    tables = {name: rows_of(file) for name, file in files.items()}
    documents = {name: validated(file) for name, file in files.items()}
    read = {name: documents[name] for name in ("published", "released")}
    unnamed = unknown.unnamed(tables)
    blocks = {
        "top": page.top(documents, unnamed),
        "sizes": errors.sizes(documents, tables),
        "verdicts": errors.verdicts(documents),
        "wrong-verdicts": errors.wrong_verdicts(documents, tables),
        "sources": errors.sources(documents),
        "low-peaks": errors.low_peaks(documents),
        "annotations": errors.annotated(files["published"]),
        "trust": errors.trust(documents, tables),
        "kinds": errors.kinds(documents, tables),
        "throughput": errors.by_source(documents["published"], SPEED),
        "memory": errors.by_source(documents["published"], PEAK),
        "memory-factors": page.memory_factors(),
        "released-throughput": errors.by_source(documents["released"], SPEED),
        "released-memory": errors.by_source(documents["released"], PEAK),
        "released-worst": errors.named_worst(documents["released"], REMARKS),
        "left-out": unknown.left_out(files, documents, tables),
        "unknown-verdicts": errors.verdicts(unnamed),
        "unknown-sources": errors.sources(unnamed),
        "unknown-low-peaks": errors.low_peaks(unnamed),
        "unknown-worst": errors.worst(unnamed, tables, 5),
        "after-runs": own_runs.after_runs(read, tables),
        "worst": errors.worst(documents, tables),
        "origins": page.origins(),
        "outside-summary": outside.summary(documents["outside"], tables["outside"]),
        "outside-sources": outside.by_source(documents["outside"]),
        "outside-documents": outside.documents_of(tables["outside"]),
        "outside-worst": errors.worst({"outside": documents["outside"]}, tables, 8),
        "outside-runs": outside.runs(documents["outside"], tables["outside"]),
    }
    return blocks, page.readme_row(documents)


def main():
    if len(sys.argv) != 3 or sys.argv[1] in ("-h", "--help"):
        print(__doc__, file=sys.stderr)
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    files = {"published": sys.argv[1], "released": sys.argv[2], "outside": outside.FILE}
    blocks, readme_row = training_blocks(files)
    blocks |= serving.blocks()
    blocks["date"] = f"All figures in tables were generated on {datetime.date.today().isoformat()}."
    path, readme = ROOT / "docs/accuracy.md", ROOT / "README.md"
    try:
        text = page.with_blocks(path.read_text(encoding="utf-8"), blocks)
    except KeyError as missing:
        print(f"error: {path}: marks and blocks differ: {missing.args[0]}", file=sys.stderr)
        return 1
    path.write_text(text, encoding="utf-8")
    readme.write_text(page.README_ROW.sub(readme_row, readme.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
