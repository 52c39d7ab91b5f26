// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <optional>

#include <nlohmann/json.hpp>

namespace slipway {

// For writing JSON: an unknown value is written as null, so that its key is always present.
template<typename T>
nlohmann::ordered_json orNull(const std::optional<T> &value)
{
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

} // namespace slipway
