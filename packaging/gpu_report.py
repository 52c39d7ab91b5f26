#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Sums up what packaging/gpu-check measured: gpu_report.py FOLDER [--first] [--rehearsal].

Reads step-SIZE-N.json, step-SIZE-VARIANT-N.json (slipway-train) and eager-SIZE-N.json, compile-SIZE-N.json (the
yardstick), N counting the turns, and train-metrics.txt, the metrics of a run. Prints tables with the medians and their
ratios, and writes results.csv, a measurement table for `slipway validate` and `slipway calibrate`. --first: of the
first part alone. Exit status 1 where a bound is not met or a measurement is missing: all are told. Of a rehearsal the
bounds mean nothing, but for those of losses."""

import csv
import json
import pathlib
import re
import statistics
import sys

# Compiled, eager: tokens per second against the yardstick's. Memory: against eager's. Plan: either way.
COMPILED, MEMORY, PLAN = 1.0, 0.8, 0.02
EAGER = {"125m": 1.8, "350m": 1.8, "1100m": 1.4, "2b": 1.4}
# Tokens per second of one H100 (SXM) that the best published trainers reach: said, not held, as other GPUs differ.
REFERENCE = {"125m": 463e3, "350m": 147e3, "1100m": 63e3, "2b": 38e3}
# Losses of a step that is split over a mesh, relative to those of the same batch without the split.
LOSS = {"fp32": 1e-5, "bf16-mixed": 2e-3}
SPLITS = {"tp2": "unsplit", "pp2": "unsplit", "cp2": "unsplit", "ring2": "unsplit", "ep2": "unsplit-experts"}
FIRST = ("125m", "1100m")  # of the first part; the first of them beside the yardstick
COLUMNS = (
    "id source_repo_or_paper source_path_or_section model_name n_layers d_model n_heads n_kv_heads d_ff mlp_type "
    "vocab tied_embeddings pos seq_len params gpu n_gpus gpus_per_node interconnect parallelism attention recompute "
    "precision micro_batch_size grad_accum global_batch_tokens optimizer compiled tokens_per_s_per_gpu step_ms "
    "mfu_pct hfu_pct peak_mem_gib mem_kind oom notes"
).split()


def read(folder):
    """{(size, who): [objects of its turns]}; a file that holds no object is a run that failed."""
    found = {}
    for path in sorted(folder.glob("*.json")):
        match = re.fullmatch(r"(step|eager|compile)-([a-z0-9]+)(-[a-z][a-z0-9-]*)?-(\d+)", path.stem)
        if not match:
            continue
        try:
            run = json.loads(path.read_text())
        except ValueError:
            print(f"   {path.name}: holds no result")
            continue
        found.setdefault((match[2], match[1] + (match[3] or "")), []).append(run)
    return found


def median(runs, key):
    values = [run[key] for run in runs if run.get(key)]
    return statistics.median(values) if values else None


def data_ranks(get):
    return (get("gpus") or 1) // ((get("tp") or 1) * (get("pp") or 1) * (get("cp") or 1))


def mesh_of(get):
    tp, pp, cp, ep = (get(name) or 1 for name in ("tp", "pp", "cp", "ep"))
    data, experts = data_ranks(get), f"ep={ep}," if ep > 1 else ""
    return f"{(get('parallel') or 'none').replace('-', '_')};tp={tp},pp={pp},cp={cp},{experts}dp={data}"


def experts_of(model):
    """For the notes: the table has no column for experts."""
    if not model.get("experts"):
        return ""
    return f"; experts={model['experts']} top_k={model.get('experts_per_token')}"


def trained(folder):
    """The losses of the run's steps; none where it did not get there."""
    try:
        lines = (folder / "train-metrics.txt").read_text().splitlines()
        return [json.loads(line)["loss"] for line in lines]
    except (OSError, ValueError, KeyError):
        return []


def row(size, who, runs):
    run, config = runs[0], runs[0]["config"]
    get = lambda name, other=None: config.get(name, config.get(name.replace("_", "-"), other))
    model = get("model") if isinstance(get("model"), dict) else config
    rate, peak = median(runs, "tokens_per_s"), median(runs, "peak_allocated_bytes")
    reserved = median(runs, "peak_reserved_bytes")
    gpus = get("gpus") or 1
    tokens = (get("micro_batch") or 1) * (get("seq_len") or 1) * (get("grad_accum") or 1) * data_ranks(get)
    ours = who.startswith("step")
    return dict.fromkeys(COLUMNS, "") | {
        "id": f"gpu-{size}-{who}",
        "source_repo_or_paper": "slipway" if ours else "transformers",
        "source_path_or_section": "packaging/gpu-check",
        "model_name": size,
        "n_layers": model.get("layers"),
        "d_model": model.get("hidden"),
        "n_heads": model.get("heads"),
        "n_kv_heads": model.get("kv_heads") or model.get("heads"),
        "d_ff": model.get("ffn"),
        "mlp_type": "swiglu3",
        "vocab": model.get("vocab"),
        "tied_embeddings": "no",
        "pos": "rope",
        "seq_len": get("seq_len"),
        "params": run["params"],
        "gpu": run["device"],
        "n_gpus": gpus,
        "gpus_per_node": gpus,
        "parallelism": mesh_of(get),
        "attention": (get("attention") or "flash") if ours else "sdpa",
        "recompute": get("recompute") or "none",
        "precision": (get("precision") or ("fp32" if run["device"] == "cpu" else "bf16-mixed")).replace("-", "_"),
        "micro_batch_size": get("micro_batch"),
        "grad_accum": get("grad_accum") or 1,
        "global_batch_tokens": tokens,
        "optimizer": "adamw",
        "compiled": "kernels" if ours else {"eager": "no", "compile": "yes"}[who],
        "tokens_per_s_per_gpu": f"{rate / gpus:.6g}",
        "step_ms": f"{1e3 * tokens / rate:.6g}",
        "peak_mem_gib": f"{(reserved or peak) / 2**30:.4f}" if peak else "",
        "mem_kind": "reserved" if reserved else "allocated",
        "oom": 0,
        "notes": f"{len(runs)} turns of {run.get('kernels', 'PyTorch ' + run.get('torch', ''))}{experts_of(model)}",
    }


def mesh_losses(found):
    """Lines on the losses of split steps, and whether they are those of unsplit steps, which no rehearsal excuses."""
    lines, missed = [], []
    for (size, who), runs in sorted(found.items()):
        split = who.removeprefix("step-")
        if split not in SPLITS:
            continue
        whole = found.get((size, f"step-{SPLITS[split]}"), [])
        if not whole:
            missed.append(f"{size} {split}: no step without the split to compare with")
            continue
        bound = LOSS[runs[0]["config"].get("precision") or "bf16-mixed"]
        apart = [abs(runs[0][key] / whole[0][key] - 1) for key in ("loss_first", "loss_last")]
        good = all(each <= bound for each in apart)  # NaN is not
        verdict = "passed" if good else "FAILED"
        lines.append(
            f"   {size:>6} {f'losses of {split}, relative':<34} {max(apart):8.1e}   at most {bound}   {verdict}"
        )
        if not good:
            missed.append(f"{size} {split}: other losses than without the split")
    return lines, missed


def main():
    folder, rehearsal, first = pathlib.Path(sys.argv[1]), "--rehearsal" in sys.argv[2:], "--first" in sys.argv[2:]
    found = read(folder)
    with open(folder / "results.csv", "w", newline="") as file:
        table = csv.DictWriter(file, COLUMNS)
        table.writeheader()
        for (size, who), runs in found.items():
            if not who.endswith("-deterministic"):  # the format has no column for it
                table.writerow(row(size, who, runs))
    missed = []
    losses = trained(folder)
    if losses:
        print(f"   a run of {len(losses)} steps on text: first loss {losses[0]:.3f}, last loss {losses[-1]:.3f}")
    else:
        missed.append("the run reported no losses")
    if losses and not rehearsal and not losses[-1] < 0.9 * losses[0]:  # NaN, too
        missed.append("the run did not learn")

    def hold(size, what, value, bound, at_least):
        good = value >= bound if at_least else value <= bound
        relation, verdict = "at least" if at_least else "at most", "passed" if good else "FAILED"
        print(f"   {size:>6} {what:<34} {value:8.3f}   {relation} {bound}   {verdict}")
        if not good and not rehearsal:
            missed.append(f"{size} {what}")

    for size in FIRST if first else EAGER:
        own = found.get((size, "step"), [])
        if not own:
            missed.append(f"{size} was not measured")
            continue
        rate, peak, planned = (
            median(own, key) for key in ("tokens_per_s", "peak_allocated_bytes", "planned_peak_allocated_bytes")
        )
        share = f"{rate / REFERENCE[size]:.2f} of the reference for an H100"
        kernels = own[0].get("kernels", "")
        print(f"   {size:>6} {rate:.0f} tokens/s ({share}), {peak / 2**30:.2f} GiB allocated; {kernels}")
        hold(size, "allocated deviation from plan", abs(peak / planned - 1), PLAN, False)
        reserved, promised = (median(own, key) for key in ("peak_reserved_bytes", "planned_peak_reserved_bytes"))
        hold(size, "reserved deviation from plan", abs(reserved / promised - 1), PLAN, False)
        for who, bound in (("compile", COMPILED), ("eager", EAGER[size])):
            theirs = found.get((size, who), [])
            if not theirs and first and size != FIRST[0]:
                continue
            if not theirs:
                missed.append(f"{size}: no reference measurement ({who})")
                continue
            hold(size, f"tokens/s relative to {who}", rate / median(theirs, "tokens_per_s"), bound, True)
            if who == "eager" and median(theirs, "peak_allocated_bytes"):
                hold(
                    size, "peak memory relative to eager", peak / median(theirs, "peak_allocated_bytes"), MEMORY, False
                )
    lines, other_losses = mesh_losses(found)
    missed += other_losses
    for line in lines:
        print(line)
    for (size, who), runs in sorted(found.items()):
        if who.startswith("step-"):
            gpus, rate = runs[0]["config"].get("gpus") or 1, median(runs, "tokens_per_s")
            usual = median(found.get((size, "step"), []), "tokens_per_s")
            share = f", {rate / gpus / usual:.3f} of the step on one GPU" if usual else ""
            print(f"   {size:>6} {who[5:]:<16} {gpus} GPUs: {rate / gpus:.0f} tokens/s each{share}")
    for line in missed:
        print(f"   failed: {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
