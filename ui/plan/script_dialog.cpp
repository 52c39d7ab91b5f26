// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/script_dialog.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

#include "base/text.h"
#include "ui/language/local_text.h"
#include "ui/plan/display_names.h"
#include "ui/theme/style.h"
#include "ui/widgets/screen_room.h"
#include "ui/widgets/scrolling.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kWidestQuestion = 300; // in pixels; longer questions wrap

QString settingPhrase(const std::string &key, const std::string &value)
{
    return tr("%1: %2").arg(settingName(key), value.empty() ? tr("open") : valueName(key, qs(value)));
}

std::string_view optionKey(std::string_view option) { return option.substr(0, option.find('=')); }

// Names the options that `text` adds, changes or leaves out.
QStringList optionChanges(const std::vector<std::string> &before, std::string_view text)
{
    QStringList all;
    std::vector<std::string_view> after = split(text, ',');
    std::erase(after, std::string_view());
    for (const std::string_view option : after) {
        if (std::find(before.begin(), before.end(), option) == before.end())
            all << settingPhrase(std::string(optionKey(option)), std::string(option.substr(option.find('=') + 1)));
    }
    for (const std::string &option : before) {
        if (std::none_of(after.begin(), after.end(), [&](auto other) { return optionKey(other) == optionKey(option); }))
            all << settingPhrase(std::string(optionKey(option)), {});
    }
    return all;
}

QString changesText(const RunConfig &config, const SettingTexts &changes)
{
    QStringList all;
    for (const auto &[key, value] : changes) {
        if (key == "framework_option")
            all << optionChanges(config.frameworkOptions, value);
        else
            all << settingPhrase(key, value);
    }
    return all.join(QStringLiteral("; "));
}

} // namespace

ScriptDialog::ScriptDialog(PlanDocument &document, const Frameworks &frameworks, QWidget *parent)
    : QDialog(parent),
      m_document(document),
      m_frameworks(frameworks),
      m_questions(scriptQuestions(frameworks)),
      m_summary(makeLabel({}, TextKind::Body)),
      m_apply(new QPushButton(tr("Apply")))
{
    setWindowTitle(tr("My own script"));
    setAttribute(Qt::WA_DeleteOnClose);
    build();
    const ScriptAnswers now = scriptAnswersOf(document.config(), frameworks);
    for (std::size_t i = 0; i < m_questions.size(); ++i)
        m_rows[i]->input()->setValue(now.*m_questions[i].answer);
    refresh();
    m_rows.front()->input()->setFocus();
    resize(withinScreen(*this, {720, 430}));
}

void ScriptDialog::build()
{
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(20, 16, 20, 16);
    page->setSpacing(10);
    page->addWidget(makeLabel(tr("My own script"), TextKind::Title));
    page->addWidget(makeScrolling(makeQuestions()), 1); // so that the buttons stay in reach on a magnified screen
    page->addLayout(makeButtons());
}

QWidget *ScriptDialog::makeQuestions()
{
    auto *content = new QWidget;
    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(10);
    QLabel *intro =
        makeLabel(tr("Five questions set the framework of the plan and its options. What you do not know stays open."),
            TextKind::Muted);
    intro->setWordWrap(true);
    column->addWidget(intro);
    for (const ScriptQuestion &question : m_questions) {
        auto *input = new ComboInput(question.choices, question.free);
        m_rows.push_back(new FieldRow(question.text, input));
        column->addWidget(m_rows.back());
        connect(input, &Input::edited, this, &ScriptDialog::refresh);
    }
    FieldRow::align(m_rows, kWidestQuestion);
    m_summary->setWordWrap(true);
    m_summary->setAccessibleName(tr("What is set"));
    column->addWidget(m_summary);
    column->addStretch(1);
    return content;
}

QLayout *ScriptDialog::makeButtons()
{
    auto *buttons = new QHBoxLayout;
    auto *cancel = new QPushButton(tr("Cancel"));
    m_apply->setProperty(kPrimary, true);
    m_apply->setDefault(true);
    buttons->addStretch(1);
    buttons->addWidget(cancel);
    buttons->addWidget(m_apply);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_apply, &QPushButton::clicked, this, &ScriptDialog::apply);
    return buttons;
}

ScriptAnswers ScriptDialog::answers() const
{
    ScriptAnswers answers;
    for (std::size_t i = 0; i < m_questions.size(); ++i)
        answers.*m_questions[i].answer = m_rows[i]->input()->value();
    return answers;
}

QString ScriptDialog::summary() const { return m_summary->text(); }

// Says what the answers set. Answers that the planner refuses cannot be applied.
void ScriptDialog::refresh()
{
    const SettingTexts changes = scriptChanges(m_document.config(), answers(), m_frameworks);
    const Result<RunConfig> after = applySettings(m_document.config(), changes);
    const Result<Prediction> outcome = after ? m_document.planner().predict(*after) : Result<Prediction>(after.error());
    m_apply->setEnabled(outcome && !changes.empty());
    m_summary->setForegroundRole(outcome ? QPalette::WindowText : QPalette::BrightText);
    m_summary->setText(!outcome          ? fieldMessage(outcome.error())
                       : changes.empty() ? tr("The plan already has these answers.")
                                         : tr("Apply sets %1.").arg(changesText(m_document.config(), changes)));
}

void ScriptDialog::apply()
{
    const SettingTexts changes = scriptChanges(m_document.config(), answers(), m_frameworks);
    if (m_document.apply(changes, tr("Describe my own script")))
        accept();
}

} // namespace slipway::ui
