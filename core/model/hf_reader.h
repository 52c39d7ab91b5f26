// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Reads the keys of a config.json, remembers which were asked for, and keeps the first failure, so that the mapping of
// a family stays a list.
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

    // nullptr where the key is missing or null.
    const Json *value(std::string_view key);
    bool has(std::string_view key) { return value(key) != nullptr; }
    [[nodiscard]] bool names(std::string_view key) const { return m_json.contains(key); } // null or not
    void pass(std::string_view key) { m_understood.insert(std::string(key)); }

    // Into a place, where the key is there.
    void read(std::string_view key, const FieldPlace &place);
    void require(std::string_view key);
    // Of an object within the file.
    void readFrom(const Json &object, std::string_view key, const FieldPlace &place);
    bool truth(std::string_view key, bool fallback);
    int integer(std::string_view key, int fallback);
    double number(std::string_view key, double fallback);

    void fail(std::string what, std::string accepted);
    [[nodiscard]] const std::optional<Error> &error() const { return m_error; }
    // The first key that nobody asked for becomes a failure.
    void finish(std::string_view family);

    static std::string shown(const Json &value);

private:
    const Json &m_json;
    std::string m_where;
    std::set<std::string, std::less<>> m_understood;
    std::optional<Error> m_error;
};

} // namespace slipway
