# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Errors before and after some rows of a source on one GPU are given to calibrate."""

import os
import statistics
import subprocess
import tempfile

from accuracy_page.program import PROGRAM, TITLES, markdown, percent, signed_errors, validated, write_table

DRAWS, OTHERS = 4, 30  # of the rows of a source on one GPU that are given, and that are predicted


def spread(everything, count, first):
    return [everything[(first + i * len(everything) // count) % len(everything)] for i in range(count)]


def calibrated_errors(own, others, metric):
    """Of the other rows, when its own rows are given to calibrate."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"XDG_DATA_HOME": folder}
        given = write_table(f"{folder}/own.csv", own)
        fit = [PROGRAM, "calibrate", given, "--as", "given"]
        if subprocess.run(fit, env=environment, capture_output=True, check=False).returncode != 0:
            return None  # nothing was fitted: the errors stay as they are
        file = write_table(f"{folder}/others.csv", others)
        document = validated(file, "--calibration", "given", environment=environment)
    return absolute_errors(document, metric)


def absolute_errors(document, metric):
    return {identity: abs(error) for identity, error in signed_errors(document, metric).items()}


def groups_of(documents, tables, metric):
    groups = {}
    for name, document in documents.items():
        for identity in signed_errors(document, metric):
            told = tables[name][identity]
            if told["oom"] != "1":
                groups.setdefault((name, told["source_repo_or_paper"], told["gpu"]), []).append(identity)
    return groups


def change(identities, table, known, metric, runs):
    """The mean errors of a source on one GPU before and after, over several choices of the rows that are given."""
    before, after = [], []
    draws = min(len(identities), DRAWS)
    for draw in range(draws):
        own = spread(identities, runs, draw * len(identities) // draws)
        left = [i for i in identities if i not in own]
        others = spread(left, min(len(left), OTHERS), 0)
        errors = calibrated_errors([table[i] for i in own], [table[i] for i in others], metric) or known
        before.append(statistics.mean(known[i] for i in others))
        after.append(statistics.mean(errors.get(i, known[i]) for i in others))
    return statistics.mean(before), statistics.mean(after)


def lines(documents, tables, runs):
    """Means over sources and GPUs."""
    for metric, title in TITLES.items():
        changes = [
            change(identities, tables[name], absolute_errors(documents[name], metric), metric, runs)
            for (name, _, _), identities in groups_of(documents, tables, metric).items()
            if len(identities) > runs
        ]
        lost = [after - before for before, after in changes]
        yield [
            str(runs),
            title,
            str(len(changes)),
            percent(statistics.mean(before for before, _ in changes)),
            percent(statistics.mean(after for _, after in changes)),
            str(sum(each > 0.02 for each in lost)),
            f"{100 * max(0, *lost):.1f} points",
        ]


def after_runs(documents, tables):
    header = ["runs", "metric", "sources and GPUs", "before", "after", "worse by 2 points", "lost most"]
    return markdown(header, [line for runs in (1, 3) for line in lines(documents, tables, runs)])
