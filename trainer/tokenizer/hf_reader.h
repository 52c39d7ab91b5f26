// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Reads tokenizer.json into a tokenizer.
#pragma once

#include "tokenizer/hf_tokenizer.h"

namespace slipway {

class TokenizerJsonReader {
public:
    static Result<HfTokenizer> read(std::string_view json, const std::string &file);

private:
    TokenizerJsonReader(const std::string &file, std::string_view json) : m_document(file, json) {}
    void readDocument(const nlohmann::json &root);
    void readModel(const nlohmann::json &value);
    void readBpe(JsonFields &fields);
    void readUnigram(JsonFields &fields);
    Vocabulary readVocabulary(JsonFields &fields);
    std::vector<std::pair<std::string, std::string>> readMerges(JsonFields &fields);
    void readAddedTokens(const nlohmann::json &list);
    void readAddedToken(const nlohmann::json &value, const std::string &key, TokenId &next);
    void readPostProcessor(const nlohmann::json &value, const std::string &key, int depth);
    void readTemplate(JsonFields &fields);
    std::string normalized(const std::string &text);

    JsonDocument m_document;
    HfTokenizer m_tokenizer;
};

} // namespace slipway
