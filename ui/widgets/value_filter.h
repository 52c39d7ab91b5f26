// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QPushButton>
#include <QStringList>
#include <set>

class QAction;

namespace slipway::ui {

// Chooses any number of values from a list that stays open. The button shows texts such as "GPUs: all", "GPUs: 8" or
// "GPUs: 3 of 7".
class ValueFilter : public QPushButton {
    Q_OBJECT
public:
    ValueFilter(const QString &name, const QStringList &values, QWidget *parent = nullptr);

    // Returns the indices of the chosen values. An empty set means all values.
    [[nodiscard]] const std::set<std::size_t> &chosen() const { return m_chosen; }
    void setChosen(const std::set<std::size_t> &chosen); // emits no signal
    [[nodiscard]] QSize sizeHint() const override;       // the size for the longest text
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

Q_SIGNALS:
    void edited();

private:
    [[nodiscard]] QString textOf(const std::set<std::size_t> &chosen) const;
    void refresh();

    QString m_name;
    QStringList m_values;
    QList<QAction *> m_entries;
    std::set<std::size_t> m_chosen;
};

} // namespace slipway::ui
