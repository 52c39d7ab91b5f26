// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The activation functions of MLPs, named as Hugging Face's Transformers names them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/enum_names.h"

namespace slipway {

enum class Activation : std::uint8_t {
    Silu,      // x sigmoid(x)
    GeluTanh,  // x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2
    GeluErf,   // x (1 + erf(x / sqrt 2)) / 2
    Relu,      // max(x, 0)
    Relu2,     // max(x, 0)^2
    QuickGelu, // x sigmoid(1.702 x)
};

template<>
struct EnumNames<Activation> {
    static constexpr std::array<std::string_view, 6> names{
        "silu", "gelu_pytorch_tanh", "gelu", "relu", "relu2", "quick_gelu"};
};

} // namespace slipway
