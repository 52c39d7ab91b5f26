// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Reads the keys of a config.json, records which were read and what each field of the model was read from, and keeps
// the first error, so that callers need no error handling for each key. An error has the line of the key that it is
// about.
#pragma once

#include <map>
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

    // The text is the one that `json` was parsed from, and `file` its name.
    HfReader(const Json &json, std::string_view text, std::string file)
        : m_json(json),
          m_text(text),
          m_file(std::move(file))
    {
    }

    // nullptr if the key is missing or null.
    const Json *value(std::string_view key);
    bool has(std::string_view key) { return value(key) != nullptr; }
    [[nodiscard]] bool contains(std::string_view key) const { return m_json.contains(key); } // null or not
    void ignore(std::string_view key) { m_understood.insert(std::string(key)); }

    // Assigns the value if the key exists.
    void read(std::string_view key, const FieldPointer &place);
    void require(std::string_view key);
    // Records that a field of the model was computed from this key, or as another field was.
    void recordSource(const void *place, std::string_view key);
    void copySource(const void *place, const void *field);
    // Of an object within the file, at `path`.
    void readFrom(const Json &object, std::string_view path, std::string_view key, const FieldPointer &place);
    bool boolean(std::string_view key, bool fallback);
    int integer(std::string_view key, int fallback);
    double number(std::string_view key, double fallback);

    // `path` as in lineInJson(); empty if the error is about no key that the file has.
    void fail(std::string_view path, std::string what, std::string accepted);
    // An error of validateModel(): it names a setting, which was read from one of the file's keys. `model` is the one
    // whose fields were read, at the same address.
    void failAt(const Error &ofSetting, ModelSpec &model);
    [[nodiscard]] const std::optional<Error> &error() const { return m_error; }
    // Reports the first key that was not read as an error.
    void finish(std::string_view family);

    static std::string shown(const Json &value);

private:
    // Whether the key exists and its value was accepted.
    bool assign(const Json &object, std::string_view path, std::string_view key, const FieldPointer &place);
    // The same of a key of the file itself, for a value that is no field of the model.
    void take(std::string_view key, const FieldPointer &place);

    const Json &m_json;
    std::string_view m_text;
    std::string m_file;
    std::set<std::string, std::less<>> m_understood;
    std::map<const void *, std::string> m_sources; // the path in the file, by the address of the field
    std::optional<Error> m_error;
};

} // namespace slipway
