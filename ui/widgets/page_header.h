// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QHBoxLayout>

class QLabel;

namespace slipway::ui {

// The header of a page, with title and subtitle on the left and actions on the right. A narrow window has some of the
// actions in a menu.
struct PageHeader {
    QHBoxLayout *row;
    QLabel *subtitle;
};
PageHeader makePageHeader(const QString &title, std::initializer_list<QWidget *> actions);

} // namespace slipway::ui
