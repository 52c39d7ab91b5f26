// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/value_filter.h"

#include <QKeyEvent>
#include <QMenu>

#include <algorithm>

namespace slipway::ui {

namespace {

constexpr int kArrow = 44, kWidestText = 210;

// A menu that stays open when an entry is checked, so that several entries can be chosen.
class CheckMenu : public QMenu {
public:
    using QMenu::QMenu;

protected:
    void mouseReleaseEvent(QMouseEvent *event) override
    {
        if (QAction *at = activeAction(); at && at->isCheckable())
            at->trigger();
        else
            QMenu::mouseReleaseEvent(event);
    }
    void keyPressEvent(QKeyEvent *event) override
    {
        const bool chooses =
            event->key() == Qt::Key_Space || event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
        if (QAction *at = activeAction(); chooses && at && at->isCheckable())
            at->trigger();
        else
            QMenu::keyPressEvent(event);
    }
};

} // namespace

ValueFilter::ValueFilter(const QString &name, const QStringList &values, QWidget *parent)
    : QPushButton(parent),
      m_name(name),
      m_values(values)
{
    auto *menu = new CheckMenu(this);
    const QAction *all = menu->addAction(tr("All"));
    connect(all, &QAction::triggered, this, [this] {
        setChosen({});
        Q_EMIT edited();
    });
    menu->addSeparator();
    for (qsizetype i = 0; i < values.size(); ++i) {
        QAction *entry = menu->addAction(QString(values[i]).replace(u'&', QStringLiteral("&&")));
        entry->setCheckable(true);
        connect(entry, &QAction::toggled, this, [this, index = static_cast<std::size_t>(i)](bool on) {
            if (on)
                m_chosen.insert(index);
            else
                m_chosen.erase(index);
            refresh();
            Q_EMIT edited();
        });
        m_entries << entry;
    }
    setMenu(menu);
    setToolTip(tr("Show only points with these values; none chosen: all"));
    refresh();
}

QString ValueFilter::textOf(const std::set<std::size_t> &chosen) const
{
    if (chosen.empty())
        return tr("%1: all").arg(m_name);
    if (chosen.size() == 1)
        return tr("%1: %2").arg(m_name, m_values.value(static_cast<qsizetype>(*chosen.begin())));
    return tr("%1: %2 of %3").arg(m_name).arg(chosen.size()).arg(m_values.size());
}

void ValueFilter::setChosen(const std::set<std::size_t> &chosen)
{
    m_chosen = chosen;
    refresh();
}

void ValueFilter::refresh()
{
    for (qsizetype i = 0; i < m_entries.size(); ++i) {
        const QSignalBlocker quiet(m_entries[i]);
        m_entries[i]->setChecked(m_chosen.contains(static_cast<std::size_t>(i)));
    }
    const QString whole = textOf(m_chosen);
    setText(fontMetrics().elidedText(whole, Qt::ElideRight, kWidestText));
    setAccessibleName(whole);
}

QSize ValueFilter::sizeHint() const
{
    int widest = fontMetrics().horizontalAdvance(tr("%1: %2 of %3").arg(m_name).arg(99).arg(99));
    for (std::size_t i = 0; i < static_cast<std::size_t>(m_values.size()); ++i)
        widest = std::max(widest, fontMetrics().horizontalAdvance(textOf({i})));
    return {std::min(widest, kWidestText) + kArrow, QPushButton::sizeHint().height()};
}

} // namespace slipway::ui
