// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/generator.h"

#include <algorithm>
#include <string>
#include <utility>

namespace slipway {

Result<std::size_t> Generator::add(GenerateRequest request)
{
    const auto outside = std::find_if(request.prompt.begin(), request.prompt.end(),
        [this](std::int32_t id) { return id < 0 || id >= m_decoder.vocab(); });
    if (request.prompt.empty() || outside != request.prompt.end())
        return Error{.what = request.prompt.empty() ? "is empty" : "holds id " + std::to_string(*outside),
            .where = "the prompt",
            .accepted = "ids from 0 to " + std::to_string(m_decoder.vocab() - 1)};
    const std::int64_t length = std::ssize(request.prompt) + request.tokens;
    if (request.tokens < 1 || length > m_decoder.positions())
        return Error{.what = "a prompt of " + std::to_string(request.prompt.size()) + " tokens and an answer of " +
                             std::to_string(request.tokens),
            .where = "the request",
            .accepted = "1 token of an answer or more, and " + std::to_string(m_decoder.positions()) + " in all"};
    m_waiting.push_back(m_requests.size());
    const std::mt19937_64 random(request.options.seed);
    m_requests.push_back({.asked = std::move(request), .random = random});
    return m_requests.size() - 1;
}

std::vector<std::int64_t> Generator::cachedTokens() const
{
    std::vector<std::int64_t> tokens;
    for (const std::size_t id : m_running)
        tokens.push_back(static_cast<std::int64_t>(m_requests[id].taken));
    return tokens;
}

void Generator::admit()
{
    while (!m_waiting.empty() && std::ssize(m_running) < m_options.sequences) {
        const auto tokens = static_cast<std::int64_t>(m_requests[m_waiting.front()].known()) + 1;
        if (!m_running.empty() && !m_decoder.hasRoom(tokens))
            return;
        m_requests[m_waiting.front()].sequence = m_decoder.begin();
        m_running.push_back(m_waiting.front());
        m_waiting.pop_front();
    }
}

// Preempts the sequence that was admitted last: frees its blocks, and recomputes it when there is room.
void Generator::preempt()
{
    Request &last = m_requests[m_running.back()];
    m_decoder.end(last.sequence);
    last.taken = 0;
    m_waiting.push_front(m_running.back());
    m_running.pop_back();
    ++m_preemptions;
}

std::vector<DecoderInput> Generator::nextInputs(
    std::vector<std::vector<std::int32_t>> &tokens, std::vector<std::size_t> &whose)
{
    // Each decoding sequence processes one token; prompts share the remaining budget in the order of admission. A
    // sequence that is recomputed after a preemption counts as a prompt.
    const auto isPrompt = [this](std::size_t id) { return m_requests[id].answer.empty() || !decodes(id); };
    const bool holds = m_options.promptsFirst && std::any_of(m_running.begin(), m_running.end(), isPrompt);
    const auto decoding = std::count_if(
        m_running.begin(), m_running.end(), [&](std::size_t id) { return decodes(id) && !(holds && !isPrompt(id)); });
    auto budget = static_cast<std::size_t>(std::max<std::int64_t>(1, m_options.tokens - decoding));
    for (const std::size_t id : m_running) {
        if (holds && !isPrompt(id))
            continue;
        const Request &request = m_requests[id];
        const std::size_t left = request.known() - request.taken, count = left == 1 ? 1 : std::min(budget, left);
        if (count == 0)
            continue;
        budget -= left == 1 ? 0 : count;
        std::vector<std::int32_t> &next = tokens.emplace_back();
        for (std::size_t i = request.taken; i < request.taken + count; ++i)
            next.push_back(i < request.asked.prompt.size() ? request.asked.prompt[i]
                                                           : request.answer[i - request.asked.prompt.size()]);
        whose.push_back(id);
    }
    std::vector<DecoderInput> inputs;
    for (std::size_t i = 0; i < whose.size(); ++i)
        inputs.push_back({m_requests[whose[i]].sequence, tokens[i]});
    return inputs;
}

void Generator::draw(Request &request, std::span<const float> logits)
{
    const std::int32_t token = drawToken(logits, request.asked.options, request.random);
    if (token != request.asked.stop)
        request.answer.push_back(token);
    request.done = token == request.asked.stop || std::ssize(request.answer) == request.asked.tokens;
    if (request.done)
        m_decoder.end(request.sequence);
}

Result<bool> Generator::step()
{
    admit();
    while (!m_running.empty()) {
        std::vector<std::vector<std::int32_t>> tokens;
        std::vector<std::size_t> whose;
        const std::vector<DecoderInput> next = nextInputs(tokens, whose);
        const std::span<const float> logits = m_decoder.forward(next);
        if (logits.empty() && m_running.size() == 1)
            return Error{.what = "a sequence of " + std::to_string(m_requests[m_running.front()].known()) +
                                 " tokens does not fit into the cache",
                .where = "the cache",
                .accepted = "more blocks"};
        if (logits.empty()) {
            preempt();
            continue;
        }
        const auto vocab = static_cast<std::size_t>(m_decoder.vocab());
        for (std::size_t i = 0; i < whose.size(); ++i) {
            Request &request = m_requests[whose[i]];
            request.taken += next[i].tokens.size();
            if (request.taken == request.known())
                draw(request, logits.subspan(i * vocab, vocab));
        }
        std::erase_if(m_running, [this](std::size_t id) { return m_requests[id].done; });
        break;
    }
    return !m_running.empty() || !m_waiting.empty();
}

} // namespace slipway
