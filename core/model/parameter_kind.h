// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What optimizers tell apart among the weights of a model.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/enum_names.h"

namespace slipway {

// Token and position embeddings, the head's matrix, norms with their shifts, biases of linear layers, and all other
// matrices.
enum class ParameterKind : std::uint8_t { Matrix, Embedding, Head, Norm, Bias };
template<>
struct EnumNames<ParameterKind> {
    static constexpr std::array<std::string_view, 5> names{"matrix", "embedding", "head", "norm", "bias"};
};

// A set of them.
class ParameterKinds {
public:
    constexpr ParameterKinds() = default;
    template<typename... Kinds>
    static constexpr ParameterKinds of(Kinds... kinds)
    {
        ParameterKinds set;
        (set.add(kinds), ...);
        return set;
    }
    constexpr void add(ParameterKind kind) { m_bits |= 1U << static_cast<unsigned>(kind); }
    [[nodiscard]] constexpr bool has(ParameterKind kind) const
    {
        return (m_bits >> static_cast<unsigned>(kind) & 1U) != 0;
    }
    constexpr bool operator==(const ParameterKinds &) const = default;

private:
    unsigned m_bits = 0;
};

} // namespace slipway
