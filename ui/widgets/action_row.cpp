// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/action_row.h"

#include <QAction>
#include <QMenu>
#include <QPushButton>
#include <QResizeEvent>

#include <algorithm>

#include "ui/theme/style.h"
#include "ui/widgets/action_button.h"

namespace slipway::ui {

namespace {

constexpr int kGap = 8;

bool mayMove(const QWidget &item) { return actionOf(item) != nullptr && !item.property(kPrimary).toBool(); }

int leastWidth(const QWidget &item)
{
    const int least = item.minimumWidth() > 0 ? item.minimumWidth() : item.minimumSizeHint().width();
    return std::min(least, item.maximumWidth());
}

int usualWidth(const QWidget &item)
{
    const bool grows = item.sizePolicy().expandingDirections() & Qt::Horizontal;
    const int usual = grows && item.maximumWidth() < QWIDGETSIZE_MAX ? item.maximumWidth() : item.sizeHint().width();
    return std::clamp(usual, leastWidth(item), std::max(leastWidth(item), item.maximumWidth()));
}

} // namespace

ActionRow::ActionRow(const std::vector<QWidget *> &items, QWidget *parent) : QWidget(parent), m_items(items)
{
    for (QWidget *item : m_items) {
        item->setParent(this);
        item->installEventFilter(this);
    }
    m_more = new QPushButton(QStringLiteral("⋯"), this);
    m_more->setToolTip(tr("More actions"));
    m_more->setAccessibleName(m_more->toolTip());
    auto *menu = new QMenu(m_more);
    menu->setToolTipsVisible(true);
    m_more->setMenu(menu);
    m_more->hide();
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

bool ActionRow::has(const QWidget &item) const
{
    return !item.isHidden() || m_inMenu.contains(const_cast<QWidget *>(&item));
}

int ActionRow::widthWithout(const std::set<QWidget *> &inMenu, bool least) const
{
    int width = inMenu.empty() ? -kGap : m_more->sizeHint().width();
    for (QWidget *item : m_items) {
        if (has(*item) && !inMenu.contains(item))
            width += (least ? leastWidth(*item) : usualWidth(*item)) + kGap;
    }
    return std::max(0, width);
}

QSize ActionRow::sizeHint() const
{
    int height = 0;
    for (const QWidget *item : m_items)
        height = has(*item) ? std::max(height, item->sizeHint().height()) : height;
    return {widthWithout({}, false), height};
}

QSize ActionRow::minimumSizeHint() const
{
    std::set<QWidget *> movable;
    for (QWidget *item : m_items) {
        if (has(*item) && mayMove(*item))
            movable.insert(item);
    }
    return {widthWithout(movable, true), sizeHint().height()};
}

void ActionRow::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    arrange();
}

// An item can be shown or hidden while the row itself is hidden. The row then gets no request to lay it out.
bool ActionRow::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::ShowToParent || event->type() == QEvent::HideToParent)
        updateGeometry();
    return QWidget::eventFilter(watched, event);
}

bool ActionRow::event(QEvent *event)
{
    if (event->type() == QEvent::LayoutRequest) { // an item has another size, or is shown or hidden
        updateGeometry();
        arrange();
    }
    return QWidget::event(event);
}

void ActionRow::arrange()
{
    std::set<QWidget *> inMenu;
    for (auto item = m_items.rbegin(); item != m_items.rend() && widthWithout(inMenu, true) > width(); ++item) {
        if (has(**item) && mayMove(**item))
            inMenu.insert(*item);
    }
    if (inMenu != m_inMenu) {
        const std::set<QWidget *> before = std::exchange(m_inMenu, inMenu);
        for (QWidget *item : m_items) {
            if (before.contains(item) != m_inMenu.contains(item))
                item->setVisible(!m_inMenu.contains(item));
        }
        m_more->setVisible(!m_inMenu.empty());
        fillMenu();
    }
    int spare = width() - widthWithout(m_inMenu, true);
    int x = std::max(0, width() - widthWithout(m_inMenu, false)); // the row is at the right
    const auto place = [this, &x](QWidget &item, int itemWidth) {
        const int itemHeight = std::min(height(), item.sizeHint().height());
        item.setGeometry(x, (height() - itemHeight) / 2, itemWidth, itemHeight);
        x += itemWidth + kGap;
    };
    const auto first =
        std::find_if(m_items.begin(), m_items.end(), [this](QWidget *item) { return m_inMenu.contains(item); });
    for (QWidget *item : m_items) {
        if (first != m_items.end() && item == *first)
            place(*m_more, m_more->sizeHint().width());
        if (item->isHidden())
            continue;
        const int more = std::clamp(usualWidth(*item) - leastWidth(*item), 0, std::max(0, spare));
        spare -= more;
        place(*item, leastWidth(*item) + more);
    }
}

void ActionRow::fillMenu()
{
    m_more->menu()->clear();
    for (QWidget *item : m_items) {
        if (!m_inMenu.contains(item))
            continue;
        if (m_more->menu()->isEmpty())
            setTabOrder(item, m_more);
        m_more->menu()->addAction(actionOf(*item));
    }
}

} // namespace slipway::ui
