// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Curves that compare servers. One setting varies along the axis and another between the lines. All other settings are
// those of the configuration.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"
#include "base/result.h"
#include "serve/serve_prediction.h"

namespace slipway {

// Models: throughput over memory for every model of the catalogue. Heads: grouped-query attention and full heads.
// Experts: experts and dense MLPs. Attention: fused and paged attention, on and off. Cache: the KV cache over length
// and batch. Load: latency over load.
enum class ServeChart { Models, Heads, Experts, Attention, Cache, Load };
template<>
struct EnumNames<ServeChart> {
    static constexpr std::array<std::string_view, 6> names{"models", "heads", "experts", "attention", "cache", "load"};
};

enum class ServeUnit { Speed, Memory, Time };
template<>
struct EnumNames<ServeUnit> {
    static constexpr std::array<std::string_view, 3> names{"tokens/s", "GiB", "s"};
};

struct ServeDot {
    std::string name; // of its position on the axis: "64", "1B"
    double x = 0, y = 0;
    bool fits = true; // false: y is 0
    bool operator==(const ServeDot &) const = default;
};

struct ServeLine {
    std::string name;
    std::vector<ServeDot> dots;
    bool operator==(const ServeLine &) const = default;
};

struct ServePanel {
    std::string title, yLabel;
    ServeUnit unit = ServeUnit::Speed;
    std::vector<ServeLine> lines;
    bool operator==(const ServePanel &) const = default;
};

struct ServeFigure {
    ServeChart chart = ServeChart::Models;
    std::string title, question;
    std::string placeLabel; // what the names of the dots are: "Model"
    std::string xLabel;
    bool doublings = true; // the x axis is logarithmic, with powers of two
    bool joined = true;    // dots of a line are connected
    std::vector<ServePanel> panels;
    bool operator==(const ServeFigure &) const = default;
};

// `cancelled` is called between points. If it returns true, the figure has the points so far. Errors as of
// resolveServing().
Result<ServeFigure> serveFigure(ServeChart chart, const ServeConfig &config, const Catalogue &catalogue,
    const Frameworks &frameworks, const std::function<bool()> &cancelled = {});

std::string formatServeUnit(double value, ServeUnit unit); // "1.2 ms"

} // namespace slipway
