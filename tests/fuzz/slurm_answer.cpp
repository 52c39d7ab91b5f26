// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What squeue and scontrol say about a job and a node's GPUs.
#include "hosts/slurm_state.h"

#include "fuzz_input.h"
#include "hosts/slurm_gres.h"

using namespace slipway;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string text(textOf(data, size));
    const SlurmJob job = parseSlurmJob(text, "");
    (void)parseSlurmJob("", text);
    (void)plainReason(job.reason);
    (void)slurmStatus({.directoryExists = true}, job, {});
    require(gresCount(text) >= 0, "a count of GPUs is not below zero");
    (void)gresType(text);
    return 0;
}
