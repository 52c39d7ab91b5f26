// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <memory>
#include <string>

#include <dlfcn.h>

namespace slipway {

// The functions of a library that is loaded at run time, or the reason why they are missing.
template<typename Api>
struct Loaded {
    std::shared_ptr<Api> api; // null: not available
    std::string why;          // "is not there: ...", "is too old: it has no ..."
};

// `functions(api, find)` must call find(api.function, "its name") for each function. The library is never unloaded, as
// LibTorch uses it too.
template<typename Api, typename Functions>
Loaded<Api> loadLibrary(const std::string &name, const Functions &functions)
{
    void *const library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return {.api = {}, .why = std::string("is not there: ") + ::dlerror()};
    auto api = std::make_shared<Api>();
    std::string missing;
    functions(*api, [&]<typename Function>(Function &function, const char *symbol) {
        function = reinterpret_cast<Function>(::dlsym(library, symbol));
        if (!function)
            missing += std::string(missing.empty() ? "" : ", ") + symbol;
    });
    if (!missing.empty())
        return {.api = {}, .why = "is too old: it has no " + missing};
    return {.api = std::move(api), .why = {}};
}

} // namespace slipway
