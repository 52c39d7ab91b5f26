// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Shows one metric: its label, value, unit, range and source. Predicted, measured and quoted values differ by a mark
// and a text, and not by color alone.
#pragma once

#include <QString>
#include <QWidget>
#include <initializer_list>
#include <vector>

namespace slipway::ui {

enum class Source { Predicted, Measured, Quoted };
QString sourceName(Source source);

struct MetricDisplay {
    QString label;  // such as "Throughput"
    QString value;  // such as "182.4K"
    QString unit;   // such as "tokens/s"
    QString detail; // such as "165K – 199K"
    QString tip;    // the definition in full sentences
    Source source = Source::Predicted;
    bool operator==(const MetricDisplay &) const = default;
};

// Paints the mark of a source: a dashed ring for predicted, a filled dot for measured, and a square, which stands for a
// price tag, for quoted values.
void paintSource(QPainter &painter, QPointF center, Source source, const QPalette &palette);

class MetricTile : public QWidget {
    Q_OBJECT
public:
    explicit MetricTile(QWidget *parent = nullptr);

    void set(const MetricDisplay &figure);
    [[nodiscard]] const MetricDisplay &figure() const { return m_figure; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    MetricDisplay m_figure;
};

// Explains the marks at the foot of a card.
class SourceLegend : public QWidget {
    Q_OBJECT
public:
    explicit SourceLegend(std::initializer_list<Source> sources, QWidget *parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    std::vector<Source> m_sources;
};

} // namespace slipway::ui
