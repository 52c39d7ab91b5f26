// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The findings of the paper (Ashkboos et al. 2024, arXiv 2410.19456), compared with our predictions for its grid. They
// are claims to test; nothing is fitted to them.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "explore/sweep.h"

namespace slipway {

enum class Agreement { Agreed, Partly, Contradicted };
template<>
struct EnumNames<Agreement> {
    static constexpr std::array<std::string_view, 3> names{"agreed", "partly", "contradicted"};
};

struct Finding {
    std::string claim; // what the paper says
    std::string test;  // how it is tested
    Agreement agreement = Agreement::Partly;
    std::string answer; // the result of our predictions
    std::string why;
    std::vector<std::string> columns; // the table of the result
    std::vector<std::vector<std::string>> rows;
};

// `sweep` is over paperGrid() at the paper's price ratios. Further points are predicted with the catalogue.
std::vector<Finding> paperFindings(const Sweep &sweep, const Catalogue &catalogue);

// The paper's grid with its price ratios.
Sweep paperSweep(const Catalogue &catalogue, const std::function<bool(std::size_t, std::size_t)> &progress = {});

// A Markdown page: a table of all findings, then each finding with its own table.
std::string findingsMarkdown(const std::vector<Finding> &findings, const Sweep &sweep);

} // namespace slipway
