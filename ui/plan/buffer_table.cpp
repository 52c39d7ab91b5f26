// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/buffer_table.h"

#include <QHeaderView>
#include <QPixmap>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/language/local_text.h"
#include "ui/plan/plan_display.h"
#include "ui/plan/display_names.h"
#include "ui/theme/theme_colors.h"
#include "ui/widgets/plain_table.h"
#include "ui/widgets/scrolling.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

void BufferModel::set(std::vector<LiveBuffer> buffers)
{
    beginResetModel();
    m_buffers = std::move(buffers);
    m_all = 0;
    for (const LiveBuffer &buffer : m_buffers)
        m_all += buffer.bytes;
    endResetModel();
}

QVariant BufferModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const LiveBuffer &buffer = m_buffers[static_cast<std::size_t>(index.row())];
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((index.column() >= Instances ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::UserRole)
        return static_cast<int>(buffer.role);
    if (role == Qt::ToolTipRole) { // a narrow table does not show all columns
        QStringList lines;
        for (int column = 0; column < ColumnCount; ++column)
            lines << headerData(column, Qt::Horizontal, Qt::DisplayRole).toString() + QStringLiteral(": ") +
                         index.siblingAtColumn(column).data().toString();
        return tipText(lines.join(u'\n'));
    }
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case Name:
        return qs(buffer.name).replace(u'_', u' ').replace(u'.', QStringLiteral(" · "));
    case Category:
        return roleName(buffer.role);
    case Type:
        return qs(EnumNames<DType>::names[static_cast<std::size_t>(buffer.type)]);
    case Instances:
        return QString::number(buffer.instances);
    case Each:
        return bytesText(static_cast<double>(buffer.bytes) / buffer.instances);
    case Sum:
        return bytesText(static_cast<double>(buffer.bytes));
    default:
        return m_all > 0 ? localNumber(100.0 * static_cast<double>(buffer.bytes) / static_cast<double>(m_all), 1) +
                               QStringLiteral(" %")
                         : QString();
    }
}

QVariant BufferModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((section >= Instances ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    const QStringList names{
        tr("Buffer"), tr("Category"), tr("Type"), tr("Count"), tr("Size each"), tr("Total size"), tr("Share")};
    return role == Qt::DisplayRole ? QVariant(names.value(section)) : QVariant();
}

BufferTable::BufferTable(QWidget *parent)
    : QWidget(parent),
      m_model(new BufferModel(this)),
      m_instant(makeLabel({}, TextKind::Muted)),
      m_table(new QTableView)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(m_instant);
    layout->addWidget(m_table);
    m_table->setModel(m_model);
    m_table->setShowGrid(false);
    m_table->setTabKeyNavigation(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setSelectionMode(QAbstractItemView::NoSelection);
    m_table->setFocusPolicy(Qt::StrongFocus);
    passWheel(*m_table);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(24);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->setWordWrap(false);
    m_table->horizontalHeader()->setStretchLastSection(true);
    constexpr int kShownBuffers = 9; // the other rows can be scrolled to
    showRows(*m_table, kShownBuffers);
    m_table->setAccessibleName(tr("Live buffers"));
}

void BufferTable::set(const QString &instant, std::vector<LiveBuffer> buffers)
{
    m_instant->setText(instant);
    m_model->set(std::move(buffers));
    fitColumns(*m_table, {BufferModel::Name, BufferModel::Sum, BufferModel::Share, BufferModel::Category,
                             BufferModel::Instances, BufferModel::Each, BufferModel::Type});
}

} // namespace slipway::ui
