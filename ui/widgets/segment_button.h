// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QAbstractButton>

namespace slipway::ui {

// One choice of a SegmentedInput.
class SegmentButton : public QAbstractButton {
    Q_OBJECT
public:
    explicit SegmentButton(const QString &text, QWidget *parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override; // has space for the bold text of a chosen segment
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    [[nodiscard]] QFont chosenFont() const;
};

} // namespace slipway::ui
