// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/plan_comparison.h"

#include <QHeaderView>
#include <QPushButton>
#include <QTableWidget>

#include "base/text.h"
#include "config/resolve_model.h"
#include "config/settings.h"
#include "ui/language/local_text.h"
#include "ui/plan/display_names.h"
#include "ui/plan/plan_display.h"
#include "ui/theme/style.h"
#include "ui/widgets/plain_table.h"
#include "ui/widgets/scrolling.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

enum Column { Name, Before, After, Difference };

QString bytesOf(Bytes bytes) { return bytesText(static_cast<double>(bytes)); }

ComparedRow numbers(const QString &name, double before, double after, const std::function<QString(double)> &text)
{
    return {name, text(before), text(after), differenceText(after, before)};
}

// Compares two amounts. A price may be missing on either side.
ComparedRow money(const QString &name, const std::optional<Usd> &before, const std::optional<Usd> &after, bool relative)
{
    const auto text = [relative](const std::optional<Usd> &amount) {
        return amount ? moneyText(*amount, relative) : QStringLiteral("–");
    };
    return {name, text(before), text(after), before && after ? differenceText(*after, *before) : QString()};
}

} // namespace

std::vector<ComparedRow> comparedRows(const Prediction &before, const Prediction &after, const Catalogue &catalogue)
{
    std::vector<ComparedRow> rows;
    for (const SettingChange &change : differences(before.config, after.config)) {
        const auto shown = [&](std::string value, const Prediction &plan) {
            // A size that the plan leaves to its model is that of the model.
            const Setting *setting = findSetting(change.key);
            if (value.empty() && setting != nullptr && setting->group == SettingGroup::Model)
                value = settingText(*setting, withSizesOf(plan.config, plan.model));
            // The name that a plan's own shape began with would be taken for that model.
            if (change.key == "model" && isCustom(plan.model))
                return tr("Custom shape, %1")
                    .arg(localText(formatCount(static_cast<double>(parameterCount(plan.model)))));
            return value.empty() ? QStringLiteral("–") : namedValue(change.key, value, &catalogue);
        };
        rows.push_back({.name = settingName(change.key),
            .before = shown(change.before, before),
            .after = shown(change.after, after),
            .difference = {},
            .isSetting = true});
    }
    const auto count = [](double value) { return localText(formatCount(value)); };
    const auto seconds = [](double value) { return localText(formatSeconds(value)); };
    rows.push_back({tr("Verdict"), planDisplay(before).verdict.word, planDisplay(after).verdict.word, {}});
    rows.push_back({tr("Peak memory"), bytesOf(before.memory.peak), bytesOf(after.memory.peak),
        differenceText(static_cast<double>(after.memory.peak), static_cast<double>(before.memory.peak))});
    rows.push_back(numbers(tr("Tokens/s"), before.speed.tokensPerSecond, after.speed.tokensPerSecond, count));
    rows.push_back(numbers(tr("Step time"), before.speed.step, after.speed.step, seconds));
    rows.push_back(numbers(tr("Training time"), before.cost.hours * 3600, after.cost.hours * 3600, seconds));
    const bool relative = before.cost.relative || after.cost.relative;
    rows.push_back(
        money(tr("Per 1B tokens"), before.cost.usdPerBillionTokens, after.cost.usdPerBillionTokens, relative));
    rows.push_back(money(tr("Training cost"), before.cost.usd, after.cost.usd, relative));
    return rows;
}

PlanComparison::PlanComparison(PlanDocument &document, const Catalogue &catalogue, QWidget *parent)
    : Card(tr("Compared with plan A"), parent),
      m_document(document),
      m_catalogue(catalogue),
      m_table(makePlainTable(
          {tr("Setting or figure"), tr("A"), tr("B, as it is now"), tr("Difference")}, tr("Plan A and this plan")))
{
    for (const auto &[text, tip, asked] :
        {std::tuple(tr("Back to A"), tr("Edit plan A again; Undo returns to this plan"), &PlanComparison::restoreFirst),
            std::tuple(tr("Forget A"), tr("End the comparison"), &PlanComparison::forget)}) {
        auto *button = new QPushButton(text);
        button->setProperty(kQuiet, true);
        button->setToolTip(tip);
        connect(button, &QPushButton::clicked, this, asked);
        addToTitle(button);
    }
    m_table->setSelectionMode(QAbstractItemView::NoSelection);
    passWheel(*m_table);
    body()->addWidget(m_table);
    hide();
    connect(&m_document, &PlanDocument::changed, this, &PlanComparison::refresh);
}

void PlanComparison::keep()
{
    if (const Prediction *now = m_document.lastPrediction()) {
        m_kept = *now;
        refresh();
        show();
        Q_EMIT keptChanged();
    }
}

void PlanComparison::restoreFirst()
{
    if (m_kept)
        m_document.replace(RunConfig(m_kept->config), tr("Back to plan A"));
}

void PlanComparison::forget()
{
    m_kept.reset();
    hide();
    Q_EMIT keptChanged();
}

void PlanComparison::refresh()
{
    const Prediction *now = m_document.lastPrediction();
    if (!m_kept || now == nullptr)
        return;
    const std::vector<ComparedRow> rows = comparedRows(*m_kept, *now, m_catalogue);
    m_table->setRowCount(static_cast<int>(rows.size()));
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const ComparedRow &shown = rows[static_cast<std::size_t>(row)];
        setCell(*m_table, row, Name, shown.name)->setFont(fontOf(shown.isSetting ? TextKind::Strong : TextKind::Body));
        setCell(*m_table, row, Before, shown.before);
        setCell(*m_table, row, After, shown.after);
        setCell(*m_table, row, Difference, shown.difference);
    }
    fitColumns(*m_table);
    showRows(*m_table, m_table->rowCount());
}

} // namespace slipway::ui
