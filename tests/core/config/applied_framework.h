// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a shipped profile makes of a configuration.
#pragma once

#include <cstdlib>
#include <gtest/gtest.h>
#include <string_view>
#include <utility>
#include <vector>

#include "config/apply_framework.h"
#include "config/settings.h"

namespace slipway::testing {

inline const Frameworks &shipped()
{
    static const Frameworks frameworks =
        readFrameworks(std::filesystem::path(std::getenv("SLIPWAY_RESOURCES")) / "frameworks").value();
    return frameworks;
}

using Choices = std::vector<std::pair<std::string_view, std::string_view>>;

inline RunConfig applied(std::string_view name, const Choices &given = {}, ModelSpec model = {})
{
    RunConfig config = applySetting({}, "framework", name).value();
    for (const auto &[key, value] : given)
        config = applySetting(config, key, value).value();
    const auto fields = applyFramework(config, model, shipped());
    EXPECT_TRUE(fields) << fields.error().message();
    return config;
}

} // namespace slipway::testing
