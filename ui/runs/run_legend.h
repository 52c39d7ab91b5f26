// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Shows one legend for all charts of several runs. A check box shows or hides a run. The run under the mouse or
// selected with the arrow keys is highlighted.
#pragma once

#include <QColor>
#include <QPixmap>
#include <QWidget>
#include <vector>

class QListWidget;
class QListWidgetItem;

namespace slipway::ui {

// The line style of the n-th run. Both hue and dashes change from run to run. The dashes are shifted after every eight
// runs, so that the styles of 32 runs differ.
struct RunLineStyle {
    QColor light, dark;
    Qt::PenStyle style = Qt::SolidLine;
};
RunLineStyle runLineStyle(std::size_t n);
// Draws a sample of that line.
QPixmap runMark(std::size_t n, const QWidget &on);

class RunLegend : public QWidget {
    Q_OBJECT
public:
    explicit RunLegend(QWidget *parent = nullptr);

    // Sets the names of the runs. If they change, all runs are shown again.
    void setRuns(const QStringList &names);
    [[nodiscard]] bool isShown(std::size_t run) const;
    [[nodiscard]] QListWidget *list() const { return m_list; }

Q_SIGNALS:
    void chosenChanged();                 // emitted when the set of shown runs has changed
    void emphasized(const QString &name); // an empty name ends the emphasis

protected:
    void changeEvent(QEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void drawMarks();
    void toggleAll();

    QListWidget *m_list;
    QStringList m_names;
};

} // namespace slipway::ui
