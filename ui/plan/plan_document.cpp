// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/plan_document.h"

#include "config/settings.h"
#include "hosts/shell_quote.h"
#include "ui/plan/display_names.h"

namespace slipway::ui {

class ConfigCommand : public QUndoCommand {
public:
    ConfigCommand(PlanDocument &document, RunConfig after, const QString &label, int mergeId)
        : QUndoCommand(label),
          m_document(document),
          m_before(document.config()),
          m_after(std::move(after)),
          m_mergeId(mergeId)
    {
    }

    void undo() override { m_document.setConfig(m_before); }
    void redo() override { m_document.setConfig(m_after); }
    [[nodiscard]] int id() const override { return m_mergeId; }

    bool mergeWith(const QUndoCommand *other) override
    {
        m_after = static_cast<const ConfigCommand *>(other)->m_after;
        setObsolete(m_before == m_after);
        return true;
    }

private:
    PlanDocument &m_document;
    RunConfig m_before, m_after;
    int m_mergeId; // index of the setting; -1 if the command cannot be merged
};

PlanDocument::PlanDocument(Planner planner, RunConfig config, QObject *parent)
    : QObject(parent),
      m_planner(std::move(planner)),
      m_config(std::move(config)),
      m_outcome(m_planner.predict(m_config))
{
    if (m_outcome)
        m_last = *m_outcome;
}

Result<void> PlanDocument::edit(const std::string &key, const std::string &text, const SettingTexts &also)
{
    SettingTexts changes{{key, text}};
    changes.insert(changes.end(), also.begin(), also.end());
    Result<RunConfig> after = applySettings(m_config, changes);
    if (!after)
        return after.error();
    if (*after == m_config)
        return {};
    const auto mergeId = static_cast<int>(findSetting(key) - settings().data());
    m_undo.push(new ConfigCommand(*this, *std::move(after), settingName(key), mergeId)); // the stack owns it
    return {};
}

Result<void> PlanDocument::apply(const SettingTexts &changes, const QString &label)
{
    const Result<RunConfig> config = applySettings(m_config, changes);
    if (!config)
        return config.error();
    replace(*config, label);
    return {};
}

void PlanDocument::replace(const RunConfig &config, const QString &label)
{
    if (config != m_config)
        m_undo.push(new ConfigCommand(*this, config, label, -1));
    else
        replan(); // a file that the plan names, as that of its model, may have changed
}

void PlanDocument::setSuggestions(std::vector<Suggestion> suggestions)
{
    if (!m_outcome)
        return;
    m_outcome->suggestions = std::move(suggestions);
    m_last = *m_outcome;
    Q_EMIT suggestionsChanged();
}

void PlanDocument::setFile(const QString &file)
{
    m_file = file;
    m_undo.setClean();
    Q_EMIT fileChanged();
}

void PlanDocument::begin(const RunConfig &config, const QString &file, bool saved)
{
    m_file = file;
    m_undo.clear();
    if (!saved)
        m_undo.resetClean();
    setConfig(config);
    Q_EMIT fileChanged();
}

void PlanDocument::setConfig(const RunConfig &config)
{
    m_config = config;
    m_outcome = m_planner.predict(m_config);
    if (m_outcome)
        m_last = *m_outcome;
    Q_EMIT changed();
}

namespace {

// Quotes a word only if the shell requires it, so that the command reads as if typed.
std::string typed(const std::string &word)
{
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/:=,+-";
    return !word.empty() && word.find_first_not_of(plain) == std::string::npos ? word : shellQuoted(word);
}

} // namespace

std::string planCommand(const RunConfig &config)
{
    std::string command = "slipway plan";
    for (const Setting &setting : settings()) {
        if (setting.runOnly || isDefault(setting, config))
            continue;
        const std::string value = settingText(setting, config);
        command += ' ' + setting.flag();
        if (setting.type != SettingType::Bool)
            command += ' ' + typed(value);
        else if (value != "true")
            command += '=' + value;
    }
    return command;
}

} // namespace slipway::ui
