// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QLineEdit>

namespace slipway::ui {

// A line edit that shows both ends of a path that is too long for it, unless it is being edited. The tooltip shows the
// whole path.
class PathEdit : public QLineEdit {
    Q_OBJECT
public:
    using QLineEdit::QLineEdit;
    [[nodiscard]] QString shownText() const; // contains an ellipsis if the path is too long

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    [[nodiscard]] QRect textArea() const;
};

} // namespace slipway::ui
