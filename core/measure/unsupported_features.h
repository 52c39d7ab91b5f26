// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What people write of a run that no plan can hold: it trained weights added to a model (LoRA), or kept weights or
// states in the host's memory.
#pragma once

#include <string>
#include <string_view>

namespace slipway {

// Says what it is, in the words found; empty where the note says nothing of the kind, or that it was not so ("no LoRA",
// "cpu_offload=False").
std::string unsupportedFeature(std::string_view note);

} // namespace slipway
