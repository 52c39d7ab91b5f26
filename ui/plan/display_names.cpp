// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/display_names.h"

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
    Word{"gpu", QT_TRANSLATE_NOOP("DisplayNames", "GPU")},
    Word{"gpus", QT_TRANSLATE_NOOP("DisplayNames", "GPUs")},
    Word{"gpus_per_node", QT_TRANSLATE_NOOP("DisplayNames", "GPUs per node")},
    Word{"parallel", QT_TRANSLATE_NOOP("DisplayNames", "Parallelism")},
    Word{"tp", QT_TRANSLATE_NOOP("DisplayNames", "Tensor parallel")},
    Word{"pp", QT_TRANSLATE_NOOP("DisplayNames", "Pipeline stages")},
    Word{"cp", QT_TRANSLATE_NOOP("DisplayNames", "Context parallel")},
    Word{"ep", QT_TRANSLATE_NOOP("DisplayNames", "Expert parallel")},
    Word{"experts_per_token", QT_TRANSLATE_NOOP("DisplayNames", "Experts a token")},
    Word{"expert_gemm", QT_TRANSLATE_NOOP("DisplayNames", "Expert products")},
    Word{"expert_capacity", QT_TRANSLATE_NOOP("DisplayNames", "Expert capacity")},
    Word{"micro_batch", QT_TRANSLATE_NOOP("DisplayNames", "Micro-batch")},
    Word{"seq_len", QT_TRANSLATE_NOOP("DisplayNames", "Sequence")},
    Word{"grad_accum", QT_TRANSLATE_NOOP("DisplayNames", "Accumulation")},
    Word{"tokens", QT_TRANSLATE_NOOP("DisplayNames", "Token budget")},
    Word{"calibration", QT_TRANSLATE_NOOP("DisplayNames", "Calibration")},
    Word{"prices", QT_TRANSLATE_NOOP("DisplayNames", "Price book")},
    Word{"usd_budget", QT_TRANSLATE_NOOP("DisplayNames", "Budget")},
    Word{"scaling_law", QT_TRANSLATE_NOOP("DisplayNames", "Scaling law")},
    Word{"target_loss", QT_TRANSLATE_NOOP("DisplayNames", "Target loss")},
    Word{"gpu_hours_per_failure", QT_TRANSLATE_NOOP("DisplayNames", "GPU fails after")},
    Word{"preemptions_per_day", QT_TRANSLATE_NOOP("DisplayNames", "Taken a day")},
    Word{"restart_time", QT_TRANSLATE_NOOP("DisplayNames", "Restart takes")},
    Word{"checkpoint_interval", QT_TRANSLATE_NOOP("DisplayNames", "Checkpoint every")},
    Word{"checkpoint_time", QT_TRANSLATE_NOOP("DisplayNames", "Checkpoint takes")},
    Word{"memory_gib", QT_TRANSLATE_NOOP("DisplayNames", "Memory cap")},
    Word{"kv_heads", QT_TRANSLATE_NOOP("DisplayNames", "KV heads")},
    Word{"ffn", QT_TRANSLATE_NOOP("DisplayNames", "MLP width")},
    Word{"hidden", QT_TRANSLATE_NOOP("DisplayNames", "Hidden size")},
    Word{"vocab", QT_TRANSLATE_NOOP("DisplayNames", "Vocabulary")},
    Word{"tied", QT_TRANSLATE_NOOP("DisplayNames", "Embeddings")},
};

constexpr std::array kValues{
    Word{"none", QT_TRANSLATE_NOOP("DisplayNames", "None")},
    Word{"ddp", QT_TRANSLATE_NOOP("DisplayNames", "DDP")},
    Word{"fsdp-full", QT_TRANSLATE_NOOP("DisplayNames", "FSDP, full shard")},
    Word{"fsdp-grad-op", QT_TRANSLATE_NOOP("DisplayNames", "FSDP, grad + op")},
    Word{"hsdp", QT_TRANSLATE_NOOP("DisplayNames", "HSDP")},
    Word{"zero1", QT_TRANSLATE_NOOP("DisplayNames", "ZeRO-1")},
    Word{"flash", QT_TRANSLATE_NOOP("DisplayNames", "Flash")},
    Word{"vanilla", QT_TRANSLATE_NOOP("DisplayNames", "Vanilla")},
    Word{"selective", QT_TRANSLATE_NOOP("DisplayNames", "Selective")},
    Word{"full", QT_TRANSLATE_NOOP("DisplayNames", "Full")},
    Word{"bf16-mixed", QT_TRANSLATE_NOOP("DisplayNames", "bf16 mixed")},
    Word{"slipway", QT_TRANSLATE_NOOP("DisplayNames", "Slipway")},
    Word{"pytorch-eager", QT_TRANSLATE_NOOP("DisplayNames", "PyTorch eager")},
    Word{"pytorch-compile", QT_TRANSLATE_NOOP("DisplayNames", "PyTorch compiled")},
    Word{"megatron", QT_TRANSLATE_NOOP("DisplayNames", "Megatron")},
    Word{"auto", QT_TRANSLATE_NOOP("DisplayNames", "Automatic")},
    Word{"grouped", QT_TRANSLATE_NOOP("DisplayNames", "Grouped")},
    Word{"loop", QT_TRANSLATE_NOOP("DisplayNames", "Loop")},
    Word{"true", QT_TRANSLATE_NOOP("DisplayNames", "On")},
    Word{"false", QT_TRANSLATE_NOOP("DisplayNames", "Off")},
};

constexpr std::array kTiedValues{
    Word{"true", QT_TRANSLATE_NOOP("DisplayNames", "Tied")},
    Word{"false", QT_TRANSLATE_NOOP("DisplayNames", "Untied")},
};

QString translated(const char *text) { return QCoreApplication::translate("DisplayNames", text); }

std::optional<QString> lookUp(std::string_view name, std::span<const Word> words)
{
    for (const Word &word : words) {
        if (word.name == name)
            return translated(word.shown);
    }
    return std::nullopt;
}

} // namespace

QString roleName(Role role)
{
    static constexpr std::array names{QT_TRANSLATE_NOOP("DisplayNames", "Parameters"),
        QT_TRANSLATE_NOOP("DisplayNames", "Masters"), QT_TRANSLATE_NOOP("DisplayNames", "Gradients"),
        QT_TRANSLATE_NOOP("DisplayNames", "Optimizer states"), QT_TRANSLATE_NOOP("DisplayNames", "Activations"),
        QT_TRANSLATE_NOOP("DisplayNames", "Logits"), QT_TRANSLATE_NOOP("DisplayNames", "Communication"),
        QT_TRANSLATE_NOOP("DisplayNames", "Workspace")};
    return translated(names[static_cast<std::size_t>(role)]);
}

QString costName(CostClass kind)
{
    static constexpr std::array names{QT_TRANSLATE_NOOP("DisplayNames", "Matrix products"),
        QT_TRANSLATE_NOOP("DisplayNames", "Attention"), QT_TRANSLATE_NOOP("DisplayNames", "Elementwise"),
        QT_TRANSLATE_NOOP("DisplayNames", "Loss"), QT_TRANSLATE_NOOP("DisplayNames", "Optimizer"),
        QT_TRANSLATE_NOOP("DisplayNames", "Communication, exposed")};
    return translated(names[static_cast<std::size_t>(kind)]);
}

QString phaseName(Phase phase)
{
    static constexpr std::array names{QT_TRANSLATE_NOOP("DisplayNames", "Forward"),
        QT_TRANSLATE_NOOP("DisplayNames", "Backward"), QT_TRANSLATE_NOOP("DisplayNames", "Recomputation"),
        QT_TRANSLATE_NOOP("DisplayNames", "Optimizer")};
    return translated(names[static_cast<std::size_t>(phase)]);
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
