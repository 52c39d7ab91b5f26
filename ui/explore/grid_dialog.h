// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Edits a grid: which settings it varies, and over which values. The dialog shows at once how many points the grid has.
#pragma once

#include <QDialog>
#include <optional>

#include "explore/grid.h"

class QLabel;
class QPushButton;
class QTableWidget;

namespace slipway::ui {

class ComboInput;

inline constexpr const char *kEditedGridName = "edited"; // the name of a grid that the dialog returns

class GridDialog : public QDialog {
    Q_OBJECT
public:
    // `base` gives the settings that the grid does not vary. The prediction of one point takes `secondsPerPoint`.
    GridDialog(const Grid &grid, RunConfig base, double secondsPerPoint, QWidget *parent = nullptr);

    // Returns the edited grid, or an error that describes an invalid value.
    [[nodiscard]] Result<Grid> grid() const;
    [[nodiscard]] QTableWidget &table() const { return *m_table; }
    [[nodiscard]] QString status() const;
    [[nodiscard]] QPushButton &exploreButton() const { return *m_explore; }
    void addAxis(const QString &key);
    void removeAxis();
    Result<void> save(const QString &path) const;

Q_SIGNALS:
    void chosen(const slipway::Grid &grid);

private:
    void fill(const Grid &grid);
    void setRow(int row, const QString &key, const QString &values);
    void refresh();
    void refreshChoices();
    void askSave();

    RunConfig m_base;
    double m_secondsPerPoint;
    QTableWidget *m_table;
    ComboInput *m_more;
    QPushButton *m_remove, *m_explore, *m_save;
    QLabel *m_status;
};

// Returns the grid as YAML. readGrid() reads it as an equal grid.
std::string gridYaml(const Grid &grid);

} // namespace slipway::ui
