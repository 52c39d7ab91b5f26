// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Translates a pattern of a tokenizer.json file, which is in Oniguruma's Ruby syntax, to PCRE2. An error for syntax
// that differs between them and that no tokenizer needs.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace slipway {

Result<std::string> pcre2FromOniguruma(std::string_view pattern);

} // namespace slipway
