// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>

class QWidget;

namespace slipway::ui {

// Shows an error in a non-blocking dialog, as plain text because names may look like HTML.
void showProblem(QWidget *parent, const QString &title, const QString &text);

} // namespace slipway::ui
