// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/window/command_palette.h"

#include <QAction>
#include <QCoreApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QPointer>
#include <QVBoxLayout>

#include <algorithm>
#include <tuple>

#include "ui/language/language.h"
#include "ui/widgets/screen_room.h"

namespace slipway::ui {

namespace {

constexpr int kWidth = 560, kHeight = 380;

QString withoutMnemonic(QString text)
{
    text.replace(QStringLiteral("&&"), QStringLiteral("\n"));
    text.remove(u'&');
    return text.replace(u'\n', u'&');
}

QString joined(const QString &path, const QString &text)
{
    return path.isEmpty() ? withoutMnemonic(text) : path + QStringLiteral(" › ") + withoutMnemonic(text);
}

void collect(
    const QList<QAction *> &entries, const QString &path, const QString &englishPath, std::vector<Command> &into)
{
    for (QAction *entry : entries) {
        if (entry->isSeparator() || !entry->isVisible())
            continue;
        const QString words = joined(path, entry->text()), english = joined(englishPath, englishText(entry->text()));
        if (entry->menu())
            collect(entry->menu()->actions(), words, english, into);
        else
            into.push_back({.action = entry, .words = words, .also = english});
    }
}

// Returns 0 for a match at the beginning of a word, 1 for one inside a word, and -1 if there is none.
int rankOfWord(const QString &text, const QString &word)
{
    const qsizetype at = text.indexOf(word, 0, Qt::CaseInsensitive);
    return at < 0 ? -1 : at > 0 && text[at - 1].isLetterOrNumber() ? 1 : 0;
}

// Returns a rank that places matches of the shown words before others, and matches at the beginning of a word before
// matches inside a word, or -1 if the entry does not match.
int rankOf(const Command &command, const QStringList &wanted)
{
    if (wanted.isEmpty() && !command.inMenu)
        return -1;
    int rank = 0;
    for (const QString &word : wanted) {
        const int shown = rankOfWord(command.words, word);
        const int other = shown >= 0 ? -1 : rankOfWord(command.also, word);
        if (shown < 0 && other < 0)
            return -1;
        rank += shown >= 0 ? shown : 2 + other;
    }
    return rank;
}

} // namespace

std::vector<Command> commandsOf(const QMenuBar &bar)
{
    std::vector<Command> commands;
    collect(bar.actions(), {}, {}, commands);
    return commands;
}

CommandPalette::CommandPalette(std::vector<Command> commands, QWidget *parent)
    : QDialog(parent),
      m_commands(std::move(commands)),
      m_search(new QLineEdit),
      m_list(new QListWidget)
{
    setWindowTitle(tr("Command palette"));
    resize(withinScreen(*this, {kWidth, kHeight}));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(12, 12, 12, 12);
    m_search->setPlaceholderText(tr("Search commands, settings and GPUs"));
    m_search->setAccessibleName(tr("Command"));
    m_search->installEventFilter(this);
    m_list->setAccessibleName(tr("Commands"));
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setFrameShape(QFrame::NoFrame);
    column->addWidget(m_search);
    column->addWidget(m_list, 1);
    connect(m_search, &QLineEdit::textChanged, this, &CommandPalette::refresh);
    connect(m_search, &QLineEdit::returnPressed, this, &CommandPalette::choose);
    connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::choose);
    refresh();
}

void CommandPalette::refresh()
{
    const QStringList wanted = m_search->text().split(u' ', Qt::SkipEmptyParts);
    std::vector<std::tuple<bool, int, int>> ranked; // commands of menus first; rank and index
    for (std::size_t i = 0; i < m_commands.size(); ++i) {
        if (const int rank = rankOf(m_commands[i], wanted); rank >= 0)
            ranked.emplace_back(!m_commands[i].inMenu, rank, static_cast<int>(i));
    }
    std::sort(ranked.begin(), ranked.end());
    m_list->clear();
    for (const auto &[last, rank, place] : ranked) {
        const Command &command = m_commands[static_cast<std::size_t>(place)];
        const QString keys = command.action->shortcut().toString(QKeySequence::NativeText);
        auto *item = new QListWidgetItem(keys.isEmpty() ? command.words : command.words + QStringLiteral("   ") + keys);
        item->setData(Qt::UserRole, place);
        item->setToolTip(command.action->toolTip());
        if (!command.action->isEnabled())
            item->setFlags(Qt::NoItemFlags);
        m_list->addItem(item);
    }
    if (ranked.empty())
        (new QListWidgetItem(tr("No command, setting or GPU has these words."), m_list))->setFlags(Qt::NoItemFlags);
    for (int row = 0; row < m_list->count() && m_list->currentRow() < 0; ++row) {
        if (m_list->item(row)->flags() & Qt::ItemIsEnabled)
            m_list->setCurrentRow(row);
    }
}

void CommandPalette::choose()
{
    const QListWidgetItem *item = m_list->currentItem();
    if (!item || !(item->flags() & Qt::ItemIsEnabled))
        return;
    const QPointer<QAction> action = m_commands[item->data(Qt::UserRole).toULongLong()].action;
    accept();
    if (action) // the action may open a dialog, which must not be a child of this one
        QMetaObject::invokeMethod(action, &QAction::trigger, Qt::QueuedConnection);
}

bool CommandPalette::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        if (key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_PageUp || key == Qt::Key_PageDown)
            return QCoreApplication::sendEvent(m_list, event);
    }
    return QDialog::eventFilter(watched, event);
}

} // namespace slipway::ui
