// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Reads the fields of a JSON object one by one. The first invalid value becomes the error of the document, and later
// reads return defaults. finish() reports fields that were not read.
#pragma once

#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace slipway {

// The error state that all readers of a document share.
class JsonDocument {
public:
    // `text`: the JSON text, for line numbers in errors; it must outlive the object. Empty if there is none.
    explicit JsonDocument(std::string file, std::string_view text = {}) : m_file(std::move(file)), m_text(text) {}
    void refuse(const std::string &key, std::string what, std::string accepted = {});
    void refuse(const Error &error, const std::string &key); // appends `where` of the error to the key
    [[nodiscard]] const std::optional<Error> &error() const { return m_error; }

private:
    std::string m_file;
    std::string_view m_text;
    std::optional<Error> m_error;
};

class JsonFields {
public:
    using Json = nlohmann::json;
    // `key`: path of the object, "model.vocab"; empty for the document itself.
    JsonFields(const Json &object, std::string key, JsonDocument &document);

    [[nodiscard]] std::string keyOf(std::string_view name) const;
    [[nodiscard]] JsonDocument &document() const { return m_document; }
    void refuse(std::string_view name, std::string what, std::string accepted = {});

    // Null if the field is missing or null.
    const Json *find(std::string_view name);
    // Return null and set the document's error if the field is missing or has another type.
    const Json *object(std::string_view name);
    const Json *array(std::string_view name);

    std::string text(std::string_view name);
    std::optional<std::string> textOrNull(std::string_view name);
    char32_t character(std::string_view name);                                      // a text of one character
    bool flag(std::string_view name, std::optional<bool> otherwise = std::nullopt); // required without `otherwise`
    std::int64_t whole(std::string_view name, std::int64_t least, std::int64_t most);
    // One of `names`, which the error lists.
    std::string choice(
        std::string_view name, std::initializer_list<std::string_view> names, std::string otherwise = {});

    void ignore(std::initializer_list<std::string_view> names); // known fields that have no effect
    void finish();                                              // an error if other fields exist

private:
    const Json *required(std::string_view name);

    const Json &m_object;
    std::string m_key;
    JsonDocument &m_document;
    std::set<std::string, std::less<>> m_seen;
};

} // namespace slipway
