// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/weight_views.h"

#include <algorithm>
#include <span>
#include <stdexcept>

#include "base/units.h"
#include "plan/data_parallel.h"
#include "plan/placement.h"

namespace slipway {
namespace {

std::vector<WeightTensor> tensorsOf(const ParameterUnit &unit, const ModelSpec &model)
{
    return unit.section == UnitSection::Layer       ? layerTensors(model)
           : unit.section == UnitSection::Embedding ? embeddingTensors(model)
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
    Views(const StepPlan &plan, const ModelSpec &model, MeshCoordinate coordinate)
        : m_plan(plan),
          m_model(model),
          m_coordinate(coordinate)
    {
    }

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
    // Expert-parallel ranks have the same number of consecutive experts.
    [[nodiscard]] std::span<const ModelWeight> partsHere(const ParameterUnit &unit, const WeightTensor &known) const
    {
        const std::span<const ModelWeight> all = known.parts;
        if (!unit.experts)
            return all;
        const std::size_t share = all.size() / static_cast<std::size_t>(m_plan.mesh.expert.size);
        return all.subspan(share * static_cast<std::size_t>(m_coordinate.expert), share);
    }
    // The number of data-parallel ranks that together have the whole unit.
    [[nodiscard]] int writersOf(const ParameterUnit &unit) const
    {
        return std::max(m_plan.mesh.shards.size, ranksPerShard(m_plan, unit));
    }
    void addParts(const ParameterUnit &unit, int layer, const ParameterTensor &tensor, const WeightTensor &known)
    {
        const std::string prefix = unit.perLayer ? layerPrefix(m_plan.modelLayer(layer)) : "";
        // The number of consecutive ranks with replicas of a part: keys and values, which follow the queries.
        const auto sharersOf = [&](const ModelWeight &part) {
            return tensor.replicatedRows > 0 && &part != &known.parts.front() ? m_plan.kvReplicas : 1;
        };
        // The rows of a part on each rank.
        const auto rowsOf = [&](const ModelWeight &part) {
            return tensor.placement == WeightPlacement::Rows
                       ? ceilDiv(part.rows(), std::int64_t{m_plan.mesh.tensor.size / sharersOf(part)})
                       : part.rows();
        };
        const std::span<const ModelWeight> parts = partsHere(unit, known);
        std::int64_t rows = 0;
        for (const ModelWeight &part : parts)
            rows += rowsOf(part);
        const bool filledUp = rows != tensor.rows; // each part has the same padding
        std::int64_t offset = tensor.offset;
        for (const ModelWeight &part : parts) {
            const int sharers = sharersOf(part);
            addView({.name = prefix + part.name,
                        .shape = part.shape,
                        .init = part.init,
                        .slice = sliceOf(tensor.placement, wholeSlice(part.shape), m_plan.mesh.tensor.size / sharers,
                            m_coordinate.tensor / sharers),
                        .written = !unit.copy && m_coordinate.copy < writersOf(unit) &&
                                   m_coordinate.tensor % (unit.whole ? m_plan.mesh.tensor.size : sharers) == 0,
                        .flat = unit.master,
                        .layer = layer,
                        .pitch = tensor.columns},
                offset, m_coordinate.shard / ranksPerShard(m_plan, unit) * unit.shardElements, unit.shardElements);
            offset += (filledUp ? tensor.rows / std::ssize(parts) : rowsOf(part)) * tensor.columns;
        }
    }

    // Adds the elements of the view that are in [partBegin, partBegin + part) of the unit.
    void addView(WeightView view, std::int64_t offset, std::int64_t partBegin, std::int64_t part)
    {
        if (view.slice.elements() == 0)
            return;
        const std::int64_t columns = view.slice.columns, end = view.slice.rows * view.pitch;
        // The number of elements before a place; padding counts to the row before it.
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
    MeshCoordinate m_coordinate;
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
    if (!unit->muon)
        add(&WeightView::variance, unit->variance, weight.place);
    if (unit->average)
        add(&WeightView::average, *unit->average, weight.place);
    return states;
}

std::vector<WeightView> weightViews(const StepPlan &plan, const ModelSpec &model, MeshCoordinate coordinate)
{
    return Views(plan, model, coordinate).all();
}

} // namespace slipway
