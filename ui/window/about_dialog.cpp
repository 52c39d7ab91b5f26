// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/window/about_dialog.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QFile>
#include <QPlainTextEdit>
#include <QTabWidget>
#include <QTableWidget>
#include <QVBoxLayout>

#include "ui/widgets/plain_table.h"
#include "ui/widgets/screen_room.h"
#include "ui/widgets/text.h"
#include "ui/window/command_palette.h"

namespace slipway::ui {

namespace {

QVBoxLayout *columnOf(QDialog &dialog)
{
    auto *column = new QVBoxLayout(&dialog);
    column->setContentsMargins(20, 16, 20, 16);
    column->setSpacing(10);
    return column;
}

void addClose(QDialog &dialog, QVBoxLayout *column)
{
    auto *box = new QDialogButtonBox(QDialogButtonBox::Close);
    QObject::connect(box, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    column->addWidget(box);
}

void fill(QTableWidget &table, const std::vector<QStringList> &rows)
{
    table.setRowCount(static_cast<int>(rows.size()));
    for (int row = 0; row < table.rowCount(); ++row) {
        for (int cell = 0; cell < table.columnCount(); ++cell)
            setCell(table, row, cell, rows[static_cast<std::size_t>(row)].value(cell));
    }
    fitColumns(table);
}

} // namespace

AboutDialog::AboutDialog(QWidget *parent) : QDialog(parent)
{
    setWindowTitle(tr("About Slipway"));
    resize(withinScreen(*this, {640, 520}));
    QVBoxLayout *column = columnOf(*this);
    column->addWidget(makeLabel(tr("Slipway %1").arg(QStringLiteral(SLIPWAY_VERSION)), TextKind::Title));
    auto *words = makeLabel(tr("Plans, starts and watches the training of small language models.\n"
                               "Copyright 2026 Slipway developers. Slipway is free software under the GNU General "
                               "Public License, version 3, with an additional permission for NVIDIA's libraries. It "
                               "comes without any warranty."),
        TextKind::Body);
    words->setWordWrap(true);
    column->addWidget(words);
    auto *tabs = new QTabWidget;
    QTableWidget *parts = makePlainTable({tr("Component"), tr("License"), tr("Used for")}, tr("Components"));
    fill(*parts, {{tr("Qt %1").arg(QString::fromLatin1(qVersion())), QStringLiteral("LGPL-3.0"), tr("the window")},
                     {QStringLiteral("Qt Charts"), QStringLiteral("GPL-3.0"), tr("live charts")},
                     {QStringLiteral("yaml-cpp"), QStringLiteral("MIT"), tr("configurations and catalogues")},
                     {QStringLiteral("JSON for Modern C++"), QStringLiteral("MIT"), tr("JSON")},
                     {QStringLiteral("CLI11"), QStringLiteral("BSD-3-Clause"), tr("command lines")},
                     {QStringLiteral("{fmt}"), QStringLiteral("MIT"), tr("text")},
                     {QStringLiteral("SQLite"), tr("public domain"), tr("the list of runs")}});
    tabs->addTab(parts, tr("Components"));
    auto *license = new QPlainTextEdit;
    license->setReadOnly(true);
    license->setFont(fontOf(TextKind::Mono));
    license->setAccessibleName(tr("License"));
    if (QFile file(QStringLiteral(":/license/LICENSE")); file.open(QIODevice::ReadOnly))
        license->setPlainText(QString::fromUtf8(file.readAll()));
    tabs->addTab(license, tr("License"));
    column->addWidget(tabs, 1);
    addClose(*this, column);
}

ShortcutsDialog::ShortcutsDialog(const std::vector<Command> &commands, QWidget *parent) : QDialog(parent)
{
    setWindowTitle(tr("Keyboard shortcuts"));
    resize(withinScreen(*this, {600, 620}));
    QVBoxLayout *column = columnOf(*this);
    QTableWidget *table = makePlainTable({tr("Keys"), tr("Command")}, tr("Keyboard shortcuts"));
    std::vector<QStringList> rows;
    for (const Command &command : commands) {
        if (!command.action->shortcut().isEmpty())
            rows.push_back({command.action->shortcut().toString(QKeySequence::NativeText), command.words});
    }
    rows.push_back({tr("Up, Down"), tr("In a number field: the next or the previous value")});
    rows.push_back({tr("Return"), tr("In a table of points or GPUs: use the selected row in the plan")});
    rows.push_back({tr("Delete"), tr("In the list of runs: move the selected run to the trash")});
    rows.push_back({tr("F2"), tr("In the list of runs: rename the selected run")});
    rows.push_back({tr("Left, Right"), tr("In a chart: move the cursor")});
    rows.push_back({QStringLiteral("+, −, 0"), tr("In a chart: zoom in, zoom out, show all")});
    fill(*table, rows);
    column->addWidget(table, 1);
    addClose(*this, column);
}

} // namespace slipway::ui
