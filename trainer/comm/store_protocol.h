// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The requests to the rendezvous store, a table of keys and values, and their encoding. Each request gets one answer,
// and a client has at most one outstanding request.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

enum class StoreOp : std::uint8_t { Read = 1, Write, CompareSet, Add, Remove };

struct StoreRequest {
    StoreOp op = StoreOp::Read;
    std::vector<std::string> keys;         // for Read: any number; otherwise one
    std::string value = {}, expected = {}; // for Write and CompareSet
    std::int64_t number = 0;               // for Add: the summand; for Read: milliseconds to wait until all keys exist
    bool operator==(const StoreRequest &) const = default;
};

struct StoreAnswer {
    bool found = false;                   // for Read: all keys exist; for Remove: the key existed; otherwise true
    std::vector<std::string> values = {}; // for Read: of all keys; for CompareSet and Add: the new value of the key
    bool operator==(const StoreAnswer &) const = default;
};

std::string encoded(const StoreRequest &request);
std::string encoded(const StoreAnswer &answer);
// Empty if the message is malformed.
std::optional<StoreRequest> decodedRequest(std::string_view message);
std::optional<StoreAnswer> decodedAnswer(std::string_view message);

// The table of keys and values.
class StoreTable {
public:
    // Empty for a Read whose keys do not all exist yet.
    std::optional<StoreAnswer> answer(const StoreRequest &request);

private:
    std::map<std::string, std::string, std::less<>> m_values;
};

} // namespace slipway
