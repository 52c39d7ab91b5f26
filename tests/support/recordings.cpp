// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "support/recordings.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include <nlohmann/json.hpp>

namespace slipway::testing {
namespace {

const nlohmann::json &valuesOf(const std::string &name)
{
    static std::map<std::string, nlohmann::json> read;
    const auto [at, isNew] = read.try_emplace(name);
    if (isNew) {
        std::ifstream file(SLIPWAY_TEST_DATA "/recordings/" + name + ".json");
        const nlohmann::json recording = nlohmann::json::parse(file, nullptr, false);
        at->second =
            recording.is_object() ? recording.value("values", nlohmann::json::object()) : nlohmann::json::object();
    }
    return at->second;
}

} // namespace

Bytes recorded(const std::string &name, const std::string &what)
{
    const nlohmann::json &values = valuesOf(name);
    const auto found = values.find(what);
    if (found == values.end()) {
        ADD_FAILURE() << "tests/data/recordings/" << name << ".json has no '" << what << "'";
        return 1;
    }
    return found->get<Bytes>();
}

} // namespace slipway::testing
