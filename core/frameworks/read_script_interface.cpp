// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "frameworks/read_script_interface.h"

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "frameworks/framework_profile.h"
#include "frameworks/read_origin.h"

namespace slipway {

namespace {

constexpr std::size_t kMostForms = 500;
constexpr int kLongestWait = 24 * 3600;

// Seconds or bytes of a printed unit; empty: no such unit.
std::optional<double> unitScale(std::string_view unit)
{
    constexpr std::array<std::pair<std::string_view, double>, 7> units{
        {{"", 0}, {"ms", 1e-3}, {"s", 1}, {"MiB", double(kMiB)}, {"GiB", double(kGiB)}, {"MB", 1e6}, {"GB", 1e9}}};
    const auto found =
        std::find_if(units.begin(), units.end(), [unit](const auto &known) { return known.first == unit; });
    return found == units.end() ? std::nullopt : std::optional(found->second);
}

Result<LogForm> formOf(const YamlNode &item, const std::string &where)
{
    YamlRow row(item, where);
    LogForm form{.words = toLower(row.requiredText("words"))};
    row.requiredText("is");
    form.is = row.choice("is", LogQuantity::Ignored);
    form.beside = toLower(row.text("beside"));
    form.without = toLower(row.text("without"));
    const std::string unit = row.text("unit");
    const std::optional<double> scale = unitScale(unit);
    if (!scale)
        row.fail(item.line, "'unit' is '" + unit.substr(0, 40) + "'", "ms, s, MiB, GiB, MB, GB");
    form.scale = scale.value_or(0);
    if (form.words.empty())
        row.fail(item.line, "'words' is empty", "the words before or after a number");
    if (const Result<void> finished = row.finish(); !finished)
        return finished.error();
    return form;
}

bool hasPlace(const std::string &word) { return word.find("{}") != std::string::npos; }

Result<ArgumentRule> argumentOf(const YamlNode &item, const std::string &where)
{
    YamlRow row(item, where);
    ArgumentRule rule{.flags = row.texts("flags"),
        .set = row.requiredText("set"),
        .to = row.text("to"),
        .off = row.text("off"),
        .add = row.texts("add"),
        .overFile = row.boolean("over_file", false),
        .readOnly = row.boolean("read_only", false)};
    if (rule.flags.empty())
        row.fail(item.line, "'flags' is empty", "[batch_size]");
    if (!rule.add.empty() && std::none_of(rule.add.begin(), rule.add.end(), hasPlace))
        row.fail(item.line, "'add' has no {} for the value", "[--batch_size, \"{}\"]");
    if (!rule.add.empty() || row.child("origin"))
        readOrigin(row, item.line);
    if (const Result<void> finished = row.finish(); !finished)
        return finished.error();
    return rule;
}

// Each item of a list read by `read`.
template<typename T, typename Read>
Result<std::vector<T>> listOf(const YamlNode *list, const std::string &where, const char *key, Read read)
{
    std::vector<T> items;
    if (!list)
        return items;
    if (list->kind != YamlNode::Kind::Sequence || list->items.size() > kMostForms)
        return Error{.what = "'" + std::string(key) + "' is not a list of at most 500 items",
            .where = where + ":" + std::to_string(list->line)};
    for (const YamlNode &item : list->items) {
        Result<T> one = read(item, where);
        if (!one)
            return one.error();
        items.push_back(*std::move(one));
    }
    return items;
}

Result<LogGrammar> grammarOf(const YamlNode &node, const std::string &where)
{
    YamlRow row(node, where);
    LogGrammar grammar{.forms = {},
        .multiLine = row.boolean("multi_line", false),
        .stepFromBar = row.boolean("step_from_bar", false),
        .pattern = {}};
    readOrigin(row, node.line);
    Result<std::vector<LogForm>> forms = listOf<LogForm>(row.child("forms"), where, "forms", formOf);
    if (const Result<void> finished = row.finish(); !finished)
        return finished.error();
    if (!forms)
        return forms.error();
    grammar.forms = *std::move(forms);
    return grammar;
}

Result<StopRule> stopOf(const YamlNode &node, const std::string &where)
{
    YamlRow row(node, where);
    StopRule rule{.signal = row.requiredText("signal"), .waitSeconds = row.requiredInteger("wait_s")};
    readOrigin(row, node.line);
    if (rule.signal != "TERM" && rule.signal != "INT" && rule.signal != "USR1" && rule.signal != "USR2")
        row.fail(node.line, "'signal' is '" + rule.signal.substr(0, 40) + "'", "TERM, INT, USR1, USR2");
    if (rule.waitSeconds < 1 || rule.waitSeconds > kLongestWait)
        row.fail(node.line, "'wait_s' is " + std::to_string(rule.waitSeconds), "1 to 86400");
    if (const Result<void> finished = row.finish(); !finished)
        return finished.error();
    return rule;
}

} // namespace

Result<ScriptInterface> readScriptInterface(YamlRow &profile, const std::string &where)
{
    ScriptInterface script;
    if (const YamlNode *log = profile.child("log")) {
        Result<LogGrammar> grammar = grammarOf(*log, where);
        if (!grammar)
            return grammar.error();
        script.log = *std::move(grammar);
    }
    if (const YamlNode *stop = profile.child("stop")) {
        Result<StopRule> rule = stopOf(*stop, where);
        if (!rule)
            return rule.error();
        script.stop = *std::move(rule);
    }
    script.resumeArguments = profile.texts("resume_arguments");
    Result<std::vector<ArgumentRule>> arguments =
        listOf<ArgumentRule>(profile.child("arguments"), where, "arguments", argumentOf);
    if (!arguments)
        return arguments.error();
    script.arguments = *std::move(arguments);
    return script;
}

} // namespace slipway
