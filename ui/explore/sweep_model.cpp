// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/explore/sweep_model.h"

#include <QPalette>

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "ui/language/core_texts.h"
#include "ui/language/local_text.h"
#include "ui/plan/display_names.h"
#include "ui/plan/plan_display.h"
#include "ui/theme/theme_colors.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

std::vector<std::size_t> frontOf(const Sweep &sweep, const std::vector<std::size_t> &points)
{
    ParetoFront front;
    for (const std::size_t i : points)
        front.add(sweep.points[i], static_cast<std::int64_t>(i));
    std::vector<std::size_t> members;
    for (const ParetoFront::Member &member : front.members())
        members.push_back(static_cast<std::size_t>(member.tag));
    std::sort(members.begin(), members.end());
    return members;
}

std::vector<std::size_t> filteredPoints(const Sweep &sweep, const PointFilter &filter)
{
    const auto passes = [&](const SweepPoint &point) {
        if (filter.shown != ShownPoints::All && !point.runs())
            return false;
        if (filter.values.empty())
            return true;
        const std::vector<std::size_t> digits = sweep.grid.digitsAt(point.index);
        return std::all_of(filter.values.begin(), filter.values.end(),
            [&](const auto &accepted) { return accepted.second.contains(digits[accepted.first]); });
    };
    std::vector<std::size_t> through;
    for (std::size_t i = 0; i < sweep.points.size(); ++i) {
        if (passes(sweep.points[i]))
            through.push_back(i);
    }
    return filter.shown == ShownPoints::Front ? frontOf(sweep, through) : through;
}

bool hasRelativePrices(const Sweep &sweep, const Catalogue &catalogue)
{
    const auto ofRatios = [&](const std::string &prices) {
        const Result<PriceBook> book = catalogue.priceBook(prices);
        return book && book->ratiosOnly;
    };
    const auto &axes = sweep.grid.axes;
    const auto varied =
        std::find_if(axes.begin(), axes.end(), [](const GridAxis &axis) { return axis.key == "prices"; });
    return varied == axes.end() ? ofRatios(sweep.base.prices)
                                : std::all_of(varied->values.begin(), varied->values.end(), ofRatios);
}

QString tokensPerPriceName(bool relative) { return relative ? tr("Tokens per unit") : tr("Tokens per $"); }

void SweepModel::setSweep(std::shared_ptr<const Sweep> sweep)
{
    beginResetModel();
    m_sweep = std::move(sweep);
    m_axes.clear();
    m_filter = {};
    m_sortColumn = -1;
    m_relative = m_sweep && m_catalogue != nullptr && hasRelativePrices(*m_sweep, *m_catalogue);
    for (std::size_t i = 0; m_sweep && i < m_sweep->grid.axes.size(); ++i) {
        if (m_sweep->grid.axes[i].values.size() > 1)
            m_axes.push_back(i);
    }
    arrange();
    endResetModel();
}

void SweepModel::setFilter(const PointFilter &filter)
{
    beginResetModel();
    m_filter = filter;
    arrange();
    endResetModel();
}

int SweepModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_sweep ? 0 : static_cast<int>(m_axes.size()) + FigureCount;
}

double SweepModel::key(const SweepPoint &point, int column) const
{
    const auto axis = static_cast<std::size_t>(column);
    if (axis < m_axes.size())
        return static_cast<double>(m_sweep->grid.digitsAt(point.index)[m_axes[axis]]);
    if (!point.skipped.empty() || (point.verdict == Verdict::Oom && column > static_cast<int>(m_axes.size()) + Peak))
        return -1;
    switch (column - static_cast<int>(m_axes.size())) {
    case VerdictColumn:
        return static_cast<double>(point.verdict);
    case Peak:
        return static_cast<double>(point.peak);
    case Speed:
        return point.tokensPerSecond;
    case SpeedPerGpu:
        return point.tokensPerSecondPerGpu;
    case Mfu:
        return point.mfu;
    case TokensPerUsd:
        return point.tokensPerUsd.value_or(-1);
    default:
        return point.usdPerBillionTokens.value_or(-1);
    }
}

void SweepModel::arrange()
{
    m_rows = m_sweep ? filteredPoints(*m_sweep, m_filter) : std::vector<std::size_t>();
    if (m_sortColumn < 0 || m_rows.empty())
        return;
    std::vector<std::pair<double, std::size_t>> keyed;
    keyed.reserve(m_rows.size());
    for (const std::size_t row : m_rows)
        keyed.emplace_back(key(m_sweep->points[row], m_sortColumn), row);
    const bool rising = m_order == Qt::AscendingOrder;
    // What has no value comes last in both orders: the cheapest point is wanted first, not one that does not run.
    std::stable_sort(keyed.begin(), keyed.end(), [rising](const auto &a, const auto &b) {
        if ((a.first < 0) != (b.first < 0))
            return b.first < 0;
        return rising ? a.first < b.first : a.first > b.first;
    });
    for (std::size_t i = 0; i < keyed.size(); ++i)
        m_rows[i] = keyed[i].second;
}

void SweepModel::sort(int column, Qt::SortOrder order)
{
    if (column >= columnCount())
        return;
    beginResetModel();
    m_sortColumn = column;
    m_order = order;
    arrange();
    endResetModel();
}

QString SweepModel::text(const SweepPoint &point, int column) const
{
    const auto axis = static_cast<std::size_t>(column);
    if (axis < m_axes.size())
        return namedValue(
            m_sweep->grid.axes[m_axes[axis]].key, m_sweep->grid.valueAt(point.index, m_axes[axis]), m_catalogue);
    const int figure = column - static_cast<int>(m_axes.size());
    if (!point.skipped.empty())
        return figure == VerdictColumn ? tr("Cannot be planned") : QString();
    if (point.verdict == Verdict::Oom && figure > Peak)
        return QStringLiteral("–");
    const auto optional = [](const std::optional<double> &value) {
        return value ? localText(formatCount(*value)) : QString();
    };
    switch (figure) {
    case VerdictColumn:
        return point.verdict == Verdict::Oom ? tr("OOM") : point.verdict == Verdict::Tight ? tr("Tight") : tr("Fits");
    case Peak:
        return localText(formatBytes(point.peak));
    case Speed:
        return localText(formatCount(point.tokensPerSecond));
    case SpeedPerGpu:
        return localText(formatCount(point.tokensPerSecondPerGpu));
    case Mfu:
        return localNumber(100 * point.mfu, 1) + QStringLiteral(" %");
    case TokensPerUsd:
        return optional(point.tokensPerUsd);
    default:
        if (!point.usdPerBillionTokens)
            return {};
        return m_relative ? localNumber(*point.usdPerBillionTokens, 2)
                          : localText(formatUsd(*point.usdPerBillionTokens)); // the header names the unit
    }
}

QVariant SweepModel::data(const QModelIndex &index, int role) const
{
    const SweepPoint &point = m_sweep->points[pointAt(index.row())];
    const bool figure = index.column() >= static_cast<int>(m_axes.size());
    switch (role) {
    case Qt::DisplayRole:
        return text(point, index.column());
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(figure && index.column() > static_cast<int>(m_axes.size())
                                       ? Qt::AlignRight | Qt::AlignVCenter
                                       : Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::ToolTipRole:
        return point.skipped.empty() ? QVariant() : QVariant(tipText(withFieldNames(coreText(point.skipped))));
    case Qt::UserRole:
        return point.runs(); // points that did not run are drawn muted
    default:
        return {};
    }
}

QVariant SweepModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || !m_sweep)
        return {};
    const auto axis = static_cast<std::size_t>(section);
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            axis > m_axes.size() ? Qt::AlignRight | Qt::AlignVCenter : Qt::AlignLeft | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    if (axis < m_axes.size())
        return settingName(m_sweep->grid.axes[m_axes[axis]].key);
    const QStringList names{tr("Verdict"), tr("Peak memory"), tokensPerPriceName(m_relative), tr("Tokens/s"), tr("MFU"),
        tr("Tokens/s/GPU"), m_relative ? tr("Units per 1B tokens") : tr("$ per 1B tokens")};
    return names.value(section - static_cast<int>(m_axes.size()));
}

} // namespace slipway::ui
