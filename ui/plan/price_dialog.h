// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QDialog>
#include <filesystem>
#include <functional>

#include "ui/plan/price_model.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTableView;

namespace slipway::ui {

// Shows the price books. Shipped books can be copied, and the user's own books can be edited. Edited prices get today's
// date.
class PriceDialog : public QDialog {
    Q_OBJECT
public:
    PriceDialog(const Catalogue &catalogue, std::filesystem::path folder, QWidget *parent = nullptr);

    void showBook(const QString &id); // shows the first book if `id` is unknown
    [[nodiscard]] PriceModel &model() const { return *m_model; }
    [[nodiscard]] QString problem() const;
    // Copies the shown book under a new name.
    void copyAs(const QString &name);
    void save();
    // Imports a price list in the format of SkyPilot's catalogue as the user's own price book `name`. Reports the
    // skipped rows.
    void importList(const std::filesystem::path &file, const std::string &name);
    void reject() override; // asks first if there are unsaved changes

Q_SIGNALS:
    void saved(const QString &book);

private:
    QWidget *makeTable();
    QWidget *makeEdits();
    void fillBooks();
    void showAt(int index);
    void leave(const std::function<void()> &then);
    void askList();
    void setProblem(const QString &problem);
    [[nodiscard]] bool isOwn(const std::string &id) const;

    const Catalogue &m_catalogue;
    std::filesystem::path m_folder;
    PriceBook m_book; // the book before the edits
    PriceModel *m_model;
    QComboBox *m_books;
    int m_shown = 0; // index of the shown price book
    QTableView *m_table;
    QLineEdit *m_name;
    QCheckBox *m_spot;
    QLabel *m_about, *m_problem;
    QPushButton *m_add, *m_remove, *m_copy, *m_import, *m_save;
};

} // namespace slipway::ui
