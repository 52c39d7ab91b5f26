// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Names of the choices of settings, for readers. Files, flags and JSON have the values themselves.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slipway {

// "lora_targets", "linear": "All matrices". A value without a name is returned unchanged.
std::string choiceName(std::string_view setting, std::string_view value);
std::vector<std::string_view> choiceNames(); // all names

} // namespace slipway
