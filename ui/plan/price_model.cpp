// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/price_model.h"

#include <QLocale>

#include "ui/language/core_texts.h"
#include "ui/language/local_text.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

// Returns the member that a column edits, or nullptr for the date, which cannot be edited.
std::string PriceEdit::*fieldOf(int column)
{
    switch (column) {
    case PriceModel::GpuName:
        return &PriceEdit::gpu;
    case PriceModel::Usd:
        return &PriceEdit::usdPerGpuHour;
    case PriceModel::Gpus:
        return &PriceEdit::gpus;
    case PriceModel::Instance:
        return &PriceEdit::instance;
    case PriceModel::Region:
        return &PriceEdit::region;
    case PriceModel::Source:
        return &PriceEdit::source;
    default:
        return nullptr;
    }
}

bool isNumber(int column) { return column == PriceModel::Usd || column == PriceModel::Gpus; }

// Converts a number as the column shows it. Prices have three decimals too, so that "1,495" is no thousand in German.
std::string numberFrom(QString typed)
{
    if (QLocale().decimalPoint() == QStringLiteral(",") && typed.contains(u','))
        typed.remove(u'.').replace(u',', u'.');
    return typed.toStdString();
}

// The catalogue's sources are file names of price lists, which are shown as they are, or one of these texts.
QString sourceText(const std::string &source)
{
    const QString text = qs(source), median = QStringLiteral("median of "), only = QStringLiteral("only ");
    if (text.startsWith(median)) // of numbers, which may have decimal commas
        return tr("median of %1")
            .arg(localText(text.mid(median.size()).replace(QStringLiteral(", "), QStringLiteral("; "))));
    if (text.startsWith(only))
        return tr("only %1", "the only source of a price").arg(text.mid(only.size()));
    return text == QStringLiteral("own entry") ? tr("own entry") : text;
}

} // namespace

void PriceModel::set(const PriceBook &book, bool editable)
{
    beginResetModel();
    m_edits = priceEditsOf(book);
    m_dates.clear();
    for (const Price &price : book.prices)
        m_dates.push_back(localDate(price.asOf.empty() ? book.asOf : price.asOf));
    m_editable = editable;
    m_changed = false;
    endResetModel();
}

void PriceModel::addRow(const QString &gpu)
{
    const int row = rowCount();
    beginInsertRows({}, row, row);
    m_edits.push_back({.gpu = gpu.toStdString()});
    m_dates.emplace_back();
    m_changed = true;
    endInsertRows();
}

void PriceModel::removeRow(int row)
{
    if (row < 0 || row >= rowCount())
        return;
    beginRemoveRows({}, row, row);
    m_edits.erase(m_edits.begin() + row);
    m_dates.erase(m_dates.begin() + row);
    m_changed = true;
    endRemoveRows();
}

QVariant PriceModel::data(const QModelIndex &index, int role) const
{
    const auto row = static_cast<std::size_t>(index.row());
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((isNumber(index.column()) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        return tipText(coreText(m_edits[row].notes));
    if (role != Qt::DisplayRole && role != Qt::EditRole)
        return {};
    if (index.column() == Source && role == Qt::DisplayRole)
        return sourceText(m_edits[row].source);
    if (std::string PriceEdit::*const field = fieldOf(index.column()))
        return isNumber(index.column()) ? localText(m_edits[row].*field) : qs(m_edits[row].*field);
    return m_dates[row].isEmpty() ? tr("today") : m_dates[row];
}

QVariant PriceModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((isNumber(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    const QStringList names{
        tr("GPU"), tr("USD per GPU-hour"), tr("GPUs"), tr("Instance"), tr("Region"), tr("Source"), tr("As of")};
    return role == Qt::DisplayRole ? QVariant(names.value(section)) : QVariant();
}

Qt::ItemFlags PriceModel::flags(const QModelIndex &index) const
{
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return m_editable && fieldOf(index.column()) != nullptr ? flags | Qt::ItemIsEditable : flags;
}

bool PriceModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    std::string PriceEdit::*const field = fieldOf(index.column());
    if (role != Qt::EditRole || !m_editable || field == nullptr)
        return false;
    const auto row = static_cast<std::size_t>(index.row());
    const QString typed = value.toString().trimmed();
    const std::string text = isNumber(index.column()) ? numberFrom(typed) : typed.toStdString();
    if (m_edits[row].*field == text)
        return true;
    m_edits[row].*field = text;
    m_dates[row].clear();
    m_changed = true;
    Q_EMIT dataChanged(index.siblingAtColumn(0), index.siblingAtColumn(ColumnCount - 1));
    return true;
}

} // namespace slipway::ui
