// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The progress of an unfinished run of `slipway-train tokenize`, a file in its output folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "data/document_reader.h"

namespace slipway {

struct TokenizeJournal {
    std::string request;   // checksum of all inputs and settings
    std::string tokenizer; // checksum of the tokenizer's file
    ReadPosition position;
    std::int64_t documents = 0, tokens = 0, evalTokens = 0, badLines = 0;
    bool operator==(const TokenizeJournal &) const = default;
};

std::filesystem::path journalPath(const std::filesystem::path &folder);
// Empty if there is none or it is damaged; tokenizing then starts from the beginning.
std::optional<TokenizeJournal> readJournal(const std::filesystem::path &folder);
Result<void> writeJournal(const std::filesystem::path &folder, const TokenizeJournal &journal);
void removeJournal(const std::filesystem::path &folder);

} // namespace slipway
