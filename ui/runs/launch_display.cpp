// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/launch_display.h"

#include <QStringList>

#include <cmath>

#include "base/text.h"
#include "ui/language/core_texts.h"
#include "ui/language/local_text.h"
#include "ui/plan/display_names.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

QString predictionText(const RunConfig &config, const std::optional<Prediction> &prediction)
{
    if (!prediction)
        return tr("This configuration cannot be planned.");
    const Prediction &p = *prediction;
    if (config.training.runsScript() && !config.training.steps)
        return tr("A step takes %1 (P10–P90: %2 – %3). Peak memory is %4 of %5.")
            .arg(localText(formatSeconds(p.speed.step)), localText(formatSeconds(p.speed.stepP10)),
                localText(formatSeconds(p.speed.stepP90)), localText(formatBytes(p.memory.peak)),
                localText(formatBytes(p.memory.capacity)));
    const double steps =
        config.training.steps
            ? static_cast<double>(*config.training.steps)
            : std::ceil(static_cast<double>(p.cost.tokens) / static_cast<double>(config.tokensPerStep()));
    QString text =
        tr("%1 steps of %2 each take %3 (P10–P90: %4 – %5).")
            .arg(grouped(static_cast<std::int64_t>(steps)), localText(formatSeconds(p.speed.step)),
                localText(formatSeconds(steps * p.speed.step)), localText(formatSeconds(steps * p.speed.stepP10)),
                localText(formatSeconds(steps * p.speed.stepP90)));
    if (p.cost.usdPerHour && !p.cost.relative)
        text += u' ' + tr("They cost %1 at %2 per hour (price book '%3').")
                           .arg(localText(formatUsd(*p.cost.usdPerHour * steps * p.speed.step / 3600)),
                               localText(formatUsd(*p.cost.usdPerHour)), qs(p.cost.priceBook));
    return text + u' ' +
           tr("Peak memory is %1 of %2. Checkpoints need up to %3 of disk space.")
               .arg(localText(formatBytes(p.memory.peak)), localText(formatBytes(p.memory.capacity)),
                   localText(formatBytes(checkpointDiskBytes(p))));
}

QString checkText(const PreflightCheck &check)
{
    return coreText(check.what) + QStringLiteral(": ") + withFieldNames(coreText(check.detail));
}

QString preflightText(const Preflight &preflight)
{
    QStringList lines;
    for (const PreflightCheck &check : preflight.checks)
        lines << (!check.passed      ? QStringLiteral("✗  ")
                     : check.warning ? QStringLiteral("!  ")
                                     : QStringLiteral("✓  ")) +
                     checkText(check);
    return lines.join(u'\n');
}

QString plannedCommandsText(Host &host, const PlannedRun &run)
{
    QStringList lines;
    for (const PlannedCommand &planned : host.plannedCommands({run}))
        lines << QStringLiteral("# ") + coreText(planned.what) << qs(planned.command);
    return lines.join(u'\n');
}

} // namespace slipway::ui
