// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Finds features in notes that no plan can represent: adapters (LoRA) without a rank, and weights or states in host
// memory. Also reads the rank of adapters.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace slipway {

// Says what it is, in the words found; empty where the note says nothing of the kind, or that it was not so ("no LoRA",
// "cpu_offload=False").
std::string unsupportedFeature(std::string_view note);

// "LoRA r=16", "lora_rank: 16", "lora16"; QLoRA's frozen weights are in 4 bits.
struct NotedAdapters {
    int rank = 0;
    bool packed = false;
};
std::optional<NotedAdapters> notedAdapters(std::string_view note);

} // namespace slipway
