// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "command.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#include "base/visible_text.h"
#include "config/settings.h"
#include "run/launch_env.h"
#include "run/run_loop.h"
#include "runs/registry.h"

namespace slipway::train_app {

// Names of tensors and keys of files come from strangers. A terminal must show them and not obey them.
void complain(const std::string &line)
{
    std::fputs((visibleText("slipway-train: " + line, "\n\t") + "\n").c_str(), stderr);
}

int report(const Error &error)
{
    const Result<LaunchEnvironment> environment = launchEnvironment([](const char *name) { return std::getenv(name); });
    const std::string line = error.message() + "\n";
    if (!environment || !environment->causeFd ||
        ::write(*environment->causeFd, line.data(), line.size()) != std::ssize(line))
        complain(error.message());
    return exitStatusOf(error.fault);
}

Result<std::filesystem::path> runCalled(const std::string &nameOrDirectory)
{
    std::error_code failure;
    if (std::filesystem::exists(nameOrDirectory, failure))
        return std::filesystem::path(nameOrDirectory);
    return Registry().find(nameOrDirectory);
}

CLI::App *addCommand(CLI::App &app, const std::string &name, const std::string &description, const std::string &example)
{
    CLI::App *const command = app.add_subcommand(name, description);
    command->footer("Example: " + example);
    return command;
}

void addSettingFlags(CLI::App &command, GivenSettings &given)
{
    for (const Setting &setting : settings()) {
        const std::string flag = setting.flag();
        if (setting.runOnly && flag != "--device" && flag != "--deterministic") // these two change how a step runs
            continue;
        CLI::Option *const option = command.add_option_function<std::vector<std::string>>(
            setting.flags(false),
            [flag, &given](const std::vector<std::string> &values) {
                // CLI11 passes an empty value if the flag has none.
                given.emplace_back(flag, values.empty() || values.front().empty() ? "true" : values.front());
            },
            std::string(setting.help));
        option->type_name(std::string(setting.valueName));
        option->expected(setting.type == SettingType::Bool ? 0 : 1, 1); // accepts --tied and --tied false
    }
}

} // namespace slipway::train_app
