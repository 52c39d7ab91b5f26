// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Parses Slurm's GRES strings for the GPUs of a node: "gpu:a100:4", "gpu:4(S:0-1)", "gpu:a100:2(IDX:0,3)", several
// separated by commas.
#pragma once

#include <string>
#include <string_view>

namespace slipway {

int gresCount(std::string_view gres);        // number of GPUs of all types
std::string gresType(std::string_view gres); // the first type in the string: "a100"; empty: it contains none

} // namespace slipway
