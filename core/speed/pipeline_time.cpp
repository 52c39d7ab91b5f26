// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "speed/pipeline_time.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "config/pipeline_layers.h"
#include "plan/build_plan.h"
#include "speed/collective_time.h"
#include "speed/simulate_step.h"

namespace slipway {

namespace {

// With more actions than this, not all are simulated one by one.
constexpr std::int64_t kMostActions = 1 << 14;

template<typename Times>
auto &listOf(Times &times, PipelinePass pass)
{
    return pass == PipelinePass::Forward    ? times.forward
           : pass == PipelinePass::Backward ? times.backward
                                            : times.weights;
}

Seconds sum(const std::vector<Seconds> &times) { return std::accumulate(times.begin(), times.end(), Seconds(0)); }

class Pipeline {
public:
    Pipeline(const Parallelism &mesh, std::int64_t microBatches, const std::vector<PassTimes> &stages,
        const std::function<void(const SimulatedAction &)> &observer)
        : m_stages(mesh.pp),
          m_parts(mesh.virtualStages),
          m_times(stages),
          m_observer(observer),
          m_ends(static_cast<std::size_t>(microBatches * m_stages * m_parts * 2), Seconds(-1)),
          m_now(static_cast<std::size_t>(m_stages)),
          m_idle(static_cast<std::size_t>(m_stages)),
          m_next(static_cast<std::size_t>(m_stages))
    {
        for (int stage = 0; stage < m_stages; ++stage)
            m_orders.push_back(pipelineOrder(mesh, stage, microBatches));
    }

    PipelineTime run()
    {
        for (bool moved = true; moved;) {
            moved = false;
            for (int stage = 0; stage < m_stages; ++stage) {
                while (play(stage))
                    moved = true;
            }
        }
        PipelineTime time{.step = *std::ranges::max_element(m_now)};
        for (std::size_t stage = 0; stage < m_now.size(); ++stage)
            time.idle.push_back(m_idle[stage] + time.step - m_now[stage]);
        time.step += std::ranges::max_element(m_times, {}, &PassTimes::end)->end;
        return time;
    }

private:
    // `modelPart` counts the model chunks of all stages in the order of the layers.
    [[nodiscard]] Seconds &endOf(PipelinePass pass, int modelPart, std::int64_t microBatch)
    {
        const std::int64_t way = pass == PipelinePass::Forward ? 0 : 1;
        return m_ends[static_cast<std::size_t>((microBatch * m_stages * m_parts + modelPart) * 2 + way)];
    }

    // The time at which the inputs of the action are ready. Empty if it is not known yet.
    [[nodiscard]] std::optional<Seconds> ready(const PipelineAction &action, int modelPart)
    {
        const auto known = [](Seconds end) { return end < 0 ? std::nullopt : std::optional(end); };
        switch (action.pass) {
        case PipelinePass::Forward:
            return modelPart == 0 ? Seconds(0) : known(endOf(PipelinePass::Forward, modelPart - 1, action.microBatch));
        case PipelinePass::Backward:
            return modelPart + 1 == m_stages * m_parts
                       ? Seconds(0) // its own forward pass comes before it
                       : known(endOf(PipelinePass::Backward, modelPart + 1, action.microBatch));
        default:
            return Seconds(0);
        }
    }

    bool play(int stage)
    {
        const auto s = static_cast<std::size_t>(stage);
        if (m_next[s] == m_orders[s].size())
            return false;
        const PipelineAction &action = m_orders[s][m_next[s]];
        const int modelPart = action.modelChunk * m_stages + stage;
        const std::optional<Seconds> there = ready(action, modelPart);
        if (!there)
            return false;
        // Sender and receiver are busy with a message at the same time.
        const Seconds start = std::max(m_now[s], *there > 0 ? *there - m_times[s].message : 0);
        m_idle[s] += start - m_now[s];
        m_now[s] = start + listOf(m_times[s], action.pass).at(static_cast<std::size_t>(action.modelChunk));
        if (action.pass != PipelinePass::Weights)
            endOf(action.pass, modelPart, action.microBatch) = m_now[s];
        if (m_observer)
            m_observer({stage, action, start, m_now[s]});
        ++m_next[s];
        return true;
    }

    const int m_stages, m_parts;
    const std::vector<PassTimes> &m_times;
    const std::function<void(const SimulatedAction &)> &m_observer;
    std::vector<std::vector<PipelineAction>> m_orders;
    std::vector<Seconds> m_ends; // for each micro-batch and model chunk, forward and backward
    std::vector<Seconds> m_now, m_idle;
    std::vector<std::size_t> m_next;
};

} // namespace

namespace {

bool crossesStages(const StepPlan &plan, const Kernel &message)
{
    const std::string &axis = plan.groups[static_cast<std::size_t>(message.group)].axis;
    return axis == "pp" || hasOwnOrder(axis);
}

} // namespace

PassTimes passTimes(const StepPlan &plan, const DeviceRates &rates)
{
    PassTimes times;
    Seconds now = 0, all = 0;
    const Seconds step = simulateStep(plan, rates, [&](const SimulatedOp &played) {
        const Kernel &kernel = plan.at(played.op.kernel);
        const bool message = isPointToPoint(kernel.kind) && crossesStages(plan, kernel);
        if (message && kernel.kind == OpKind::Receive)
            times.message = played.end - played.start;
        if (played.op.stream != Stream::Compute && !message) // the next kernel does not wait, or begins later
            return;
        const Seconds more = std::max(Seconds(0), played.end - now) * played.repetitions;
        now = std::max(now, played.end);
        all += more;
        if (played.slot.pass == PipelinePass::None) {
            times.end += more;
        } else {
            std::vector<Seconds> &list = listOf(times, played.slot.pass);
            list.resize(std::max<std::size_t>(list.size(), played.slot.modelChunk + 1));
            list[played.slot.modelChunk] += more;
        }
    }).step;
    times.end += std::max(Seconds(0), step - all);
    for (std::vector<Seconds> *list : {&times.forward, &times.backward, &times.weights}) {
        for (Seconds &time : *list)
            time /= static_cast<double>(plan.gradAccum);
    }
    return times;
}

PipelineTime simulatePipeline(const Parallelism &mesh, std::int64_t microBatches, const std::vector<PassTimes> &stages,
    const std::function<void(const SimulatedAction &)> &observer)
{
    const std::int64_t actions = std::int64_t{2} * mesh.pp * mesh.virtualStages;
    // The number of micro-batches keeps the last round of an interleaved pipeline as it is.
    const std::int64_t most = std::max<std::int64_t>(8, kMostActions / actions / mesh.pp) * mesh.pp,
                       left = std::max<std::int64_t>(0, microBatches - most) / mesh.pp * mesh.pp;
    PipelineTime time = Pipeline(mesh, microBatches - left, stages, observer).run();
    Seconds slowest = 0;
    for (const PassTimes &stage : stages)
        slowest = std::max(slowest, sum(stage.forward) + sum(stage.backward) + sum(stage.weights));
    time.step += static_cast<double>(left) * slowest;
    for (std::size_t i = 0; i < stages.size(); ++i)
        time.idle[i] += static_cast<double>(left) *
                        (slowest - sum(stages[i].forward) - sum(stages[i].backward) - sum(stages[i].weights));
    return time;
}

namespace {

// The pass times of the stages between the first and the last. Stages with layers of the same kinds share them.
class MiddleStages {
public:
    MiddleStages(const RunPlan &plan, const DeviceRates &rates, const RunConfig &config, const ModelSpec &model)
        : m_rates(rates),
          m_config(config),
          m_model(model)
    {
        m_known.push_back({kindsOf(1), passTimes(plan.stages[1], rates)});
    }

    const PassTimes &of(int stage)
    {
        const std::vector<LayerKind> kinds = kindsOf(stage);
        const auto known = std::ranges::find_if(
            m_known, [&](const auto &other) { return std::ranges::is_permutation(other.first, kinds); });
        if (known != m_known.end())
            return known->second;
        return m_known.emplace_back(kinds, passTimes(buildStage(m_config, m_model, stage), m_rates)).second;
    }

private:
    [[nodiscard]] std::vector<LayerKind> kindsOf(int stage) const
    {
        std::vector<LayerKind> kinds;
        for (const int layer : layerNumbersOfStage(m_config.parallel, m_model.layers, stage))
            kinds.push_back(m_model.kindOf(layer));
        return kinds;
    }

    const DeviceRates &m_rates;
    const RunConfig &m_config;
    const ModelSpec &m_model;
    std::vector<std::pair<std::vector<LayerKind>, PassTimes>> m_known;
};

} // namespace

PipelineTime simulateStages(const RunPlan &plan, const DeviceRates &rates, const RunConfig &config,
    const ModelSpec &model, const std::function<void(const SimulatedAction &)> &observer)
{
    std::vector<PassTimes> stages{passTimes(plan.stages.front(), rates)};
    if (config.parallel.pp > 2) {
        MiddleStages middle(plan, rates, config, model);
        for (int stage = 1; stage + 1 < config.parallel.pp; ++stage)
            stages.push_back(middle.of(stage));
    }
    stages.push_back(passTimes(plan.stages.back(), rates));
    return simulatePipeline(config.parallel, config.gradAccum, stages, observer);
}

} // namespace slipway
