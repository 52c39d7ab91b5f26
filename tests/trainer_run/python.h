// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstdlib>
#include <string>

namespace slipway::testing {

// SLIPWAY_PYTHON or python3, whichever first has Transformers; empty where none has.
inline std::string pythonWithTransformers()
{
    const char *const chosen = std::getenv("SLIPWAY_PYTHON");
    for (const std::string &python : {std::string(chosen ? chosen : ""), std::string("python3")}) {
        if (!python.empty() &&
            std::system(("'" + python + "' -c 'import torch, transformers' >/dev/null 2>&1").c_str()) == 0)
            return python;
    }
    return {};
}

inline constexpr const char *kNoTransformers = "no Python with torch and transformers on PATH or in SLIPWAY_PYTHON";

} // namespace slipway::testing
