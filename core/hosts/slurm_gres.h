// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Slurm's words for a node's GPUs: "gpu:a100:4", "gpu:4(S:0-1)", "gpu:a100:2(IDX:0,3)", several joined by commas.
#pragma once

#include <string>
#include <string_view>

namespace slipway {

int gresCount(std::string_view gres);        // GPUs of all types
std::string gresType(std::string_view gres); // of the first that names one: "a100"; empty: none does

} // namespace slipway
