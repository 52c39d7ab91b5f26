// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/plan_words.h"

#include <QCoreApplication>
#include <array>
#include <optional>
#include <span>

namespace slipway::ui {

namespace {

struct Word {
    std::string_view name;
    const char *shown;
};

constexpr std::array kSettings{
    Word{"gpu", QT_TRANSLATE_NOOP("PlanWords", "GPU")},
    Word{"gpus", QT_TRANSLATE_NOOP("PlanWords", "GPUs")},
    Word{"gpus_per_node", QT_TRANSLATE_NOOP("PlanWords", "GPUs per node")},
    Word{"parallel", QT_TRANSLATE_NOOP("PlanWords", "Parallelism")},
    Word{"tp", QT_TRANSLATE_NOOP("PlanWords", "Tensor parallel")},
    Word{"pp", QT_TRANSLATE_NOOP("PlanWords", "Pipeline stages")},
    Word{"cp", QT_TRANSLATE_NOOP("PlanWords", "Context parallel")},
    Word{"ep", QT_TRANSLATE_NOOP("PlanWords", "Expert parallel")},
    Word{"experts_per_token", QT_TRANSLATE_NOOP("PlanWords", "Experts a token")},
    Word{"expert_gemm", QT_TRANSLATE_NOOP("PlanWords", "Expert products")},
    Word{"expert_capacity", QT_TRANSLATE_NOOP("PlanWords", "Expert capacity")},
    Word{"micro_batch", QT_TRANSLATE_NOOP("PlanWords", "Micro-batch")},
    Word{"seq_len", QT_TRANSLATE_NOOP("PlanWords", "Sequence")},
    Word{"grad_accum", QT_TRANSLATE_NOOP("PlanWords", "Accumulation")},
    Word{"tokens", QT_TRANSLATE_NOOP("PlanWords", "Token budget")},
    Word{"calibration", QT_TRANSLATE_NOOP("PlanWords", "Calibration")},
    Word{"prices", QT_TRANSLATE_NOOP("PlanWords", "Price book")},
    Word{"usd_budget", QT_TRANSLATE_NOOP("PlanWords", "Budget")},
    Word{"scaling_law", QT_TRANSLATE_NOOP("PlanWords", "Scaling law")},
    Word{"target_loss", QT_TRANSLATE_NOOP("PlanWords", "Target loss")},
    Word{"gpu_hours_per_failure", QT_TRANSLATE_NOOP("PlanWords", "GPU fails after")},
    Word{"preemptions_per_day", QT_TRANSLATE_NOOP("PlanWords", "Taken a day")},
    Word{"restart_time", QT_TRANSLATE_NOOP("PlanWords", "Restart takes")},
    Word{"checkpoint_interval", QT_TRANSLATE_NOOP("PlanWords", "Checkpoint every")},
    Word{"checkpoint_time", QT_TRANSLATE_NOOP("PlanWords", "Checkpoint takes")},
    Word{"memory_gib", QT_TRANSLATE_NOOP("PlanWords", "Memory cap")},
    Word{"kv_heads", QT_TRANSLATE_NOOP("PlanWords", "KV heads")},
    Word{"ffn", QT_TRANSLATE_NOOP("PlanWords", "MLP width")},
    Word{"hidden", QT_TRANSLATE_NOOP("PlanWords", "Hidden size")},
    Word{"vocab", QT_TRANSLATE_NOOP("PlanWords", "Vocabulary")},
    Word{"tied", QT_TRANSLATE_NOOP("PlanWords", "Embeddings")},
};

constexpr std::array kValues{
    Word{"none", QT_TRANSLATE_NOOP("PlanWords", "None")},
    Word{"ddp", QT_TRANSLATE_NOOP("PlanWords", "DDP")},
    Word{"fsdp-full", QT_TRANSLATE_NOOP("PlanWords", "FSDP, full shard")},
    Word{"fsdp-grad-op", QT_TRANSLATE_NOOP("PlanWords", "FSDP, grad + op")},
    Word{"hsdp", QT_TRANSLATE_NOOP("PlanWords", "HSDP")},
    Word{"zero1", QT_TRANSLATE_NOOP("PlanWords", "ZeRO-1")},
    Word{"flash", QT_TRANSLATE_NOOP("PlanWords", "Flash")},
    Word{"vanilla", QT_TRANSLATE_NOOP("PlanWords", "Vanilla")},
    Word{"selective", QT_TRANSLATE_NOOP("PlanWords", "Selective")},
    Word{"full", QT_TRANSLATE_NOOP("PlanWords", "Full")},
    Word{"bf16-mixed", QT_TRANSLATE_NOOP("PlanWords", "bf16 mixed")},
    Word{"slipway", QT_TRANSLATE_NOOP("PlanWords", "Slipway")},
    Word{"pytorch-eager", QT_TRANSLATE_NOOP("PlanWords", "PyTorch eager")},
    Word{"pytorch-compile", QT_TRANSLATE_NOOP("PlanWords", "PyTorch compiled")},
    Word{"megatron", QT_TRANSLATE_NOOP("PlanWords", "Megatron")},
    Word{"auto", QT_TRANSLATE_NOOP("PlanWords", "Automatic")},
    Word{"grouped", QT_TRANSLATE_NOOP("PlanWords", "Grouped")},
    Word{"loop", QT_TRANSLATE_NOOP("PlanWords", "Loop")},
    Word{"true", QT_TRANSLATE_NOOP("PlanWords", "On")},
    Word{"false", QT_TRANSLATE_NOOP("PlanWords", "Off")},
};

constexpr std::array kTiedValues{
    Word{"true", QT_TRANSLATE_NOOP("PlanWords", "Tied")},
    Word{"false", QT_TRANSLATE_NOOP("PlanWords", "Untied")},
};

QString shownAs(const char *text) { return QCoreApplication::translate("PlanWords", text); }

std::optional<QString> lookUp(std::string_view name, std::span<const Word> words)
{
    for (const Word &word : words) {
        if (word.name == name)
            return shownAs(word.shown);
    }
    return std::nullopt;
}

} // namespace

QString roleName(Role role)
{
    static constexpr std::array names{QT_TRANSLATE_NOOP("PlanWords", "Parameters"),
        QT_TRANSLATE_NOOP("PlanWords", "Masters"), QT_TRANSLATE_NOOP("PlanWords", "Gradients"),
        QT_TRANSLATE_NOOP("PlanWords", "Optimizer states"), QT_TRANSLATE_NOOP("PlanWords", "Activations"),
        QT_TRANSLATE_NOOP("PlanWords", "Logits"), QT_TRANSLATE_NOOP("PlanWords", "Communication"),
        QT_TRANSLATE_NOOP("PlanWords", "Workspace")};
    return shownAs(names[static_cast<std::size_t>(role)]);
}

QString costName(CostClass kind)
{
    static constexpr std::array names{QT_TRANSLATE_NOOP("PlanWords", "Matrix products"),
        QT_TRANSLATE_NOOP("PlanWords", "Attention"), QT_TRANSLATE_NOOP("PlanWords", "Elementwise"),
        QT_TRANSLATE_NOOP("PlanWords", "Loss"), QT_TRANSLATE_NOOP("PlanWords", "Optimizer"),
        QT_TRANSLATE_NOOP("PlanWords", "Communication, exposed")};
    return shownAs(names[static_cast<std::size_t>(kind)]);
}

QString phaseName(Phase phase)
{
    static constexpr std::array names{QT_TRANSLATE_NOOP("PlanWords", "Forward"),
        QT_TRANSLATE_NOOP("PlanWords", "Backward"), QT_TRANSLATE_NOOP("PlanWords", "Recomputation"),
        QT_TRANSLATE_NOOP("PlanWords", "Optimizer")};
    return shownAs(names[static_cast<std::size_t>(phase)]);
}

QString settingName(std::string_view key)
{
    if (const auto shown = lookUp(key, kSettings))
        return *shown;
    QString text = QString::fromUtf8(key.data(), static_cast<qsizetype>(key.size())).replace(u'_', u' ');
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

QString valueName(std::string_view key, const QString &value)
{
    // A model, a card or a book may be called anything; only words of a choice are translated.
    if (key == "model" || key == "gpu" || key == "prices" || key == "calibration" || key == "name")
        return value;
    const std::string name = value.toStdString();
    return lookUp(name, key == "tied" ? std::span<const Word>(kTiedValues) : kValues).value_or(value);
}

} // namespace slipway::ui
