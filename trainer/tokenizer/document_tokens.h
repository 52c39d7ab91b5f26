// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The tokens before and after each document in training data.
#pragma once

#include <filesystem>
#include <vector>

#include "tokenizer/hf_tokenizer.h"

namespace slipway {

// Optional files in the folder of tokenizer.json.
inline constexpr const char *kDocumentTokenFiles[] = {"tokenizer_config.json", "special_tokens_map.json"};

struct DocumentTokens {
    std::vector<TokenId> before, after;
};

// Before: the tokens of the post-processor, unless tokenizer_config.json has add_bos_token. After: the tokens of the
// post-processor, else the eos_token of the files in `folder`, else a special token with a well-known name. An error if
// a file is not a JSON object, or names a token that the tokenizer lacks.
Result<DocumentTokens> documentTokens(const HfTokenizer &tokenizer, const std::filesystem::path &folder);

} // namespace slipway
