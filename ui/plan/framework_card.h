// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Shows what the profile of a framework states about the software and the origin of each statement. The values can be
// edited.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "config/apply_framework.h"
#include "hardware/catalogue.h"
#include "ui/plan/plan_document.h"
#include "ui/widgets/card.h"
#include "ui/widgets/fields.h"

class QPushButton;
class QTableView;

namespace slipway::ui {

// Returns the engines of the planner, followed by the profiles sorted by title.
std::vector<Choice> frameworkChoices(const Catalogue &catalogue);

class FrameworkFieldModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Option, Value, KnownBy, Reference, ColumnCount };
    using QAbstractTableModel::QAbstractTableModel;

    // Sets the fields. They are shown in this order: those that the user has set, those that nobody has verified, the
    // others, what the version of PyTorch does.
    void set(std::vector<AppliedField> fields, std::vector<std::string> changed);
    [[nodiscard]] const AppliedField &field(int row) const { return m_fields[static_cast<std::size_t>(row)]; }
    [[nodiscard]] bool isChanged(int row) const;
    // Returns the values that the field accepts. If the list is empty, the field accepts any text.
    [[nodiscard]] std::vector<Choice> choices(int row) const;

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex &index) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role) override;

Q_SIGNALS:
    void edited(const std::string &key, const std::string &value);

private:
    std::vector<AppliedField> m_fields;
    std::vector<std::string> m_changed; // keys of the changed fields
};

class FrameworkCard : public Card {
    Q_OBJECT
public:
    FrameworkCard(PlanDocument &document, const Catalogue &catalogue, QWidget *parent = nullptr);
    [[nodiscard]] FrameworkFieldModel &model() const { return *m_model; }
    [[nodiscard]] QTableView &table() const { return *m_table; }
    [[nodiscard]] QPushButton &resetButton() const { return *m_reset; }

private:
    void refresh();
    void change(const std::string &key, const std::string &value);
    void setOptions(const std::vector<std::string> &options);
    void fit();

    PlanDocument &m_document;
    const Catalogue &m_catalogue;
    FrameworkFieldModel *m_model;
    QTableView *m_table;
    QLabel *m_problem; // why a change was refused
    QPushButton *m_reset;
};

} // namespace slipway::ui
