// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <functional>

class QWidget;

namespace slipway::ui {

// Asks where to save a file and calls `then` with its path. `suffix` is appended to a name without a suffix before the
// dialog checks whether the file exists, so that no file is replaced without a question.
void askSavePath(QWidget *parent, const QString &title, const QString &name, const QString &suffix,
    const std::function<void(const QString &path)> &then);

} // namespace slipway::ui
