// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// One table of names per enum, used for flags, YAML, JSON and messages. To add an enum, specialize
// `EnumNames<E>::names`; the names are in the order of the enumerators, which must count from 0.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace slipway {

template<typename E>
struct EnumNames; // { static constexpr std::array<std::string_view, N> names; }

template<typename E>
constexpr std::string_view enumName(E value)
{
    return EnumNames<E>::names[static_cast<std::size_t>(value)];
}

template<typename E>
constexpr std::optional<E> enumFromName(std::string_view name)
{
    for (std::size_t i = 0; i < EnumNames<E>::names.size(); ++i) {
        if (EnumNames<E>::names[i] == name)
            return static_cast<E>(i);
    }
    return std::nullopt;
}

// Lists all names, "none, ddp, fsdp-full", for messages about accepted values.
template<typename E>
std::string enumChoices()
{
    std::string text;
    for (const std::string_view name : EnumNames<E>::names) {
        if (!text.empty())
            text += ", ";
        text += name;
    }
    return text;
}

} // namespace slipway
