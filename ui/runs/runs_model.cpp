// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/runs_model.h"

#include <QApplication>
#include <QPainter>

#include <algorithm>
#include <map>

#include "runs/rename_run.h"
#include "ui/language/core_texts.h"
#include "ui/theme/theme_colors.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

QString shownText(const RunRow &row, int column)
{
    switch (column) {
    case RunsModel::Name:
        return row.name;
    case RunsModel::State:
        return stateName(row.state);
    case RunsModel::Progress:
        return row.steps;
    case RunsModel::Speed:
        return row.tokensPerSecond;
    case RunsModel::Loss:
        return row.loss;
    case RunsModel::Left:
        return row.remaining;
    case RunsModel::Cost:
        return row.cost;
    case RunsModel::Tags:
        return row.tags;
    case RunsModel::Changed:
        return row.changed;
    case RunsModel::Model:
        return coreText(row.entry.model);
    case RunsModel::Hardware:
        return row.hardware;
    case RunsModel::HostName:
        return qs(row.entry.host);
    default:
        return {};
    }
}

QVariant sortValue(const RunRow &row, int column)
{
    const auto number = [](const std::optional<double> &value) { return value ? QVariant(*value) : QVariant(); };
    switch (column) {
    case RunsModel::Progress:
        return row.fraction;
    case RunsModel::Speed:
        return number(row.speedValue);
    case RunsModel::Loss:
        return number(row.lossValue);
    case RunsModel::Left:
        return number(row.remainingValue);
    case RunsModel::Cost:
        return number(row.costValue);
    default:
        return shownText(row, column);
    }
}

} // namespace

void RunsModel::setRows(const std::vector<RunRow> &rows)
{
    std::map<std::filesystem::path, std::size_t> wanted;
    for (std::size_t i = 0; i < rows.size(); ++i)
        wanted[rows[i].directory] = i;
    for (int row = rowCount(); row-- > 0;) {
        if (wanted.contains(m_rows[static_cast<std::size_t>(row)].directory))
            continue;
        beginRemoveRows({}, row, row);
        m_rows.erase(m_rows.begin() + row);
        endRemoveRows();
    }
    for (const RunRow &row : m_rows)
        wanted.erase(row.directory);
    if (!wanted.empty()) {
        beginInsertRows({}, rowCount(), rowCount() + static_cast<int>(wanted.size()) - 1);
        for (const auto &[directory, at] : wanted)
            m_rows.push_back(rows[at]);
        endInsertRows();
    }
    setOrder(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (m_rows[i] == rows[i])
            continue;
        m_rows[i] = rows[i];
        const int row = static_cast<int>(i);
        Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1));
    }
}

// Arranges the rows in the order of `rows`. Persistent indexes stay valid.
void RunsModel::setOrder(const std::vector<RunRow> &rows)
{
    const auto sameRun = [](const RunRow &a, const RunRow &b) { return a.directory == b.directory; };
    if (std::equal(rows.begin(), rows.end(), m_rows.begin(), m_rows.end(), sameRun))
        return;
    Q_EMIT layoutAboutToBeChanged();
    std::map<std::filesystem::path, int> place;
    for (std::size_t i = 0; i < rows.size(); ++i)
        place[rows[i].directory] = static_cast<int>(i);
    QModelIndexList now;
    const QModelIndexList before = persistentIndexList();
    for (const QModelIndex &index : before)
        now << this->index(place.at(m_rows[static_cast<std::size_t>(index.row())].directory), index.column());
    std::sort(m_rows.begin(), m_rows.end(),
        [&](const RunRow &a, const RunRow &b) { return place.at(a.directory) < place.at(b.directory); });
    changePersistentIndexList(before, now);
    Q_EMIT layoutChanged();
}

int RunsModel::find(const std::filesystem::path &directory) const
{
    const auto found =
        std::find_if(m_rows.begin(), m_rows.end(), [&](const RunRow &row) { return row.directory == directory; });
    return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
}

int RunsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int RunsModel::columnCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant RunsModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const RunRow &row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole:
        return shownText(row, index.column());
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment(
            Qt::AlignVCenter | (index.column() >= Speed && index.column() <= Cost ? Qt::AlignRight : Qt::AlignLeft)));
    case Qt::ToolTipRole:
        return tipText(
            row.notes.isEmpty() ? qs(row.directory.string()) : row.notes + u'\n' + qs(row.directory.string()));
    case SortRole:
        return sortValue(row, index.column());
    case StateRole:
        return static_cast<int>(row.state);
    case FractionRole:
        return row.fraction;
    case DirectoryRole:
        return qs(row.directory.string());
    default:
        return {};
    }
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (section >= Speed && section <= Cost ? Qt::AlignRight : Qt::AlignLeft)));
    if (role == Qt::ToolTipRole)
        return section == Speed ? speedTip() : section == Loss ? lossTip() : QString();
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Name:
        return tr("Run");
    case State:
        return tr("State");
    case Progress:
        return tr("Steps");
    case Speed:
        return tr("Tokens/s");
    case Loss:
        return tr("Loss (nats)");
    case Left:
        return tr("Time left");
    case Cost:
        return tr("Cost");
    case Tags:
        return tr("Tags");
    case Changed:
        return tr("Last update");
    case Model:
        return tr("Model");
    case Hardware:
        return tr("Hardware");
    case HostName:
        return tr("Host");
    default:
        return {};
    }
}

RunsFilterModel::RunsFilterModel(RunsModel *source, QObject *parent) : QSortFilterProxyModel(parent), m_source(source)
{
    setSourceModel(source);
    setSortRole(RunsModel::SortRole);
}

void RunsFilterModel::setFilter(const RunFilter &filter)
{
    m_filter = filter;
    invalidateFilter();
}

// Rows without a value come last in either sort order.
bool RunsFilterModel::lessThan(const QModelIndex &left, const QModelIndex &right) const
{
    const bool leftKnown = left.data(RunsModel::SortRole).isValid(),
               rightKnown = right.data(RunsModel::SortRole).isValid();
    if (leftKnown != rightKnown)
        return leftKnown == (sortOrder() == Qt::AscendingOrder);
    return QSortFilterProxyModel::lessThan(left, right);
}

void RunsFilterModel::setShowArchived(bool on)
{
    m_showArchived = on;
    invalidateFilter();
}

bool RunsFilterModel::filterAcceptsRow(int row, const QModelIndex &) const
{
    const RunEntry &entry = m_source->row(row).entry;
    return (m_showArchived || !isArchived(entry.labels)) && m_filter.matches(entry);
}

void RunsDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    if (index.column() != RunsModel::State && index.column() != RunsModel::Progress) {
        QStyledItemDelegate::paint(painter, option, index);
        return;
    }
    QStyleOptionViewItem ground(option);
    initStyleOption(&ground, index);
    const QString text = ground.text;
    ground.text.clear();
    QApplication::style()->drawControl(QStyle::CE_ItemViewItem, &ground, painter, option.widget);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setFont(fontOf(TextKind::Small));
    const QFontMetrics metrics(painter->font());
    const QRect box = option.rect.adjusted(4, 0, -8, 0);
    if (index.column() == RunsModel::State) {
        const auto state = static_cast<RunState>(index.data(RunsModel::StateRole).toInt());
        const QRectF pill(box.left(), box.center().y() - metrics.height() / 2.0 - 2,
            metrics.horizontalAdvance(text) + 18, metrics.height() + 5);
        paintPill(*painter, pill, text, stateTone(state), option.palette);
    } else {
        const QRectF bar(box.left(), box.bottom() - 7, box.width(), 4);
        painter->setPen(Qt::NoPen);
        painter->setBrush(themeColor(ThemeColor::Border, option.palette));
        painter->drawRoundedRect(bar, 2, 2);
        painter->setBrush(themeColor(ThemeColor::Accent, option.palette));
        painter->drawRoundedRect(
            QRectF(bar.left(), bar.top(),
                bar.width() * std::clamp(index.data(RunsModel::FractionRole).toDouble(), 0.0, 1.0), 4),
            2, 2);
        painter->setPen(option.palette.color(QPalette::Text));
        painter->drawText(box.adjusted(0, 0, 0, -8), Qt::AlignLeft | Qt::AlignVCenter, text);
    }
    painter->restore();
}

} // namespace slipway::ui
