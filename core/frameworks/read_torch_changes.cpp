// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "frameworks/read_torch_changes.h"

#include <algorithm>

#include "frameworks/read_origin.h"

namespace slipway {

namespace {

bool hasRecord(const std::vector<TorchChange> &changes, std::string_view key)
{
    return std::any_of(changes.begin(), changes.end(), [key](const TorchChange &change) { return change.key == key; });
}

bool isTorchChange(std::string_view key)
{
    return std::any_of(
        kTorchChanges.begin(), kTorchChanges.end(), [key](const NamedTorchChange &named) { return named.key == key; });
}

} // namespace

Result<void> addTorchChanges(Frameworks &frameworks, const YamlNode *list, const std::string &where)
{
    for (const YamlNode &item : list ? list->items : std::vector<YamlNode>()) {
        YamlRow row(item, where);
        TorchChange change{.key = row.requiredText("key")};
        const std::string since = row.requiredText("since");
        change.since = torchVersionNumber(since);
        change.origin = readOrigin(row, item.line, {.isDated = true});
        if (change.since == 0)
            row.fail(item.line, "'since' is '" + since.substr(0, 40) + "'", "a version such as \"2.5\"");
        if (!isTorchChange(change.key) || hasRecord(frameworks.torchChanges, change.key))
            row.fail(item.line,
                "'" + change.key + (isTorchChange(change.key) ? "' appears twice" : "' is not a change of PyTorch"),
                "each member of TorchChanges once");
        if (const Result<void> finished = row.finish(); !finished)
            return finished;
        frameworks.torchChanges.push_back(std::move(change));
    }
    return {};
}

Result<void> checkTorchChanges(const Frameworks &frameworks, const std::string &folder)
{
    for (const NamedTorchChange &named : kTorchChanges) {
        if (!hasRecord(frameworks.torchChanges, named.key))
            return Error{.what = "the change '" + std::string(named.key) + "' of PyTorch is missing",
                .where = folder,
                .accepted = "torch_changes: with {key, since, origin, reference, as_of} for each"};
    }
    return {};
}

} // namespace slipway
