// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <string>

#include <dlfcn.h>

namespace slipway {

// A function of a library by its name; the names of those that it lacks are gathered.
template<typename Function>
void find(void *library, Function &function, const char *name, std::string &missing)
{
    function = reinterpret_cast<Function>(::dlsym(library, name));
    if (!function)
        missing += std::string(missing.empty() ? "" : ", ") + name;
}

} // namespace slipway
