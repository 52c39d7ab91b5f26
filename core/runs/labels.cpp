// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/labels.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"

namespace slipway {

namespace {

constexpr std::size_t kLongestTag = 100;
constexpr Bytes kLargestLabels = kMiB;

void setInOrder(std::vector<std::string> &tags)
{
    std::sort(tags.begin(), tags.end());
    tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
}

} // namespace

std::filesystem::path labelsFile(const RunPaths &paths) { return paths.directory / "labels.json"; }

Labels readLabels(const RunPaths &paths, const Labels &launched)
{
    Labels labels = launched;
    if (const Result<std::string> text = readPrivateFile(labelsFile(paths), kLargestLabels)) {
        const Result<nlohmann::json> json = parseJson(*text);
        if (json && json->is_object()) {
            labels = {};
            if (const auto notes = json->find("notes"); notes != json->end() && notes->is_string())
                labels.notes = notes->get<std::string>();
            if (const auto tags = json->find("tags"); tags != json->end() && tags->is_array()) {
                for (const nlohmann::json &tag : *tags) {
                    if (tag.is_string())
                        labels.tags.push_back(tag.get<std::string>());
                }
            }
        }
    }
    setInOrder(labels.tags);
    return labels;
}

Result<void> writeLabels(const RunPaths &paths, Labels labels)
{
    // Tags that the run was launched with are kept, even if they break these rules. Otherwise no other label could be
    // changed.
    const Result<RunConfig> config = readRunConfig(paths);
    const std::vector<std::string> known =
        readLabels(paths, {.tags = config ? config->training.tags : std::vector<std::string>{}, .notes = {}}).tags;
    for (std::string &tag : labels.tags) {
        if (std::find(known.begin(), known.end(), tag) != known.end())
            continue;
        tag = std::string(trimmed(tag));
        const bool control = std::any_of(
            tag.begin(), tag.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
        if (tag.empty() || control || tag.size() > kLongestTag)
            return Error{.what = tag.empty() ? "a tag is empty" : "'" + tag.substr(0, 40) + "' is not a valid tag",
                .where = "tag",
                .accepted = "one line of up to 100 bytes"};
    }
    setInOrder(labels.tags);
    const std::string text =
        nlohmann::ordered_json{{"version", 1}, {"tags", labels.tags}, {"notes", labels.notes}}.dump(
            2, ' ', false, nlohmann::json::error_handler_t::replace) +
        "\n";
    if (static_cast<Bytes>(text.size()) > kLargestLabels)
        return Error{.what = "the notes are too long", .where = "notes", .accepted = "up to 1 MiB"};
    return writePrivateFile(labelsFile(paths), text);
}

} // namespace slipway
