# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""A tiny GPT-2 with the Trainer of Transformers, which gets --resume_from_checkpoint as its examples give it."""

import torch
from gate import hold
from transformers import GPT2Config, GPT2LMHeadModel, HfArgumentParser, Trainer, TrainerCallback, TrainingArguments


class Tokens(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        ids = (torch.arange(16) + index) % 50
        return {"input_ids": ids, "labels": ids}


class Gate(TrainerCallback):
    def on_step_begin(self, args, state, control, **_):
        hold(state.global_step, 7)


(arguments,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
arguments.use_cpu = True
arguments.report_to = []
model = GPT2LMHeadModel(GPT2Config(vocab_size=50, n_positions=16, n_embd=16, n_layer=1, n_head=2))
trainer = Trainer(model=model, args=arguments, train_dataset=Tokens(), callbacks=[Gate()])
trainer.train(resume_from_checkpoint=arguments.resume_from_checkpoint)
