// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/run_dialogs.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include "base/text.h"
#include "ui/language/local_text.h"
#include "ui/runs/run_display.h"
#include "ui/theme/style.h"
#include "ui/widgets/screen_room.h"
#include "ui/widgets/scrolling.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

QDialogButtonBox *buttons(QDialog *dialog, const QString &yes)
{
    auto *box = new QDialogButtonBox(QDialogButtonBox::Cancel);
    box->addButton(yes, QDialogButtonBox::AcceptRole)->setProperty(kPrimary, true);
    QObject::connect(box, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
    QObject::connect(box, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    return box;
}

} // namespace

LabelsDialog::LabelsDialog(const QString &run, const Labels &labels, QWidget *parent)
    : QDialog(parent),
      m_tags(new QLineEdit),
      m_notes(new QPlainTextEdit)
{
    setWindowTitle(tr("Tags and notes"));
    resize(withinScreen(*this, {460, 320}));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(20, 16, 20, 16);
    column->setSpacing(8);
    column->addWidget(makeElidedLabel(run, TextKind::Title));
    QStringList tags;
    for (const std::string &tag : labels.tags)
        tags << qs(tag);
    m_tags->setText(tags.join(QStringLiteral(", ")));
    m_tags->setPlaceholderText(tr("baseline, lr-sweep"));
    m_notes->setPlainText(qs(labels.notes));
    m_notes->setTabChangesFocus(true);
    const auto add = [column](const QString &name, QWidget *field) {
        QLabel *label = makeLabel(name, TextKind::Muted);
        label->setBuddy(field);
        field->setAccessibleName(name);
        column->addWidget(label);
        column->addWidget(field);
    };
    add(tr("Tags, separated by commas"), m_tags);
    add(tr("Notes"), m_notes);
    column->addWidget(buttons(this, tr("Save")));
}

Labels LabelsDialog::labels() const
{
    Labels labels{.notes = m_notes->toPlainText().toStdString()};
    for (const QString &tag : m_tags->text().split(u',', Qt::SkipEmptyParts)) {
        if (!tag.trimmed().isEmpty())
            labels.tags.push_back(tag.trimmed().toStdString());
    }
    return labels;
}

AlertRulesDialog::AlertRulesDialog(const AlertRules &rules, QWidget *parent) : QDialog(parent), m_rules(rules)
{
    setWindowTitle(tr("Alert thresholds"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(20, 16, 20, 16);
    column->setSpacing(6);
    column->addWidget(makeLabel(tr("Alert thresholds"), TextKind::Title));
    auto *content = new QWidget;
    auto *fields = new QVBoxLayout(content); // scrolls on a low screen
    fields->setContentsMargins(0, 0, 8, 0);
    fields->setSpacing(6);
    const auto add = [this, fields](const QString &label, double AlertRules::*member, const QString &unit) {
        auto *entry = new TextInput;
        entry->setValue(qs(formatExact(m_rules.*member)));
        auto *row = new FieldRow(label, entry, unit);
        m_rows.emplace_back(row, member);
        fields->addWidget(row);
    };
    add(tr("Stalled after"), &AlertRules::stallFactor, tr("× median step"));
    add(tr("Stalled for at least"), &AlertRules::stallFloor, tr("s"));
    add(tr("Slower than predicted"), &AlertRules::slowFactor, tr("× P90"));
    add(tr("Slower than before"), &AlertRules::baselineFactor, tr("× usual step"));
    add(tr("Slower for at least"), &AlertRules::baselineFor, tr("s"));
    add(tr("Memory in use"), &AlertRules::memoryFraction, tr("of GPU memory"));
    add(tr("Projected cost"), &AlertRules::budgetFraction, tr("× budget"));
    add(tr("Projected time"), &AlertRules::timeFraction, tr("× time limit"));
    add(tr("Idle below"), &AlertRules::idleUse, tr("GPU utilization"));
    add(tr("Idle for at least"), &AlertRules::idleAfter, tr("s"));
    std::vector<FieldRow *> rows;
    for (const auto &[row, member] : m_rows)
        rows.push_back(row);
    FieldRow::align(rows);
    fields->addSpacing(8);
    fields->addWidget(makeLabel(tr("Notify about"), TextKind::Strong));
    auto *grid = new QGridLayout;
    for (std::size_t i = 0; i < EnumNames<AlertKind>::names.size(); ++i) {
        const auto kind = static_cast<AlertKind>(i);
        auto *box = new QCheckBox(alertName(kind));
        box->setChecked(std::find(rules.off.begin(), rules.off.end(), kind) == rules.off.end());
        m_notify[kind] = box;
        grid->addWidget(box, static_cast<int>(i) / 2, static_cast<int>(i) % 2);
    }
    fields->addLayout(grid);
    QScrollArea *area = makeScrolling(content);
    area->setMinimumWidth(content->sizeHint().width() + area->verticalScrollBar()->sizeHint().width());
    column->addWidget(area, 1);
    column->addSpacing(6);
    QDialogButtonBox *box = buttons(this, tr("Save"));
    connect(box->addButton(tr("Restore defaults"), QDialogButtonBox::ResetRole), &QPushButton::clicked, this,
        &AlertRulesDialog::restoreDefaults);
    column->addWidget(box);
    // Without this, the area has the height of a few fields.
    const int hidden = content->sizeHint().height() - area->sizeHint().height();
    resize(withinScreen(*this, sizeHint() + QSize(0, std::max(0, hidden))));
}

// Resets only the fields. The user still has to save them.
void AlertRulesDialog::restoreDefaults()
{
    const AlertRules usual;
    for (const auto &[row, member] : m_rows) {
        row->input()->setValue(qs(formatExact(usual.*member)));
        row->setError({}, {});
    }
    for (const auto &[kind, box] : m_notify)
        box->setChecked(true);
}

std::optional<AlertRules> AlertRulesDialog::rules()
{
    AlertRules rules = m_rules;
    bool good = true;
    for (const auto &[row, member] : m_rows) {
        const std::optional<double> value = parseNumber(withPoint(row->input()->value().trimmed()).toStdString());
        const auto rows = alertThresholds();
        const auto limits = std::find_if(
            rows.begin(), rows.end(), [member = member](const AlertThreshold &one) { return one.value == member; });
        const bool right = value && *value >= limits->least && *value <= limits->most;
        row->setError(right   ? QString()
                      : value ? tr("The value is out of range.")
                              : tr("The value is not a number."),
            right ? QString() : tr("%1 to %2").arg(qs(formatExact(limits->least)), qs(formatExact(limits->most))));
        good = good && right;
        if (right)
            rules.*member = *value;
    }
    rules.off.clear();
    for (const auto &[kind, box] : m_notify) {
        if (!box->isChecked())
            rules.off.push_back(kind);
    }
    return good ? std::optional(rules) : std::nullopt;
}

void AlertRulesDialog::accept()
{
    if (rules())
        QDialog::accept();
}

} // namespace slipway::ui
