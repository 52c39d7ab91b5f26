// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/script_warning.h"

#include "hardware/user_prices.h"
#include "hosts/script_plan.h"
#include "ui/plan/display_names.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

void ScriptWarning::check(const RunConfig &config)
{
    if (!config.training.runsScript())
        return setText({});
    if (!m_frameworks) {
        const Result<Catalogue> catalogue = loadUserCatalogue();
        m_frameworks = catalogue ? catalogue->frameworks : Frameworks();
    }
    QStringList lines;
    for (const CommandDifference &one : commandDifferences(config, *m_frameworks))
        lines << tr("%1: the command sets %2 (%3), but the plan assumes %4.")
                     .arg(settingName(one.said.set), qs(one.said.value), qs(one.said.flag), qs(one.planned));
    setText(lines.join(u'\n'));
}

} // namespace slipway::ui
