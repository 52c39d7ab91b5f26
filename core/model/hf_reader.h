// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Reads the keys of a config.json, records which were read, and keeps the first error, so that callers need no error
// handling for each key.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/model_fields.h"

namespace slipway {

class HfReader {
public:
    using Json = nlohmann::json;

    HfReader(const Json &json, std::string where) : m_json(json), m_where(std::move(where)) {}

    // nullptr if the key is missing or null.
    const Json *value(std::string_view key);
    bool has(std::string_view key) { return value(key) != nullptr; }
    [[nodiscard]] bool names(std::string_view key) const { return m_json.contains(key); } // null or not
    void pass(std::string_view key) { m_understood.insert(std::string(key)); }

    // Assigns the value if the key exists.
    void read(std::string_view key, const FieldPlace &place);
    void require(std::string_view key);
    // Of an object within the file.
    void readFrom(const Json &object, std::string_view key, const FieldPlace &place);
    bool truth(std::string_view key, bool fallback);
    int integer(std::string_view key, int fallback);
    double number(std::string_view key, double fallback);

    void fail(std::string what, std::string accepted);
    [[nodiscard]] const std::optional<Error> &error() const { return m_error; }
    // Reports the first key that was not read as an error.
    void finish(std::string_view family);

    static std::string shown(const Json &value);

private:
    const Json &m_json;
    std::string m_where;
    std::set<std::string, std::less<>> m_understood;
    std::optional<Error> m_error;
};

} // namespace slipway
