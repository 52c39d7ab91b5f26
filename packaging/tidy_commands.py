#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Writes the compile commands of a build for clang-tidy, and prints the files that it is to read: one for each line.

A unity build's batch is read as a whole, in a third of the time that its files take one by one. Precompiled headers are
left out: they are GCC's, and each file includes what it needs. Only files and batches with sources in one of the given
folders are taken.

    packaging/tidy_commands.py build/compile_commands.json build/lint/compile_commands.json core ui
"""

import json
import re
import sys
from pathlib import Path


def sources_of(entry):
    """The source files that a command compiles."""
    file = Path(entry["file"])
    if file.parent.name != "Unity":
        return [str(file)]
    return re.findall(r'^#include "(.+\.cpp)"$', file.read_text(), re.MULTILINE)


def without_headers(entry):
    command = re.sub(r" -Winvalid-pch| -include \S*cmake_pch\.hxx", "", entry["command"])
    return {"directory": entry["directory"], "file": entry["file"], "command": command}


def main():
    build, target, folders = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]
    roots = tuple(f"{build.resolve().parent.parent}/{folder}/" for folder in folders)
    taken = {}
    for entry in json.loads(build.read_text()):
        if any(source.startswith(roots) and source.endswith(".cpp") for source in sources_of(entry)):
            taken.setdefault(tuple(sources_of(entry)), without_headers(entry))
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(list(taken.values()), indent=1))
    print(*(entry["file"] for entry in taken.values()), sep="\n")


if __name__ == "__main__":
    main()
