// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/weight_views.h"

#include <algorithm>
#include <stdexcept>

#include "plan/data_parallel.h"

namespace slipway {
namespace {

std::vector<WeightTensor> tensorsOf(const ParameterUnit &unit, const ModelSpec &model)
{
    return unit.perLayer              ? layerTensors(model)
           : unit.name == "embedding" ? embeddingTensors(model)
                                      : headTensors(model);
}

const WeightTensor &namedTensor(const std::vector<WeightTensor> &tensors, const ParameterTensor &tensor)
{
    const auto found = std::find_if(
        tensors.begin(), tensors.end(), [&](const WeightTensor &known) { return known.name == tensor.name; });
    if (found == tensors.end())
        throw std::logic_error("the plan has a weight without a name: " + tensor.name);
    return *found;
}

class Views {
public:
    Views(const StepPlan &plan, const ModelSpec &model, int shard) : m_plan(plan), m_model(model), m_shard(shard) {}

    std::vector<WeightView> all()
    {
        for (const ParameterUnit &unit : m_plan.units) {
            const std::vector<WeightTensor> known = tensorsOf(unit, m_model);
            for (int layer = 0; layer < (unit.perLayer ? m_plan.layers : 1); ++layer) {
                for (const ParameterTensor &tensor : m_plan.tensors) {
                    if (tensor.parameter == unit.parameter)
                        addParts(unit, layer, tensor, namedTensor(known, tensor));
                }
            }
        }
        return std::move(m_views);
    }

private:
    void addParts(const ParameterUnit &unit, int layer, const ParameterTensor &tensor, const WeightTensor &known)
    {
        const std::string prefix = unit.perLayer ? layerPrefix(m_plan.firstLayer + layer) : "";
        const bool filledUp = known.rows() != tensor.rows; // each part in the same way
        std::int64_t offset = tensor.offset;
        for (const ModelWeight &part : known.parts) {
            addView({.name = prefix + part.name,
                        .shape = part.shape,
                        .init = part.init,
                        .flat = unit.master,
                        .layer = layer,
                        .pitch = tensor.columns},
                offset, part.columns(), m_shard * unit.part, unit.part);
            offset += (filledUp ? tensor.rows / std::ssize(known.parts) : part.rows()) * tensor.columns;
        }
    }

    // What of it lies in [partBegin, partBegin + part) of the unit.
    void addView(WeightView view, std::int64_t offset, std::int64_t columns, std::int64_t partBegin, std::int64_t part)
    {
        const std::int64_t end = view.shape[0] * view.pitch;
        // Elements before a place: a gap counts to the row before it.
        const auto elementsBefore = [&](std::int64_t place) {
            const std::int64_t within = std::clamp<std::int64_t>(place - offset, 0, end);
            return within / view.pitch * columns + std::min(within % view.pitch, columns);
        };
        view.first = elementsBefore(partBegin);
        view.count = elementsBefore(partBegin + part) - view.first;
        if (view.count <= 0)
            return;
        view.place = offset + view.first / columns * view.pitch + view.first % columns - partBegin;
        m_views.push_back(std::move(view));
    }

    const StepPlan &m_plan;
    const ModelSpec &m_model;
    int m_shard;
    std::vector<WeightView> m_views;
};

} // namespace

std::int64_t WeightView::elements() const
{
    std::int64_t product = 1;
    for (const std::int64_t extent : shape)
        product *= extent;
    return product;
}

std::int64_t WeightView::extent() const
{
    std::int64_t end = 0;
    forEachRun([&](std::int64_t, std::int64_t from, std::int64_t length) { end = from + length; });
    return end;
}

std::vector<WeightState> weightStates(const StepPlan &plan, const WeightView &weight)
{
    const auto unit = std::find_if(
        plan.units.begin(), plan.units.end(), [&](const ParameterUnit &u) { return u.master == weight.flat; });
    std::vector<WeightState> states;
    const auto add = [&](float *WeightView::*values, BufferId buffer, std::int64_t place) {
        Use use = ownPart(plan, *unit, buffer);
        use.offset = place * sizeOf(DType::Fp32);
        states.push_back({values, use});
    };
    add(&WeightView::master, unit->master, weight.place);
    add(&WeightView::momentum, unit->momentum, weight.place);
    if (weight.place >= unit->muonElements)
        add(&WeightView::variance, unit->variance, weight.place - unit->muonElements);
    if (unit->average)
        add(&WeightView::average, *unit->average, weight.place);
    return states;
}

std::vector<WeightView> weightViews(const StepPlan &plan, const ModelSpec &model, int shard)
{
    return Views(plan, model, shard).all();
}

} // namespace slipway
