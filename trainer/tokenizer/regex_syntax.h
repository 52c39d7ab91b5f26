// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Patterns of tokenizer.json files are written for Oniguruma with Ruby's syntax. This rewrites one for PCRE2, so that
// it means the same. What the two understand differently and no tokenizer needs is refused.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace slipway {

Result<std::string> pcre2FromOniguruma(std::string_view pattern);

} // namespace slipway
