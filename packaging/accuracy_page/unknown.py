# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""What predictions are worth if the software is unknown, or its source was left out."""

import re
import tempfile

from accuracy_page.program import TITLES, markdown, percent, validated, write_table


def by_class(documents):
    rows = [
        [
            name,
            c["class"],
            TITLES[c["metric"]],
            str(c["sources"]),
            f"{c['rows']:,}",
            percent(c["median_error"], digits=0),
            f"{c['residual_p10']:.2f} to {c['residual_p90']:.2f}",
            percent(c["in_range"], digits=0),
            percent(c["above_p90"], digits=0),
            percent(c["in_range_of_others"], digits=0),
            percent(c["in_range_of_other_frameworks"], digits=0) if c["class"] != "unknown" else "",
        ]
        for name, document in documents.items()
        for c in document["classes"]
    ]
    header = ["table", "known", "metric", "sources", "rows", "median source", "P10 to P90 of the errors"]
    header += ["between P10 and P90", "above P90", "in the range of the other sources"]
    return markdown([*header, "in the range of the other frameworks"], rows, 3)


def with_profiles(table, document, file):
    """Writes the rows of a table whose software an annotation names, with that name in a column of their own."""
    mark = re.compile(r"framework (\S+) \(source\)")
    names = {}
    for row in document["rows"]:
        for said in filter(None, map(mark.fullmatch, row["assumed"])):
            names[row["id"]] = said.group(1)
    return write_table(file, [row | {"framework": names[i]} for i, row in table.items() if i in names])


def left_out(files, documents, tables):
    """By table; the rows of the published one also with the profiles that its annotations name."""
    found = {name: validated(file, "--leave-one-out") for name, file in files.items()}
    with tempfile.TemporaryDirectory() as folder:
        file = with_profiles(tables["published"], documents["published"], f"{folder}/named.csv")
        named = validated(file, "--leave-one-out")
    found["published, named"] = {"classes": [c for c in named["classes"] if c["class"] != "unknown"]}
    return by_class(found)


def without_software(row):
    """As --leave-one-out plans it: of the software, only the month is known."""
    _, _, version = row.get("framework", "").partition("@")
    return row | {"framework": f"unknown@{version}" if version.startswith("20") else "unknown", "framework_option": ""}


def unnamed(tables):
    """The documents of the tables if their software were not named."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, table in tables.items():
            file = write_table(f"{folder}/{name}.csv", [without_software(row) for row in table.values()])
            found[name] = validated(file, "--annotations", "none")
    return found
