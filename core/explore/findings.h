// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the paper found (Ashkboos et al. 2024, arXiv 2410.19456), held against our own numbers for its grid. Its
// findings are claims that are tested here, not targets that anything is fitted to.
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
    std::string test;  // what was counted
    Agreement agreement = Agreement::Partly;
    std::string answer; // what our numbers say
    std::string why;
    std::vector<std::string> columns; // the numbers behind the answer
    std::vector<std::vector<std::string>> rows;
};

// Of a sweep over paperGrid() at the paper's price ratios; the catalogue answers what the grid does not hold.
std::vector<Finding> paperFindings(const Sweep &sweep, const Catalogue &catalogue);

// The paper's grid with its price ratios.
Sweep paperSweep(const Catalogue &catalogue, const std::function<bool(std::size_t, std::size_t)> &progress = {});

// A page in Markdown: a table of the findings, then each with its numbers.
std::string findingsMarkdown(const std::vector<Finding> &findings, const Sweep &sweep);

} // namespace slipway
