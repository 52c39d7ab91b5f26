// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The plan that is being edited: one configuration, its prediction, and the way back.
#pragma once

#include <QObject>
#include <QUndoStack>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "config/run_config.h"
#include "predict/first_steps.h"
#include "predict/live_buffers.h"
#include "predict/offers.h"
#include "predict/predict.h"
#include "predict/timeline.h"

namespace slipway::ui {

// What answers a configuration; main gives the real one, tests their own.
struct Planner {
    std::function<Result<Prediction>(const RunConfig &)> predict;
    std::function<Result<MemoryOverStep>(const RunConfig &, std::size_t stage)> memoryOverStep;
    std::function<Result<Timeline>(const RunConfig &, std::size_t stage)> timeline; // empty: not shown
    std::function<Result<std::vector<LiveBuffer>>(const RunConfig &, std::size_t instant, std::size_t stage)>
        buffersAt = {}; // of a point of memoryOverStep
    std::function<Result<FirstSteps>(const RunConfig &, std::size_t stage)> firstSteps = {};
    std::function<Result<std::vector<Offer>>(const RunConfig &)> offers = {};
};

using SettingTexts = std::vector<std::pair<std::string, std::string>>; // key -> value

class PlanDocument : public QObject {
    Q_OBJECT
public:
    PlanDocument(Planner planner, RunConfig config, QObject *parent = nullptr);

    [[nodiscard]] const RunConfig &config() const { return m_config; }
    // The answer for config(): a prediction, or why there is none.
    [[nodiscard]] const Result<Prediction> &outcome() const { return m_outcome; }
    // The last prediction that there was, so that the page need not go blank on a slip.
    [[nodiscard]] const Prediction *lastPrediction() const { return m_last ? &*m_last : nullptr; }
    [[nodiscard]] Result<MemoryOverStep> memoryOverStep(std::size_t stage = 0) const
    {
        return m_planner.memoryOverStep(m_config, stage);
    }
    [[nodiscard]] const Planner &planner() const { return m_planner; }
    [[nodiscard]] QUndoStack &undoStack() { return m_undo; }

    // Changes one setting; what cannot be read as such is refused and nothing changes. Keystrokes in one field are one
    // step of undo.
    Result<void> edit(const std::string &key, const std::string &text);
    // Several at once, one step of undo named `label`.
    Result<void> apply(const SettingTexts &changes, const QString &label);
    void replace(const RunConfig &config, const QString &label);
    // The same configuration by tables that have changed.
    void replan() { setConfig(m_config); }

Q_SIGNALS:
    void changed();

private:
    friend class ConfigCommand;
    void setConfig(const RunConfig &config);

    Planner m_planner;
    RunConfig m_config;
    Result<Prediction> m_outcome;
    std::optional<Prediction> m_last;
    QUndoStack m_undo;
};

// The command line that plans the same: only what differs from the defaults is written.
std::string planCommand(const RunConfig &config);

} // namespace slipway::ui
