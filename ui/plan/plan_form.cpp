// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/plan_form.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

#include "base/text.h"
#include "base/unknown_name.h"
#include "config/resolve_model.h"
#include "config/settings.h"
#include "ui/language/core_texts.h"
#include "ui/language/language.h"
#include "ui/language/local_text.h"
#include "ui/plan/display_names.h"
#include "ui/plan/gpu_choices.h"
#include "ui/plan/framework_card.h"
#include "ui/theme/style.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

std::vector<Choice> choicesOf(const std::string &key)
{
    std::vector<Choice> choices;
    const Setting *setting = findSetting(key);
    if (setting == nullptr)
        return choices;
    for (const std::string &name : setting->choices())
        choices.push_back({qs(name), valueName(key, qs(name)), {}});
    return choices;
}

Input *pickerOf(const std::string &key)
{
    const std::vector<Choice> choices = choicesOf(key);
    if (choices.size() <= 3)
        return new SegmentedInput(choices, SegmentedInput::Lines::Several);
    return new ComboInput(choices);
}

Input *inputOf(const Setting &setting)
{
    if (!setting.choices().empty() && !setting.optional())
        return pickerOf(std::string(setting.key));
    return setting.type == SettingType::Integer ? new TextInput(doubledOrHalved) : new TextInput;
}

std::vector<Choice> modelChoices(const Catalogue &catalogue)
{
    std::vector<Choice> choices;
    for (const CatalogueModel &model : catalogue.models)
        choices.push_back({qs(model.spec.name), qs(model.spec.name),
            tr("%1 parameters").arg(localText(formatCount(static_cast<double>(parameterCount(model.spec)))))});
    return choices;
}

std::vector<Choice> priceChoices(const Catalogue &catalogue)
{
    std::vector<Choice> choices;
    for (const PriceBook &book : catalogue.priceBooks)
        choices.push_back({qs(book.id), coreText(book.title.empty() ? book.id : book.title), localDate(book.asOf)});
    return choices;
}

std::vector<Choice> lawChoices(const Catalogue &catalogue)
{
    std::vector<Choice> choices;
    for (const ScalingLaw &law : catalogue.scalingLaws)
        choices.push_back({qs(law.id), coreText(law.title), qs(law.source) + QStringLiteral("\n") + qs(law.fitRange)});
    return choices;
}

std::vector<Choice> calibrationChoices(const Catalogue &catalogue)
{
    std::vector<Choice> choices{{QStringLiteral(""), tr("None (shipped constants)"), {}}};
    for (const Calibration &calibration : catalogue.calibrations)
        choices.push_back({qs(calibration.id), qs(calibration.id), localDate(calibration.asOf)});
    return choices;
}

void showErrorAt(FieldRow &row, const Error &error)
{
    row.setError(withFieldNames(coreText(error.what)), withFieldNames(coreText(error.accepted)));
}

} // namespace

PlanForm::PlanForm(PlanDocument &document, const Catalogue &catalogue, QWidget *parent)
    : QWidget(parent),
      m_document(document)
{
    for (const CatalogueModel &model : catalogue.models)
        m_models.push_back(model.spec.name);
    build(catalogue);
    connect(&m_document, &PlanDocument::changed, this, [this] {
        if (!m_editing) { // the plan was changed by undo, by opening a file or by a suggestion
            m_strategyNote.clear();
            m_precisionNote.clear();
            setRefused({});
        }
        refresh();
    });
    refresh();
}

void PlanForm::build(const Catalogue &catalogue)
{
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(18, 6, 14, 18);
    page->setSpacing(7);

    m_search = new QLineEdit;
    m_search->setPlaceholderText(tr("Search settings"));
    m_search->setAccessibleName(m_search->placeholderText());
    m_search->setClearButtonEnabled(true);
    m_search->setTextMargins(4, 0, 0, 0);
    page->addWidget(m_search);
    m_nothingFound = makeLabel(tr("No setting matches."), TextKind::Muted);
    m_nothingFound->setWordWrap(true);
    m_nothingFound->hide();
    page->addWidget(m_nothingFound);
    connect(m_search, &QLineEdit::textChanged, this, &PlanForm::search);

    addModelAndHardware(page, catalogue);
    addStep(page, catalogue);
    addCost(page, catalogue);
    addMore(page, catalogue);
    page->addStretch(1);
}

void PlanForm::addModelAndHardware(QVBoxLayout *page, const Catalogue &catalogue)
{
    QVBoxLayout *model = section(page, tr("Model"));
    add(model, "model", new ComboInput(modelChoices(catalogue), true));
    QVBoxLayout *shape = folded(model, tr("Custom model shape"));
    for (const char *key : {"layers", "hidden", "heads", "kv_heads", "ffn", "vocab", "experts", "experts_per_token"})
        add(shape, key, new TextInput);
    add(shape, "tied", pickerOf("tied"));

    QVBoxLayout *hardware = section(page, tr("Hardware"));
    add(hardware, "gpu", new ComboInput(gpuChoices(catalogue)));
    add(hardware, "gpus", new TextInput(doubledOrHalved));
    add(hardware, "parallel", pickerOf("parallel"));
    QVBoxLayout *split = folded(hardware, tr("Model parallelism"));
    for (const char *key : {"tp", "pp", "cp", "ep"})
        add(split, key, new TextInput(doubledOrHalved));
}

void PlanForm::addStep(QVBoxLayout *page, const Catalogue &catalogue)
{
    QVBoxLayout *step = section(page, tr("Training step"));
    add(step, "framework", new ComboInput(frameworkChoices(catalogue), true));
    step->addWidget(link(tr("My own script…"), tr("Set the framework by five questions about your training script"),
                        &PlanForm::scriptRequested),
        0, Qt::AlignHCenter);
    add(step, "micro_batch", new TextInput(doubledOrHalved));
    add(step, "seq_len", new TextInput(doubledOrHalved));
    add(step, "grad_accum", new TextInput(doubledOrHalved));
    for (const char *key : {"attention", "recompute", "precision"})
        add(step, key, pickerOf(key));
}

void PlanForm::addCost(QVBoxLayout *page, const Catalogue &catalogue)
{
    QVBoxLayout *cost = section(page, tr("Cost"));
    add(cost, "tokens", new TextInput);
    add(cost, "prices", new ComboInput(priceChoices(catalogue)));
    cost->addWidget(
        link(tr("Edit prices…"), tr("View the shipped price books and edit your own"), &PlanForm::pricesRequested));

    QVBoxLayout *assumed = folded(page, tr("Loss and failure assumptions"));
    add(assumed, "scaling_law", new ComboInput(lawChoices(catalogue)));
    add(assumed, "target_loss", new TextInput, tr("nats"));
    add(assumed, "usd_budget", new TextInput, tr("$"));
    add(assumed, "gpu_hours_per_failure", new TextInput, tr("h"));
    add(assumed, "preemptions_per_day", new TextInput);
    for (const char *key : {"restart_time", "checkpoint_interval", "checkpoint_time"})
        add(assumed, key, new TextInput, tr("s"));
}

// Everything else on which a plan depends. Options of a framework are on its card among the results.
void PlanForm::addMore(QVBoxLayout *page, const Catalogue &catalogue)
{
    QVBoxLayout *more = folded(page, tr("Advanced"));
    add(more, "gpus_per_node", new TextInput(doubledOrHalved));
    add(more, "memory_gib", new TextInput, tr("GiB"));
    for (const char *key : {"optimizer", "loss_path", "expert_gemm"})
        add(more, key, pickerOf(key));
    add(more, "expert_capacity", new TextInput);
    for (const Setting &setting : settings()) {
        if (!setting.runOnly && !setting.isFrameworkOption() && setting.group != SettingGroup::Framework &&
            row(std::string(setting.key)) == nullptr)
            add(more, std::string(setting.key), inputOf(setting));
    }
    add(more, "calibration", new ComboInput(calibrationChoices(catalogue)));
    more->addWidget(
        link(tr("Calibrate from a log…"), tr("Fit the calibration constants to a training log of this configuration"),
            &PlanForm::logRequested),
        0, Qt::AlignHCenter);
    m_remove = link(tr("Remove this calibration…"), tr("Delete this calibration from your calibrations"),
        &PlanForm::removalRequested);
    more->addWidget(m_remove, 0, Qt::AlignHCenter);
}

QPushButton *PlanForm::link(const QString &text, const QString &tip, void (PlanForm::*asked)())
{
    auto *button = new QPushButton(text);
    button->setProperty(kQuiet, true);
    button->setToolTip(tip);
    connect(button, &QPushButton::clicked, this, asked);
    m_links.push_back(button);
    return button;
}

void PlanForm::setChoices(const Catalogue &catalogue)
{
    for (const auto &[key, choices] :
        {std::pair("prices", priceChoices(catalogue)), std::pair("calibration", calibrationChoices(catalogue))}) {
        if (const FieldRow *at = row(key))
            static_cast<ComboInput *>(at->input())->setChoices(choices);
    }
    refresh();
}

QVBoxLayout *PlanForm::section(QVBoxLayout *page, const QString &title)
{
    if (page->count() > 0)
        page->addSpacing(8);
    QLabel *head = makeLabel(title, TextKind::Section);
    page->addWidget(head);
    auto *rows = new QVBoxLayout;
    rows->setSpacing(6);
    page->addLayout(rows);
    m_sections.push_back({.rows = rows, .head = head});
    return rows;
}

QVBoxLayout *PlanForm::folded(QVBoxLayout *page, const QString &title)
{
    auto *button = new QPushButton(QStringLiteral("▸  ") + title);
    button->setProperty(kQuiet, true);
    button->setCheckable(true);
    auto *box = new QWidget;
    auto *rows = new QVBoxLayout(box);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(6);
    box->hide();
    connect(button, &QPushButton::toggled, box, [button, box, title](bool open) {
        box->setVisible(open);
        button->setText((open ? QStringLiteral("▾  ") : QStringLiteral("▸  ")) + title);
    });
    page->addWidget(button, 0, Qt::AlignLeft);
    page->addWidget(box);
    m_sections.push_back({.rows = rows, .head = button, .box = box});
    return rows;
}

void PlanForm::add(QVBoxLayout *section, const std::string &key, Input *input, const QString &unit)
{
    const Setting *setting = findSetting(key);
    if (setting == nullptr) {
        delete input;
        return;
    }
    auto *row = new FieldRow(settingName(key), input, unit);
    row->setToolTip(tr("%1\nAccepted: %2\nCommand-line option: %3")
            .arg(capitalized(coreText(setting->help)), qs(setting->accepted()), qs(setting->flag())));
    section->addWidget(row);
    m_rows[key] = row;
    for (Section &one : m_sections) {
        if (one.rows == section)
            one.keys.push_back(key);
    }
    connect(input, &Input::edited, this, [this, key](const QString &text) { onFieldEdited(key, text); });
}

// Shows only the settings whose name, key or help contains all words. Folded sections that contain one are open during
// the search.
void PlanForm::search(const QString &text)
{
    const QStringList words = text.simplified().split(u' ', Qt::SkipEmptyParts);
    bool found = false;
    for (const auto &[key, row] : m_rows) {
        const Setting *setting = findSetting(key);
        const QString said = settingName(key) + u' ' + englishText(settingName(key)) + u' ' + qs(key) + u' ' +
                             coreText(setting->help) + u' ' + qs(std::string(setting->help));
        const bool matches = std::all_of(words.begin(), words.end(),
            [&said](const QString &word) { return said.contains(word, Qt::CaseInsensitive); });
        row->setVisible(matches);
        found = found || matches;
    }
    m_nothingFound->setVisible(!found);
    for (const Section &section : m_sections) {
        const bool any = std::any_of(section.keys.begin(), section.keys.end(),
            [this](const std::string &key) { return m_rows.at(key)->isVisibleTo(m_rows.at(key)->parentWidget()); });
        section.head->setVisible(words.isEmpty() || any);
        const auto *fold = qobject_cast<QPushButton *>(section.head);
        if (section.box != nullptr)
            section.box->setVisible(words.isEmpty() ? fold->isChecked() : any);
    }
    for (QPushButton *button : m_links)
        button->setVisible(words.isEmpty());
    if (words.isEmpty())
        refresh(); // one of the buttons is visible only at times
}

void PlanForm::focusSetting(const std::string &key)
{
    const FieldRow *row = this->row(key);
    if (row == nullptr)
        return;
    m_search->clear();
    for (const Section &section : m_sections) {
        if (section.box != nullptr && std::find(section.keys.begin(), section.keys.end(), key) != section.keys.end())
            qobject_cast<QPushButton *>(section.head)->setChecked(true);
    }
    row->input()->setFocus(Qt::ShortcutFocusReason);
}

FieldRow *PlanForm::row(const std::string &key) const
{
    const auto found = m_rows.find(key);
    return found == m_rows.end() ? nullptr : found->second;
}

// Returns the strategy to set together with `key`, if several data-parallel ranks would have none: DDP, or full
// sharding if DDP does not fit.
SettingTexts PlanForm::neededStrategy(const std::string &key, const std::string &text) const
{
    const Result<RunConfig> after = applySetting(m_document.config(), key, text);
    if (key == "parallel" || !after)
        return {};
    const Parallelism &mesh = after->parallel;
    if (mesh.kind != ParallelKind::None || mesh.modelParallel() <= 0 || mesh.dataParallel() <= 1 ||
        mesh == m_document.config().parallel)
        return {};
    RunConfig ddp = *after;
    ddp.parallel.kind = ParallelKind::Ddp;
    const Result<Prediction> outcome = m_document.planner().predict(ddp);
    return {{"parallel", outcome && outcome->memory.verdict == Verdict::Oom ? "fsdp-full" : "ddp"}};
}

// Returns the precision to set together with the GPU, if the CPU is chosen and the planner accepts only one precision
// there.
SettingTexts PlanForm::neededPrecision(const std::string &key, const std::string &text) const
{
    const Result<RunConfig> after = applySetting(m_document.config(), key, text);
    if (key != "gpu" || !after || after->gpu != "cpu")
        return {};
    const Result<Prediction> outcome = m_document.planner().predict(*after);
    if (outcome || outcome.error().where != "--precision" || !enumFromName<Precision>(outcome.error().accepted))
        return {};
    return {{"precision", outcome.error().accepted}};
}

void PlanForm::onFieldEdited(const std::string &key, const QString &typed)
{
    const QString text = key == "model" ? withHome(typed) : asNumber(key, typed);
    std::map<std::string, Error> refused = m_refused;
    refused.erase(key);
    m_editing = true;
    m_strategyNote.clear();
    m_precisionNote.clear();
    const Precision before =
        (m_document.outcome() ? m_document.outcome()->config : m_document.config()).precisionOrMixed();
    const SettingTexts strategy = neededStrategy(key, text.toStdString());
    const SettingTexts precision = neededPrecision(key, text.toStdString());
    const Result<void> taken = m_document.edit(key, text.toStdString(), strategy.empty() ? precision : strategy);
    completeName(key, typed);
    if (!strategy.empty())
        m_strategyNote = tr("Changed from None: %1 GPUs need a strategy.").arg(m_document.config().parallel.gpus);
    if (!precision.empty())
        m_precisionNote = tr("Changed from %1: training on a CPU needs %2.")
                              .arg(valueName("precision", qs(enumName(before))),
                                  valueName("precision", qs(precision.front().second)));
    m_editing = false;
    if (!taken)
        refused[key] = taken.error();
    setRefused(std::move(refused));
    refresh();
}

// Takes the only choice that contains the typed text if the planner knows no such name.
void PlanForm::completeName(const std::string &key, const QString &typed)
{
    const auto *input = qobject_cast<ComboInput *>(m_rows.at(key)->input());
    const Setting *setting = findSetting(key);
    if (input == nullptr || m_document.outcome())
        return;
    const Error &error = m_document.outcome().error();
    if (error.where != setting->flag() || !error.what.starts_with("unknown "))
        return;
    if (const QString match = input->onlyMatch(typed); !match.isEmpty())
        (void)m_document.edit(key, match.toStdString()); // refused by the planner at worst
}

void PlanForm::setRefused(std::map<std::string, Error> refused)
{
    m_refused = std::move(refused);
    Q_EMIT refusedChanged();
}

// Shows the GPU for which an alias stands, because the list has no entry for the alias. A model with a changed shape is
// no longer the one that was chosen, so its size is shown.
QString PlanForm::shownText(const Setting &setting) const
{
    const Result<Prediction> &outcome = m_document.outcome();
    if (setting.key == "gpu" && outcome)
        return qs(outcome->gpu.id);
    if (setting.key == "model" && outcome && isCustom(outcome->model))
        return coreText(outcome->model.name);
    return qs(settingText(setting, m_document.config()));
}

void PlanForm::refresh()
{
    for (const auto &[key, row] : m_rows) {
        const Setting *setting = findSetting(key);
        if (const auto refused = m_refused.find(key); refused != m_refused.end()) {
            showErrorAt(*row, refused->second);
            continue;
        }
        row->setError({});
        // Keeps the text as typed if it already means the current value.
        const QString shown = row->input()->value();
        const Result<RunConfig> same = applySetting(m_document.config(), key, asNumber(key, shown).toStdString());
        if (!same || *same != m_document.config() || shown.isEmpty())
            row->input()->setValue(shownText(*setting));
    }
    if (m_remove)
        m_remove->setVisible(!m_document.config().calibration.empty());
    refreshNotes();
    if (!m_document.outcome())
        showError(m_document.outcome().error());
}

void PlanForm::showError(const Error &error)
{
    const Setting *setting = findSetting(error.where);
    FieldRow *at = setting != nullptr ? row(std::string(setting->key)) : nullptr;
    if (at == nullptr)
        return;
    const std::string &model = m_document.config().model.name;
    if (setting->key == "model" && error.what.starts_with("unknown model"))
        at->setError(tr("There is no model '%1'.").arg(qs(model)), nearestModels(model));
    else
        showErrorAt(*at, error);
}

// Returns at most three names, because the drop-down list already contains all models.
QString PlanForm::nearestModels(const std::string &name) const
{
    QStringList near;
    for (const std::string &known : nearestNames(name, m_models, 3))
        near << qs(known);
    near << tr("a size such as 700M") << tr("the path of a config.json or YAML file");
    return near.join(QStringLiteral(", "));
}

void PlanForm::refreshNotes()
{
    const RunConfig &config = m_document.config();
    if (FieldRow *accumulation = row("grad_accum"); accumulation != nullptr && config.parallel.modelParallel() > 0) {
        accumulation->setNote(tr("%1 × %2 = %3 tokens per step")
                .arg(config.microBatch * config.gradAccum * config.parallel.dataParallel())
                .arg(config.seqLen)
                .arg(localText(formatCount(static_cast<double>(config.tokensPerStep())))));
    }
    if (FieldRow *parallel = row("parallel"))
        parallel->setNote(m_strategyNote);
    if (FieldRow *precision = row("precision"))
        precision->setNote(m_precisionNote);
    const Prediction *last = m_document.lastPrediction();
    if (last == nullptr)
        return;
    const std::map<std::string, QString> hints{{"layers", QString::number(last->model.layers)},
        {"hidden", QString::number(last->model.hidden)}, {"heads", QString::number(last->model.attention.heads)},
        {"kv_heads", QString::number(last->model.attention.kvHeads)}, {"ffn", QString::number(last->model.mlp.width)},
        {"vocab", QString::number(last->model.vocab)},
        {"tokens", localText(formatCount(static_cast<double>(last->cost.tokens)))}, {"memory_gib", tr("no limit")}};
    for (const auto &[key, hint] : hints) {
        if (const FieldRow *at = row(key))
            static_cast<TextInput *>(at->input())->setHint(hint);
    }
    if (FieldRow *model = row("model"))
        model->setNote(
            !m_document.outcome()
                ? QString() // the last valid prediction is of another model
                : (isCustom(last->model) ? tr("Custom shape: %1 parameters, %2 × %3") : tr("%1 parameters, %2 × %3"))
                      .arg(localText(formatCount(static_cast<double>(parameterCount(last->model)))))
                      .arg(last->model.layers)
                      .arg(last->model.hidden));
    if (const FieldRow *law = row("scaling_law"); law != nullptr && law->input()->value().isEmpty() && last->cost.loss)
        law->input()->setValue(qs(last->cost.loss->law));
    if (const FieldRow *prices = row("prices"); prices != nullptr && prices->input()->value().isEmpty())
        prices->input()->setValue(qs(last->cost.priceBook));
    showSettled("attention", *last, {});
    showSettled("recompute", *last, {});
    showSettled("precision", *last, m_precisionNote);
}

// Shows the value that the framework's profile gave a choice which the user left open, and says so if it is not the
// usual one. Otherwise, the field has the note `otherwise`.
void PlanForm::showSettled(const std::string &key, const Prediction &prediction, const QString &otherwise)
{
    FieldRow *at = row(key);
    const Setting *setting = findSetting(key);
    if (at == nullptr || setting == nullptr)
        return;
    const RunConfig &asked = m_document.config();
    const bool isOpen = settingText(*setting, asked).empty();
    const bool isOfProfile = std::any_of(prediction.assumed.begin(), prediction.assumed.end(),
        [&](const AppliedField &field) { return field.key == key; });
    if (isOpen)
        at->input()->setValue(qs(settingText(*setting, prediction.config)));
    at->setNote(isOpen && isOfProfile ? tr("Default of the framework") : otherwise);
}

} // namespace slipway::ui
