// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "frameworks/annotations.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "base/yaml_files.h"
#include "base/yaml_row.h"
#include "frameworks/read_field.h"

namespace slipway {

namespace {

constexpr std::size_t kMostAnnotations = 10'000;

bool hasOneOf(std::string_view text, const std::vector<std::string> &words)
{
    return std::any_of(words.begin(), words.end(),
        [text](const std::string &each) { return text.find(each) != std::string_view::npos; });
}

// A word or a list of words.
std::vector<std::string> wordsOf(YamlRow &row, std::string_view key)
{
    const YamlNode *node = row.child(key);
    std::vector<std::string> words;
    if (!node)
        return words;
    if (node->kind == YamlNode::Kind::Scalar)
        words.push_back(toLower(node->scalar));
    for (const YamlNode &item : node->items)
        words.push_back(toLower(item.scalar));
    if (words.empty() || std::any_of(words.begin(), words.end(), [](const std::string &each) { return each.empty(); }))
        row.fail(node->line, "'" + std::string(key) + "' has no words", "a string or a list of strings");
    return words;
}

Result<Annotation> annotationOf(const YamlNode &item, const std::string &where)
{
    YamlRow row(item, where);
    Annotation a{.ids = wordsOf(row, "id"),
        .sources = wordsOf(row, "source"),
        .notes = wordsOf(row, "notes"),
        .models = wordsOf(row, "model"),
        .anywhere = wordsOf(row, "anywhere"),
        .emptyColumns = wordsOf(row, "empty"),
        .when = readConditions(row),
        .framework = row.text("framework"),
        .reason = row.text("reason"),
        .memoryKind = row.text("mem_kind"),
        .firstNodeMemory = row.boolean("first_node_memory", false),
        .where = where + ":" + std::to_string(item.line)};
    const YamlNode *fields = row.child("fields");
    const bool tellsMemory = !a.memoryKind.empty() || a.firstNodeMemory;
    if ((!a.framework.empty() || tellsMemory) && a.reason.empty())
        row.fail(item.line, tellsMemory ? "what it says of memory has no reason" : "'framework' has no reason",
            "reason: TEXT");
    constexpr std::array<std::string_view, 4> kKinds{"", "allocated", "reserved", "device"};
    if (std::find(kKinds.begin(), kKinds.end(), a.memoryKind) == kKinds.end())
        row.fail(item.line, "'mem_kind' is '" + a.memoryKind.substr(0, 40) + "'", "allocated, reserved, device");
    if (a.framework.empty() && !fields && !tellsMemory)
        row.fail(item.line, "says nothing", "framework: NAME, fields, mem_kind, or first_node_memory");
    if (!a.ids.empty() && a.sources.empty())
        row.fail(item.line, "'id' has no source, and other tables may have rows of the same name", "source: TEXT");
    if (const Result<void> finished = row.finish(); !finished)
        return finished.error();
    Result<std::vector<FrameworkField>> read = readFields(fields, {}, where);
    if (!read)
        return read.error();
    a.fields = *std::move(read);
    return a;
}

} // namespace

bool Annotation::matches(const RowText &row) const
{
    const auto holds = [](const std::vector<std::string> &words, std::string_view text) {
        return words.empty() || hasOneOf(text, words);
    };
    return (ids.empty() || std::find(ids.begin(), ids.end(), row.id) != ids.end()) && holds(sources, row.source) &&
           holds(notes, row.notes) && holds(models, row.model) &&
           (anywhere.empty() || hasOneOf(row.source, anywhere) || hasOneOf(row.notes, anywhere) ||
               hasOneOf(row.model, anywhere)) &&
           std::none_of(emptyColumns.begin(), emptyColumns.end(),
               [&row](const std::string &column) { return row.states && row.states(column); });
}

bool Annotation::isOfNotes() const
{
    return ids.empty() && sources.empty() && models.empty() && anywhere.empty() && framework.empty();
}

Result<std::vector<Annotation>> readAnnotations(const std::filesystem::path &folder)
{
    std::vector<Annotation> annotations;
    for (const std::filesystem::path &path : yamlFiles(folder)) {
        const Result<YamlNode> file = readYaml(path);
        if (!file)
            return file.error();
        YamlRow top(*file, path.string());
        const YamlNode *list = top.child("annotations");
        if (!list || list->kind != YamlNode::Kind::Sequence)
            top.fail(file->line, "has no list 'annotations'", "annotations: and a list below it");
        if (const Result<void> finished = top.finish(); !finished)
            return finished.error();
        for (const YamlNode &item : list->items) {
            Result<Annotation> annotation = annotationOf(item, path.string());
            if (!annotation)
                return annotation.error();
            if (annotations.size() >= kMostAnnotations)
                return Error{.what = "too many annotations", .where = path.string(), .accepted = "at most 10,000"};
            annotations.push_back(*std::move(annotation));
        }
    }
    return annotations;
}

} // namespace slipway
