// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What ranks ask of the rendezvous store, a table of keys and values, and how that is written in a message. A request
// gets one answer, and a client has at most one request under way.
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
    std::vector<std::string> keys;         // one, but for Read
    std::string value = {}, expected = {}; // of Write and CompareSet
    std::int64_t number = 0;               // Add: the summand; Read: milliseconds that all keys may take to appear
    bool operator==(const StoreRequest &) const = default;
};

struct StoreAnswer {
    bool found = false;                   // Read: all keys are there; Remove: the key was there; else true
    std::vector<std::string> values = {}; // Read: of all keys; CompareSet and Add: what the key has now
    bool operator==(const StoreAnswer &) const = default;
};

std::string encoded(const StoreRequest &request);
std::string encoded(const StoreAnswer &answer);
// Empty: it is none.
std::optional<StoreRequest> decodedRequest(std::string_view message);
std::optional<StoreAnswer> decodedAnswer(std::string_view message);

// The table itself.
class StoreTable {
public:
    // Empty: a Read whose keys are not all there yet.
    std::optional<StoreAnswer> answer(const StoreRequest &request);

private:
    std::map<std::string, std::string, std::less<>> m_values;
};

} // namespace slipway
