// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Finds features in notes that no plan can represent: adapters other than LoRA's, and states on a disk. Also reads
// adapters, and what is in host memory.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/run_config.h"

namespace slipway {

// Says what it is, in the words found; empty where the note says nothing of the kind, or that it was not so ("no LoRA",
// "cpu_offload=False").
std::string unsupportedFeature(std::string_view note);

// "LoRA r=16", "lora_rank: 16", "lora16"; QLoRA's frozen weights are in 4 bits.
struct NotedAdapters {
    int rank = 0; // 0: not said
    bool packed = false;
};
std::optional<NotedAdapters> notedAdapters(std::string_view note);

// "ZeRO-Offload", "offload_optimizer: cpu", "FSDP, CPU offload". Where only the processor is named, PyTorch's FSDP
// (`fsdp`) has the weights there as well, DeepSpeed the optimizer states. None: nothing, or not so
// ("cpu_offload=False").
HostOffload notedHostOffload(std::string_view note, bool fsdp);

} // namespace slipway
