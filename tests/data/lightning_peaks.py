#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Measures the peak of live bytes over the third training step of PyTorch Lightning's Trainer with a Llama of
Transformers on this machine's processor: the figures in tests/core/predict/lightning_memory_test.cpp. Needs torch,
transformers and lightning."""

import logging
import warnings

import lightning
import torch
from torch.profiler import record_function

from live_bytes import MEASURED, NoProducts, Sequences, llama, peak_of_marked, print_peaks

PLAIN = dict(
    vocab=8000,
    sequence=256,
    batch=4,
    hidden=512,
    ffn=1376,
    layers=4,
    recompute=False,
    precision="bf16-true",
    accumulation=1,
    clip=None,
)
CASES = {
    "plain": {},
    "accumulated": dict(accumulation=2),
    "clipped": dict(clip=1.0),
    "large vocabulary": dict(vocab=64000),
    "recomputed": dict(recompute=True),
    "autocast": dict(precision="bf16-mixed"),
    "autocast accumulated": dict(precision="bf16-mixed", accumulation=2),
    "autocast recomputed": dict(precision="bf16-mixed", recompute=True),
    "fp32": dict(precision="32-true"),
}
STEPS = 3


class Module(lightning.LightningModule):
    """As Lightning's documentation shows it: the step returns the loss of the model."""

    def __init__(self, case):
        super().__init__()
        self.model = llama(case)

    def training_step(self, batch, batch_idx):
        return self.model(**batch).loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-4, fused=True)


class Mark(lightning.Callback):
    """Marks where the last step begins."""

    def __init__(self, accumulation):
        self.first = (STEPS - 1) * accumulation

    def on_train_batch_start(self, trainer, module, batch, batch_idx):
        if batch_idx == self.first:
            with record_function(MEASURED):
                pass


def peak_of(case):
    torch.manual_seed(0)

    def run():
        trainer = lightning.Trainer(
            accelerator="cpu",
            devices=1,
            precision=case["precision"],
            max_steps=STEPS,
            accumulate_grad_batches=case["accumulation"],
            gradient_clip_val=case["clip"],
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            callbacks=[Mark(case["accumulation"])],
        )
        with trainer.init_module():
            module = Module(case)
        loader = torch.utils.data.DataLoader(Sequences(case), batch_size=case["batch"])
        with NoProducts():
            trainer.fit(module, loader)

    return peak_of_marked(run)


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    print_peaks(PLAIN, CASES, peak_of)
