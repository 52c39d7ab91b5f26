// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/page_header.h"

#include "ui/widgets/text.h"

namespace slipway::ui {

PageHeader makePageHeader(const QString &title, std::initializer_list<QWidget *> actions)
{
    auto *row = new QHBoxLayout;
    row->setSpacing(8);
    auto *words = new QVBoxLayout;
    words->setSpacing(1);
    words->addWidget(makeLabel(title, TextKind::Title));
    QLabel *subtitle = makeElidedLabel({}, TextKind::Muted);
    subtitle->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    words->addWidget(subtitle);
    row->addLayout(words, 1);
    for (QWidget *action : actions)
        row->addWidget(action);
    return {row, subtitle};
}

} // namespace slipway::ui
