// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Compares servers by curves. One setting varies along the axis and another between the lines; all others are those of
// the configuration.
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

// Throughput against memory for every model of the catalogue; grouped-query attention against full heads; experts
// against dense MLPs; fused and paged attention on and off; the KV cache over length and batch; latency against load.
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
    std::string name; // of its place along the axis: "64", "1B"
    double x = 0, y = 0;
    bool fits = true; // else y is 0
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
    std::string placeLabel; // of the dots' names: "Model"
    std::string xLabel;
    bool doublings = true; // x by powers of two
    bool joined = true;    // the dots of a line
    std::vector<ServePanel> panels;
    bool operator==(const ServeFigure &) const = default;
};

// `cancelled` is asked now and then: what is there by then is returned. Errors as of resolveServing().
Result<ServeFigure> serveFigure(ServeChart chart, const ServeConfig &config, const Catalogue &catalogue,
    const Frameworks &frameworks, const std::function<bool()> &cancelled = {});

std::string formatServeUnit(double value, ServeUnit unit); // "1.2 ms"

} // namespace slipway
