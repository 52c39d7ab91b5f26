// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Text to a token file and the tokenizer that made it: `slipway-train tokenize`.
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

// What is learned from the texts: a SentencePiece model, or byte-level BPE in a tokenizer.json of Hugging Face.
enum class LearnedTokenizer { SentencePiece, Bpe };
template<>
struct EnumNames<LearnedTokenizer> {
    static constexpr std::array<std::string_view, 2> names{"sentencepiece", "bpe"};
};

struct TokenizeRequest {
    std::vector<std::filesystem::path> texts; // files, folders, "-" for standard input: as in data/text_input.h
    std::filesystem::path out;                // made where it is missing
    int vocabSize = 8192;                     // of a tokenizer that is trained
    std::filesystem::path tokenizer;          // one that is used as it is, or the folder of it; empty: train
    LearnedTokenizer learned = LearnedTokenizer::SentencePiece; // where none is named
    double evalFraction = 0.02;             // goes to eval.bin: of a text its end, of JSON lines whole documents
    std::string field = {};                 // of JSON lines, that holds the text; empty: "text"
    bool skipBad = false;                   // leave out lines that cannot be read, and count them; else they are errors
    int threads = 0;                        // that encode; 0: one for each core
    Bytes journalEvery = 64 * kMiB;         // bytes of text after which an interrupted run need not begin again
    std::function<bool()> interrupted = {}; // asked often; true: stop, and keep what is needed to continue
};

struct TokenizeOutcome {
    std::int64_t documents = 0;
    Bytes textBytes = 0;
    int vocab = 0;
    std::int32_t begin = -1, end = -1; // the tokenizer's marks of documents; -1: none
    std::int64_t tokens = 0;
    std::int64_t evalTokens = 0;
    std::int64_t badLines = 0;   // left out
    std::vector<Error> bad = {}; // why, the first of them
    bool resumed = false;        // continued what an earlier process began
    bool interrupted = false;    // not finished
};

struct TokenizeProgress {
    enum class Stage { Learning, Encoding };
    Stage stage = Stage::Encoding;
    Bytes taken = 0, total = 0; // bytes of the files, as they lie on the disk; total 0: not known
    Bytes textBytes = 0;        // decompressed
    std::int64_t tokens = 0;    // that this process made
};

// Each document lies between the marks of its beginning and its end. The result does not depend on the number of
// threads, nor on interruptions. Nothing that was in `out` is replaced before its successor is whole. Memory does not
// grow with the input. An error that has to do with the input leaves nothing unfinished behind.
Result<TokenizeOutcome> tokenizeTexts(
    const TokenizeRequest &request, const std::function<void(const TokenizeProgress &)> &progress = {});

} // namespace slipway
