// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "frameworks/rewrite_arguments.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ascii.h"

namespace slipway {

namespace {

constexpr std::string_view kPlace = "{}";

template<std::size_t N>
bool endsWithOneOf(std::string_view word, const std::array<std::string_view, N> &ends)
{
    return std::any_of(ends.begin(), ends.end(), [word](std::string_view end) { return word.ends_with(end); });
}

constexpr std::array<std::string_view, 4> kSettingFiles{".yaml", ".yml", ".json", ".toml"};
constexpr std::array<std::string_view, 5> kShells{"sh", "bash", "dash", "zsh", "ksh"};

// A file of settings that is an argument of its own: `train run.yaml`, not `--config_file run.yaml`.
bool namesSettingFile(const std::vector<std::string> &words)
{
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (!words[i - 1].starts_with('-') && !words[i].starts_with('-') && words[i].find('=') == std::string::npos &&
            endsWithOneOf(words[i], kSettingFiles))
            return true;
    }
    return false;
}

// A shell script may ignore its arguments.
std::optional<std::string> shellScriptOf(const std::vector<std::string> &words)
{
    for (const std::string &word : words) {
        if (word.ends_with(".sh"))
            return word;
    }
    const std::string program = words.front().substr(words.front().rfind('/') + 1);
    const bool isShell = std::find(kShells.begin(), kShells.end(), program) != kShells.end();
    return isShell ? std::optional(words.front()) : std::nullopt;
}

// The files that the command names and that may have its settings.
std::string settingFilesOf(const std::vector<std::string> &words)
{
    std::string files;
    for (const std::string &word : words) {
        const std::string file = word.substr(word.find('=') + 1);
        if (endsWithOneOf(file, kSettingFiles) || file.ends_with(".sh"))
            files += (files.empty() ? "" : " or ") + file;
    }
    return files;
}

// Whether the word is a truth value, in any case of letters.
bool isTruth(const std::string &word)
{
    std::string lower(word);
    std::transform(lower.begin(), lower.end(), lower.begin(), lowerChar);
    constexpr std::array<std::string_view, 7> kTruths{"true", "false", "yes", "no", "1", "0", "none"};
    return std::find(kTruths.begin(), kTruths.end(), lower) != kTruths.end();
}

// The text of an argument that sets the value; empty: the rule cannot set it.
std::optional<std::string> textOf(const ArgumentRule &rule, const std::string &value, const std::string &before)
{
    if (rule.to.empty())
        return value;
    const bool lower = before == "true" || before == "false";
    if (value == rule.to)
        return lower ? "true" : "True";
    return value == rule.off ? std::optional<std::string>(lower ? "false" : "False") : std::nullopt;
}

// `argument`: as it would stand in the command; empty: not known.
Error byHand(const std::vector<std::string> &words, const std::string &what, const std::string &set,
    const std::string &value, const std::string &argument)
{
    const std::string files = settingFilesOf(words);
    return {.what = what,
        .where = "--probe",
        .accepted = (argument.empty() ? set + " " + value : argument) + " in the command" +
                    (files.empty() ? "" : ", or " + set + " " + value + " in " + files) +
                    ", changed by hand, and `slipway calibrate` with that run"};
}

// Replaces the value of one flag of the command. False: it has no value that can be replaced.
bool replaceValue(RewrittenCommand &command, const CommandFlag &flag, const ArgumentRule &rule, const std::string &set,
    const std::string &text)
{
    const bool isSwitch = !rule.to.empty() && !flag.isJoined && !(flag.hasValue && isTruth(flag.value));
    if (flag.isJoined || isSwitch)
        command.words[flag.word] = flag.shown + "=" + text;
    else if (flag.hasValue)
        command.words[flag.word + 1] = text;
    else
        return false;
    command.changes.push_back(
        {.set = set, .argument = flag.shown, .before = isSwitch ? std::string() : flag.value, .after = text});
    return true;
}

// The words of the flag in the command, if the command has it.
Result<bool> replaceArgument(
    RewrittenCommand &command, const ArgumentRule &rule, const std::string &set, const std::string &value)
{
    bool found = false;
    for (const CommandFlag &flag : commandFlags(command.words)) {
        if (!isFlagOf(flag, rule))
            continue;
        found = true;
        if (valueOfFlag(flag, rule) == value)
            continue;
        const std::optional<std::string> text = textOf(rule, value, flag.value);
        if (rule.readOnly || !text || !replaceValue(command, flag, rule, set, *text))
            return byHand(command.words,
                "the command has " + flag.shown + ", but it is not known how to rewrite it for " + set + " " + value,
                set, value, {});
    }
    return found;
}

// The rule whose words add the argument. The first rule of a profile may say that nothing is rewritten.
const ArgumentRule *addedBy(
    const std::vector<ArgumentRule> &rules, const std::string &set, const std::string &value, bool overFile)
{
    for (const ArgumentRule &rule : rules) {
        if (rule.set != set)
            continue;
        if (rule.readOnly)
            return nullptr;
        if (!rule.add.empty() && rule.overFile == overFile && textOf(rule, value, {}))
            return &rule;
    }
    return nullptr;
}

// Whether the command shows that its script reads such arguments: it has another one. A script that reads none would
// run on without a message.
bool readsArguments(const std::vector<std::string> &words, const std::vector<ArgumentRule> &rules)
{
    const std::vector<CommandFlag> flags = commandFlags(words);
    return std::any_of(rules.begin(), rules.end(), [&](const ArgumentRule &rule) {
        return !rule.add.empty() &&
               std::any_of(flags.begin(), flags.end(), [&](const CommandFlag &flag) { return isFlagOf(flag, rule); });
    });
}

// The words of the rule, with the value in its place.
std::vector<std::string> addedWords(const ArgumentRule &rule, const std::string &text)
{
    std::vector<std::string> words = rule.add;
    for (std::string &word : words) {
        if (const std::size_t place = word.find(kPlace); place != std::string::npos)
            word.replace(place, kPlace.size(), text);
    }
    return words;
}

Result<void> addArgument(
    RewrittenCommand &command, const std::vector<ArgumentRule> &rules, const std::string &set, const std::string &value)
{
    const std::string lacks = "the command has no argument for " + set;
    const bool hasFile = namesSettingFile(command.words);
    const ArgumentRule *rule = addedBy(rules, set, value, hasFile);
    if (!rule && !hasFile)
        rule = addedBy(rules, set, value, true);
    if (!rule)
        return byHand(command.words, lacks + ", and none is known that could be added", set, value, {});
    const std::string text = *textOf(*rule, value, {});
    const std::vector<std::string> words = addedWords(*rule, text);
    const std::string argument = fmt::format("{}", fmt::join(words, " "));
    if (const std::optional<std::string> script = shellScriptOf(command.words))
        return byHand(command.words, lacks + ", and " + *script + " may ignore a further one", set, value, argument);
    if (!hasFile && !readsArguments(command.words, rules))
        return byHand(command.words, lacks + ", and its script may read none", set, value, argument);
    command.words.insert(command.words.end(), words.begin(), words.end());
    command.changes.push_back(
        {.set = set, .argument = words.front().substr(0, words.front().find('=')), .before = {}, .after = text});
    return {};
}

} // namespace

Result<std::vector<std::string>> wordsOfCommand(const std::vector<std::string> &command)
{
    if (command.size() != 1)
        return command;
    std::string line = command.front();
    for (std::size_t at = line.find("\\\n"); at != std::string::npos; at = line.find("\\\n"))
        line.replace(at, 2, " ");
    while (!line.empty() && line.back() == '\n')
        line.pop_back();
    std::vector<std::string> words = wordsOfLine(line);
    if (words.empty() || line.find_first_of("|&;<>()$`*?[#~\n") != std::string::npos ||
        words.front().find('=') != std::string::npos)
        return Error{.what = "the command is a line for a shell, whose arguments cannot be rewritten",
            .where = "--probe",
            .accepted = "a list of arguments without a shell, as in -- python3 train.py --max_steps 100"};
    return words;
}

Result<void> rewriteArgument(
    RewrittenCommand &command, const std::vector<ArgumentRule> &rules, const std::string &set, const std::string &value)
{
    for (const ArgumentRule &rule : rules) {
        if (rule.set != set)
            continue;
        const Result<bool> found = replaceArgument(command, rule, set, value);
        if (!found)
            return found.error();
        if (*found)
            return {};
    }
    return addArgument(command, rules, set, value);
}

bool hasArgument(
    const std::vector<std::string> &command, const std::vector<ArgumentRule> &rules, const std::string &set)
{
    const std::vector<ReadArgument> read = readArguments(command, rules);
    return std::any_of(read.begin(), read.end(), [&](const ReadArgument &one) { return one.set == set; });
}

} // namespace slipway
