// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "report/textbook_rows.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/text.h"

namespace slipway {

namespace {

// Below this part of the peak, and of what the formula says itself, a difference needs no reason.
constexpr double kWorthWords = 0.01, kOfFormula = 0.25;

class Comparison {
public:
    explicit Comparison(const Prediction &p) : m_p(p), m_c(p.config), m_m(p.memory), m_model(p.model) {}

    std::vector<TextbookRow> rows()
    {
        const double mine = m_m.textbook.parameters / (m_c.parallel.tp * m_c.parallel.pp);
        const auto states = [&](double bytesEach, bool sharded) {
            return static_cast<Bytes>(mine * bytesEach / (sharded ? shardCount() : 1));
        };
        const Bytes weights = states(2, shardsWeights()), gradients = states(2, shardsGradients());
        add("Weights", weights, at(Role::Parameter), weightWords());
        add("Gradients", gradients, at(Role::Gradient), gradientWords());
        add("Masters and optimizer", m_m.textbook.states - weights - gradients,
            at(Role::Master) + at(Role::OptimizerState), optimizerWords());
        add("Activations", m_m.textbook.activations, at(Role::Activation), activationWords());
        add("Logits and loss", 0, at(Role::Logits),
            fmt::format("The formula leaves the logits out: {} x {} tokens x a vocabulary of {}.", m_c.microBatch,
                m_c.seqLen, m_model.vocab));
        add("Communication", 0, at(Role::Communication),
            "The formula leaves out what is gathered or waits to be reduced.");
        add("Workspaces", 0, at(Role::Workspace), "The formula leaves out what kernels need while they run.");
        add("Held, not in use", 0, std::max<Bytes>(0, m_m.peakReserved - alive()),
            "The allocator hands out whole segments, and keeps what is freed for the next request.");
        add("Outside the allocator", 0, m_m.outsideAllocator,
            m_p.gpu.isCpu ? "Code and tables of the program."
                          : "The CUDA context and the buffers of communication, which no tensor shows.");
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
    [[nodiscard]] bool shardsWeights() const
    {
        return m_c.parallel.kind == ParallelKind::FsdpFull || m_c.parallel.kind == ParallelKind::Hsdp;
    }
    [[nodiscard]] bool shardsGradients() const
    {
        return shardsWeights() || m_c.parallel.kind == ParallelKind::FsdpGradOp;
    }
    [[nodiscard]] bool shardsStates() const { return shardsGradients() || m_c.parallel.kind == ParallelKind::Zero1; }
    [[nodiscard]] double shardCount() const
    {
        const Parallelism &p = m_c.parallel;
        return p.kind == ParallelKind::Hsdp ? std::min(p.gpusPerNode, p.dataParallel()) : p.dataParallel();
    }

    void add(std::string part, Bytes formula, Bytes simulated, std::string why)
    {
        if (formula == 0 && simulated == 0)
            return;
        const auto difference = std::abs(double(simulated - formula));
        const bool told =
            difference >= kWorthWords * double(m_m.peak) || (formula > 0 && difference >= kOfFormula * double(formula));
        m_rows.push_back({std::move(part), formula, simulated, told ? std::move(why) : std::string()});
    }

    [[nodiscard]] std::string countWords() const
    {
        const auto real = double(parameterCount(m_model));
        if (std::abs(real / m_m.textbook.parameters - 1) < 0.02)
            return {};
        std::string because = m_model.mlp == Mlp::SwiGlu
                                  ? fmt::format("three matrices of width {} in the MLP", m_model.ffn)
                                  : fmt::format("an MLP of width {}", m_model.ffn);
        if (m_model.experts > 1)
            because = fmt::format("{} experts, each with ", m_model.experts) + because;
        if (m_model.kvHeads != m_model.heads)
            because += fmt::format(", {} key-value heads", m_model.kvHeads);
        because += m_model.tied ? "" : ", a head of its own";
        return fmt::format("The formula counts {} parameters of a GPT with tied embedding; this model has {} ({}). ",
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
                   : fmt::format("{} take {:.1f} bytes a parameter, not {:.0f}. ", what, each, formula);
    }

    [[nodiscard]] std::string weightWords() const
    {
        std::string words = countWords();
        const double each = bytesEach(at(Role::Parameter), shardsWeights());
        words += eachWords(each > 3 ? "Weights are kept in fp32 and" : "Weights", each, 2);
        if (shardsWeights())
            words += "Only shards count here; what is gathered stands under communication. ";
        if (m_c.parallel.pp > 1)
            words += "The stage with the highest peak is shown, which may hold the embedding or the head. ";
        return trimmedText(words);
    }

    [[nodiscard]] std::string gradientWords() const
    {
        const double each = bytesEach(at(Role::Gradient), shardsGradients());
        if (each < 1)
            return trimmedText(
                fmt::format("At the peak, at {}, most gradients are not there yet, or freed already.", where()));
        return trimmedText(
            countWords() + eachWords(each > 3 ? "Gradients are summed in fp32 and" : "Gradients", each, 2));
    }

    [[nodiscard]] std::string optimizerWords() const
    {
        std::string words =
            countWords() + eachWords("Masters and moments",
                               bytesEach(at(Role::Master) + at(Role::OptimizerState), shardsStates()), 12);
        if (m_c.optimizer == OptimizerKind::Sgd)
            words += "SGD keeps no moments; the formula counts Adam's. ";
        else if (m_c.optimizer == OptimizerKind::AdamW8bit)
            words += "Moments of 8 bits take 1 byte each, not 4. ";
        if (at(Role::Master) == 0)
            words += m_c.precision == Precision::Bf16
                         ? "All states are bf16, without masters. "
                         : "The weights are fp32 themselves, without masters beside them. ";
        return trimmedText(words);
    }

    [[nodiscard]] std::string activationWords() const
    {
        std::string words;
        if (m_m.peakAt.phase == Phase::Optimizer)
            words += fmt::format("The peak is at {}, when activations are gone. ", where());
        if (m_c.attention == Attention::Flash && m_c.recompute == Recompute::None)
            words += fmt::format(
                "Flash attention keeps no scores; the formula counts 5as²b, here {}. ", formatBytes(scores()));
        if (m_model.mlp == Mlp::SwiGlu && m_c.recompute != Recompute::Full)
            words += fmt::format(
                "34sbh stands for a GELU MLP of width 4h with dropout; SwiGLU keeps three tensors of width {}. ",
                m_model.ffn);
        if (m_c.framework == Framework::PytorchEager && m_c.recompute != Recompute::Full)
            words += "Eager code keeps what each op needs for backward, with copies that autocast makes. ";
        if (m_c.precision == Precision::Fp32 && m_c.recompute != Recompute::Full)
            words += "fp32 takes twice the formula's bytes. ";
        if (m_c.recompute == Recompute::Full)
            words += "With full recomputation one layer's own activations are there beside the boundaries, which the "
                     "formula leaves out. ";
        return trimmedText(words);
    }

    [[nodiscard]] Bytes scores() const
    {
        const double s = double(m_c.seqLen);
        return static_cast<Bytes>(5.0 * m_model.heads * s * s * double(m_c.microBatch) * m_model.layers /
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
        return words.empty() ? "The plan counts each tensor by its own size and lifetime." : std::string(words);
    }

    const Prediction &m_p;
    const RunConfig &m_c;
    const MemoryPrediction &m_m;
    const ModelSpec &m_model;
    std::vector<TextbookRow> m_rows;
};

} // namespace

std::vector<TextbookRow> textbookRows(const Prediction &prediction) { return Comparison(prediction).rows(); }

} // namespace slipway
