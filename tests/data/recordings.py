#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Makes recordings of real frameworks, and holds them to the ones in tests/data/recordings.

  recordings.py check [NAME...]            runs the cases that each recording names in "checked" once more
  recordings.py record NAME [CASE...]      runs cases of a recording, of which it names the new ones and the old, or all
                                           of it, and writes values and versions down

A recording is a file NAME.json: the script that made it, the versions of its packages, the date, and a value for each
case. Where the packages here have these versions, values must be the same; where they are others, within 2 %, and
recordings of older versions, NAME-VERSION.json, are left out. So are those whose packages are not here: it says which.
Ends with 1 if a value differs, with 77 if nothing could be checked. A case runs in a process of its own.
SLIPWAY_PYTHON names a Python that has the packages, such as the one of packaging/test --oracle-python."""

import contextlib
import datetime
import importlib.metadata
import io
import json
import os
import re
import runpy
import sys
import time
import traceback
import warnings

FOLDER = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77
TOLERANCE = 0.02
THREADS = 2  # of the machine that recorded; a few kernels have a buffer for each


def path_of(name):
    return os.path.join(FOLDER, "recordings", name + ".json")


def read(name):
    with open(path_of(name), encoding="utf-8") as file:
        return json.load(file)


def names():
    return sorted(name[:-5] for name in os.listdir(os.path.join(FOLDER, "recordings")))


def version_here(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def differing(packages):
    """Those that are here with another version than the recording's, which may say its first numbers only."""
    here = {name: version_here(name) for name in packages}
    return [
        f"{name} {here[name]} in place of {packages[name]}"
        for name in packages
        if not (here[name] + ".").startswith(packages[name] + ".")
    ]


def why_not(name, recording):
    """Why it cannot be checked here, if so."""
    missing = [package for package in recording["packages"] if version_here(package) is None]
    if missing:
        return "this Python has no " + " and no ".join(missing)
    if "-" in name and differing(recording["packages"]):
        return "this Python has " + ", ".join(differing(recording["packages"]))
    if not recording["checked"]:
        return "it names no case to check"
    return None


def run_script(script, case):
    """In a child: what the script prints of that case."""
    import torch

    torch.set_num_threads(THREADS)
    warnings.simplefilter("ignore")
    sys.argv = [script, case]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        runpy.run_path(os.path.join(FOLDER, script), run_name="__main__")
    return printed.getvalue()


def in_child(run):
    """What `run` returns, a text, in a fork: imports are there already, and what it changes dies with it."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            with os.fdopen(theirs, "w", encoding="utf-8") as file:
                file.write(run())
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)
    os.close(theirs)
    with os.fdopen(ours, encoding="utf-8") as file:
        text = file.read()
    if os.waitpid(child, 0)[1] != 0:
        raise RuntimeError("the script failed")
    return text


def value_of(recording, case):
    text = in_child(lambda: run_script(recording["script"], case))
    found = re.search("^" + re.escape(case) + r": ([\d.]+)$", text, re.MULTILINE)
    if not found:
        raise RuntimeError(f"it does not print '{case}: ...', but: {text.strip()}")
    return json.loads(found.group(1))


def import_what_most_need():
    for package in ("torch", "transformers"):
        with contextlib.suppress(ImportError):
            __import__(package)
    with contextlib.suppress(ImportError):
        from transformers import LlamaForCausalLM  # noqa: F401


def check_case(name, recording, case):
    """Whether it is as recorded, said in a line."""
    begun, recorded = time.monotonic(), recording["values"][case]
    allowed = TOLERANCE if differing(recording["packages"]) else 0
    try:
        value = value_of(recording, case)
    except RuntimeError as error:
        print(f"{name}, {case}: {error}", flush=True)
        return False
    good = abs(value - recorded) <= allowed * recorded
    seconds = time.monotonic() - begun
    print(f"{name}, {case}: {value}{'' if good else f', recorded {recorded}'} ({seconds:.0f} s)", flush=True)
    return good


def check(chosen):
    recordings = {name: read(name) for name in chosen or names()}
    reasons = {name: why_not(name, recording) for name, recording in recordings.items()}
    for name, reason in reasons.items():
        if reason:
            print(f"{name}: skipped, {reason}", flush=True)
    ready = [name for name in recordings if not reasons[name]]
    if not ready:
        return SKIPPED
    import_what_most_need()
    results = [check_case(name, recordings[name], case) for name in ready for case in recordings[name]["checked"]]
    return 0 if all(results) else 1


def record(name, cases):
    recording = read(name)
    other = differing(recording["packages"])
    if other and set(cases or recording["values"]) < set(recording["values"]):
        print(f"{name}: this Python has {', '.join(other)}: record all of its cases", file=sys.stderr)
        return 2
    import_what_most_need()
    for case in cases or list(recording["values"]):
        value = value_of(recording, case)
        print(f"{case}: {value}, was {recording['values'].get(case)}", flush=True)
        recording["values"][case] = value
        recording["recorded"] = datetime.date.today().isoformat()
        recording["packages"] = {package: version_here(package) for package in recording["packages"]}
        with open(path_of(name), "w", encoding="utf-8") as file:
            file.write(json.dumps(recording, indent=4) + "\n")
    return 0


def main(arguments):
    chosen = os.environ.pop("SLIPWAY_PYTHON", None)
    if chosen:
        os.execv(chosen, [chosen, "-B", os.path.abspath(__file__), *arguments])
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    if arguments[:1] == ["check"]:
        return check(arguments[1:])
    if arguments[:1] == ["record"] and len(arguments) > 1:
        return record(arguments[1], arguments[2:])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
