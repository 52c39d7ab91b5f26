// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A tokenizer.json: what is accepted gives ids that it has a place for, and decodes them.
#include "tokenizer/hf_tokenizer.h"

#include "fuzz_input.h"

using namespace slipway;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const Result<HfTokenizer> tokenizer = HfTokenizer::parse(textOf(data, size), "tokenizer.json");
    if (!tokenizer)
        return 0;
    constexpr std::string_view kText = "the thé  \n\t!12 <s>\xE4\xBD\xA0\xF0\x9F\x99\x82 x";
    std::vector<TokenId> ids;
    if (!tokenizer->encoder()->encode(kText, false, ids))
        return 0;
    for (const TokenId id : ids)
        require(id >= 0 && id < tokenizer->idLimit(), "an id is below the limit");
    (void)tokenizer->decode(ids, true);
    return 0;
}
