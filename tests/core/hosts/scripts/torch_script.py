# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""A plain loop of PyTorch with two ranks, both of which print every step. SIGTERM makes it write a checkpoint."""

import os
import signal
import sys

import torch
import torch.distributed as dist
from gate import hold

stopping = False


def stop(*_):
    global stopping
    stopping = True


signal.signal(signal.SIGTERM, stop)
dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 8))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
first = 1
if os.path.exists("loop.pt"):
    state = torch.load("loop.pt")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    first = state["step"] + 1
for step in range(first, 13):
    torch.manual_seed(100 * step + rank)
    x = torch.randn(4, 8)
    loss = (model(x) - x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"[rank{rank}] step {step} loss {loss.item():.5f} lr 0.01", flush=True)
    hold(step, 7, lambda: stopping)
    told = torch.tensor([float(stopping)])
    dist.all_reduce(told)  # both end at the same step
    if told.item() > 0 or step == 12:
        if rank == 0:
            torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, "loop.pt")
        break
dist.barrier()
dist.destroy_process_group()
# All is saved and printed. Gloo's threads can abort a process while the interpreter takes itself down ("terminate called
# without an active exception"), which would make a rank fail that has done its work: end without that.
sys.stdout.flush()
os._exit(0)
