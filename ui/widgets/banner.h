// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QLabel>
#include <QWidget>

#include "ui/widgets/card.h"

class QPushButton;

namespace slipway::ui {

// Shows a message across the page, with buttons for possible reactions. It is hidden while its text is empty.
class Banner : public QWidget {
    Q_OBJECT
public:
    explicit Banner(Pill::Tone tone, QWidget *parent = nullptr);
    void setText(const QString &text); // an empty text hides the banner
    QPushButton *addButton(const QString &text);
    [[nodiscard]] QString text() const { return m_label->text(); }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    Pill::Tone m_tone;
    QLabel *m_label;
};

} // namespace slipway::ui
