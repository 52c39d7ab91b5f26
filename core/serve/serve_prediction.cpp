// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "serve/serve_prediction.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.h"

namespace slipway {

namespace {

constexpr double kTightPart = 0.1; // of the room of the cache

// Powers of two, and the most.
std::vector<std::int64_t> batchesUpTo(std::int64_t most)
{
    std::vector<std::int64_t> batches;
    for (std::int64_t batch = 1; batch < most; batch *= 2)
        batches.push_back(batch);
    if (most > 0)
        batches.push_back(most);
    return batches;
}

std::string originText(const Serving &s)
{
    std::string guessed;
    for (const AppliedField &field : s.software.fields) {
        if (isGuessed(field.origin))
            guessed += (guessed.empty() ? "" : ", ") + field.key;
    }
    return fmt::format("{}{}: {} fields of its profile apply{}.", s.software.title,
        s.software.version.empty() ? "" : " " + s.software.version, s.software.fields.size(),
        guessed.empty() ? "" : "; not verified: " + guessed);
}

std::vector<std::string> notesFor(const Serving &s)
{
    std::vector<std::string> notes{originText(s)};
    if (s.config.weights == StoredType::Fp8 && !s.layout.fp8Gemms)
        notes.push_back(
            fmt::format("The {} has no fp8 GEMMs: weights are stored in fp8, and GEMMs compute in bf16.", s.gpu.name));
    if (s.gpu.isCpu && s.config.weights != StoredType::Fp32)
        notes.push_back("The CPU computes in fp32; --weights says how the weights are stored.");
    if (s.model.experts.count > 0)
        notes.push_back(fmt::format("Each token is routed to {} of {} experts, evenly; {} are read for a batch of {}.",
            s.model.experts.perToken, s.model.experts.count, expertsTouched(s.model.experts, s.config.batch),
            s.config.batch));
    return notes;
}

Error neverFits(const Serving &s, const ServingMemory &m, std::int64_t most)
{
    return {.what = fmt::format("{} sequences of {} tokens need {} on each GPU, of which {} are usable, with {} "
                                "GPU{}. All GPUs of a node and smaller types of weights and KV cache are not enough",
                s.config.batch, s.config.length(), formatBytes(m.peak), formatBytes(m.usable), s.layout.tp,
                s.layout.tp == 1 ? "" : "s"),
        .where = "--batch",
        .accepted = most > 0 ? fmt::format("1 to {}", most)
                             : fmt::format("another model or GPU: the weights alone take {}", formatBytes(m.weights))};
}

} // namespace

Verdict verdictOf(const ServingMemory &m)
{
    if (!m.fits() || m.cache > m.pool)
        return Verdict::Oom;
    return double(m.pool - m.cache) < kTightPart * double(m.cache) ? Verdict::Tight : Verdict::Fits;
}

ServeSpeed speedOf(const Serving &s, std::int64_t most)
{
    ServeSpeed speed;
    speed.ttft = prefillTime(s, 1);
    speed.tpotAlone = decodeTime(s, 1);
    speed.tpot = decodeTime(s, s.config.batch);
    speed.tokensPerSecond = throughput(s, s.config.batch);
    speed.tokensPerSecondAlone = throughput(s, 1);
    for (const std::int64_t batch : batchesUpTo(std::min(most, s.software.sequences))) {
        const double here = throughput(s, batch);
        if (here > speed.tokensPerSecondMost) {
            speed.tokensPerSecondMost = here;
            speed.bestBatch = batch;
        }
    }
    speed.computeBoundBatch = computeBoundBatch(s);
    return speed;
}

Result<ServePrediction> predictServing(
    const ServeConfig &config, const Catalogue &catalogue, const Frameworks &frameworks)
{
    Result<Serving> serving = resolveServing(config, catalogue, frameworks);
    if (!serving)
        return serving.error();
    const Result<PriceBook> book = catalogue.priceBook(config.run.prices);
    if (!book)
        return book.error();
    ServePrediction p{.serving = *std::move(serving)};
    const Serving &s = p.serving;
    p.priceBook = book->id;
    p.memory = memoryOf(s, s.config.batch);
    p.verdict = verdictOf(p.memory);
    p.maxSequences = maxSequences(s, s.config.contiguous);
    p.maxSequencesContiguous = maxSequences(s, true);
    p.suggestions = suggestionsFor(s, catalogue, frameworks);
    if (p.verdict == Verdict::Oom && p.suggestions.empty())
        return neverFits(s, p.memory, p.maxSequences);
    p.speed = speedOf(s, p.maxSequences);
    if (config.requestsPerSecond && p.maxSequences > 0)
        p.load = loadOf(s, *config.requestsPerSecond, p.speed.tokensPerSecondMost);
    p.prices = servePrices(p, catalogue);
    if (config.ttft || config.tpot)
        p.gpuChoices = gpuChoicesFor(config, catalogue, frameworks);
    p.notes = notesFor(s);
    return p;
}

} // namespace slipway
