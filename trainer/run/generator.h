// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Answers to any number of prompts at once, by continuous batching (Yu et al. 2022, Orca, OSDI): at every step
// sequences that have ended leave, waiting ones join, and long prompts are taken in parts beside the tokens of the
// others.
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
    std::int64_t tokens = 1;          // of the answer at most; prompt and answer must fit into the decoder's positions
    SampleOptions options;            // its own seed: an answer does not depend on who else is served
    std::int32_t stop = -1;           // a token that ends the answer and is not part of it
};

struct GeneratorOptions {
    std::int64_t sequences = 64;                       // at once, at most
    std::int64_t tokens = SequenceDecoder::kPieceRows; // of a step, at most: prompts take what decoding leaves of it
};

class Generator {
public:
    // The decoder must outlive it; its sequences are its own.
    Generator(SequenceDecoder &decoder, const GeneratorOptions &options) : m_decoder(decoder), m_options(options) {}

    // A number for the request, from 0 on; an error names what is wrong with it.
    Result<std::size_t> add(GenerateRequest request);
    // One step of all sequences at work; false where there is nothing left to do. An error where the cache has no room
    // for one sequence alone.
    Result<bool> step();

    [[nodiscard]] const std::vector<std::int32_t> &answer(std::size_t request) const
    {
        return m_requests[request].answer;
    }
    [[nodiscard]] bool isDone(std::size_t request) const { return m_requests[request].done; }
    // Tokens in the cache of each sequence at work, in the order of admission.
    [[nodiscard]] std::vector<std::int64_t> held() const;
    [[nodiscard]] std::int64_t preemptions() const { return m_preemptions; } // sequences that began anew for others

private:
    struct Request {
        GenerateRequest asked;
        std::mt19937_64 random;
        std::vector<std::int32_t> answer;
        SequenceDecoder::Sequence sequence = -1;
        std::size_t taken = 0; // of prompt and answer
        bool done = false;
        [[nodiscard]] std::size_t known() const { return asked.prompt.size() + answer.size(); }
    };
    void admit();
    void preempt();
    // What each sequence takes next, within the step's tokens; `tokens` holds what the parts point at.
    std::vector<DecoderPart> parts(std::vector<std::vector<std::int32_t>> &tokens, std::vector<std::size_t> &whose);
    void draw(Request &request, std::span<const float> logits);

    SequenceDecoder &m_decoder;
    GeneratorOptions m_options;
    std::vector<Request> m_requests;
    std::deque<std::size_t> m_waiting;
    std::vector<std::size_t> m_running; // in the order in which they were admitted
    std::int64_t m_preemptions = 0;
};

} // namespace slipway
