// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What people read of a buffer's role. JSON and CSV keep the names of EnumNames<Role>.
#pragma once

#include <array>
#include <string_view>

#include "plan/step_plan.h"

namespace slipway {

constexpr std::string_view roleTitle(std::size_t role)
{
    constexpr std::array<std::string_view, EnumNames<Role>::names.size()> titles{"parameters", "master weights",
        "gradients", "optimizer states", "activations", "logits", "communication", "workspace"};
    return titles.at(role);
}

} // namespace slipway
