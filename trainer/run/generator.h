// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Generates text for any number of prompts by continuous batching (Yu et al. 2022, Orca, OSDI): in each step, finished
// sequences leave the batch and waiting ones join. Long prompts are processed in chunks together with decoding.
#pragma once

#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "base/result.h"
#include "run/sampler.h"
#include "run/sequence_decoder.h"

namespace slipway {

struct GenerateRequest {
    std::vector<std::int32_t> prompt; // at least one token
    std::int64_t tokens = 1;          // highest number of output tokens; with the prompt at most decoder.positions()
    SampleOptions options;            // with a seed per request, so that its output does not depend on other requests
    std::int32_t stop = -1;           // token that ends the output and is not part of it
};

struct GeneratorOptions {
    std::int64_t sequences = 64;                       // highest number of concurrent sequences
    std::int64_t tokens = SequenceDecoder::kPieceRows; // highest number per step; decoding has priority over prompts
    bool promptsFirst = false; // no sequence decodes while the prompt of another in progress is unfinished
};

class Generator {
public:
    // The decoder must outlive it and have no other user.
    Generator(SequenceDecoder &decoder, const GeneratorOptions &options) : m_decoder(decoder), m_options(options) {}

    // Adds a request and returns its number, from 0. An error if it is invalid.
    Result<std::size_t> add(GenerateRequest request);
    // One step of all sequences in progress. False if there is nothing to do. An error if the KV cache is too small for
    // a single sequence.
    Result<bool> step();

    [[nodiscard]] const std::vector<std::int32_t> &answer(std::size_t request) const
    {
        return m_requests[request].answer;
    }
    [[nodiscard]] bool isDone(std::size_t request) const { return m_requests[request].done; }
    // Tokens in the KV cache of each sequence in progress, in the order of admission.
    [[nodiscard]] std::vector<std::int64_t> cachedTokens() const;
    [[nodiscard]] std::int64_t preemptions() const { return m_preemptions; } // sequences that were preempted so far

private:
    struct Request {
        GenerateRequest asked;
        std::mt19937_64 random;
        std::vector<std::int32_t> answer;
        SequenceDecoder::Sequence sequence = -1;
        std::size_t taken = 0; // tokens of prompt and output that the decoder has processed
        bool done = false;
        [[nodiscard]] std::size_t known() const { return asked.prompt.size() + answer.size(); }
    };
    void admit();
    void preempt();
    // The inputs of the next step, within its token limit. `tokens` owns the tokens that the inputs refer to, and
    // `whose` gets the requests.
    std::vector<DecoderInput> nextInputs(
        std::vector<std::vector<std::int32_t>> &tokens, std::vector<std::size_t> &whose);
    [[nodiscard]] bool decodes(std::size_t id) const { return m_requests[id].taken + 1 == m_requests[id].known(); }
    void draw(Request &request, std::span<const float> logits);

    SequenceDecoder &m_decoder;
    GeneratorOptions m_options;
    std::vector<Request> m_requests;
    std::deque<std::size_t> m_waiting;
    std::vector<std::size_t> m_running; // in the order in which they were admitted
    std::int64_t m_preemptions = 0;
};

} // namespace slipway
