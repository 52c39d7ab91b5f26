// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cli/setting_flags.h"

#include <functional>
#include <utility>

#include "config/settings.h"
#include "serve/serve_config.h"

namespace slipway::cli {

void addSettingFlags(CLI::App &command, ConfigSource &source, bool forTraining)
{
    for (const Setting &setting : settings()) {
        if (setting.runOnly && !forTraining)
            continue;
        const std::string key(setting.key);
        std::string help(setting.help);
        const std::function<void(const std::string &)> keep = [&source, key](const std::string &text) {
            source.settings.emplace_back(key, text);
        };
        CLI::Option *option = nullptr;
        if (setting.type == SettingType::Bool) {
            // The string must be const. CLI11 would interpret a modifiable string as the variable that receives the
            // flag.
            option = command.add_flag(setting.flag(), std::as_const(help));
            option->each(keep);
        } else {
            if (setting.type == SettingType::Choice)
                help += "; one of " + setting.accepted();
            option = command.add_option_function<std::string>(setting.flags(forTraining), keep, help);
            option->type_name(std::string(setting.valueName));
        }
        // Flags that a framework's profile replaces are still accepted, but help does not list them.
        option->group(setting.isFrameworkOption() ? std::string() : std::string(enumName(setting.group)));
    }
}

void addServeFlags(CLI::App &command, SettingTexts &settings)
{
    const auto keep = [&settings](std::string_view key) {
        return [&settings, key = std::string(key)](const std::string &text) { settings.emplace_back(key, text); };
    };
    const auto addOption = [&](std::string_view key, std::string_view flag, std::string_view help,
                               std::string_view valueName, bool isSwitch) {
        CLI::Option *option = nullptr;
        const std::string text(help);
        if (isSwitch) {
            // The string must be const, see above.
            option = command.add_flag(std::string(flag), std::as_const(text));
            option->each(keep(key));
        } else {
            option = command.add_option_function<std::string>(std::string(flag), keep(key), text);
            option->type_name(std::string(valueName));
        }
        return option;
    };
    for (const ServeSetting &setting : serveSettings())
        addOption(setting.key, setting.flag(), setting.help, setting.valueName, setting.isSwitch)->group("serving");
    for (const std::string_view key : sharedSettingKeys()) {
        const Setting &setting = *findSetting(key);
        addOption(key, setting.flag(), setting.help, setting.valueName, setting.type == SettingType::Bool)
            ->group(std::string(enumName(setting.group)));
    }
}

} // namespace slipway::cli
