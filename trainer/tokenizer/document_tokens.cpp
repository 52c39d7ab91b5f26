// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "tokenizer/document_tokens.h"

#include <string>
#include <system_error>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "base/json_location.h"

namespace slipway {

namespace {

using Json = nlohmann::json;

constexpr JsonLimits kConfigLimits{.bytes = 64 * kMiB, .depth = 32, .values = 4'000'000, .keys = 1'000'000};

// Names of tokens that end documents, for tokenizers without accompanying files.
constexpr const char *kKnownEnds[] = {
    "<|endoftext|>", "<|end_of_text|>", "</s>", "<eos>", "<｜end▁of▁sentence｜>", "[EOS]"};

// The combined contents of the files; the first file that names a token takes precedence.
struct Named {
    std::optional<TokenId> begin, end;
    std::optional<bool> addBegin, addEnd;
};

class FileReader {
public:
    FileReader(const HfTokenizer &tokenizer, std::filesystem::path file, Named &named)
        : m_tokenizer(tokenizer),
          m_file(std::move(file)),
          m_named(named)
    {
    }

    Result<void> read()
    {
        if (std::error_code error; !std::filesystem::exists(m_file, error))
            return {};
        Result<std::string> content = readPackedFile(m_file, kConfigLimits.bytes);
        if (!content)
            return content.error();
        m_text = *std::move(content);
        const Result<Json> json = parseJsonFile(m_text, m_file.string(), kConfigLimits);
        if (!json)
            return Error{.what = json.error().what, .where = json.error().where, .accepted = "a JSON object"};
        if (!json->is_object())
            return Error{.what = "is not a JSON object", .where = jsonLocation(m_file.string(), m_text, "")};
        Result<void> done = token(*json, "bos_token", m_named.begin);
        if (done)
            done = token(*json, "eos_token", m_named.end);
        if (done)
            done = flag(*json, "add_bos_token", m_named.addBegin);
        return done ? flag(*json, "add_eos_token", m_named.addEnd) : done;
    }

private:
    [[nodiscard]] Error refuse(const char *key, std::string what, std::string accepted) const
    {
        return {.what = std::string(key) + " " + std::move(what),
            .where = jsonLocation(m_file.string(), m_text, key),
            .accepted = std::move(accepted)};
    }

    // Parses "<s>" or {"content": "<s>", ...}.
    Result<void> token(const Json &json, const char *key, std::optional<TokenId> &id) const
    {
        const auto found = json.find(key);
        if (id || found == json.end() || found->is_null())
            return {};
        const Json &content = found->is_object() && found->contains("content") ? (*found)["content"] : *found;
        if (!content.is_string())
            return refuse(key, "is not a token", "a text, or an object with the key content");
        id = m_tokenizer.idOf(content.get<std::string>());
        if (!id)
            return refuse(key, "names a token that tokenizer.json lacks", "one of its tokens");
        return {};
    }

    Result<void> flag(const Json &json, const char *key, std::optional<bool> &value) const
    {
        const auto found = json.find(key);
        if (value || found == json.end() || found->is_null())
            return {};
        if (!found->is_boolean())
            return refuse(key, "is neither true nor false", "true, false");
        value = found->get<bool>();
        return {};
    }

    const HfTokenizer &m_tokenizer;
    std::filesystem::path m_file;
    std::string m_text;
    Named &m_named;
};

std::optional<TokenId> knownEnd(const HfTokenizer &tokenizer)
{
    for (const char *name : kKnownEnds) {
        const AddedToken *const token = tokenizer.addedTokens().find(name);
        if (token && token->special)
            return token->id;
    }
    return std::nullopt;
}

} // namespace

Result<DocumentTokens> documentTokens(const HfTokenizer &tokenizer, const std::filesystem::path &folder)
{
    Named named;
    for (const char *name : kDocumentTokenFiles) {
        if (const Result<void> read = FileReader(tokenizer, folder / name, named).read(); !read)
            return read.error();
    }
    DocumentTokens around{.before = tokenizer.before(), .after = tokenizer.after()};
    if (named.addBegin && named.begin)
        around.before = *named.addBegin ? std::vector<TokenId>{*named.begin} : std::vector<TokenId>{};
    // In training data, documents have an end token even if prompts have none (add_eos_token: false).
    if (named.addEnd == true && named.end)
        around.after = {*named.end};
    if (around.after.empty()) {
        if (const std::optional<TokenId> end = named.end ? named.end : knownEnd(tokenizer))
            around.after = {*end};
    }
    return around;
}

} // namespace slipway
