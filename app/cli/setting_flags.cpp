// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cli/setting_flags.h"

#include <functional>
#include <utility>

#include "config/settings.h"

namespace slipway::cli {

void addSettingFlags(CLI::App &command, ConfigSource &source, bool runToo)
{
    for (const Setting &setting : settings()) {
        if (setting.runOnly && !runToo)
            continue;
        const std::string key(setting.key);
        std::string help(setting.help);
        const std::function<void(const std::string &)> keep = [&source, key](const std::string &text) {
            source.settings.emplace_back(key, text);
        };
        CLI::Option *option = nullptr;
        if (setting.type == SettingType::Bool) {
            // As const: CLI11 takes a string that it may write to for the variable that receives the flag.
            option = command.add_flag(setting.flag(), std::as_const(help));
            option->each([keep](std::string text) { keep(text); });
        } else {
            if (setting.type == SettingType::Choice)
                help += "; one of " + setting.accepted();
            option = command.add_option_function<std::string>(setting.flag(), keep, help);
            option->type_name(std::string(setting.valueName));
        }
        // Flags that a framework's profile stands for are still read, but help does not list them.
        option->group(setting.isFrameworkOption() ? std::string() : std::string(enumName(setting.group)));
    }
}

} // namespace slipway::cli
