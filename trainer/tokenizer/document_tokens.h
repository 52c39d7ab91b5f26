// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What stands before and behind each document on which a model is trained.
#pragma once

#include <filesystem>
#include <vector>

#include "tokenizer/hf_tokenizer.h"

namespace slipway {

// Next to tokenizer.json; both may be missing.
inline constexpr const char *kDocumentTokenFiles[] = {"tokenizer_config.json", "special_tokens_map.json"};

struct DocumentTokens {
    std::vector<TokenId> before, behind;
};

// Before: what the post-processor puts there, unless tokenizer_config.json says add_bos_token. Behind: what the
// post-processor puts there, else the eos_token of the files in `folder`, else a special token whose name is known to
// end documents. An error where a file is no JSON object, or names a token that the tokenizer lacks.
Result<DocumentTokens> documentTokens(const HfTokenizer &tokenizer, const std::filesystem::path &folder);

} // namespace slipway
