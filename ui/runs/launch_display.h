// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Texts that LaunchDialog shows about a run before it starts.
#pragma once

#include <QString>
#include <optional>

#include "hosts/launch.h"
#include "predict/prediction.h"

namespace slipway::ui {

// Describes the predicted time, cost and memory.
QString predictionText(const RunConfig &config, const std::optional<Prediction> &prediction);

QString checkText(const PreflightCheck &check);
// Returns a line for each check, which begins with a mark for its result.
QString preflightText(const Preflight &preflight);

// Returns the commands that the host would run, each after a comment that explains its purpose.
QString plannedCommandsText(Host &host, const PlannedRun &run);

} // namespace slipway::ui
