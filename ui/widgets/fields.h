// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Inputs of a form. Each holds a text, emits a signal when the user edits it, and can be marked as invalid.
#pragma once

#include <QElapsedTimer>
#include <QWidget>
#include <functional>
#include <vector>

class QButtonGroup;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace slipway::ui {

struct Choice {
    QString value; // in the notation of the setting
    QString shown;
    QString tip;
};

class Input : public QWidget {
    Q_OBJECT
public:
    using QWidget::QWidget;
    [[nodiscard]] virtual QString value() const = 0;
    virtual void setValue(const QString &value) = 0; // emits no signal
    virtual void setInvalid(bool invalid) = 0;

Q_SIGNALS:
    void edited(const QString &value);
};

// Shows choices side by side. With Lines::Several, they wrap into several lines if one line is too narrow.
class SegmentedInput : public Input {
    Q_OBJECT
public:
    enum class Lines { One, Several };
    explicit SegmentedInput(const std::vector<Choice> &choices, Lines lines = Lines::One, QWidget *parent = nullptr);
    [[nodiscard]] QString value() const override;
    void setValue(const QString &value) override;
    void setInvalid(bool invalid) override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    std::vector<Choice> m_choices;
    QButtonGroup *m_group;
    bool m_invalid = false;
};

// Shows a list of choices. Typing any part of a choice selects it. With `free`, any other text is accepted too. A click
// into a free one selects its text, so that typing replaces it.
class ComboInput : public Input {
    Q_OBJECT
public:
    explicit ComboInput(const std::vector<Choice> &choices, bool free = false, QWidget *parent = nullptr);
    ~ComboInput() override;
    void setChoices(const std::vector<Choice> &choices); // keeps the value if it is still a choice
    [[nodiscard]] QString value() const override;
    void setValue(const QString &value) override;
    void setInvalid(bool invalid) override;
    // Returns the value of the only choice that contains `text`, or an empty text.
    [[nodiscard]] QString onlyMatch(const QString &text) const;

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void selectWhenClicked(const QObject *watched, const QEvent &event);
    bool search(const QString &typed);
    [[nodiscard]] int rowWith(const QString &text) const;

    QComboBox *m_box;
    bool m_free;
    bool m_clickedInto = false; // the mouse button that gave the focus is still down
    QString m_typed;            // so far
    QElapsedTimer m_sinceTyped;
};

// Edits a line of text, mostly a number. With a `step` function, arrow keys and buttons change it.
class TextInput : public Input {
    Q_OBJECT
public:
    using Step = std::function<QString(const QString &text, int direction)>;
    explicit TextInput(Step step = {}, QWidget *parent = nullptr);
    [[nodiscard]] QString value() const override;
    void setValue(const QString &value) override;
    void setInvalid(bool invalid) override;
    void setHint(const QString &hint); // shown while the field is empty
    [[nodiscard]] QLineEdit *edit() const { return m_edit; }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void stepBy(int direction);

    QLineEdit *m_edit;
    Step m_step;
};

// Returns the next or previous power of two of an integer. Other texts are returned unchanged.
QString doubledOrHalved(const QString &text, int direction);
QString plusMinusOne(const QString &text, int direction);

// A row of label, input and unit, with an error message or a note below.
class FieldRow : public QWidget {
    Q_OBJECT
public:
    FieldRow(const QString &label, Input *input, const QString &unit = {}, QWidget *parent = nullptr);
    [[nodiscard]] Input *input() const { return m_input; }
    void setError(const QString &what, const QString &accepted = {});
    [[nodiscard]] QString error() const;
    void setNote(const QString &note); // muted; shown only if there is no error
    // Makes the labels and units of these rows equally wide, so that no label is clipped and the fields align. Labels
    // wider than `widestName` wrap. Fields without a unit extend to the end of the units of other rows.
    static void align(const std::vector<FieldRow *> &rows, int widestName = QWIDGETSIZE_MAX);

private:
    void refresh();

    Input *m_input;
    QLabel *m_name, *m_unit, *m_message;
    QString m_error, m_note;
};

} // namespace slipway::ui
