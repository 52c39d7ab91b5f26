// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <fmt/format.h>

#include "explore/findings.h"

namespace slipway {

namespace {

std::string row(const std::vector<std::string> &cells)
{
    std::string text = "|";
    for (const std::string &cell : cells)
        text += " " + cell + " |";
    return text + "\n";
}

std::string table(const std::vector<std::string> &columns, const std::vector<std::vector<std::string>> &rows)
{
    std::string text = row(columns) + row(std::vector<std::string>(columns.size(), "---"));
    for (const auto &cells : rows)
        text += row(cells);
    return text;
}

} // namespace

std::string findingsMarkdown(const std::vector<Finding> &findings, const Sweep &sweep)
{
    const auto how = [&](auto counted) { return std::count_if(sweep.points.begin(), sweep.points.end(), counted); };
    std::string text = "# The paper's findings against our numbers\n\n"
                       "Made by `slipway findings --out docs/findings.md`; do not edit.\n\n";
    text += fmt::format("Ashkboos et al. 2024 (arXiv 2410.19456) measured a grid of models, GPUs, counts, shardings, "
                        "batches and kinds of attention on a cluster. Below, each of\n"
                        "its findings is held against what Slipway predicts for the same grid: {} points under "
                        "`pytorch-eager`, of which {} run, {} run out of memory and\n"
                        "{} cannot be planned; best over what a question does not name; prices are the paper's ratios. "
                        "The findings are claims that are tested, nothing is\n"
                        "fitted to them. Predictions carry the errors of [accuracy.md](accuracy.md): where two numbers "
                        "are near one another, they do not tell which is larger.\n\n",
        sweep.points.size(), how([](const SweepPoint &p) { return p.runs(); }),
        how([](const SweepPoint &p) { return p.skipped.empty() && p.verdict == Verdict::Oom; }),
        how([](const SweepPoint &p) { return !p.skipped.empty(); }));
    std::vector<std::vector<std::string>> summary;
    for (std::size_t i = 0; i < findings.size(); ++i)
        summary.push_back({std::to_string(i + 1), findings[i].claim, std::string(enumName(findings[i].agreement)),
            findings[i].answer});
    text += table({"", "The paper", "Our numbers", ""}, summary);
    for (std::size_t i = 0; i < findings.size(); ++i) {
        const Finding &f = findings[i];
        text += fmt::format("\n## {}. {}\n\n**{}.** {}\n\nTested: {}\n\n", i + 1, f.claim.substr(0, f.claim.size() - 1),
            f.agreement == Agreement::Agreed   ? "Agreed"
            : f.agreement == Agreement::Partly ? "Partly"
                                               : "Contradicted",
            f.answer, f.test);
        text += table(f.columns, f.rows);
        if (!f.why.empty())
            text += "\nWhy: " + f.why + "\n";
    }
    return text;
}

} // namespace slipway
