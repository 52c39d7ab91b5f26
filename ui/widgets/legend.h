// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Shows the legend of a chart with its values, as a flow below the chart or as a list with shares.
#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <vector>

namespace slipway::ui {

enum class LegendMark { Square, Line, Dashes, Band, Dot, Cross };

struct LegendEntry {
    QString name, value, share;
    QColor light, dark;
    LegendMark mark = LegendMark::Square;
    std::size_t shape = 0; // shape of a dot or of a mark on a line
};

class Legend : public QWidget {
    Q_OBJECT
public:
    enum class Form { Flow, List };
    explicit Legend(Form form, QWidget *parent = nullptr);

    void set(std::vector<LegendEntry> entries);
    [[nodiscard]] const std::vector<LegendEntry> &entries() const { return m_entries; }
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    [[nodiscard]] int entryWidth(const LegendEntry &entry) const;
    [[nodiscard]] std::vector<QRect> places(int width) const;

    Form m_form;
    std::vector<LegendEntry> m_entries;
};

} // namespace slipway::ui
