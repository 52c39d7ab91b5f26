// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/host_weights.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace slipway {

namespace {

// Copies the elements of a shard that are in `laidOut`, a range of the flat buffer that begins at `place`.
void takeRuns(const WeightView &weight, float *values, std::int64_t place, std::span<const float> laidOut)
{
    const std::int64_t end = place + std::ssize(laidOut);
    weight.forEachRun([&](std::int64_t first, std::int64_t runPlace, std::int64_t count) {
        const std::int64_t from = std::max(place, runPlace), to = std::min(end, runPlace + count);
        if (from < to)
            std::copy(
                laidOut.begin() + (from - place), laidOut.begin() + (to - place), values + first + (from - runPlace));
    });
}

} // namespace

Result<std::optional<MappedMemory>> HostWeights::mapCopies(
    const StepPlan &plan, const std::vector<WeightView> &views, bool onHost)
{
    const bool hasGaps =
        std::any_of(views.begin(), views.end(), [](const WeightView &view) { return view.extent() != view.count; });
    if (onHost && !hasGaps)
        return std::optional<MappedMemory>();
    std::int64_t values = 0;
    for (const WeightView &weight : views)
        values += std::ssize(weightStates(plan, weight)) * weight.count;
    Result<MappedMemory> memory = MappedMemory::map(values * sizeOf(DType::Fp32));
    if (!memory)
        return memory.error();
    return std::optional<MappedMemory>(std::move(*memory));
}

HostWeights::HostWeights(const StepPlan &plan, Backend &backend, const StepRunner &runner,
    std::vector<WeightView> views, std::optional<MappedMemory> copies)
    : m_plan(plan),
      m_backend(backend),
      m_runner(runner),
      m_views(std::move(views)),
      m_copies(std::move(copies))
{
    float *copy = m_copies ? reinterpret_cast<float *>(m_copies->data()) : nullptr;
    for (WeightView &weight : m_views) {
        for (const WeightState &state : weightStates(m_plan, weight)) {
            weight.*state.values = copy ? copy : reinterpret_cast<float *>(placeOf(state, weight));
            copy += copy ? weight.count : 0;
        }
    }
}

void HostWeights::upload(const WeightView &weight, States states)
{
    if (!m_copies)
        return;
    std::vector<float> laidOut;
    for (const WeightState &state : weightStates(m_plan, weight)) {
        if (states == States::Weights && state.values != &WeightView::master && state.values != &WeightView::average)
            continue;
        const float *const values = weight.*state.values;
        std::span<const float> source(values, static_cast<std::size_t>(weight.count));
        if (weight.extent() != weight.count) {
            laidOut.assign(static_cast<std::size_t>(weight.extent()), 0.0f); // padding stays 0
            weight.forEachRun([&](std::int64_t first, std::int64_t place, std::int64_t count) {
                std::copy_n(values + first, count, laidOut.begin() + place);
            });
            source = laidOut;
        }
        m_backend.write(std::as_bytes(source), placeOf(state, weight));
    }
}

void HostWeights::release() const
{
    if (m_copies)
        m_copies->discardPages();
}

void HostWeights::beginDownload()
{
    if (!m_copies)
        return;
    waitForDownload();
    m_downloaded = {};
    m_downloading = m_downloaded.get_future();
    m_backend.beginCopies();
}

void HostWeights::finishDownload()
{
    if (!m_copies)
        return;
    const std::unique_ptr<std::promise<void>, void (*)(std::promise<void> *)> whateverHappens(
        &m_downloaded, [](std::promise<void> *done) { done->set_value(); });
    std::vector<std::span<const std::byte>> sources;
    std::vector<std::pair<const WeightView *, float *>> targets;
    for (const WeightView &weight : m_views) {
        for (const WeightState &state : weightStates(m_plan, weight)) {
            sources.emplace_back(placeOf(state, weight), static_cast<std::size_t>(weight.extent()) * sizeof(float));
            targets.emplace_back(&weight, weight.*state.values);
        }
    }
    m_backend.finishCopies(sources, [&](std::size_t number, Bytes offset, std::span<const std::byte> bytes) {
        const auto [weight, values] = targets[number];
        takeRuns(*weight, values, offset / sizeOf(DType::Fp32),
            {reinterpret_cast<const float *>(bytes.data()), bytes.size() / sizeof(float)});
    });
}

void HostWeights::waitForDownload()
{
    if (m_downloading.valid())
        m_downloading.get();
}

} // namespace slipway
