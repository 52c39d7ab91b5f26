// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/fields.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QButtonGroup>
#include <QComboBox>
#include <QCompleter>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <QStyle>
#include <QToolButton>

#include "ui/theme/theme_colors.h"
#include "ui/theme/style.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/path_edit.h"
#include "ui/widgets/segment_button.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kLabelWidth = 116;

void markInvalid(QWidget &widget, bool invalid)
{
    widget.setProperty(kInvalid, invalid);
    widget.update();
}

// An input of several lines is not stretched beside a name of even more lines.
Qt::Alignment alignmentOf(const QWidget &input)
{
    return input.sizePolicy().hasHeightForWidth() ? Qt::AlignVCenter : Qt::Alignment();
}

} // namespace

SegmentedInput::SegmentedInput(const std::vector<Choice> &choices, Lines lines, QWidget *parent)
    : Input(parent),
      m_choices(choices),
      m_group(new QButtonGroup(this))
{
    FlowLayout *flow = lines == Lines::Several ? new FlowLayout(1, this) : nullptr;
    QHBoxLayout *row = flow == nullptr ? new QHBoxLayout(this) : nullptr;
    layout()->setContentsMargins(2, 2, 2, 2);
    layout()->setSpacing(1);
    if (flow != nullptr)
        flow->setFillsLines(true);
    m_group->setExclusive(true);
    for (std::size_t i = 0; i < m_choices.size(); ++i) {
        auto *button = new SegmentButton(m_choices[i].shown, this);
        button->setToolTip(m_choices[i].tip);
        m_group->addButton(button, static_cast<int>(i));
        if (flow != nullptr)
            flow->addWidget(button);
        else
            row->addWidget(button, button->sizeHint().width()); // longer texts get wider segments
    }
    // A fixed height would be that of one line.
    QSizePolicy policy(QSizePolicy::Preferred, flow != nullptr ? QSizePolicy::Minimum : QSizePolicy::Fixed);
    policy.setHeightForWidth(flow != nullptr);
    setSizePolicy(policy);
    connect(m_group, &QButtonGroup::idClicked, this,
        [this](int id) { Q_EMIT edited(m_choices[static_cast<std::size_t>(id)].value); });
}

QString SegmentedInput::value() const
{
    const int id = m_group->checkedId();
    return id < 0 ? QString() : m_choices[static_cast<std::size_t>(id)].value;
}

void SegmentedInput::setValue(const QString &value)
{
    for (std::size_t i = 0; i < m_choices.size(); ++i) {
        if (m_choices[i].value == value)
            m_group->button(static_cast<int>(i))->setChecked(true);
    }
}

void SegmentedInput::setInvalid(bool invalid)
{
    m_invalid = invalid;
    update();
}

void SegmentedInput::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(themeColor(m_invalid ? ThemeColor::Bad : ThemeColor::Border, palette()), m_invalid ? 1.6 : 1));
    painter.setBrush(themeColor(ThemeColor::Raised, palette()));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

ComboInput::ComboInput(const std::vector<Choice> &choices, bool free, QWidget *parent)
    : Input(parent),
      m_box(new QComboBox(this)),
      m_free(free)
{
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_box);
    setFocusProxy(m_box);
    if (free)
        m_box->setLineEdit(new PathEdit);
    m_box->setInsertPolicy(QComboBox::NoInsert);
    m_box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_box->setMinimumContentsLength(6);
    m_box->setMaxVisibleItems(18);
    m_box->setFocusPolicy(Qt::StrongFocus); // scrolling over the field must not give it the focus
    m_box->installEventFilter(this);
    m_box->view()->installEventFilter(this);
    setChoices(choices);
    connect(m_box, &QComboBox::activated, this, [this](int) { Q_EMIT edited(value()); });
    if (free) {
        m_box->lineEdit()->installEventFilter(this);
        m_box->lineEdit()->setFrame(false);
        // Typing searches the list. A title is found by any of its words.
        m_box->completer()->setFilterMode(Qt::MatchContains);
        m_box->completer()->setCompletionMode(QCompleter::PopupCompletion);
        // Leaving an unmodified field does not choose its value again, because choosing a model again would discard
        // changes of its shape.
        connect(m_box->lineEdit(), &QLineEdit::editingFinished, this, [this] {
            if (!m_box->lineEdit()->isModified())
                return;
            m_box->lineEdit()->setModified(false);
            Q_EMIT edited(value());
        });
    }
}

// A line edit with the focus finishes editing when ~QWidget takes the focus. This is no ComboInput any more then.
ComboInput::~ComboInput()
{
    if (m_free)
        m_box->lineEdit()->disconnect(this);
}

void ComboInput::setChoices(const std::vector<Choice> &choices)
{
    const QString kept = m_box->count() > 0 ? value() : QString();
    m_box->clear();
    for (const Choice &choice : choices) {
        m_box->addItem(choice.shown, choice.value);
        if (!choice.tip.isEmpty())
            m_box->setItemData(m_box->count() - 1, choice.tip, Qt::ToolTipRole);
    }
    m_box->view()->setMinimumWidth(
        m_box->view()->sizeHintForColumn(0) + 2 * m_box->view()->verticalScrollBar()->sizeHint().width());
    if (!kept.isEmpty())
        setValue(kept);
}

bool ComboInput::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Wheel && watched == m_box) { // scrolling the form must not change a value
        event->ignore();
        return true;
    }
    if (m_free)
        selectWhenClicked(watched, *event);
    if (event->type() == QEvent::KeyPress && !m_free) {
        const auto &key = *static_cast<QKeyEvent *>(event);
        constexpr Qt::KeyboardModifiers kCommands = Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier;
        if ((key.modifiers() & kCommands) == 0 && search(key.text()))
            return true;
    }
    return Input::eventFilter(watched, event);
}

// Selects the text when the button is released, because pressing it sets the cursor. Text that was selected by dragging
// stays selected.
void ComboInput::selectWhenClicked(const QObject *watched, const QEvent &event)
{
    QLineEdit &edit = *m_box->lineEdit();
    if (watched == m_box && event.type() == QEvent::FocusIn)
        m_clickedInto = static_cast<const QFocusEvent &>(event).reason() == Qt::MouseFocusReason;
    else if (watched == m_box && event.type() == QEvent::MouseButtonPress) // opens the list
        m_clickedInto = false;
    else if (watched == &edit && event.type() == QEvent::MouseButtonRelease && std::exchange(m_clickedInto, false) &&
             !edit.hasSelectedText())
        edit.selectAll();
}

// Qt searches for the beginning of a choice only, but a GPU is known by its number: "4090", not "GeForce RTX 4090".
bool ComboInput::search(const QString &typed)
{
    if (typed.isEmpty() || !typed.front().isPrint())
        return false;
    if (!m_sinceTyped.isValid() || m_sinceTyped.elapsed() >= qint64{2} * QApplication::keyboardInputInterval())
        m_typed.clear();
    if (m_typed.isEmpty() && typed == QStringLiteral(" "))
        return false; // opens the list, or chooses
    m_typed += typed;
    m_sinceTyped.start();
    const int row = rowWith(m_typed);
    if (row < 0)
        return true;
    if (m_box->view()->isVisible()) {
        m_box->view()->setCurrentIndex(m_box->model()->index(row, m_box->modelColumn(), m_box->rootModelIndex()));
    } else if (row != m_box->currentIndex()) {
        m_box->setCurrentIndex(row);
        Q_EMIT edited(value());
    }
    return true;
}

// Prefers a choice that begins with `text` to one with a word that does, to one that contains it, and to one whose
// value does ("cpu"). Where one letter is typed several times, the next choice follows. A longer text finds the first
// choice, wherever its beginning has led.
int ComboInput::rowWith(const QString &text) const
{
    const bool repeated = text.count(text.front(), Qt::CaseInsensitive) == text.size();
    const QString searched = repeated ? QString(text.front()) : text;
    const bool open = m_box->view()->isVisible();
    const int now = open ? m_box->view()->currentIndex().row() : m_box->currentIndex();
    const int first = repeated ? std::max(0, now) + 1 : 0;
    const QRegularExpression word(
        QStringLiteral("\\b") + QRegularExpression::escape(searched), QRegularExpression::CaseInsensitiveOption);
    const std::function<bool(int)> rules[] = {
        [&](int row) { return m_box->itemText(row).startsWith(searched, Qt::CaseInsensitive); },
        [&](int row) { return m_box->itemText(row).contains(word); },
        [&](int row) { return m_box->itemText(row).contains(searched, Qt::CaseInsensitive); },
        [&](int row) { return m_box->itemData(row).toString().startsWith(searched, Qt::CaseInsensitive); }};
    for (const auto &matches : rules) {
        for (int i = 0; i < m_box->count(); ++i) {
            const int row = (first + i) % m_box->count();
            if (matches(row))
                return row;
        }
    }
    return -1;
}

QString ComboInput::value() const
{
    const int row = m_free ? m_box->findText(m_box->currentText()) : m_box->currentIndex();
    return row >= 0 ? m_box->itemData(row).toString() : m_box->currentText();
}

void ComboInput::setValue(const QString &value)
{
    const int row = m_box->findData(value);
    if (row >= 0)
        m_box->setCurrentIndex(row);
    else if (m_free)
        m_box->setEditText(value);
    else
        m_box->setCurrentIndex(-1);
    if (m_free)
        m_box->lineEdit()->setCursorPosition(0); // the beginning of a long name says more than its end
    m_box->setToolTip(tipText(m_box->currentText()));
}

QString ComboInput::onlyMatch(const QString &text) const
{
    int found = -1;
    for (int row = 0; row < m_box->count(); ++row) {
        if (!m_box->itemText(row).contains(text, Qt::CaseInsensitive))
            continue;
        if (found >= 0)
            return {};
        found = row;
    }
    return found >= 0 && !text.isEmpty() ? m_box->itemData(found).toString() : QString();
}

void ComboInput::setInvalid(bool invalid) { markInvalid(*m_box, invalid); }

TextInput::TextInput(Step step, QWidget *parent) : Input(parent), m_edit(new PathEdit(this)), m_step(std::move(step))
{
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    row->addWidget(m_edit, 1);
    setFocusProxy(m_edit);
    m_edit->setTextMargins(4, 0, 4, 0);
    m_edit->installEventFilter(this);
    connect(m_edit, &QLineEdit::textEdited, this, &TextInput::edited);
    if (!m_step)
        return;
    for (const int direction : {-1, 1}) {
        auto *button = new QPushButton(direction < 0 ? QStringLiteral("−") : QStringLiteral("+"), this);
        button->setFixedSize(28, 30);
        button->setFocusPolicy(Qt::NoFocus);
        button->setAutoRepeat(true);
        button->setAccessibleName(direction < 0 ? tr("Decrease") : tr("Increase"));
        connect(button, &QPushButton::clicked, this, [this, direction] { stepBy(direction); });
        row->addWidget(button);
    }
}

QString TextInput::value() const { return m_edit->text().trimmed(); }

void TextInput::setValue(const QString &value)
{
    if (value != m_edit->text().trimmed())
        m_edit->setText(value);
}

void TextInput::setInvalid(bool invalid) { markInvalid(*m_edit, invalid); }
void TextInput::setHint(const QString &hint) { m_edit->setPlaceholderText(hint); }

void TextInput::stepBy(int direction)
{
    const QString next = m_step(value(), direction);
    if (next == value())
        return;
    m_edit->setText(next);
    Q_EMIT edited(next);
}

bool TextInput::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::KeyPress && m_step) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        if (key == Qt::Key_Up || key == Qt::Key_Down) {
            stepBy(key == Qt::Key_Up ? 1 : -1);
            return true;
        }
    }
    return Input::eventFilter(watched, event);
}

QString doubledOrHalved(const QString &text, int direction)
{
    bool whole = false;
    const qlonglong value = text.toLongLong(&whole);
    if (!whole || value < 1)
        return text;
    qlonglong power = 1;
    while (power * 2 <= value)
        power *= 2;
    if (direction > 0)
        return QString::number(power * 2);
    return QString::number(power == value ? std::max<qlonglong>(1, power / 2) : power);
}

QString plusMinusOne(const QString &text, int direction)
{
    bool whole = false;
    const qlonglong value = text.toLongLong(&whole);
    return whole ? QString::number(std::max<qlonglong>(1, value + direction)) : text;
}

FieldRow::FieldRow(const QString &label, Input *input, const QString &unit, QWidget *parent)
    : QWidget(parent),
      m_input(input),
      m_name(makeLabel(label, TextKind::Body)),
      m_unit(makeLabel(unit, TextKind::Muted)),
      m_message(makeLabel({}, TextKind::Small))
{
    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(2);
    m_name->setFixedWidth(kLabelWidth);
    m_name->setWordWrap(true); // names are longer in some languages
    m_name->setBuddy(input->focusProxy() != nullptr ? input->focusProxy() : input);
    grid->addWidget(m_name, 0, 0);
    grid->addWidget(input, 0, 1, alignmentOf(*input));
    grid->setColumnStretch(1, 1);
    input->setAccessibleName(label);
    if (input->focusProxy() != nullptr)
        input->focusProxy()->setAccessibleName(label);
    grid->addWidget(m_unit, 0, 2);
    m_unit->setVisible(!unit.isEmpty());
    m_message->setWordWrap(true);
    m_message->hide();
    grid->addWidget(m_message, 1, 1, 1, unit.isEmpty() ? 1 : 2);
}

void FieldRow::align(const std::vector<FieldRow *> &rows, int widestName)
{
    int name = 0, unit = 0;
    for (const FieldRow *row : rows) {
        name = std::max(name, row->m_name->fontMetrics().horizontalAdvance(row->m_name->text()) + 2);
        unit = std::max(unit, row->m_unit->sizeHint().width());
    }
    const bool wraps = name > widestName;
    name = std::min(name, widestName);
    for (const FieldRow *row : rows) {
        row->m_name->setWordWrap(wraps);
        row->m_name->setFixedWidth(name);
        row->m_unit->setFixedWidth(unit);
        row->m_unit->setVisible(!row->m_unit->text().isEmpty());
        if (row->m_unit->text().isEmpty()) {
            auto *grid = static_cast<QGridLayout *>(row->layout());
            grid->removeWidget(row->m_input);
            grid->addWidget(row->m_input, 0, 1, 1, 2, alignmentOf(*row->m_input));
        }
    }
}

void FieldRow::setError(const QString &what, const QString &accepted)
{
    m_error = sentence(what); // core writes incomplete sentences
    if (!what.isEmpty() && !accepted.isEmpty())
        m_error += u'\n' + sentence(tr("Accepted: %1").arg(accepted));
    refresh();
}

void FieldRow::setNote(const QString &note)
{
    m_note = note;
    refresh();
}

QString FieldRow::error() const { return m_error; }

void FieldRow::refresh()
{
    m_input->setInvalid(!m_error.isEmpty());
    m_message->setForegroundRole(m_error.isEmpty() ? QPalette::PlaceholderText : QPalette::BrightText);
    m_message->setText(m_error.isEmpty() ? m_note : m_error);
    m_message->setVisible(!m_message->text().isEmpty());
}

} // namespace slipway::ui
