// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>

class QWidget;

namespace slipway::ui {

// Says what did not work, as it stands: a name that looks like HTML is shown as it is. The page goes on meanwhile.
void showProblem(QWidget *parent, const QString &title, const QString &text);

} // namespace slipway::ui
