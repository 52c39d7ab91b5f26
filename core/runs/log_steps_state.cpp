// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <cmath>

#include <nlohmann/json.hpp>

#include "runs/log_steps.h"

namespace slipway {

namespace {

using Json = nlohmann::ordered_json;
using ReadJson = nlohmann::json;

Json figuresJson(const LogFigures &figures)
{
    Json json = Json::object();
    for (std::size_t i = 0; i < kLogQuantities; ++i) {
        if (const auto &value = figures.values[i]) // JSON has no NaN
            json[std::string(EnumNames<LogQuantity>::names[i])] = std::isfinite(*value) ? Json(*value) : Json("nan");
    }
    return json;
}

LogFigures figuresFrom(const ReadJson &json)
{
    LogFigures figures;
    for (std::size_t i = 0; i < kLogQuantities; ++i) {
        const auto value = json.find(std::string(EnumNames<LogQuantity>::names[i]));
        if (value != json.end())
            figures.values[i] = value->is_number() ? value->get<double>() : std::nan("");
    }
    return figures;
}

Json stepJson(const LoggedStep &step)
{
    return {{"step", step.step}, {"time", step.time}, {"figures", figuresJson(step.figures)}};
}

LoggedStep stepFrom(const ReadJson &json)
{
    return {.step = json.value("step", std::int64_t{-1}),
        .time = json.value("time", 0.0),
        .figures = figuresFrom(json.value("figures", ReadJson::object()))};
}

} // namespace

nlohmann::ordered_json toJson(const LogStepsState &state)
{
    Json behind = Json::array();
    for (const LoggedStep &step : state.behind)
        behind.push_back(stepJson(step));
    return {{"attempt", state.attempt}, {"last", state.last}, {"last_time", state.lastTime},
        {"open", state.open ? stepJson(*state.open) : Json(nullptr)},
        {"held", state.held ? stepJson(*state.held) : Json(nullptr)}, {"behind", behind},
        {"carried", figuresJson(state.carried)}, {"bar_total", state.barTotal}, {"columns", state.columns},
        {"lines", state.lines}, {"steps", state.steps}, {"seen", state.seen}, {"told_nothing", state.complained}};
}

LogStepsState logStepsStateFromJson(const nlohmann::json &json)
{
    LogStepsState state;
    try { // a value may have an unexpected type
        state.attempt = json.value("attempt", 0);
        state.last = json.value("last", std::int64_t{-1});
        state.lastTime = json.value("last_time", 0.0);
        if (const auto open = json.find("open"); open != json.end() && open->is_object())
            state.open = stepFrom(*open);
        if (const auto held = json.find("held"); held != json.end() && held->is_object())
            state.held = stepFrom(*held);
        for (const ReadJson &step : json.value("behind", ReadJson::array()))
            state.behind.push_back(stepFrom(step));
        state.carried = figuresFrom(json.value("carried", ReadJson::object()));
        state.barTotal = json.value("bar_total", std::int64_t{0});
        state.columns = json.value("columns", std::vector<int>());
        state.lines = json.value("lines", std::int64_t{0});
        state.steps = json.value("steps", std::int64_t{0});
        state.seen = json.value("seen", std::vector<std::string>());
        state.complained = json.value("told_nothing", false);
    } catch (const ReadJson::exception &) {
        return {};
    }
    for (int &column : state.columns)
        column = column < static_cast<int>(kLogQuantities) ? column : -1;
    return state;
}

} // namespace slipway
