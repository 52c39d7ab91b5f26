// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/page_header.h"

#include "ui/widgets/action_row.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kLeastSubtitle = 140; // before buttons move into the menu of the row

} // namespace

PageHeader makePageHeader(const QString &title, std::initializer_list<QWidget *> actions)
{
    auto *row = new QHBoxLayout;
    row->setSpacing(8);
    auto *words = new QVBoxLayout;
    words->setSpacing(1);
    words->addWidget(makeLabel(title, TextKind::Title));
    QLabel *subtitle = makeElidedLabel({}, TextKind::Muted);
    subtitle->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    subtitle->setMinimumWidth(kLeastSubtitle);
    words->addWidget(subtitle);
    row->addLayout(words, 1);
    row->addWidget(new ActionRow(actions));
    return {row, subtitle};
}

} // namespace slipway::ui
