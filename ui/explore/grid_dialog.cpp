// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/explore/grid_dialog.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

#include "base/file.h"
#include "base/text.h"
#include "config/settings.h"
#include "ui/language/local_text.h"
#include "ui/plan/display_names.h"
#include "ui/theme/style.h"
#include "ui/widgets/fields.h"
#include "ui/widgets/message.h"
#include "ui/widgets/save_path.h"
#include "ui/widgets/screen_room.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kSetting = 0, kValues = 1;

QStringList valuesOf(const QString &text)
{
    QStringList values;
    for (const QString &value : text.split(u',')) {
        if (!value.trimmed().isEmpty())
            values << value.trimmed();
    }
    return values;
}

std::string quoted(const std::string &value)
{
    std::string text = "\"";
    for (const char c : value) {
        if (c == '"' || c == '\\')
            text += '\\';
        text += c;
    }
    return text + '"';
}

} // namespace

std::string gridYaml(const Grid &grid)
{
    std::string yaml;
    for (const GridAxis &axis : grid.axes) {
        yaml += axis.key + ": [";
        for (std::size_t i = 0; i < axis.values.size(); ++i)
            yaml += (i > 0 ? ", " : "") + quoted(axis.values[i]);
        yaml += "]\n";
    }
    return yaml;
}

GridDialog::GridDialog(const Grid &grid, RunConfig base, double secondsPerPoint, QWidget *parent)
    : QDialog(parent),
      m_base(std::move(base)),
      m_secondsPerPoint(secondsPerPoint),
      m_table(new QTableWidget(0, 2)),
      m_more(new ComboInput({})),
      m_remove(new QPushButton(tr("&Remove"))),
      m_explore(new QPushButton(tr("&Explore"))),
      m_save(new QPushButton(tr("&Save…"))),
      m_status(makeLabel({}, TextKind::Body))
{
    setWindowTitle(tr("Edit the grid"));
    resize(withinScreen(*this, {640, 460}));
    auto *column = new QVBoxLayout(this);
    auto *words =
        makeLabel(tr("Each combination of these values is one point. Separate values by commas."), TextKind::Body);
    words->setWordWrap(true);
    column->addWidget(words);
    m_table->setHorizontalHeaderLabels({tr("Setting"), tr("Values")});
    m_table->setAccessibleName(tr("Settings of the grid"));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->horizontalHeader()->setStretchLastSection(true);
    column->addWidget(m_table, 1);
    auto *edit = new QHBoxLayout;
    m_more->setAccessibleName(tr("Add a setting"));
    m_more->focusProxy()->setAccessibleName(tr("Add a setting"));
    m_remove->setToolTip(tr("Leave the selected setting out of the grid"));
    edit->addWidget(makeLabel(tr("Add:"), TextKind::Muted));
    edit->addWidget(m_more, 1);
    edit->addWidget(m_remove);
    column->addLayout(edit);
    m_status->setWordWrap(true);
    column->addWidget(m_status);
    auto *buttons = new QHBoxLayout;
    auto *cancel = new QPushButton(tr("Cancel"));
    m_explore->setProperty(kPrimary, true);
    m_explore->setDefault(true);
    buttons->addWidget(m_save);
    buttons->addStretch(1);
    buttons->addWidget(cancel);
    buttons->addWidget(m_explore);
    column->addLayout(buttons);
    fill(grid);
    connect(m_table, &QTableWidget::cellChanged, this, &GridDialog::refresh);
    connect(m_table, &QTableWidget::itemSelectionChanged, this,
        [this] { m_remove->setEnabled(m_table->currentRow() >= 0); });
    connect(m_more, &ComboInput::edited, this, &GridDialog::addAxis);
    connect(m_remove, &QPushButton::clicked, this, &GridDialog::removeAxis);
    connect(m_save, &QPushButton::clicked, this, &GridDialog::askSave);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_explore, &QPushButton::clicked, this, [this] {
        if (const Result<Grid> edited = this->grid()) {
            Q_EMIT chosen(*edited);
            accept();
        }
    });
    m_remove->setEnabled(false);
    refresh();
}

void GridDialog::fill(const Grid &grid)
{
    for (const GridAxis &axis : grid.axes) {
        QStringList values;
        for (const std::string &value : axis.values)
            values << qs(value);
        const int row = m_table->rowCount();
        m_table->insertRow(row);
        setRow(row, qs(axis.key), values.join(QStringLiteral(", ")));
    }
    m_table->resizeColumnToContents(kSetting);
}

void GridDialog::setRow(int row, const QString &key, const QString &values)
{
    auto *name = new QTableWidgetItem(settingName(key.toStdString()));
    name->setData(Qt::UserRole, key);
    name->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
    if (const Setting *setting = findSetting(key.toStdString()))
        name->setToolTip(tr("Accepted: %1").arg(qs(setting->accepted())));
    m_table->setItem(row, kSetting, name);
    m_table->setItem(row, kValues, new QTableWidgetItem(values));
}

void GridDialog::addAxis(const QString &key)
{
    const Setting *setting = findSetting(key.toStdString());
    if (setting == nullptr)
        return;
    QStringList values;
    for (const std::string &choice : setting->choices())
        values << qs(choice);
    if (values.isEmpty())
        values << qs(settingText(*setting, m_base));
    const int row = m_table->rowCount();
    m_table->insertRow(row);
    setRow(row, key, values.join(QStringLiteral(", ")));
    m_table->setCurrentCell(row, kValues);
    refresh();
}

void GridDialog::removeAxis()
{
    if (m_table->currentRow() >= 0)
        m_table->removeRow(m_table->currentRow());
    refresh();
}

Result<Grid> GridDialog::grid() const
{
    Grid grid{.name = kEditedGridName};
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const QTableWidgetItem *name = m_table->item(row, kSetting), *cell = m_table->item(row, kValues);
        if (name == nullptr || cell == nullptr)
            continue; // a row that is being inserted
        GridAxis axis{.key = name->data(Qt::UserRole).toString().toStdString()};
        for (const QString &value : valuesOf(cell->text())) {
            const Result<RunConfig> taken = applySetting(m_base, axis.key, value.toStdString());
            if (!taken)
                return taken.error();
            axis.values.push_back(value.toStdString());
        }
        if (axis.values.empty())
            return Error{.what = "has no values", .where = findSetting(axis.key)->flag(), .accepted = "one or more"};
        grid.axes.push_back(std::move(axis));
    }
    if (grid.axes.empty())
        return Error{.what = "the grid varies no setting", .accepted = "one or more settings"};
    if (grid.size() > kLargestGrid)
        return Error{.what = "the grid has too many points", .accepted = "at most " + std::to_string(kLargestGrid)};
    return grid;
}

void GridDialog::refresh()
{
    const Result<Grid> edited = grid();
    m_explore->setEnabled(static_cast<bool>(edited));
    m_save->setEnabled(static_cast<bool>(edited));
    m_status->setForegroundRole(edited ? QPalette::WindowText : QPalette::BrightText);
    if (edited)
        m_status->setText(tr("%L1 points, about %2")
                .arg(edited->size())
                .arg(localText(formatSeconds(static_cast<double>(edited->size()) * m_secondsPerPoint))));
    else
        m_status->setText(fieldMessage(edited.error()));
    refreshChoices();
}

// Offers the settings of a plan that the grid does not vary yet.
void GridDialog::refreshChoices()
{
    std::vector<Choice> choices;
    for (const Setting &setting : settings()) {
        bool there = setting.runOnly || setting.isFrameworkOption();
        for (int row = 0; row < m_table->rowCount() && !there; ++row) {
            const QTableWidgetItem *name = m_table->item(row, kSetting);
            there = name != nullptr && name->data(Qt::UserRole).toString() == qs(setting.key);
        }
        if (!there)
            choices.push_back({qs(setting.key), settingName(setting.key), {}});
    }
    std::sort(choices.begin(), choices.end(),
        [](const Choice &a, const Choice &b) { return a.shown.localeAwareCompare(b.shown) < 0; });
    m_more->setChoices(choices);
    m_more->setValue({});
}

QString GridDialog::status() const { return m_status->text(); }

Result<void> GridDialog::save(const QString &path) const
{
    const Result<Grid> edited = grid();
    return edited ? writeNamedFile(pathFrom(path), gridYaml(*edited)) : Result<void>(edited.error());
}

void GridDialog::askSave()
{
    askSavePath(
        this, tr("Save the grid"), QStringLiteral("grid.yaml"), QStringLiteral("yaml"), [this](const QString &path) {
            if (const Result<void> saved = save(path); !saved)
                showProblem(this, tr("Save the grid"), fieldMessage(saved.error()));
        });
}

} // namespace slipway::ui
