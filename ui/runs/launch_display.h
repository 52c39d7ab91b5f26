// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A run before it starts, in words: what LaunchDialog shows.
#pragma once

#include <QString>
#include <optional>

#include "hosts/launch.h"
#include "predict/prediction.h"

namespace slipway::ui {

// Time, cost and memory.
QString predictionText(const RunConfig &config, const std::optional<Prediction> &prediction);

QString checkText(const PreflightCheck &check);
// A line for each check, behind a mark of its result.
QString preflightText(const Preflight &preflight);

// The commands that the host would run, each behind a comment that says what for.
QString plannedCommandsText(Host &host, const PlannedRun &run);

} // namespace slipway::ui
