// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Plain answers about a training script, and the settings that they stand for.
#pragma once

#include <string>
#include <vector>

#include "config/settings.h"
#include "hardware/catalogue.h"
#include "ui/widgets/fields.h"

namespace slipway::ui {

// An empty answer is "I don't know".
struct ScriptAnswers {
    QString compiled;  // "true" or "false"
    QString weights;   // a value of the setting `precision`
    QString sharding;  // "none", "ddp", "fsdp1", "fsdp2", "zero1", "zero2", "zero3"
    QString loss;      // a value of the option `loss_path`
    QString attention; // "sdpa", "package", "written"
    QString torch;     // version of PyTorch
    bool operator==(const ScriptAnswers &) const = default;
};

struct ScriptQuestion {
    QString text;
    QString ScriptAnswers::*answer;
    std::vector<Choice> choices; // the first is "I don't know"
    bool free = false;           // other answers are accepted as well
};
std::vector<ScriptQuestion> scriptQuestions(const Frameworks &frameworks);

// The answers that the plan already gives.
ScriptAnswers scriptAnswersOf(const RunConfig &config, const Frameworks &frameworks);

// The settings that `answers` change. An answer that is the same as before changes nothing, and "I don't know" leaves
// its setting to the profile of the framework.
SettingTexts scriptChanges(const RunConfig &config, const ScriptAnswers &answers, const Frameworks &frameworks);

} // namespace slipway::ui
