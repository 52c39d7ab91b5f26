// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Display names for the settings, values and categories that files and messages of core identify by their keys.
#pragma once

#include <QString>
#include <string_view>

#include "base/result.h"
#include "plan/step_plan.h"

namespace slipway::ui {

QString roleName(Role role);
QString costName(CostClass kind);
QString phaseName(Phase phase);
// Of the option "torch.stops_early"; empty for other options.
QString torchChangeName(std::string_view option);
QString settingName(std::string_view key);                     // "micro_batch" becomes "Micro-batch"
QString valueName(std::string_view key, const QString &value); // "fsdp-full" becomes "FSDP, full shard"

// Converts the text that was typed for a setting. A number can have a decimal comma. Other texts are returned
// unchanged.
QString asNumber(std::string_view key, const QString &typed);

// Replaces command-line flags in a message of core by the names of form fields: "--gpus-per-node" becomes "GPUs per
// node".
QString withFieldNames(const QString &message);
// Formats an error as a sentence for the window, with field names: "GPUs: 3 ranks cannot be laid out. Accepted: 1, 2,
// 4."
QString fieldMessage(const Error &error);

} // namespace slipway::ui
