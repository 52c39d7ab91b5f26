// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/tokenize_journal.h"

#include <system_error>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"

namespace slipway {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;

// The integer fields of a journal with their keys, for reading and for writing.
template<typename Journal, typename Take>
void forNumbers(Journal &journal, const Take &take)
{
    take("input", journal.position.input);
    take("offset", journal.position.offset);
    take("lines", journal.position.lines);
    take("json_lines", journal.position.jsonLines);
    take("text_bytes", journal.position.textBytes);
    take("documents", journal.documents);
    take("tokens", journal.tokens);
    take("eval_tokens", journal.evalTokens);
    take("bad_lines", journal.badLines);
}

} // namespace

std::filesystem::path journalPath(const std::filesystem::path &folder) { return folder / "tokenize.journal.json"; }

std::optional<TokenizeJournal> readJournal(const std::filesystem::path &folder)
{
    std::error_code error;
    if (!std::filesystem::is_regular_file(journalPath(folder), error))
        return std::nullopt;
    const Result<std::string> content = readPrivateFile(journalPath(folder), 64 * kKiB);
    const Result<nlohmann::json> json = content ? parseJson(*content, kJsonLineLimits) : content.error();
    if (!json || !json->is_object() || json->value("version", nlohmann::json()) != kVersion)
        return std::nullopt;
    TokenizeJournal journal;
    bool whole = true;
    const auto text = [&](const char *key, std::string &value) {
        const auto found = json->find(key);
        whole = whole && found != json->end() && found->is_string();
        if (whole)
            value = found->get<std::string>();
    };
    text("request", journal.request);
    text("tokenizer", journal.tokenizer);
    forNumbers(journal, [&](const char *key, std::int64_t &value) {
        const auto found = json->find(key);
        whole = whole && found != json->end() && found->is_number_integer();
        if (whole)
            value = found->get<std::int64_t>();
        whole = whole && value >= 0 && value < (std::int64_t{1} << 56); // so that sums do not overflow
    });
    return whole ? std::optional(journal) : std::nullopt;
}

Result<void> writeJournal(const std::filesystem::path &folder, const TokenizeJournal &journal)
{
    Json json{{"version", kVersion}, {"request", journal.request}, {"tokenizer", journal.tokenizer}};
    forNumbers(journal, [&json](const char *key, const std::int64_t &value) { json[key] = value; });
    return writePrivateFile(journalPath(folder), json.dump() + "\n");
}

void removeJournal(const std::filesystem::path &folder)
{
    std::error_code ignored;
    std::filesystem::remove(journalPath(folder), ignored);
}

} // namespace slipway
