// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "cpu_ops/paged_attention.h"
#include "run/decoder.h"
#include "state/checkpoint.h"

namespace slipway {

std::int32_t drawToken(std::span<const float> logits, const SampleOptions &options, std::mt19937_64 &random)
{
    if (options.temperature <= 0)
        return static_cast<std::int32_t>(cpu_ops::indexOfLargest(logits));
    std::vector<std::int32_t> order(logits.size());
    std::iota(order.begin(), order.end(), 0);
    const std::size_t kept =
        options.topK > 0 ? std::min<std::size_t>(static_cast<std::size_t>(options.topK), order.size()) : order.size();
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(),
        [&](std::int32_t a, std::int32_t b) {
            return std::pair(-logits[static_cast<std::size_t>(a)], a) <
                   std::pair(-logits[static_cast<std::size_t>(b)], b);
        });
    std::vector<double> weights;
    const double largest = logits[static_cast<std::size_t>(order.front())];
    for (std::size_t i = 0; i < kept; ++i)
        weights.push_back(std::exp((logits[static_cast<std::size_t>(order[i])] - largest) / options.temperature));
    double left = std::generate_canonical<double, 53>(random) * std::accumulate(weights.begin(), weights.end(), 0.0);
    std::size_t drawn = 0;
    while (drawn + 1 < kept && left >= weights[drawn])
        left -= weights[drawn++];
    return order[drawn];
}

Result<Sampler> Sampler::open(const RunJob &job, const SampleOptions &options, const MakeDecoder &make)
{
    Result<NewestWeights> newest =
        newestWeights(job.paths.directory, CheckpointStore(job.paths.checkpoints()), job.model);
    if (!newest)
        return newest.error();
    Result<std::unique_ptr<SequenceDecoder>> decoder = make(job.model, std::move(newest->weights), job.config.seqLen);
    if (!decoder)
        return decoder.error();
    return Sampler(*std::move(decoder), options);
}

Result<Sampler> Sampler::open(const RunJob &job, const SampleOptions &options)
{
    return open(job, options, [](const ModelSpec &model, std::vector<HfWeight> weights, std::int64_t positions) {
        return Result<std::unique_ptr<SequenceDecoder>>(
            std::make_unique<Decoder>(model, std::move(weights), positions));
    });
}

Result<std::int32_t> Sampler::next(std::span<const std::int32_t> ids)
{
    const auto outside =
        std::find_if(ids.begin(), ids.end(), [this](std::int32_t id) { return id < 0 || id >= m_decoder->vocab(); });
    if (ids.empty() || outside != ids.end())
        return Error{.what = ids.empty() ? "is empty" : "holds id " + std::to_string(*outside),
            .where = "the prompt",
            .accepted = "ids from 0 to " + std::to_string(m_decoder->vocab() - 1)};
    const auto limit = static_cast<std::size_t>(m_decoder->positions());
    const bool continues = m_taken.size() < ids.size() && m_taken.size() >= m_position &&
                           std::equal(m_taken.begin(), m_taken.end(), ids.begin());
    std::size_t from = continues ? m_taken.size() : 0;
    if (!continues || m_position + ids.size() - from > limit) {
        m_decoder->end(m_sequence);
        m_sequence = m_decoder->begin();
        m_position = 0;
        from = ids.size() > limit ? ids.size() - (limit + 1) / 2 : 0;
    }
    const DecoderInput input{m_sequence, ids.subspan(from)};
    const std::span<const float> logits = m_decoder->forward({&input, 1});
    m_position += ids.size() - from;
    m_taken.assign(ids.begin(), ids.end());
    return drawToken(logits, m_options, m_random);
}

} // namespace slipway
