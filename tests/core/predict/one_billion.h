// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The preset of a billion parameters on one H100, which most predictions here are about.
#pragma once

#include <algorithm>
#include <string_view>

#include <gtest/gtest.h>

#include "predict/predict.h"
#include "support/shipped_catalogue.h"

namespace slipway::testing {

inline RunConfig oneBillion()
{
    RunConfig config;
    config.model.name = "1B";
    config.gpu = "h100-sxm-80gb";
    return config;
}

inline Prediction predicted(const RunConfig &config)
{
    Result<Prediction> p = predict(config, catalogue());
    EXPECT_TRUE(p) << (p ? "" : p.error().message());
    return *std::move(p);
}

inline bool hasNote(const Prediction &p, std::string_view text)
{
    return std::ranges::any_of(
        p.notes, [text](const std::string &note) { return note.find(text) != std::string::npos; });
}

} // namespace slipway::testing
