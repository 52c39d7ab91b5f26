// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstdlib>
#include <string>

#include "frameworks/framework_profile.h"

namespace slipway::testing {

// Of the shipped profiles, which SLIPWAY_RESOURCES names in every test.
inline ScriptInterface shippedScriptInterface(const std::string &framework = {})
{
    const char *const resources = std::getenv("SLIPWAY_RESOURCES");
    return readFrameworks(std::string(resources ? resources : "resources") + "/frameworks")
        .value()
        .scriptInterfaceOf(framework);
}

inline LogGrammar shippedLogGrammar(const std::string &framework = {}) { return shippedScriptInterface(framework).log; }

} // namespace slipway::testing
