// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Text from a trained run, token by token: what the newest checkpoint makes of a prompt.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "base/result.h"
#include "run/run_job.h"
#include "run/sequence_decoder.h"
#include "state/hf_weights.h"

namespace slipway {

struct SampleOptions {
    double temperature = 0.8; // 0: always the likeliest
    int topK = 50;            // the likeliest so many are drawn from; 0: all
    std::uint64_t seed = 0;
};

// Draws an index by softmax(logits / temperature) over the topK largest.
std::int32_t drawToken(std::span<const float> logits, const SampleOptions &options, std::mt19937_64 &random);

class Sampler {
public:
    // Of a model, its weights, and the tokens that a text may have.
    using MakeDecoder =
        std::function<Result<std::unique_ptr<SequenceDecoder>>(const ModelSpec &, std::vector<HfWeight>, std::int64_t)>;
    // The run's newest weights, whatever they were trained on. Fault::Input where it has no checkpoint yet.
    static Result<Sampler> open(const RunJob &job, const SampleOptions &options, const MakeDecoder &make);
    static Result<Sampler> open(const RunJob &job, const SampleOptions &options); // on this processor, fp32
    // The token after `ids`, at least one. Calls whose ids go on from the last call's cost one token each; beyond
    // seqLen tokens the older half is forgotten.
    Result<std::int32_t> next(std::span<const std::int32_t> ids);

private:
    Sampler(std::unique_ptr<SequenceDecoder> decoder, const SampleOptions &options)
        : m_decoder(std::move(decoder)),
          m_sequence(m_decoder->begin()),
          m_options(options),
          m_random(options.seed)
    {
    }

    std::unique_ptr<SequenceDecoder> m_decoder;
    SequenceDecoder::Sequence m_sequence;
    std::size_t m_position = 0; // tokens that the sequence has
    SampleOptions m_options;
    std::mt19937_64 m_random;
    std::vector<std::int32_t> m_taken; // what the decoder has seen
};

} // namespace slipway
