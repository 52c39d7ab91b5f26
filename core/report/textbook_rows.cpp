// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "report/textbook_rows.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/text.h"
#include "memory/zero_stages.h"

namespace slipway {

namespace {

// Below this part of the peak, and of what the formula says itself, a difference needs no reason.
constexpr double kWorthWords = 0.01, kOfFormula = 0.25;

class TextbookComparison {
public:
    explicit TextbookComparison(const Prediction &p) : m_p(p), m_c(p.config), m_m(p.memory), m_model(p.model) {}

    std::vector<TextbookRow> rows()
    {
        add("Weights", m_m.textbook.weights, at(Role::Parameter), weightWords());
        add("Gradients", m_m.textbook.gradients, at(Role::Gradient), gradientWords());
        add("Master weights and optimizer states", m_m.textbook.optimizer,
            at(Role::MasterWeight) + at(Role::OptimizerState), optimizerWords());
        add("Activations", m_m.textbook.activations, at(Role::Activation), activationWords());
        add("Logits and loss", 0, at(Role::Logits),
            fmt::format("The formula omits the logits: {} x {} tokens x vocabulary size {}.", m_c.microBatch,
                m_c.seqLen, m_model.vocab));
        add("Communication", 0, at(Role::Communication),
            "The formula omits gathered weights and gradients that wait for their reduction.");
        add("Workspaces", 0, at(Role::Workspace), "The formula omits the workspaces of kernels.");
        add("Reserved but not allocated", 0, std::max<Bytes>(0, m_m.peakReserved - alive()),
            "The allocator reserves whole segments and caches freed memory.");
        add("Outside the allocator", 0, m_m.outsideAllocator,
            m_p.gpu.isCpu ? "The program's code and static data."
                          : "The CUDA context and communication buffers, which are not tensors.");
        return std::move(m_rows);
    }

private:
    [[nodiscard]] Bytes at(Role role) const { return m_m.atPeak[static_cast<std::size_t>(role)]; }
    [[nodiscard]] Bytes alive() const
    {
        Bytes sum = 0;
        for (const Bytes bytes : m_m.atPeak)
            sum += bytes;
        return sum;
    }
    [[nodiscard]] double shardCount() const { return m_c.parallel.shardRanks(); }

    void add(std::string part, Bytes formula, Bytes simulated, std::string why)
    {
        if (formula == 0 && simulated == 0)
            return;
        const auto difference = std::abs(double(simulated - formula));
        const bool differs =
            difference >= kWorthWords * double(m_m.peak) || (formula > 0 && difference >= kOfFormula * double(formula));
        m_rows.push_back({std::move(part), formula, simulated, differs ? std::move(why) : std::string()});
    }

    [[nodiscard]] std::string countWords() const
    {
        const auto real = double(parameterCount(m_model));
        if (std::abs(real / m_m.textbook.parameters - 1) < 0.02)
            return {};
        std::string because = m_model.mlp.gated
                                  ? fmt::format("an MLP with three matrices of width {}", m_model.mlp.width)
                                  : fmt::format("an MLP of width {}", m_model.mlp.width);
        if (m_model.experts.count > 1)
            because = fmt::format("{} experts, each ", m_model.experts.count) + because;
        if (m_model.attention.kvHeads != m_model.attention.heads)
            because += fmt::format(", {} key-value heads", m_model.attention.kvHeads);
        because += m_model.head.tied ? "" : ", an untied LM head";
        return fmt::format("The formula counts {} parameters for a GPT with tied embeddings; this model has {} ({}). ",
            formatCount(m_m.textbook.parameters), formatCount(real), because);
    }

    // Bytes alive at the peak for each parameter that this rank owns.
    [[nodiscard]] double bytesEach(Bytes bytes, bool sharded) const
    {
        return double(bytes) /
               (double(parameterCount(m_model)) / (m_c.parallel.tp * m_c.parallel.pp) / (sharded ? shardCount() : 1));
    }

    [[nodiscard]] std::string eachWords(const char *what, double each, double formula) const
    {
        return std::abs(each - formula) < 0.15 * formula
                   ? std::string()
                   : fmt::format("{} take {:.1f} bytes per parameter instead of {:.0f}. ", what, each, formula);
    }

    [[nodiscard]] std::string weightWords() const
    {
        std::string words = countWords();
        const double each = bytesEach(at(Role::Parameter), shardsWeights(m_c.parallel.kind));
        if (m_c.trainsAdapters())
            words += "The formula counts frozen weights as they are stored, without the scales of quantization. ";
        else
            words += eachWords(each > 3 ? "Weights are stored in fp32 and" : "Weights", each, 2);
        if (shardsWeights(m_c.parallel.kind))
            words += "Only the shards are counted here; gathered weights are counted as communication. ";
        if (m_c.parallel.pp > 1)
            words += "The values are those of the stage with the highest peak, which may have the embedding or the LM "
                     "head. ";
        return trimmedText(words);
    }

    [[nodiscard]] static std::string adapterWords()
    {
        return "Only the adapters are trained; the formula counts those at 14 bytes each, besides their weights.";
    }

    [[nodiscard]] std::string gradientWords() const
    {
        if (m_c.trainsAdapters())
            return adapterWords();
        const double each = bytesEach(at(Role::Gradient), shardsGradients(m_c.parallel.kind));
        if (each < 1)
            return trimmedText(
                fmt::format("At the peak, in {}, most gradients are not yet allocated or already freed.", where()));
        return trimmedText(
            countWords() + eachWords(each > 3 ? "Gradients are accumulated in fp32 and" : "Gradients", each, 2));
    }

    [[nodiscard]] std::string optimizerWords() const
    {
        if (m_c.trainsAdapters())
            return adapterWords();
        std::string words =
            countWords() +
            eachWords("Master weights and moments",
                bytesEach(at(Role::MasterWeight) + at(Role::OptimizerState), shardsStates(m_c.parallel.kind)), 12);
        if (m_c.optimizer == OptimizerKind::Sgd)
            words += "SGD has no moments; the formula counts those of Adam. ";
        else if (m_c.optimizer == OptimizerKind::AdamW8bit)
            words += "8-bit moments take 1 byte each instead of 4. ";
        else if (m_c.optimizer == OptimizerKind::Muon)
            words += "Muon has one moment for the matrices of the layers. ";
        else if (m_c.optimizer == OptimizerKind::Lion)
            words += "Lion has one moment; the formula counts both of Adam. ";
        else if (m_c.optimizer == OptimizerKind::Adafactor)
            words += "Adafactor stores a row and a column of each matrix; the formula counts the moments of Adam. ";
        else if (m_c.pagesOptimizerStates())
            words += "The moments are in paged memory outside the allocator. ";
        if (m_c.ema > 0)
            words += "The moving average of the weights takes 4 bytes per parameter; the formula omits it. ";
        if (at(Role::MasterWeight) == 0)
            words += m_c.precisionOrMixed() == Precision::Bf16
                         ? "All model states are bf16, without master weights. "
                         : "The weights are fp32, without separate master weights. ";
        return trimmedText(words);
    }

    [[nodiscard]] std::string activationWords() const
    {
        std::string words;
        if (m_m.peakAt.phase == Phase::Optimizer)
            words += fmt::format("The peak is in {}, after the activations are freed. ", where());
        if (m_c.attentionOrFlash() == Attention::Flash && m_c.recomputeOrNone() == Recompute::None)
            words += fmt::format(
                "Flash attention does not store the attention scores; the formula counts them with 5as²b, here {}. ",
                formatBytes(scores()));
        if (m_model.mlp.gated && m_c.recompute != Recompute::Full)
            words += fmt::format(
                "34sbh assumes a GELU MLP of width 4h with dropout; SwiGLU stores three tensors of width {}. ",
                m_model.mlp.width);
        if (m_c.framework == Framework::PytorchEager && m_c.recompute != Recompute::Full)
            words += "Eager code stores the inputs that each op needs for its backward pass, including copies made by "
                     "autocast. ";
        if (m_c.precisionOrMixed() == Precision::Fp32 && m_c.recompute != Recompute::Full)
            words += "fp32 takes twice the bytes that the formula assumes. ";
        if (m_c.recompute == Recompute::Full)
            words += "With full recomputation, the activations of one layer are in memory besides the layer inputs; "
                     "the formula omits them. ";
        return trimmedText(words);
    }

    [[nodiscard]] Bytes scores() const
    {
        const double s = double(m_c.seqLen);
        return static_cast<Bytes>(5.0 * m_model.attention.heads * s * s * double(m_c.microBatch) * m_model.layers /
                                  m_c.parallel.pp / m_c.parallel.tp / m_c.parallel.cp);
    }

    [[nodiscard]] std::string where() const
    {
        const std::string layer = m_m.peakAt.layer < 0 ? std::string() : fmt::format(" of layer {}", m_m.peakAt.layer);
        return m_m.peakAt.op + layer;
    }

    static std::string trimmedText(const std::string &text)
    {
        const std::string_view words = trimmed(text);
        return words.empty() ? "The plan counts each tensor with its actual size and lifetime." : std::string(words);
    }

    const Prediction &m_p;
    const RunConfig &m_c;
    const MemoryPrediction &m_m;
    const ModelSpec &m_model;
    std::vector<TextbookRow> m_rows;
};

} // namespace

std::vector<TextbookRow> textbookRows(const Prediction &prediction) { return TextbookComparison(prediction).rows(); }

} // namespace slipway
