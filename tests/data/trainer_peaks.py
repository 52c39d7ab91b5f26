#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Measures the peak of live bytes on one rank of eight over three training steps of Transformers' Trainer with a
Llama under Accelerate's FSDP, on this machine's processor: the figures in tests/core/predict/fsdp_memory_test.cpp. The
other ranks are PyTorch's fake process group. Needs torch, transformers 5.23 and accelerate 1.15."""

import os
import sys
import tempfile

RANKS = 8
os.environ.update(
    ACCELERATE_USE_FSDP="true",
    LOCAL_RANK="0",
    LOCAL_WORLD_SIZE=str(RANKS),
    MASTER_ADDR="127.0.0.1",
    MASTER_PORT="29511",
    RANK="0",
    WORLD_SIZE=str(RANKS),
)

import torch
import torch.distributed.fsdp._init_utils
from accelerate import state
from transformers import Trainer, TrainingArguments

from live_bytes import NoProducts, Sequences, fake_group, llama, peak_of_last, print_peaks

PLAIN = dict(version=1, vocab=16000, layers=6, hidden=512, ffn=1376, sequence=320, batch=2, recompute=False)
CASES = {"fsdp1": {}, "fsdp2": dict(version=2)}


class Tokens(Sequences):
    def __getitem__(self, index):
        item = super().__getitem__(index)
        return item | dict(attention_mask=torch.ones_like(item["labels"]))


def allow_processors():
    """Accelerate shards on accelerators only, and PyTorch tells the processor from its first device."""
    init = state.AcceleratorState.__init__

    def sharded(self, *args, fsdp_plugin=None, **kwargs):
        init(self, *args, fsdp_plugin=fsdp_plugin, **kwargs)
        if fsdp_plugin is not None and self.distributed_type != state.DistributedType.FSDP:
            self.distributed_type = state.DistributedType.FSDP
            fsdp_plugin.set_mixed_precision("bf16")
            self.fsdp_plugin = fsdp_plugin
            state.PartialState._shared_state["distributed_type"] = self.distributed_type

    state.AcceleratorState.__init__ = sharded
    torch.distributed.fsdp._init_utils._get_compute_device = lambda *_: torch.device("cpu")


def trainer_of(case, folder):
    arguments = TrainingArguments(
        output_dir=folder,
        per_device_train_batch_size=case["batch"],
        max_steps=3,
        bf16=True,
        use_cpu=True,
        report_to=[],
        save_strategy="no",
        disable_tqdm=True,
        fsdp="full_shard auto_wrap",
        fsdp_config=dict(
            version=case["version"],
            transformer_layer_cls_to_wrap=["LlamaDecoderLayer"],
            use_orig_params=True,
            sync_module_states=False,
            cpu_ram_efficient_loading=False,
        ),
    )
    return Trainer(model=llama(case), args=arguments, train_dataset=Tokens(case))


def peak_of(case):
    with tempfile.TemporaryDirectory() as folder, NoProducts():
        return peak_of_last(lambda: trainer_of(case, folder).train, steps=1)


if __name__ == "__main__":
    allow_processors()
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} {'|'.join(CASES)}")  # Accelerate's state is the process's
    with fake_group(0, RANKS):
        print_peaks(PLAIN, CASES, peak_of)
