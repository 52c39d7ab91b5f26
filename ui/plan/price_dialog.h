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

// Price books: the shipped ones to read and to copy, the user's own to edit. What is changed is dated today, and kept
// apart from what was shipped.
class PriceDialog : public QDialog {
    Q_OBJECT
public:
    PriceDialog(const Catalogue &catalogue, std::filesystem::path folder, QWidget *parent = nullptr);

    void showBook(const QString &id); // the first one where it is not known
    [[nodiscard]] PriceModel &model() const { return *m_model; }
    [[nodiscard]] QString problem() const;
    // The shown book's rows under a name of their own.
    void copyAs(const QString &name);
    void save();
    // A price list in the format of SkyPilot's catalogue, as books of the user's own under `name`; says what was left
    // out of it.
    void importList(const std::filesystem::path &file, const std::string &name);
    void reject() override; // asks first where changes are not saved

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
    PriceBook m_book; // as it was before the edits
    PriceModel *m_model;
    QComboBox *m_books;
    int m_shown = 0; // of the books
    QTableView *m_table;
    QLineEdit *m_name;
    QCheckBox *m_spot;
    QLabel *m_about, *m_problem;
    QPushButton *m_add, *m_remove, *m_copy, *m_import, *m_save;
};

} // namespace slipway::ui
