// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Samples text from the latest checkpoint of a run, token by token.
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
    double temperature = 0.8; // 0: greedy
    int topK = 50;            // samples from the topK most likely tokens; 0: from all
    std::uint64_t seed = 0;
};

// Draws an index by softmax(logits / temperature) over the topK largest.
std::int32_t drawToken(std::span<const float> logits, const SampleOptions &options, std::mt19937_64 &random);

class Sampler {
public:
    // Creates a decoder for a model, its weights and the longest sequence.
    using MakeDecoder =
        std::function<Result<std::unique_ptr<SequenceDecoder>>(const ModelSpec &, std::vector<HfWeight>, std::int64_t)>;
    // Loads the weights of the run's latest checkpoint. Fault::Input if it has none yet.
    static Result<Sampler> open(const RunJob &job, const SampleOptions &options, const MakeDecoder &make);
    static Result<Sampler> open(const RunJob &job, const SampleOptions &options); // on the CPU, in fp32
    // The token after `ids`, which must not be empty. If `ids` continues those of the last call, only the new ones are
    // processed. Beyond seqLen tokens, the older half is dropped.
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
    std::size_t m_position = 0; // number of tokens in the sequence
    SampleOptions m_options;
    std::mt19937_64 m_random;
    std::vector<std::int32_t> m_taken; // tokens that the decoder has processed
};

} // namespace slipway
