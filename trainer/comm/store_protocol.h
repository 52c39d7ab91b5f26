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
    std::vector<std::string> keys;         // Read: any number; else one
    std::string value = {}, expected = {}; // of Write and CompareSet
    std::int64_t number = 0;               // Add: the summand; Read: milliseconds to wait until all keys exist
    bool operator==(const StoreRequest &) const = default;
};

struct StoreAnswer {
    bool found = false;                   // Read: all keys exist; Remove: the key existed; else true
    std::vector<std::string> values = {}; // Read: of all keys; CompareSet and Add: the new value of the key
    bool operator==(const StoreAnswer &) const = default;
};

std::string encoded(const StoreRequest &request);
std::string encoded(const StoreAnswer &answer);
// Empty if the message is malformed.
std::optional<StoreRequest> decodedRequest(std::string_view message);
std::optional<StoreAnswer> decodedAnswer(std::string_view message);

// The table itself.
class StoreTable {
public:
    // Empty for a Read whose keys do not all exist yet.
    std::optional<StoreAnswer> answer(const StoreRequest &request);

private:
    std::map<std::string, std::string, std::less<>> m_values;
};

} // namespace slipway
