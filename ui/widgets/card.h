// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QLabel>
#include <QVBoxLayout>
#include <QWidget>

namespace slipway::ui {

// A rounded surface with a title row. Widgets are added to body().
class Card : public QWidget {
    Q_OBJECT
public:
    explicit Card(const QString &title = {}, QWidget *parent = nullptr);

    void setTitle(const QString &title);
    // Sets the muted text after the title.
    void setHint(const QString &hint);
    // Places the widget at the right of the title row.
    void addToTitle(QWidget *widget);
    // Puts the widgets of the title row below the title if a card of this width has no space for them beside it.
    void fitTitle(int width);
    [[nodiscard]] QVBoxLayout *body() const { return m_body; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QHBoxLayout *m_titleRow;
    QLabel *m_title, *m_hint;
    QVBoxLayout *m_body;
};

// Shows a short text on a tinted background, such as a verdict or a state.
class Pill : public QWidget {
    Q_OBJECT
public:
    enum class Tone { Neutral, Accent, Good, Warn, Bad };
    explicit Pill(QWidget *parent = nullptr);

    void set(const QString &text, Tone tone);
    void setLarge(bool large);
    [[nodiscard]] QString text() const { return m_text; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_text;
    Tone m_tone = Tone::Neutral;
    bool m_large = false;
};

// Paints a pill. Used by item delegates.
void paintPill(QPainter &painter, const QRectF &box, const QString &text, Pill::Tone tone, const QPalette &palette);

} // namespace slipway::ui
