// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What people write of a run that no plan can hold: it trained weights added to a model (LoRA) without their rank, or
// kept weights or states in the host's memory; and of adapters whose rank they give.
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
