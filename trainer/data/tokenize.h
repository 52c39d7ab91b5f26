// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Text files to a token file and the tokenizer that made it: `slipway-train tokenize`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace slipway {

struct TokenizeRequest {
    std::vector<std::filesystem::path>
        texts;                       // a folder stands for the files in it, at any depth, in the order of their names
    std::filesystem::path out;       // made where it is missing
    int vocabSize = 8192;            // of a tokenizer that is trained
    std::filesystem::path tokenizer; // one that is used as it is; empty: train
    double evalFraction = 0.02;      // the end of each document, this part of it, goes to eval.bin
};

struct TokenizeOutcome {
    std::int64_t documents = 0;
    Bytes textBytes = 0;
    int vocab = 0;
    std::int64_t tokens = 0;
    std::int64_t evalTokens = 0;
};

struct TokenizeProgress {
    enum class Stage { Reading, Learning, Encoding };
    Stage stage = Stage::Reading;
    Bytes done = 0, total = 0; // bytes of text
};

// Each document lies between the marks of its beginning and its end. Nothing that was in `out` is replaced before its
// successor is whole.
Result<TokenizeOutcome> tokenizeTexts(
    const TokenizeRequest &request, const std::function<void(const TokenizeProgress &)> &progress = {});

} // namespace slipway
