// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "frameworks/command_arguments.h"

#include <algorithm>
#include <optional>

#include "base/ascii.h"

namespace slipway {

namespace {

std::string folded(std::string_view flag)
{
    const std::size_t begin = flag.find_first_not_of('-');
    std::string name(begin == std::string_view::npos ? std::string_view() : flag.substr(begin));
    std::transform(name.begin(), name.end(), name.begin(), [](char c) { return c == '-' ? '_' : lowerChar(c); });
    return name;
}

bool isNumber(const std::string &word)
{
    return word.size() > 1 && word[0] == '-' && (isDigit(word[1]) || word[1] == '.');
}

// The value of a flag that sets a fixed value, such as --bf16 or --bf16 True. --bf16 False sets what the rule has for
// it.
std::optional<std::string> fixedValueOf(const CommandFlag &flag, const ArgumentRule &rule)
{
    const std::string said = folded(flag.value);
    if (!flag.hasValue || (said != "false" && said != "0" && said != "no" && said != "none"))
        return rule.to;
    return rule.off.empty() ? std::nullopt : std::optional(rule.off);
}

} // namespace

// Every word that may be a flag, with the word behind it as its value where that is none.
std::vector<CommandFlag> commandFlags(const std::vector<std::string> &command)
{
    std::vector<CommandFlag> flags;
    for (std::size_t i = 0; i < command.size(); ++i) {
        const std::string &word = command[i];
        const std::size_t equals = word.find('=');
        if (!word.starts_with('-') && equals == std::string::npos)
            continue;
        CommandFlag flag{
            .shown = word.substr(0, equals), .name = folded(word.substr(0, equals)), .value = {}, .word = i};
        if (equals != std::string::npos) {
            flag.value = word.substr(equals + 1);
            flag.hasValue = flag.isJoined = true;
        } else if (i + 1 < command.size() && (!command[i + 1].starts_with('-') || isNumber(command[i + 1]))) {
            flag.value = command[i + 1];
            flag.hasValue = true;
        }
        flags.push_back(std::move(flag));
    }
    return flags;
}

bool isFlagOf(const CommandFlag &flag, const ArgumentRule &rule)
{
    return std::any_of(
        rule.flags.begin(), rule.flags.end(), [&](const std::string &name) { return folded(name) == flag.name; });
}

std::optional<std::string> valueOfFlag(const CommandFlag &flag, const ArgumentRule &rule)
{
    if (!rule.to.empty())
        return fixedValueOf(flag, rule);
    return flag.hasValue ? std::optional(flag.value) : std::nullopt;
}

std::vector<ReadArgument> readArguments(const std::vector<std::string> &command, const std::vector<ArgumentRule> &rules)
{
    const std::vector<CommandFlag> flags = commandFlags(command);
    std::vector<std::string> setOf(flags.size()); // what each of them has set
    std::vector<ReadArgument> read;
    for (const ArgumentRule &rule : rules) {
        const auto known = [&](const ReadArgument &one) { return one.set == rule.set; };
        if (std::any_of(read.begin(), read.end(), known))
            continue;
        std::optional<ReadArgument> found;
        for (std::size_t i = 0; i < flags.size(); ++i) {
            if (!isFlagOf(flags[i], rule) || (!setOf[i].empty() && setOf[i] != rule.set))
                continue;
            if (const std::optional<std::string> value = valueOfFlag(flags[i], rule)) {
                found = ReadArgument{.flag = flags[i].shown, .set = rule.set, .value = *value};
                setOf[i] = rule.set;
            }
        }
        if (found)
            read.push_back(*std::move(found));
    }
    return read;
}

std::vector<std::string> wordsOfLine(const std::string &line)
{
    std::vector<std::string> words;
    std::string word;
    bool begun = false;
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
            if (begun)
                words.push_back(std::move(word));
            word.clear();
            begun = false;
            continue;
        }
        begun = true;
        if (quote != '\'' && c == '\\' && i + 1 < line.size())
            word += line[++i];
        else if (quote == 0 && (c == '\'' || c == '"'))
            quote = c;
        else if (c == quote)
            quote = 0;
        else
            word += c;
    }
    if (begun)
        words.push_back(std::move(word));
    return words;
}

} // namespace slipway
