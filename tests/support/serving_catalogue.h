// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The shipped catalogue and the profiles of serving software, read once for all tests of a program, and a server of
// them that most tests begin with.
#pragma once

#include "serve/serving.h"
#include "serve/serving_software.h"
#include "support/shipped_catalogue.h"

namespace slipway {

inline const Frameworks &frameworks()
{
    static const Frameworks loaded = loadServingFrameworks().value();
    return loaded;
}

inline ServeConfig eightBillion(std::int64_t batch = 1)
{
    ServeConfig config;
    config.run.model.name = "llama-3.1-8b";
    config.run.gpu = "h100-sxm-80gb";
    config.batch = batch;
    return config;
}

} // namespace slipway
