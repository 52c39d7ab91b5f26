# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""A tiny module of Lightning with its CSV logger, which goes on from its last checkpoint where there is one."""

import os

import lightning
import torch
from gate import hold
from lightning.pytorch.callbacks import ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger


class Tiny(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)

    def training_step(self, batch, _):
        loss = (self.layer(batch) - batch).square().mean()
        self.log("train_loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-2)

    def on_train_batch_start(self, *_):
        hold(self.global_step, 7)


last = "kept/last.ckpt"
trainer = lightning.Trainer(
    accelerator="cpu",
    devices=1,
    max_steps=12,
    log_every_n_steps=1,
    enable_progress_bar=False,
    enable_model_summary=False,
    logger=CSVLogger(".", name="csv", version=0, flush_logs_every_n_steps=1),
    callbacks=[ModelCheckpoint("kept", every_n_train_steps=5, save_last=True)],
)
trainer.fit(
    Tiny(),
    torch.utils.data.DataLoader(torch.randn(256, 8), batch_size=4),
    ckpt_path=last if os.path.exists(last) else None,
)
