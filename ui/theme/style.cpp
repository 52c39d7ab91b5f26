// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/theme/style.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QComboBox>
#include <QFileDialog>
#include <QHeaderView>
#include <QPainter>
#include <QPainterPath>
#include <QScreen>
#include <QStyleOption>
#include <QTreeView>

#include "ui/theme/theme_colors.h"

namespace slipway::ui {

namespace {

constexpr double kRadius = 6.0;
constexpr int kFieldHeight = 30;

bool has(const QWidget *widget, const char *property)
{
    return widget != nullptr && widget->property(property).toBool();
}

QColor borderOf(const QStyleOption &option, const QWidget *widget)
{
    if (has(widget, kInvalid))
        return themeColor(ThemeColor::Bad, option.palette);
    if (option.state & QStyle::State_HasFocus)
        return themeColor(ThemeColor::Accent, option.palette);
    if ((option.state & QStyle::State_MouseOver) && (option.state & QStyle::State_Enabled))
        return themeColor(ThemeColor::Muted, option.palette);
    return themeColor(ThemeColor::Border, option.palette);
}

void drawRounded(QPainter *painter, const QRect &rect, const QColor &fill, const QColor &border, double width = 1.0)
{
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setBrush(fill);
    painter->setPen(border.alpha() == 0 ? QPen(Qt::NoPen) : QPen(border, width));
    const double inset = width / 2.0;
    painter->drawRoundedRect(QRectF(rect).adjusted(inset, inset, -inset, -inset), kRadius, kRadius);
    painter->restore();
}

void drawField(QPainter *painter, const QStyleOption &option, const QWidget *widget)
{
    const bool strong = (option.state & QStyle::State_HasFocus) || has(widget, kInvalid);
    drawRounded(
        painter, option.rect, option.palette.color(QPalette::Base), borderOf(option, widget), strong ? 1.6 : 1.0);
}

void drawHeaderSection(const QStyleOption *option, QPainter *painter)
{
    painter->fillRect(option->rect, option->palette.color(QPalette::Base));
    if (const auto *header = qstyleoption_cast<const QStyleOptionHeader *>(option);
        header != nullptr && header->orientation == Qt::Vertical)
        return;
    painter->setPen(themeColor(ThemeColor::Border, option->palette));
    painter->drawLine(option->rect.bottomLeft(), option->rect.bottomRight());
}

void drawButton(QPainter *painter, const QStyleOption &option, const QWidget *widget)
{
    const bool enabled = option.state & QStyle::State_Enabled;
    const bool down = option.state & (QStyle::State_Sunken | QStyle::State_On);
    const bool hover = enabled && (option.state & QStyle::State_MouseOver);
    const QColor surface = option.palette.color(QPalette::Base);
    QColor fill = down    ? themeColor(ThemeColor::Border, option.palette)
                  : hover ? themeColor(ThemeColor::Raised, option.palette)
                          : surface;
    QColor border = themeColor(ThemeColor::Border, option.palette);
    if (has(widget, kPrimary) && enabled) {
        fill = themeColor(ThemeColor::Accent, option.palette);
        if (hover || down)
            fill = blended(fill, option.palette.color(QPalette::Text), down ? 0.75 : 0.88);
        border = fill;
    } else if (has(widget, kQuiet)) {
        if (!hover && !down)
            fill = QColor(0, 0, 0, 0);
        border = QColor(0, 0, 0, 0);
    }
    if (option.state & QStyle::State_HasFocus)
        border = has(widget, kPrimary) ? option.palette.color(QPalette::Text)
                                       : themeColor(ThemeColor::Accent, option.palette);
    drawRounded(painter, option.rect, fill, border, option.state & QStyle::State_HasFocus ? 1.6 : 1.0);
}

void drawChevron(QPainter *painter, const QRectF &box, const QColor &color)
{
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(color, 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QPointF c = box.center();
    painter->drawPolyline(QPolygonF({c + QPointF(-3.5, -1.8), c + QPointF(0, 1.8), c + QPointF(3.5, -1.8)}));
    painter->restore();
}

void drawCheckBox(QPainter *painter, const QStyleOption &option)
{
    const bool on = option.state & QStyle::State_On;
    const QColor accent = themeColor(ThemeColor::Accent, option.palette);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const bool focus = option.state & (QStyle::State_HasFocus | QStyle::State_MouseOver);
    painter->setPen(QPen(on || focus ? accent : themeColor(ThemeColor::Muted, option.palette), 1.2));
    painter->setBrush(on ? accent : option.palette.color(QPalette::Base));
    const QRectF box = QRectF(option.rect).adjusted(1, 1, -1, -1);
    painter->drawRoundedRect(box, 3, 3);
    if (on) {
        painter->setPen(
            QPen(themeColor(ThemeColor::OnAccent, option.palette), 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        const QPointF c = box.center();
        painter->drawPolyline(QPolygonF({c + QPointF(-3, 0), c + QPointF(-1, 2.5), c + QPointF(3.2, -2.6)}));
    }
    painter->restore();
}

void drawScrollBar(QPainter *painter, const QStyleOptionSlider &option, const QRect &handle)
{
    if (option.maximum <= option.minimum)
        return;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    const bool active = option.state & QStyle::State_MouseOver;
    painter->setBrush(blended(themeColor(ThemeColor::Muted, option.palette),
        themeColor(ThemeColor::Window, option.palette), active ? 0.7 : 0.38));
    const QRectF bar = QRectF(handle).adjusted(2, 2, -2, -2);
    painter->drawRoundedRect(bar, 3, 3);
    painter->restore();
}

// Widens the columns of Qt's own file dialog, which some desktops use, because it would cut them.
void showWholeColumns(QFileDialog &dialog)
{
    constexpr QSize kRoom(900, 520);
    const auto *list = dialog.findChild<QTreeView *>(QStringLiteral("treeView"));
    if (list == nullptr || list->header()->count() == 0)
        return;
    list->header()->setStretchLastSection(false);
    for (int column = 0; column < list->header()->count(); ++column)
        list->header()->setSectionResizeMode(
            column, column == 0 ? QHeaderView::Stretch : QHeaderView::ResizeToContents);
    // Qt adjusts the size of the dialog after this, to at most two thirds of the screen: only the minimum size remains.
    if (dialog.screen() != nullptr)
        dialog.setMinimumSize(kRoom.boundedTo(dialog.screen()->availableGeometry().size() * 0.9));
}

} // namespace

Style::Style() : QProxyStyle(QStringLiteral("Fusion")) {}

void Style::drawPrimitive(
    PrimitiveElement element, const QStyleOption *option, QPainter *painter, const QWidget *widget) const
{
    switch (element) {
    case PE_PanelLineEdit:
        if (const auto *frame = qstyleoption_cast<const QStyleOptionFrame *>(option);
            frame != nullptr && frame->lineWidth > 0)
            drawField(painter, *option, widget);
        return;
    case PE_FrameLineEdit:
        return; // PE_PanelLineEdit draws the frame
    case PE_FrameTabBarBase:
        painter->setPen(themeColor(ThemeColor::Border, option->palette));
        painter->drawLine(option->rect.bottomLeft(), option->rect.bottomRight());
        return;
    case PE_PanelButtonCommand:
    case PE_PanelButtonTool:
        drawButton(painter, *option, widget);
        return;
    case PE_IndicatorCheckBox:
        drawCheckBox(painter, *option);
        return;
    case PE_PanelScrollAreaCorner:
        return; // the background of the view fills the corner between its scroll bars
    case PE_IndicatorHeaderArrow: {
        // Qt's sort arrow points down for ascending order; most desktops do the opposite.
        QStyleOptionHeader header(*qstyleoption_cast<const QStyleOptionHeader *>(option));
        if (header.sortIndicator != QStyleOptionHeader::None)
            header.sortIndicator = header.sortIndicator == QStyleOptionHeader::SortUp ? QStyleOptionHeader::SortDown
                                                                                      : QStyleOptionHeader::SortUp;
        QProxyStyle::drawPrimitive(element, &header, painter, widget);
        return;
    }
    case PE_FrameFocusRect:
        if (qobject_cast<const QAbstractButton *>(widget) != nullptr)
            return; // its border shows the focus
        if (qobject_cast<const QAbstractItemView *>(widget) != nullptr) {
            // The selection looks the same without the focus. After a click, it is clear where the focus is.
            if (widget->window()->testAttribute(Qt::WA_KeyboardFocusChange))
                drawRounded(
                    painter, option->rect, Qt::transparent, themeColor(ThemeColor::Accent, option->palette), 1.6);
            return;
        }
        break;
    default:
        break;
    }
    QProxyStyle::drawPrimitive(element, option, painter, widget);
}

void Style::drawControl(
    ControlElement element, const QStyleOption *option, QPainter *painter, const QWidget *widget) const
{
    switch (element) {
    case CE_ShapedFrame:
        if (widget != nullptr && widget->inherits("QPlainTextEdit")) {
            const auto *frame = qstyleoption_cast<const QStyleOptionFrame *>(option);
            if (frame == nullptr || frame->frameShape != QFrame::NoFrame)
                drawField(painter, *option, widget);
            return;
        }
        break;
    case CE_PushButtonLabel:
        return drawButtonLabel(option, painter, widget);
    case CE_ComboBoxLabel:
        return drawComboBoxLabel(option, painter, widget);
    case CE_ItemViewItem: {
        QStyleOptionViewItem item(*qstyleoption_cast<const QStyleOptionViewItem *>(option));
        item.palette.setColor(QPalette::Highlight, themeColor(ThemeColor::AccentWash, option->palette));
        item.palette.setColor(QPalette::HighlightedText, option->palette.color(QPalette::Text));
        return QProxyStyle::drawControl(element, &item, painter, widget);
    }
    case CE_TabBarTabShape:
        if (option->state & State_Selected)
            painter->fillRect(QRect(option->rect.left() + 6, option->rect.bottom() - 1, option->rect.width() - 12, 2),
                themeColor(ThemeColor::Accent, option->palette));
        return;
    case CE_TabBarTabLabel: {
        QStyleOptionTab tab(*qstyleoption_cast<const QStyleOptionTab *>(option));
        if (!(option->state & (State_Selected | State_MouseOver)))
            tab.palette.setColor(QPalette::WindowText, themeColor(ThemeColor::Muted, option->palette));
        return QProxyStyle::drawControl(element, &tab, painter, widget);
    }
    case CE_HeaderEmptyArea:
        return painter->fillRect(option->rect, option->palette.color(QPalette::Base));
    case CE_HeaderSection:
        return drawHeaderSection(option, painter);
    case CE_HeaderLabel: {
        QStyleOptionHeader header(*qstyleoption_cast<const QStyleOptionHeader *>(option));
        header.palette.setColor(QPalette::ButtonText, themeColor(ThemeColor::Muted, option->palette));
        return QProxyStyle::drawControl(element, &header, painter, widget);
    }
    default:
        break;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

void Style::drawButtonLabel(const QStyleOption *option, QPainter *painter, const QWidget *widget) const
{
    QStyleOptionButton button(*qstyleoption_cast<const QStyleOptionButton *>(option));
    if (has(widget, kPrimary) && (option->state & State_Enabled))
        button.palette.setColor(QPalette::ButtonText, themeColor(ThemeColor::OnAccent, option->palette));
    else if (has(widget, kDanger) && (option->state & State_Enabled))
        button.palette.setColor(QPalette::ButtonText, themeColor(ThemeColor::Bad, option->palette));
    const bool menu = button.features & QStyleOptionButton::HasMenu;
    if (menu) {
        const QRect arrow(button.rect.right() - 20, button.rect.top(), 16, button.rect.height());
        drawChevron(painter, arrow, button.palette.color(QPalette::ButtonText));
        button.features &= ~QStyleOptionButton::HasMenu;
        button.rect.adjust(0, 0, -12, 0);
    }
    QProxyStyle::drawControl(CE_PushButtonLabel, &button, painter, widget);
}

void Style::drawComboBoxLabel(const QStyleOption *option, QPainter *painter, const QWidget *widget) const
{
    const auto *combo = qstyleoption_cast<const QStyleOptionComboBox *>(option);
    if (combo == nullptr || combo->editable)
        return;
    const QRect box = subControlRect(CC_ComboBox, combo, SC_ComboBoxEditField, widget);
    const QString text = option->fontMetrics.elidedText(combo->currentText, Qt::ElideRight, box.width());
    drawItemText(painter, box, Qt::AlignLeft | Qt::AlignVCenter, option->palette, option->state & State_Enabled, text,
        QPalette::Text);
}

void Style::drawComplexControl(
    ComplexControl control, const QStyleOptionComplex *option, QPainter *painter, const QWidget *widget) const
{
    if (control == CC_ComboBox) {
        drawField(painter, *option, widget);
        const QRect arrow(option->rect.right() - 22, option->rect.top(), 18, option->rect.height());
        const bool enabled = option->state & State_Enabled;
        drawChevron(painter, arrow,
            enabled ? themeColor(ThemeColor::Muted, option->palette) : themeColor(ThemeColor::Border, option->palette));
        return;
    }
    if (control == CC_ScrollBar) {
        const auto *slider = qstyleoption_cast<const QStyleOptionSlider *>(option);
        drawScrollBar(painter, *slider, subControlRect(control, option, SC_ScrollBarSlider, widget));
        return;
    }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

QSize Style::sizeFromContents(
    ContentsType type, const QStyleOption *option, const QSize &size, const QWidget *widget) const
{
    QSize result = QProxyStyle::sizeFromContents(type, option, size, widget);
    if (type == CT_PushButton || type == CT_ComboBox || type == CT_LineEdit)
        result.setHeight(std::max(result.height(), kFieldHeight));
    if (type == CT_PushButton)
        result.rwidth() = std::max(size.width() + 26, has(widget, kQuiet) ? 30 : 56);
    if (type == CT_ItemViewItem)
        result.rheight() += 8;
    return result;
}

QRect Style::subControlRect(
    ComplexControl control, const QStyleOptionComplex *option, SubControl part, const QWidget *widget) const
{
    if (control == CC_ComboBox && part == SC_ComboBoxEditField)
        return option->rect.adjusted(8, 2, -24, -2);
    if (control == CC_ScrollBar) {
        const auto *slider = qstyleoption_cast<const QStyleOptionSlider *>(option);
        const bool horizontal = slider->orientation == Qt::Horizontal;
        const int length = horizontal ? option->rect.width() : option->rect.height();
        const int range = slider->maximum - slider->minimum;
        const int handle =
            range <= 0 ? length
                       : std::clamp(static_cast<int>(double(length) * slider->pageStep / (range + slider->pageStep)),
                             28, std::max(28, length));
        const int start = sliderPositionFromValue(
            slider->minimum, slider->maximum, slider->sliderPosition, length - handle, slider->upsideDown);
        const auto span = [&](int from, int size) {
            return horizontal ? QRect(from, 0, size, option->rect.height())
                              : QRect(0, from, option->rect.width(), size);
        };
        switch (part) {
        case SC_ScrollBarSlider:
            return span(start, handle);
        case SC_ScrollBarGroove:
            return option->rect;
        case SC_ScrollBarSubPage:
            return span(0, start);
        case SC_ScrollBarAddPage:
            return span(start + handle, length - start - handle);
        default:
            return {}; // no arrows
        }
    }
    return QProxyStyle::subControlRect(control, option, part, widget);
}

int Style::pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const
{
    switch (metric) {
    case PM_ScrollBarExtent:
        return 11;
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
        return 17;
    case PM_HeaderMargin:
        return 8;
    case PM_FocusFrameHMargin:
        return qobject_cast<const QAbstractItemView *>(widget) != nullptr
                   ? 7
                   : QProxyStyle::pixelMetric(metric, option, widget);
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int Style::styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget, QStyleHintReturn *data) const
{
    switch (hint) {
    case SH_Widget_Animation_Duration:
    case SH_ComboBox_Popup:
    case SH_ScrollBar_Transient:
    case SH_DialogButtonBox_ButtonsHaveIcons:
        return 0;
    default:
        return QProxyStyle::styleHint(hint, option, widget, data);
    }
}

void Style::polish(QWidget *widget)
{
    QProxyStyle::polish(widget);
    if (auto *dialog = qobject_cast<QFileDialog *>(widget))
        showWholeColumns(*dialog);
    if (qobject_cast<QAbstractButton *>(widget) != nullptr || qobject_cast<QComboBox *>(widget) != nullptr ||
        widget->inherits("QLineEdit") || widget->inherits("QScrollBar"))
        widget->setAttribute(Qt::WA_Hover);
}

} // namespace slipway::ui
