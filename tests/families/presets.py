# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Holds the models of the catalogue to Transformers.

    presets.py PROGRAM [NAME...]   PROGRAM is preset_configs, which writes the config.json of each model. Transformers
                                   makes the model of it on the meta device, without memory. Prints a table of both
                                   counts of parameters, and fails where they differ.

A weight that is shared (a tied head) counts once.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import torch
import transformers


def count_of(folder):
    """Parameters of what Transformers makes of a config.json."""
    config = transformers.AutoConfig.from_pretrained(folder)
    with torch.device("meta"):
        model = transformers.AutoModelForCausalLM.from_config(config)
    model.tie_weights()
    return sum(parameter.numel() for parameter in model.parameters())


def check(program, names):
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        lines = subprocess.run([program, folder], check=True, capture_output=True, text=True).stdout.splitlines()
        ours = {name: int(count) for name, count in (line.split() for line in lines)}
        print("| model | class | ours | Transformers |\n| --- | --- | --- | --- |")
        for name in names or ours:
            at = pathlib.Path(folder) / name
            family = json.loads((at / "config.json").read_text())["model_type"]
            theirs = count_of(at)
            print(f"| {name} | {family} | {ours[name]} | {theirs} |", flush=True)
            if theirs != ours[name]:
                failed.append(f"{name}: {ours[name]} parameters, where Transformers has {theirs}")
    for line in failed:
        print(line, file=sys.stderr)
    print(f"{len(names or ours)} models, {len(failed)} differ")
    return 1 if failed or not ours else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    torch.set_num_threads(1)
    sys.exit(check(sys.argv[1], sys.argv[2:]))
