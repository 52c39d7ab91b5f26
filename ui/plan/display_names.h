// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Names on the page for names in files.
#pragma once

#include <QString>
#include <string_view>

#include "plan/step_plan.h"

namespace slipway::ui {

QString roleName(Role role);
QString costName(CostClass kind);
QString phaseName(Phase phase);
QString settingName(std::string_view key);                     // "micro_batch": "Micro-batch"
QString valueName(std::string_view key, const QString &value); // "fsdp-full": "FSDP, full shard"

} // namespace slipway::ui
