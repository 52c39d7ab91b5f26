// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/window/welcome_page.h"

#include <QFileDialog>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

#include "base/text.h"
#include "ui/language/local_text.h"
#include "ui/plan/gpu_choices.h"
#include "ui/theme/style.h"
#include "ui/widgets/card.h"
#include "ui/widgets/first_focus.h"
#include "ui/widgets/scrolling.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kSideBySide = 900, kWidest = 1080;

QLabel *paragraph(const QString &text)
{
    QLabel *label = makeLabel(text, TextKind::Body);
    label->setWordWrap(true);
    return label;
}

QPushButton *primary(const QString &text)
{
    auto *button = new QPushButton(text);
    button->setProperty(kPrimary, true);
    return button;
}

void prefer(ComboInput &box, const std::vector<Choice> &choices, const QString &wanted)
{
    const bool there =
        std::any_of(choices.begin(), choices.end(), [&](const Choice &choice) { return choice.value == wanted; });
    if (there || !choices.empty())
        box.setValue(there ? wanted : choices.front().value);
}

} // namespace

WelcomePage::WelcomePage(const Catalogue &catalogue, QWidget *parent)
    : QWidget(parent),
      m_ways(new QBoxLayout(QBoxLayout::LeftToRight)),
      m_plan(primary(tr("Plan this run"))),
      m_openModel(new QPushButton(tr("Open config.json…"))),
      m_openLog(new QPushButton(tr("Open a log…")))
{
    makeChoices(catalogue);
    auto *content = new QWidget;
    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(40, 36, 40, 30);
    column->setSpacing(14);
    column->addStretch(1);
    column->addWidget(makeLabel(tr("Welcome to Slipway"), TextKind::Title));
    column->addWidget(
        paragraph(tr("Slipway predicts, before you pay, whether a training run fits, how fast it is and "
                     "what it costs. It can then start the run and watch it. How do you want to begin?")));
    m_ways->setSpacing(14);
    for (Card *way : {makePreset(), makeOwnModel(), makeLog()})
        m_ways->addWidget(way, 1);
    column->addLayout(m_ways);
    column->addLayout(makeFoot());
    column->addStretch(2);
    content->setMaximumWidth(kWidest);

    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    QScrollArea *area = makeScrolling(content);
    area->setAlignment(Qt::AlignHCenter);
    page->addWidget(area);
    setFirstFocus(*this, *m_plan);
}

void WelcomePage::makeChoices(const Catalogue &catalogue)
{
    std::vector<Choice> models;
    const std::vector<Choice> gpus = gpuChoices(catalogue);
    for (const CatalogueModel &model : catalogue.models)
        models.push_back({qs(model.spec.name), qs(model.spec.name),
            tr("%1 parameters").arg(localText(formatCount(static_cast<double>(parameterCount(model.spec)))))});
    m_model = new ComboInput(models);
    m_gpu = new ComboInput(gpus);
    prefer(*m_model, models, QStringLiteral("1B"));
    prefer(*m_gpu, gpus, QStringLiteral("h100-sxm-80gb"));
}

Card *WelcomePage::makePreset()
{
    auto *preset = new Card(tr("With a preset"));
    preset->body()->addWidget(paragraph(tr("Choose a published model and a GPU. Everything can be changed later.")));
    auto *model = new FieldRow(tr("Model"), m_model);
    auto *gpu = new FieldRow(tr("GPU"), m_gpu);
    FieldRow::align({model, gpu});
    preset->body()->addWidget(model);
    preset->body()->addWidget(gpu);
    preset->body()->addStretch(1);
    preset->body()->addWidget(m_plan, 0, Qt::AlignLeft);
    connect(m_plan, &QPushButton::clicked, this, [this] { Q_EMIT planRequested(m_model->value(), m_gpu->value()); });
    return preset;
}

Card *WelcomePage::makeOwnModel()
{
    auto *own = new Card(tr("With my model"));
    own->body()->addWidget(paragraph(tr(
        "Open the config.json of a model in the Hugging Face format. You can also drop it anywhere on the window.")));
    own->body()->addStretch(1);
    own->body()->addWidget(m_openModel, 0, Qt::AlignLeft);
    connect(m_openModel, &QPushButton::clicked, this,
        [this] { askFile(tr("Open config.json"), tr("Models (*.json *.yaml *.yml);;All files (*)")); });
    return own;
}

Card *WelcomePage::makeLog()
{
    auto *log = new Card(tr("With my training log"));
    log->body()->addWidget(paragraph(tr("Open the log of a run that you have already trained. Slipway compares it with "
                                        "its prediction and fits the prediction to your hardware.")));
    log->body()->addStretch(1);
    auto *logs = new QHBoxLayout;
    auto *paste = new QPushButton(tr("Paste a log…"));
    logs->addWidget(m_openLog);
    logs->addWidget(paste);
    logs->addStretch(1);
    log->body()->addLayout(logs);
    connect(m_openLog, &QPushButton::clicked, this,
        [this] { askFile(tr("Open a training log"), tr("Logs (*.log *.txt *.out *.err);;All files (*)")); });
    connect(paste, &QPushButton::clicked, this, &WelcomePage::logRequested);
    return log;
}

QHBoxLayout *WelcomePage::makeFoot()
{
    auto *foot = new QHBoxLayout;
    auto *guide = new QPushButton(tr("Read the guide (F1)"));
    auto *skip = new QPushButton(tr("Skip"));
    for (QPushButton *button : {guide, skip})
        button->setProperty(kQuiet, true);
    foot->addWidget(guide);
    foot->addStretch(1);
    foot->addWidget(skip);
    connect(guide, &QPushButton::clicked, this, &WelcomePage::guideRequested);
    connect(skip, &QPushButton::clicked, this, &WelcomePage::skipped);
    return foot;
}

void WelcomePage::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m_ways->setDirection(width() < kSideBySide ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

void WelcomePage::askFile(const QString &title, const QString &filter)
{
    const QString path = QFileDialog::getOpenFileName(this, title, {}, filter);
    if (!path.isEmpty())
        Q_EMIT openRequested(path);
}

} // namespace slipway::ui
