// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QDialog>
#include <vector>

namespace slipway::ui {

// Shows the version, the license, and the libraries that the program contains or loads.
class AboutDialog : public QDialog {
    Q_OBJECT
public:
    explicit AboutDialog(QWidget *parent = nullptr);
};

struct Command;

// Lists every command with a shortcut, and the keys of charts and tables.
class ShortcutsDialog : public QDialog {
    Q_OBJECT
public:
    explicit ShortcutsDialog(const std::vector<Command> &commands, QWidget *parent = nullptr);
};

} // namespace slipway::ui
