// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the window calls the settings, values and categories that files and messages of core name by their keys.
#pragma once

#include <QString>
#include <string_view>

#include "base/result.h"
#include "plan/step_plan.h"

namespace slipway::ui {

QString roleName(Role role);
QString costName(CostClass kind);
QString phaseName(Phase phase);
QString settingName(std::string_view key);                     // "micro_batch": "Micro-batch"
QString valueName(std::string_view key, const QString &value); // "fsdp-full": "FSDP, full shard"

// What was typed for a setting: a number may have a comma for its decimals. Other texts stay.
QString asNumber(std::string_view key, const QString &typed);

// A message of core with the fields of the form in place of command-line flags: "--gpus-per-node": "GPUs per node".
QString withFieldNames(const QString &message);
// An error as a sentence for the window, with field names: "GPUs: 3 ranks cannot be laid out. Accepted: 1, 2, 4."
QString fieldMessage(const Error &error);

} // namespace slipway::ui
