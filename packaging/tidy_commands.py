#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Writes the compile commands of a build for clang-tidy, which reads one source file at a time.

Each file of a unity build's batch gets the command of its batch. Precompiled headers are left out: they are GCC's, and
each file includes what it needs.

    packaging/tidy_commands.py build/compile_commands.json build/lint/compile_commands.json
"""

import json
import re
import sys
from pathlib import Path


def files_of(entry):
    """The source files that a command compiles."""
    file = Path(entry["file"])
    if file.parent.name != "Unity":
        return [str(file)]
    return re.findall(r'^#include "(.+\.cpp)"$', file.read_text(), re.MULTILINE)


def alone(entry, file):
    command = re.sub(r" -Winvalid-pch| -include \S*cmake_pch\.hxx", "", entry["command"])
    return {"directory": entry["directory"], "file": file, "command": command.replace(entry["file"], file)}


def main():
    source, target = map(Path, sys.argv[1:])
    commands = [alone(entry, file) for entry in json.loads(source.read_text()) for file in files_of(entry)]
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(commands, indent=1))


if __name__ == "__main__":
    main()
