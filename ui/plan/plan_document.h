// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The document of the plan being edited: one configuration, its prediction, and the undo stack.
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

// The functions that plan a configuration. The program passes the real functions, and tests pass their own.
struct Planner {
    std::function<Result<Prediction>(const RunConfig &)> predict;
    std::function<Result<MemoryOverStep>(const RunConfig &, std::size_t stage)> memoryOverStep;
    std::function<Result<Timeline>(const RunConfig &, std::size_t stage)> timeline; // empty: no timeline is shown
    std::function<Result<std::vector<LiveBuffer>>(const RunConfig &, std::size_t instant, std::size_t stage)>
        buffersAt = {}; // the buffers at a point of memoryOverStep
    std::function<Result<FirstSteps>(const RunConfig &, std::size_t stage)> firstSteps = {};
    std::function<Result<std::vector<Offer>>(const RunConfig &)> offers = {};
    // Prepares a search that can run on another thread, because the returned function owns all data that it reads. Its
    // argument returns whether the search was cancelled.
    using SettingsWork = std::function<Result<SettingsSearch>(const std::function<bool()> &cancelled)>;
    std::function<SettingsWork(const RunConfig &)> searchSettings = {};
};

class PlanDocument : public QObject {
    Q_OBJECT
public:
    PlanDocument(Planner planner, RunConfig config, QObject *parent = nullptr);

    [[nodiscard]] const RunConfig &config() const { return m_config; }
    // The prediction for config(), or the error that prevents it.
    [[nodiscard]] const Result<Prediction> &outcome() const { return m_outcome; }
    // The last valid prediction, so that the page does not go blank on a typing error.
    [[nodiscard]] const Prediction *lastPrediction() const { return m_last ? &*m_last : nullptr; }
    [[nodiscard]] Result<MemoryOverStep> memoryOverStep(std::size_t stage = 0) const
    {
        return m_planner.memoryOverStep(m_config, stage);
    }
    [[nodiscard]] const Planner &planner() const { return m_planner; }
    [[nodiscard]] QUndoStack &undoStack() { return m_undo; }
    // The file that holds the plan. It is empty if the plan was never saved.
    [[nodiscard]] const QString &file() const { return m_file; }
    void setFile(const QString &file); // marks the plan as saved in this file
    // Makes `config` the plan of another file, with a new undo history. Undo could otherwise bring back the plan of the
    // earlier file, and saving would write it to this one. An unsaved plan differs from what the file holds.
    void begin(const RunConfig &config, const QString &file, bool saved = true);
    [[nodiscard]] bool isModified() const { return !m_undo.isClean(); }

    // Changes one setting. An invalid text is refused and changes nothing. Consecutive edits of one field form one undo
    // step. `also` changes other settings in the same step.
    Result<void> edit(const std::string &key, const std::string &text, const SettingTexts &also = {});
    // Changes several settings in one undo step named `label`.
    Result<void> apply(const SettingTexts &changes, const QString &label);
    void replace(const RunConfig &config, const QString &label);
    // Replaces the first suggestions by those that a longer search found for config().
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

// Returns the command line of the same plan. It contains only the settings that differ from their defaults.
std::string planCommand(const RunConfig &config);

} // namespace slipway::ui
