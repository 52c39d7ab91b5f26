// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QDialog>
#include <vector>

class QAction;
class QLineEdit;
class QListWidget;
class QMenuBar;

namespace slipway::ui {

// An entry of the menu bar, together with the menus that lead to it, or an entry that the palette alone has.
struct Command {
    QAction *action = nullptr;
    QString words;      // such as "Plan › Launch…", without the marks of mnemonics
    QString also = {};  // more words that find it: English ones, keys, other names
    bool inMenu = true; // otherwise, it is listed only if the user searches
};
std::vector<Command> commandsOf(const QMenuBar &bar);

// Finds a command by parts of its words and triggers it. Disabled commands are shown, but cannot be triggered.
class CommandPalette : public QDialog {
    Q_OBJECT
public:
    explicit CommandPalette(std::vector<Command> commands, QWidget *parent = nullptr);

    [[nodiscard]] QLineEdit &searchField() const { return *m_search; }
    [[nodiscard]] QListWidget &list() const { return *m_list; }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override; // passes arrow keys on to the list

private:
    void refresh();
    void choose();

    std::vector<Command> m_commands;
    QLineEdit *m_search;
    QListWidget *m_list;
};

} // namespace slipway::ui
