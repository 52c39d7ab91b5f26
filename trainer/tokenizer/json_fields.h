// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Reads the fields of a JSON object one by one. The first thing that is not as it must be becomes the error of the
// whole document; afterwards every field has its default. What nobody asked for is an error too: finish() finds it.
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

// What all readers of one document share.
class JsonDocument {
public:
    explicit JsonDocument(std::string file) : m_file(std::move(file)) {}
    void refuse(const std::string &key, std::string what, std::string accepted = {});
    void refuse(const Error &error, const std::string &key); // `where` of the error continues the key
    [[nodiscard]] const std::optional<Error> &error() const { return m_error; }

private:
    std::string m_file;
    std::optional<Error> m_error;
};

class JsonFields {
public:
    using Json = nlohmann::json;
    // `key`: where the object is, "model.vocab"; empty for the document itself.
    JsonFields(const Json &object, std::string key, JsonDocument &document);

    [[nodiscard]] std::string keyOf(std::string_view name) const;
    [[nodiscard]] JsonDocument &document() const { return m_document; }
    void refuse(std::string_view name, std::string what, std::string accepted = {});

    // Null where the object has no such field, or it is null.
    const Json *find(std::string_view name);
    // Of a missing or wrong field: null, and the document has an error.
    const Json *object(std::string_view name);
    const Json *array(std::string_view name);

    std::string text(std::string_view name);
    std::optional<std::string> textOrNull(std::string_view name);
    char32_t character(std::string_view name);                                      // a text of one character
    bool flag(std::string_view name, std::optional<bool> otherwise = std::nullopt); // nothing: must be there
    std::int64_t whole(std::string_view name, std::int64_t least, std::int64_t most);
    // One of the names, which are shown where it is another one.
    std::string choice(
        std::string_view name, std::initializer_list<std::string_view> names, std::string otherwise = {});

    void ignore(std::initializer_list<std::string_view> names); // read by nobody, but known
    void finish();                                              // the rest is not understood

private:
    const Json *required(std::string_view name);

    const Json &m_object;
    std::string m_key;
    JsonDocument &m_document;
    std::set<std::string, std::less<>> m_seen;
};

} // namespace slipway
