// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cli/unknown_argument.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/unknown_name.h"

namespace slipway::cli {

namespace {

bool isFlag(const std::string &argument) { return argument.size() > 1 && argument[0] == '-' && !isDigit(argument[1]); }

// Returns the name of a flag: --name for "--name=value", and -n for "-n4".
std::string nameOf(const std::string &flag)
{
    return flag.starts_with("--") ? flag.substr(0, flag.find('=')) : flag.substr(0, 2);
}

Error unknownFlag(const CLI::App &command, const std::string &flag)
{
    std::vector<std::string> flags;
    for (const CLI::Option *option : command.get_options())
        for (const std::string &name : option->get_lnames())
            flags.push_back("--" + name);
    return unknownName("flag", flag, flags, "", "the flags that " + command.get_name() + " --help lists");
}

std::vector<const CLI::App *> commandsOf(const CLI::App &app)
{
    return app.get_subcommands([](const CLI::App *) { return true; });
}

Error unknownCommand(const CLI::App &app, const std::string &name)
{
    std::vector<std::string> names;
    for (const CLI::App *command : commandsOf(app))
        names.push_back(command->get_name());
    return unknownName("command", name, names, "");
}

// A flag without its value, or one that is given twice.
std::optional<Error> wrongCount(const CLI::ParseError &error)
{
    constexpr std::string_view kTwice = ": At Most 1 required but received ", kNone = ": 1 required ",
                               kMissing = " missing";
    const std::string text = error.what();
    if (const std::size_t at = text.find(kTwice); at != std::string::npos)
        return Error{.what = "is given " + text.substr(at + kTwice.size()) + " times",
            .where = text.substr(0, at),
            .accepted = "once"};
    const std::size_t at = text.find(kNone);
    if (at == std::string::npos || !text.ends_with(kMissing))
        return std::nullopt;
    const std::size_t type = at + kNone.size();
    return Error{.what = "has no value",
        .where = text.substr(0, at),
        .accepted = text.substr(0, at) + " " + text.substr(type, text.size() - kMissing.size() - type)};
}

// The first required argument of the command that is not given, with what its help says.
std::optional<Error> missingArgument(const CLI::App &app, const CLI::ParseError &error)
{
    const std::vector<CLI::App *> called = app.get_subcommands();
    if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::RequiredError) || called.empty())
        return std::nullopt;
    for (const CLI::Option *option : called.front()->get_options()) {
        std::string accepted = option->get_description();
        if (!option->get_required() || option->count() > 0 || accepted.empty())
            continue;
        accepted.front() = lowerChar(accepted.front());
        return Error{
            .what = option->get_name() + " is required", .where = called.front()->get_name(), .accepted = accepted};
    }
    return std::nullopt;
}

} // namespace

std::optional<Error> unknownArgument(const CLI::App &app, const std::vector<std::string> &arguments)
{
    const CLI::App *command = &app;
    int values = 0; // number of values that the preceding option still takes
    for (const std::string &argument : arguments) {
        if (argument == "--")
            return std::nullopt;
        if (values > 0) {
            --values;
            continue;
        }
        if (isFlag(argument)) {
            const CLI::Option *option = command->get_option_no_throw(nameOf(argument));
            if (option == nullptr)
                return unknownFlag(*command, argument.starts_with("--") ? nameOf(argument) : argument);
            const bool valueWithIt = argument.size() > nameOf(argument).size();
            values = valueWithIt ? 0 : option->get_items_expected_min();
        } else if (const auto commands = commandsOf(*command); !commands.empty()) {
            const auto called = std::find_if(
                commands.begin(), commands.end(), [&](const CLI::App *c) { return c->check_name(argument); });
            if (called == commands.end())
                return unknownCommand(*command, argument);
            command = *called;
        }
    }
    return std::nullopt;
}

std::optional<Error> argumentError(
    const CLI::App &app, const std::vector<std::string> &arguments, const CLI::ParseError &error)
{
    if (std::optional<Error> unknown = unknownArgument(app, arguments))
        return unknown;
    const std::optional<Error> missing = missingArgument(app, error);
    return missing ? missing : wrongCount(error);
}

} // namespace slipway::cli
