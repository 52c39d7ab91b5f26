// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cli/probe_output.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "hosts/shell_quote.h"

namespace slipway::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownProbes = 4;

std::string percentText(double part) { return fmt::format("{:.1f} %", 100 * part); }

std::string proposalText(const ChosenProbe &chosen)
{
    const ProbeProposal &proposal = chosen.proposal;
    const std::size_t earlier = chosen.earlier;
    const Probe &probe = proposal.probes.front();
    std::string text =
        fmt::format("Probe: {}, about {}.\n", probe.title, formatSeconds(probe.seconds)) +
        fmt::format("The speed of this run and others like it is known to within {} (one standard deviation){}.\n",
            percentText(proposal.before),
            earlier == 0 ? "" : fmt::format(", after {} earlier probe{}", earlier, earlier == 1 ? "" : "s")) +
        "\n  " + fmt::format("{:<24}{:>14}{:>22}\n", "probe", "steps take", "speed then within");
    for (std::size_t i = 0; i < std::min(kShownProbes, proposal.probes.size()); ++i) {
        const Probe &each = proposal.probes[i];
        text +=
            fmt::format("  {:<24}{:>14}{:>22}\n", each.settings, formatSeconds(each.seconds), percentText(each.after));
    }
    return text + "\n";
}

std::string changeText(const ChangedArgument &change)
{
    return change.before.empty()
               ? fmt::format("  {:<32}{} (added)\n", change.argument, change.after)
               : fmt::format("  {:<32}{} instead of {}\n", change.argument, change.after, change.before);
}

} // namespace

Error refusalOf(const std::vector<PassedProbe> &passed)
{
    const auto planned = std::find_if(
        passed.begin(), passed.end(), [](const PassedProbe &probe) { return probe.settings == "as planned"; });
    return planned == passed.end() ? passed.front().why : planned->why;
}

std::string probeText(const ChosenProbe &chosen)
{
    std::string text = proposalText(chosen);
    for (const PassedProbe &probe : chosen.passed)
        text += fmt::format("Not launched with {}: {}\n", probe.settings, probe.why.message());
    if (!chosen.command)
        return text;
    text += (chosen.passed.empty() ? "" : "\n") + std::string("The probe changes these arguments of the command:\n\n");
    for (const ChangedArgument &change : chosen.command->changes)
        text += changeText(change);
    return text + "\nIt runs:\n\n  " + shellQuoted(chosen.command->words) + "\n\n";
}

Json probeJson(const ChosenProbe &chosen)
{
    Json probes = Json::array();
    for (const Probe &probe : chosen.proposal.probes)
        probes.push_back({{"settings", probe.settings}, {"title", probe.title}, {"seconds", probe.seconds},
            {"relative_deviation", probe.after}});
    Json json{{"relative_deviation", chosen.proposal.before}, {"probes", probes}};
    if (chosen.command) {
        Json changes = Json::array(), passed = Json::array();
        for (const ChangedArgument &change : chosen.command->changes)
            changes.push_back({{"set", change.set}, {"argument", change.argument},
                {"before", change.before.empty() ? Json(nullptr) : Json(change.before)}, {"after", change.after}});
        for (const PassedProbe &probe : chosen.passed)
            passed.push_back({{"settings", probe.settings}, {"reason", probe.why.message()}});
        json.update(Json{{"command", chosen.command->words}, {"changes", changes}, {"not_rewritten", passed}});
    }
    return {{"probe", json}};
}

} // namespace slipway::cli
