// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How far a run of `slipway-train tokenize` came: a file in its folder, until the run is finished.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "data/document_reader.h"

namespace slipway {

struct TokenizeJournal {
    std::string request;   // a checksum of all that the result depends on
    std::string tokenizer; // a checksum of its file
    ReadPosition position;
    std::int64_t documents = 0, tokens = 0, evalTokens = 0, badLines = 0;
    bool operator==(const TokenizeJournal &) const = default;
};

std::filesystem::path journalPath(const std::filesystem::path &folder);
// Nothing where there is none, or it is damaged: the run begins anew.
std::optional<TokenizeJournal> readJournal(const std::filesystem::path &folder);
Result<void> writeJournal(const std::filesystem::path &folder, const TokenizeJournal &journal);
void removeJournal(const std::filesystem::path &folder);

} // namespace slipway
