// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Tokenizes texts, and trains a tokenizer if none is given: `slipway-train tokenize`.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"
#include "base/result.h"
#include "base/units.h"

namespace slipway {

// The kind of tokenizer to train: a SentencePiece model, or byte-level BPE as Hugging Face's tokenizer.json.
enum class LearnedTokenizer { SentencePiece, Bpe };
template<>
struct EnumNames<LearnedTokenizer> {
    static constexpr std::array<std::string_view, 2> names{"sentencepiece", "bpe"};
};

struct TokenizeRequest {
    std::vector<std::filesystem::path> texts; // files, folders, or "-" for standard input (data/text_input.h)
    std::filesystem::path out;                // output folder, created if missing
    int vocabSize = 8192;                     // vocabulary size of a new tokenizer
    std::filesystem::path tokenizer;          // existing tokenizer, or its folder; empty: trains a new one
    LearnedTokenizer learned = LearnedTokenizer::SentencePiece; // if no tokenizer is given
    double evalFraction = 0.02;             // for eval.bin: the ends of texts, or whole documents of JSON lines
    std::string field = {};                 // JSON field that contains the text; empty: "text"
    bool skipBad = false;                   // skip and count lines that cannot be read; else they are errors
    int threads = 0;                        // for encoding; 0: one per core
    Bytes journalEvery = 64 * kMiB;         // bytes of text between two saved states of an interruptible run
    std::function<bool()> interrupted = {}; // polled; true: stop, and keep the state to continue
};

struct TokenizeOutcome {
    std::int64_t documents = 0;
    Bytes textBytes = 0;
    int vocab = 0;
    std::int32_t begin = -1, end = -1; // ids of the tokenizer's marks of documents; -1: none
    std::int64_t tokens = 0;
    std::int64_t evalTokens = 0;
    std::int64_t badLines = 0;   // skipped lines
    std::vector<Error> bad = {}; // reasons for the first ones
    bool resumed = false;        // continued the work of an earlier process
    bool interrupted = false;    // not finished
};

struct TokenizeProgress {
    enum class Stage { Learning, Encoding };
    Stage stage = Stage::Encoding;
    Bytes taken = 0, total = 0; // bytes of the files, before decompression; total 0: unknown
    Bytes textBytes = 0;        // decompressed
    std::int64_t tokens = 0;    // written by this process
};

// Each document is enclosed in the tokenizer's marks. The result does not depend on the number of threads or on
// interruptions. Files in `out` are replaced only by complete ones. Memory use does not depend on the size of the
// input. An error in the input leaves no unfinished files.
Result<TokenizeOutcome> tokenizeTexts(
    const TokenizeRequest &request, const std::function<void(const TokenizeProgress &)> &progress = {});

} // namespace slipway
