// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/suggestion_list.h"

#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "ui/theme/theme_colors.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kColumn = 124, kNarrowColumn = 106, kNarrowWords = 190, kShortestApply = 54, kTop = 8, kBelow = 4;

// Returns the width of the word "Apply" with its margin. The word is longer in some languages.
int applyWidth()
{
    const QFontMetrics metrics(fontOf(TextKind::Strong));
    return std::max(kShortestApply, metrics.horizontalAdvance(SuggestionRow::tr("Apply"))) + 10;
}

// The layout of a row: words on the left, three columns of figures, and the word that applies the change. In a narrow
// row, the figures are below the words.
struct RowPlaces {
    explicit RowPlaces(int width)
        : right(width - applyWidth() - 10),
          column(std::clamp(width / 6, kNarrowColumn, kColumn)),
          words(right - 3 * column - 20)
    {
        below = words < kNarrowWords;
        if (below) {
            words = std::max(80, right - 20);
            column = words / 3;
        }
    }
    int right, column, words;
    bool below = false;
};

int wrappedHeight(TextKind kind, const QString &text, int width)
{
    return QFontMetrics(fontOf(kind)).boundingRect(0, 0, width, 1 << 16, Qt::TextWordWrap, text).height();
}

} // namespace

SuggestionRow::SuggestionRow(QWidget *parent) : QAbstractButton(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed); // a button does not shrink otherwise
    setCursor(Qt::PointingHandCursor);
    setAttribute(Qt::WA_Hover);
}

void SuggestionRow::set(const SuggestionDisplay &view)
{
    m_view = view;
    setText(m_view.change);
    setAccessibleDescription(m_view.why + QStringLiteral("; ") + m_view.peak + QStringLiteral("; ") + m_view.speed +
                             QStringLiteral("; ") + m_view.cost);
    setToolTip(tipText(tr("%1\nClick to apply. Ctrl+Z undoes it.").arg(m_view.why)));
    setFixedHeight(neededHeight());
    update();
}

// Returns the height for the current width. A layout that supports height for width would reserve the height of the
// narrowest width.
int SuggestionRow::neededHeight() const
{
    const RowPlaces at(width());
    const int figures = at.below ? kBelow + 2 * QFontMetrics(fontOf(TextKind::Small)).height() + 1 : 0;
    return wrappedHeight(TextKind::Strong, m_view.change, at.words) +
           wrappedHeight(TextKind::Small, m_view.why, at.words) + figures + 2 * kTop + 1;
}

QSize SuggestionRow::sizeHint() const { return {420, neededHeight()}; }

QSize SuggestionRow::minimumSizeHint() const { return {280, neededHeight()}; }

void SuggestionRow::resizeEvent(QResizeEvent *event)
{
    QAbstractButton::resizeEvent(event);
    setFixedHeight(neededHeight());
}

void SuggestionRow::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (underMouse() || hasFocus()) {
        painter.setPen(hasFocus() ? QPen(themeColor(ThemeColor::Accent, palette()), 1.4) : QPen(Qt::NoPen));
        painter.setBrush(themeColor(ThemeColor::Raised, palette()));
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 6, 6);
    }
    const QFont strong = fontOf(TextKind::Strong), small = fontOf(TextKind::Small);
    const QFontMetrics strongMetrics(strong), smallMetrics(small);
    const RowPlaces at(width());
    const int changeHeight = wrappedHeight(TextKind::Strong, m_view.change, at.words);
    const int below = kTop + changeHeight + 1 + wrappedHeight(TextKind::Small, m_view.why, at.words) + kBelow;
    const int top = at.below ? below : kTop, lineHeight = (at.below ? smallMetrics : strongMetrics).height();
    const QColor text = palette().color(QPalette::Text), muted = themeColor(ThemeColor::Muted, palette());

    const auto line = [&](const QFont &font, const QColor &color, const QRect &box, Qt::Alignment align,
                          const QString &what) {
        painter.setFont(font);
        painter.setPen(color);
        painter.drawText(box, static_cast<int>(align | Qt::AlignVCenter),
            QFontMetrics(font).elidedText(what, Qt::ElideRight, box.width()));
    };
    const auto wrapped = [&](const QFont &font, const QColor &color, int y, const QString &what) {
        painter.setFont(font);
        painter.setPen(color);
        painter.drawText(QRect(10, y, at.words, height() - y), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, what);
    };
    wrapped(strong, text, kTop, m_view.change);
    wrapped(small, muted, kTop + changeHeight + 1, m_view.why);
    const std::array columns{m_view.peak, m_view.speed, m_view.cost};
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const int column = static_cast<int>(i);
        const int left = at.below ? 10 + column * at.column : at.right - (3 - column) * at.column;
        const Qt::Alignment side = at.below ? Qt::AlignLeft : Qt::AlignRight;
        line(small, text, {left, top, at.column - 8, lineHeight}, side, columns[i].section(u'\n', 0, 0));
        line(small, muted, {left, top + lineHeight + 1, at.column - 8, smallMetrics.height()}, side,
            columns[i].section(u'\n', 1));
    }
    line(strong, themeColor(ThemeColor::Accent, palette()), {width() - applyWidth(), 0, applyWidth() - 10, height()},
        Qt::AlignRight, tr("Apply"));
}

SuggestionList::SuggestionList(QWidget *parent)
    : QWidget(parent),
      m_layout(new QVBoxLayout(this)),
      m_none(makeLabel({}, TextKind::Muted))
{
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(0);
    m_none->setWordWrap(true); // so that it does not make the results wider than a narrow window
    m_layout->addWidget(m_none);
    addRow();
}

// Adds a row. Rows are never deleted, because the first one marks the position of the list in the tab order, and each
// other row follows the one above it.
void SuggestionList::addRow()
{
    auto *row = new SuggestionRow(this);
    row->hide();
    connect(row, &SuggestionRow::clicked, this, [this, row] {
        const SuggestionDisplay view = row->view(); // a copy, because the row shows another suggestion afterwards
        Q_EMIT chosen(view);
    });
    m_layout->addWidget(row);
    if (!m_rows.empty())
        setTabOrder(m_rows.back(), row);
    m_rows.push_back(row);
}

std::vector<SuggestionRow *> SuggestionList::rows() const
{
    return {m_rows.begin(), m_rows.begin() + static_cast<std::ptrdiff_t>(m_shown)};
}

void SuggestionList::set(const std::vector<SuggestionDisplay> &suggestions, const QString &nothingFits, bool searching)
{
    m_none->setText(searching ? tr("Searching for changes…")
                    : nothingFits.isEmpty()
                        ? tr("No change was found that makes this plan fit, run faster or cost less.")
                        : nothingFits);
    m_none->setVisible(suggestions.empty());
    while (m_rows.size() < suggestions.size())
        addRow();
    m_shown = suggestions.size();
    for (std::size_t i = 0; i < m_shown; ++i) {
        m_rows[i]->set(suggestions[i]);
        m_rows[i]->show();
    }
    bool focused = false;
    for (std::size_t i = m_shown; i < m_rows.size(); ++i) {
        if (window()->focusWidget() == m_rows[i]) {
            focused = true;
            m_rows[i]->clearFocus(); // hiding a focused row would pass the focus on and scroll the page
        }
        m_rows[i]->hide();
    }
    if (focused && m_shown > 0)
        m_rows[m_shown - 1]->setFocus();
}

} // namespace slipway::ui
