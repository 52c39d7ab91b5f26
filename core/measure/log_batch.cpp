// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/log_batch.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "frameworks/log_line.h"

namespace slipway {

namespace {

constexpr double kMostBatch = 1e15; // more fits no training, and a double has the integers up to it
// nanotron prints three digits, "1.02K" for 1024.
constexpr double kRounding = 0.01;

// Only words that mean the batch of all GPUs. "batch size" and "train_batch_size" often mean that of one.
const std::vector<LogForm> &batchForms()
{
    constexpr LogQuantity kTokens = LogQuantity::AllTokens, kSequences = LogQuantity::Sequences;
    static const std::vector<LogForm> forms{
        {.words = "tokens per iteration will be", .is = kTokens}, // nanoGPT
        {.words = "tokens per iteration", .is = kTokens},
        {.words = "tokens per step", .is = kTokens},
        {.words = "tokens_per_step", .is = kTokens},
        {.words = "tokens/step", .is = kTokens},
        {.words = "total desired batch size", .is = kTokens},                     // build-nanogpt
        {.words = "total_batch_size", .is = kTokens, .beside = "num_processes="}, // llm.c
        {.words = "total train batch size (w. parallel, distributed & accumulation)", .is = kSequences}, // Hugging Face
        {.words = "total_train_batch_size", .is = kSequences},
        {.words = "global_train_batch_size", .is = kSequences}, // llm-foundry
        {.words = "global batch size", .is = kSequences},       // Megatron-LM, torchtitan
        {.words = "global_batch_size", .is = kSequences},       // NeMo, nanotron
    };
    return forms;
}

// "tokens per step per GPU", "tokens per step (per rank)".
bool isOfOneGpu(std::string_view line, const std::string &words)
{
    return line.find(words + " per ") != std::string_view::npos ||
           line.find(words + " (per ") != std::string_view::npos;
}

} // namespace

LoggedBatchReader::LoggedBatchReader() : m_stated(batchForms().size(), 0) {}

void LoggedBatchReader::take(const std::string &line)
{
    const std::vector<LogForm> &forms = batchForms();
    for (std::size_t i = 0; i < forms.size(); ++i) {
        const std::optional<double> figure = figureOfForm(line, forms[i]);
        if (figure && *figure >= 1 && *figure < kMostBatch && !isOfOneGpu(line, forms[i].words))
            m_stated[i] = std::llround(*figure);
    }
}

std::optional<LoggedBatch> LoggedBatchReader::batch() const
{
    const auto found = std::find_if(m_stated.begin(), m_stated.end(), [](std::int64_t size) { return size > 0; });
    if (found == m_stated.end())
        return std::nullopt;
    const LogForm &form = batchForms()[static_cast<std::size_t>(found - m_stated.begin())];
    return LoggedBatch{.inTokens = form.is == LogQuantity::AllTokens, .size = *found};
}

std::optional<BatchConflict> batchConflict(const std::optional<LoggedBatch> &logged, const RunConfig &config)
{
    if (!logged)
        return std::nullopt;
    const std::int64_t planned =
        config.tokensPerStep() / (logged->inTokens ? 1 : std::max<std::int64_t>(config.seqLen, 1));
    if (std::abs(static_cast<double>(logged->size - planned)) <= kRounding * static_cast<double>(planned))
        return std::nullopt;
    return BatchConflict{.logged = *logged, .planned = planned};
}

} // namespace slipway
