// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The plan being edited: one configuration, its prediction, and the undo stack.
#pragma once

#include <QObject>
#include <QUndoStack>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "config/run_config.h"
#include "config/settings.h"
#include "predict/first_steps.h"
#include "predict/live_buffers.h"
#include "predict/offers.h"
#include "predict/predict.h"
#include "predict/search_settings.h"
#include "predict/timeline.h"

namespace slipway::ui {

// The functions that plan a configuration. The program passes the real ones, tests pass their own.
struct Planner {
    std::function<Result<Prediction>(const RunConfig &)> predict;
    std::function<Result<MemoryOverStep>(const RunConfig &, std::size_t stage)> memoryOverStep;
    std::function<Result<Timeline>(const RunConfig &, std::size_t stage)> timeline; // empty: no timeline is shown
    std::function<Result<std::vector<LiveBuffer>>(const RunConfig &, std::size_t instant, std::size_t stage)>
        buffersAt = {}; // of a point of memoryOverStep
    std::function<Result<FirstSteps>(const RunConfig &, std::size_t stage)> firstSteps = {};
    std::function<Result<std::vector<Offer>>(const RunConfig &)> offers = {};
    // Prepares a search for another thread: the work owns all that it reads. Its argument says when to give up.
    using SettingsWork = std::function<Result<SettingsSearch>(const std::function<bool()> &cancelled)>;
    std::function<SettingsWork(const RunConfig &)> searchSettings = {};
};

class PlanDocument : public QObject {
    Q_OBJECT
public:
    PlanDocument(Planner planner, RunConfig config, QObject *parent = nullptr);

    [[nodiscard]] const RunConfig &config() const { return m_config; }
    // The prediction for config(), or the reason why there is none.
    [[nodiscard]] const Result<Prediction> &outcome() const { return m_outcome; }
    // The last valid prediction, so that the page does not go blank on a typing error.
    [[nodiscard]] const Prediction *lastPrediction() const { return m_last ? &*m_last : nullptr; }
    [[nodiscard]] Result<MemoryOverStep> memoryOverStep(std::size_t stage = 0) const
    {
        return m_planner.memoryOverStep(m_config, stage);
    }
    [[nodiscard]] const Planner &planner() const { return m_planner; }
    [[nodiscard]] QUndoStack &undoStack() { return m_undo; }
    // The file that holds the plan; empty if it was never saved.
    [[nodiscard]] const QString &file() const { return m_file; }
    void setFile(const QString &file); // the plan is now as in this file
    [[nodiscard]] bool isModified() const { return !m_undo.isClean(); }

    // Changes one setting. An invalid text is refused and changes nothing. Consecutive edits of one field are one undo
    // step.
    // `also` changes other settings in the same step.
    Result<void> edit(const std::string &key, const std::string &text, const SettingTexts &also = {});
    // Changes several settings in one undo step named `label`.
    Result<void> apply(const SettingTexts &changes, const QString &label);
    void replace(const RunConfig &config, const QString &label);
    // What a longer search found for config(), in place of the first suggestions.
    void setSuggestions(std::vector<Suggestion> suggestions);
    // Plans the same configuration again after the tables have changed.
    void replan() { setConfig(m_config); }

Q_SIGNALS:
    void changed();
    void suggestionsChanged();
    void fileChanged();

private:
    friend class ConfigCommand;
    void setConfig(const RunConfig &config);

    Planner m_planner;
    RunConfig m_config;
    Result<Prediction> m_outcome;
    std::optional<Prediction> m_last;
    QUndoStack m_undo;
    QString m_file;
};

// The command line of the same plan. It names only the settings that differ from their defaults.
std::string planCommand(const RunConfig &config);

} // namespace slipway::ui
