// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// script.state: the position up to which the log was read, and the state of its reader.
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "runs/log_follower.h"

namespace slipway {

namespace {

using Json = nlohmann::ordered_json;

constexpr Bytes kLargestState = 4 * kMiB;

} // namespace

LogFollower::State LogFollower::readState() const
{
    State state;
    const Result<std::string> text = readPrivateFile(m_paths.directory / "script.state", kLargestState);
    const Result<nlohmann::json> json = text ? parseJson(*text) : Result<nlohmann::json>(text.error());
    if (!json || !json->is_object())
        return state;
    try { // a value may have an unexpected type
        state.offset = json->value("offset", std::int64_t{0});
        state.metrics = json->value("metrics", std::int64_t{0});
        state.written = json->value("written", 0.0);
        state.longLine = json->value("long_line", false);
        state.skip = json->value("skip", std::int64_t{0});
        state.headBytes = json->value("head_bytes", std::int64_t{0});
        state.headSum = json->value("head_sum", std::uint32_t{0});
        state.tailBytes = json->value("tail_bytes", std::int64_t{0});
        state.tailSum = json->value("tail_sum", std::uint32_t{0});
        state.generation = json->value("generation", std::int64_t{0});
        state.again = json->value("again", false);
        state.damaged = json->value("damaged", false);
        state.steps = logStepsStateFromJson(json->value("steps", nlohmann::json::object()));
    } catch (const nlohmann::json::exception &) {
        return {};
    }
    return state.offset < 0 || state.metrics < 0 || state.skip < 0 ? State{} : state;
}

Result<void> LogFollower::writeState(const State &state) const
{
    const Json json{{"version", 1}, {"offset", state.offset}, {"metrics", state.metrics}, {"written", state.written},
        {"long_line", state.longLine}, {"skip", state.skip}, {"head_bytes", state.headBytes},
        {"head_sum", state.headSum}, {"tail_bytes", state.tailBytes}, {"tail_sum", state.tailSum},
        {"generation", state.generation}, {"again", state.again}, {"damaged", state.damaged},
        {"steps", toJson(state.steps)}};
    return writePrivateFile(
        m_paths.directory / "script.state", json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

} // namespace slipway
