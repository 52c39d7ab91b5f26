// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/serve/serve_form.h"

#include <QVBoxLayout>
#include <algorithm>

#include "base/text.h"
#include "config/resolve_model.h"
#include "config/settings.h"
#include "ui/language/core_texts.h"
#include "ui/language/local_text.h"
#include "ui/plan/display_names.h"
#include "ui/plan/gpu_choices.h"
#include "ui/serve/serve_display.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kWidestName = 116; // in pixels; a longer name wraps, as on the Plan page

std::vector<Choice> plainChoices(std::initializer_list<const char *> values)
{
    std::vector<Choice> choices;
    for (const char *value : values)
        choices.push_back({QString::fromLatin1(value), QString::fromLatin1(value), {}});
    return choices;
}

std::vector<Choice> modelChoices(const Catalogue &catalogue)
{
    std::vector<Choice> choices;
    for (const CatalogueModel &model : catalogue.models)
        choices.push_back({qs(model.spec.name), qs(model.spec.name), {}});
    return choices;
}

std::vector<Choice> priceChoices(const Catalogue &catalogue)
{
    std::vector<Choice> choices{{QStringLiteral(""), ServeForm::tr("Default"), {}}};
    for (const PriceBook &book : catalogue.priceBooks)
        choices.push_back({qs(book.id), coreText(book.title.empty() ? book.id : book.title), localDate(book.asOf)});
    return choices;
}

std::vector<Choice> softwareChoices(const Frameworks &frameworks)
{
    std::vector<Choice> choices{{QStringLiteral(""), ServeForm::tr("Default"), {}}};
    for (const FrameworkProfile &profile : frameworks.profiles)
        choices.push_back({qs(profile.id), qs(profile.title), {}});
    return choices;
}

} // namespace

ServeForm::ServeForm(const Catalogue &catalogue, const Frameworks &frameworks, QWidget *parent) : QWidget(parent)
{
    build(catalogue, frameworks);
    refresh();
}

void ServeForm::build(const Catalogue &catalogue, const Frameworks &frameworks)
{
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(18, 6, 14, 18);
    page->setSpacing(7);

    QVBoxLayout *model = section(page, tr("Model and hardware"));
    add(model, "model", new ComboInput(modelChoices(catalogue), true));
    add(model, "gpu", new ComboInput(gpuChoices(catalogue)));
    add(model, "tp", new TextInput(doubledOrHalved), tr("GPUs"));
    add(model, "framework", new ComboInput(softwareChoices(frameworks)));

    QVBoxLayout *requests = section(page, tr("Requests"));
    add(requests, "prompt", new TextInput(doubledOrHalved), tr("tokens"));
    add(requests, "generate", new TextInput(doubledOrHalved), tr("tokens"));
    add(requests, "batch", new TextInput(doubledOrHalved), tr("at once"));
    add(requests, "requests_per_s", new TextInput, tr("per s"));

    QVBoxLayout *storage = section(page, tr("Storage"));
    add(storage, "weights", new ComboInput(plainChoices({"bf16", "fp8", "int8", "int4", "fp32"})));
    add(storage, "kv", new SegmentedInput(plainChoices({"bf16", "fp8", "fp32"})));
    add(storage, "contiguous",
        new SegmentedInput({{QStringLiteral("false"), tr("Paged"), tr("In blocks, as many as a sequence needs")},
            {QStringLiteral("true"), tr("Contiguous"), tr("In one piece of the longest length")}}));
    add(storage, "block", new TextInput(doubledOrHalved), tr("tokens"));
    add(storage, "max_length", new TextInput(doubledOrHalved), tr("tokens"));

    QVBoxLayout *wanted = section(page, tr("Latency targets and prices"));
    add(wanted, "ttft", new TextInput, tr("s"));
    add(wanted, "tpot", new TextInput, tr("s"));
    add(wanted, "prices", new ComboInput(priceChoices(catalogue)));
    page->addStretch(1);
    std::vector<FieldRow *> rows;
    for (const auto &[key, row] : m_rows)
        rows.push_back(row);
    FieldRow::align(rows, kWidestName);
}

QVBoxLayout *ServeForm::section(QVBoxLayout *page, const QString &title)
{
    if (page->count() > 0)
        page->addSpacing(8);
    page->addWidget(makeLabel(title, TextKind::Section));
    auto *rows = new QVBoxLayout;
    rows->setSpacing(6);
    page->addLayout(rows);
    return rows;
}

void ServeForm::add(QVBoxLayout *section, const std::string &key, Input *input, const QString &unit)
{
    auto *row = new FieldRow(settingName(key), input, unit);
    row->setToolTip(serveSettingTip(key));
    section->addWidget(row);
    m_rows[key] = row;
    connect(input, &Input::edited, this, [this, key](const QString &text) { onEdited(key, text); });
}

FieldRow *ServeForm::row(const std::string &key) const
{
    const auto found = m_rows.find(key);
    return found == m_rows.end() ? nullptr : found->second;
}

void ServeForm::onEdited(const std::string &key, const QString &typed)
{
    const QString text = key == "model" ? withHome(typed) : typed;
    ServeConfig edited = m_config;
    const Result<void> set = setServeSetting(edited, key, text.trimmed().toStdString());
    if (set)
        m_refused.erase(key);
    else
        m_refused[key] = set.error();
    const bool differs = set && edited != m_config;
    if (set)
        m_config = std::move(edited);
    refresh();
    if (differs)
        Q_EMIT changed();
}

void ServeForm::setConfig(const ServeConfig &config)
{
    m_config = config;
    m_refused.clear();
    refresh();
}

void ServeForm::apply(std::span<const std::pair<std::string, std::string>> changes)
{
    ServeConfig edited = m_config;
    for (const auto &[key, value] : changes) {
        if (!setServeSetting(edited, key, value))
            return;
    }
    setConfig(edited);
    Q_EMIT changed();
}

void ServeForm::refresh()
{
    for (const auto &[key, row] : m_rows) {
        if (const auto refused = m_refused.find(key); refused != m_refused.end()) {
            row->setError(
                withFieldNames(coreText(refused->second.what)), withFieldNames(coreText(refused->second.accepted)));
            continue;
        }
        row->setError({});
        // Keeps the text as typed if it already means the current value.
        ServeConfig same = m_config;
        const QString shown = row->input()->value();
        if (shown.isEmpty() || !setServeSetting(same, key, shown.toStdString()) || same != m_config)
            row->input()->setValue(qs(serveSettingText(m_config, key)));
    }
}

void ServeForm::show(const Result<ServePrediction> &outcome)
{
    // Replaces an alias by the GPU for which it stands, because the list has no entry for the alias.
    if (outcome && outcome->serving.config.run.gpu == m_config.run.gpu)
        m_config.run.gpu = outcome->serving.gpu.id;
    refresh();
    if (!outcome) {
        const Error &error = outcome.error();
        const std::string flag = error.where.starts_with("--") ? error.where.substr(2) : error.where;
        std::string key = flag;
        std::replace(key.begin(), key.end(), '-', '_');
        if (FieldRow *at = row(key))
            at->setError(withFieldNames(coreText(error.what)), withFieldNames(coreText(error.accepted)));
        return;
    }
    const Serving &s = outcome->serving;
    const auto hint = [this](const char *key, std::int64_t value) {
        static_cast<TextInput *>(row(key)->input())->setHint(QString::number(value));
    };
    hint("block", s.software.block);
    hint("max_length", s.config.length());
    row("model")->setNote(
        (isCustom(s.model) ? tr("Custom shape: %1 parameters, %2 layers") : tr("%1 parameters, %2 layers"))
            .arg(localText(formatCount(static_cast<double>(parameterCount(s.model)))))
            .arg(s.model.layers));
    row("contiguous")->setNote(tr("%1 per token").arg(localText(formatBytes(cachePerToken(s)))));
}

} // namespace slipway::ui
