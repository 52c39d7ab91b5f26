// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Which line is which run, where many lie on each other: one list for all charts. A tick takes a run out of them or
// back; the one under the mouse, or chosen with the arrow keys, stands out.
#pragma once

#include <QColor>
#include <QPixmap>
#include <QWidget>
#include <vector>

class QListWidget;
class QListWidgetItem;

namespace slipway::ui {

// How the n-th of several runs is drawn: eight hues, then again in dashes, then in dots.
struct RunLineStyle {
    QColor light, dark;
    Qt::PenStyle style = Qt::SolidLine;
};
RunLineStyle runLineStyle(std::size_t n);
// A piece of that line.
QPixmap runMark(std::size_t n, const QWidget &on);

class RunLegend : public QWidget {
    Q_OBJECT
public:
    explicit RunLegend(QWidget *parent = nullptr);

    // Other names than before: all of them shown again.
    void setRuns(const QStringList &names);
    [[nodiscard]] bool isShown(std::size_t run) const;
    [[nodiscard]] QListWidget *list() const { return m_list; }

Q_SIGNALS:
    void chosenChanged();                 // other runs are shown
    void emphasized(const QString &name); // empty: none

protected:
    void changeEvent(QEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void drawMarks();
    void turnAll();

    QListWidget *m_list;
    QStringList m_names;
};

} // namespace slipway::ui
