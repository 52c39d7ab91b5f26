// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// One figure: what it is, its value with its unit, its range, and where it comes from. Predicted, measured and quoted
// differ in shape and word, not in color alone.
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
    QString detail; // "P10–P90 165K–199K"
    QString tip;    // how it is defined, where it comes from
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

// Which mark means what; for the foot of a page.
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
