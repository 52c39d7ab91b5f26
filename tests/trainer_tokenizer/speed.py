# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
#
# speed.py SLIPWAY-TRAIN FOLDER MEGABYTES [FAMILY...]: prints the table of docs/guide/trainer.md that compares the speed
# of `slipway-train tokenize` with that of the package tokenizers. The text is cut into parts, and both programs encode
# each part in turns, on one thread. CPU time counts, which other programs on the machine hardly change. That of
# Slipway includes the start, reading the text and the tokenizer, and writing the tokens; that of tokenizers does not.
# The last row has as many threads as the machine has cores, and elapsed time: nothing else may run then.
#
# speed.py encode TEXTS TOKENIZER THREADS: the package's turn. Prints seconds of CPU time, or of elapsed time with more
# than one thread.
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

FAMILIES = ["gpt2", "llama3", "qwen", "smollm", "llama2", "gemma", "unigram"]
ON_ALL_CORES = "llama3"
VOCABULARY = 32_000
TRAINED_ON = 4_000_000  # characters
PARTS = 4
BATCH = 256  # documents


def documents(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]


def encode(texts, tokenizer, threads):
    from tokenizers import Tokenizer

    encoder = Tokenizer.from_file(tokenizer)
    texts = documents(texts)
    clock = time.process_time if int(threads) == 1 else time.monotonic
    before = clock()
    for begin in range(0, len(texts), BATCH):
        encoder.encode_batch_fast(texts[begin : begin + BATCH])
    print(clock() - before)


def package_turn(texts, tokenizer, threads):
    parallel = "false" if threads == 1 else "true"
    environment = dict(os.environ, RAYON_NUM_THREADS=str(threads), TOKENIZERS_PARALLELISM=parallel)
    command = [sys.executable, __file__, "encode", str(texts), str(tokenizer), str(threads)]
    return float(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)


def slipway_turn(program, texts, tokenizer, threads, out):
    shutil.rmtree(out, ignore_errors=True)
    command = [program, "tokenize", str(texts), "--tokenizer", str(tokenizer), "--out", str(out)]
    before = os.times()
    subprocess.run(command + ["--threads", str(threads), "--eval-fraction", "0"], stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    if threads > 1:
        return after.elapsed - before.elapsed
    return after.children_user + after.children_system - before.children_user - before.children_system


def write_texts(folder, megabytes):
    """The documents of all languages, dealt out to the parts in turn."""
    import tokenizer_oracle

    texts = [text for text in tokenizer_oracle.system_texts(megabytes * 1e6, random.Random(1)) if text]
    for part in range(PARTS):
        with open(folder / f"text{part}.jsonl", "w", encoding="utf-8") as file:
            for text in texts[part::PARTS]:
                file.write(json.dumps({"text": text}, ensure_ascii=False) + "\n")
    return texts


def write_tokenizers(folder, texts, names):
    import families

    sample, have = [], 0
    for text in random.Random(1).sample(texts, len(texts)):
        if have < TRAINED_ON:
            sample.append(text[:20_000])
            have += len(sample[-1])
    for name in names:
        (folder / name).mkdir(exist_ok=True)
        _, content = families.make(getattr(families, name), sample, VOCABULARY)
        (folder / name / "tokenizer.json").write_text(content, encoding="utf-8")


def row(program, folder, name, size, threads):
    tokenizer, ours, theirs = folder / name / "tokenizer.json", 0.0, 0.0
    for part in range(PARTS):
        texts = folder / f"text{part}.jsonl"
        ours += slipway_turn(program, texts, tokenizer, threads, folder / "out")
        theirs += package_turn(texts, tokenizer, threads)
        print(f"{name}, part {part}: {ours:.2f} s, {theirs:.2f} s so far", file=sys.stderr)
    label = name if threads == 1 else f"{name}, {threads} threads, elapsed time"
    return f"| {label} | {size / ours:.1f} | {size / theirs:.2f} | {theirs / ours:.1f} |"


def main(program, folder, megabytes, *names):
    names = names or FAMILIES
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    texts = write_texts(folder, float(megabytes))
    write_tokenizers(folder, texts, names)
    size = sum(len(text.encode()) for text in texts) / 1e6
    print(f"{size:.0f} MB of text in {len(texts)} documents", file=sys.stderr)
    print("| tokenizer of | Slipway (MB/s) | tokenizers (MB/s) | speed-up |")
    print("| --- | ---: | ---: | ---: |")
    for name in names:
        print(row(program, folder, name, size, threads=1), flush=True)
    if ON_ALL_CORES in names:
        print(row(program, folder, ON_ALL_CORES, size, threads=len(os.sched_getaffinity(0))), flush=True)


if __name__ == "__main__":
    encode(*sys.argv[2:]) if sys.argv[1] == "encode" else main(*sys.argv[1:])
