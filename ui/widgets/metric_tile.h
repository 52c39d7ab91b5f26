// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// One metric: its label, value, unit, range and source. Predicted, measured and quoted values differ by a mark and a
// text, not by color alone.
#pragma once

#include <QString>
#include <QWidget>
#include <initializer_list>
#include <vector>

namespace slipway::ui {

enum class Source { Predicted, Measured, Quoted };
QString sourceName(Source source);

struct MetricDisplay {
    QString label;  // "Throughput"
    QString value;  // "182.4K"
    QString unit;   // "tokens/s"
    QString detail; // "165K – 199K"
    QString tip;    // the definition, as sentences
    Source source = Source::Predicted;
    bool operator==(const MetricDisplay &) const = default;
};

// Predicted: a dashed ring. Measured: a filled dot. Quoted: a price tag's square.
void paintSource(QPainter &painter, QPointF centre, Source source, const QPalette &palette);

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
