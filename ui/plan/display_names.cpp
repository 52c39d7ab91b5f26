// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/display_names.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "config/settings.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

struct DisplayName {
    std::string_view key;
    const char *name;
};

constexpr std::array kSettings{
    DisplayName{"gpu", QT_TRANSLATE_NOOP("DisplayNames", "GPU")},
    DisplayName{"gpus", QT_TRANSLATE_NOOP("DisplayNames", "GPUs")},
    DisplayName{"gpus_per_node", QT_TRANSLATE_NOOP("DisplayNames", "GPUs per node")},
    DisplayName{"network_gbps", QT_TRANSLATE_NOOP("DisplayNames", "Network (Gbit/s)")},
    DisplayName{"memory_gib", QT_TRANSLATE_NOOP("DisplayNames", "Memory limit")},
    DisplayName{"parallel", QT_TRANSLATE_NOOP("DisplayNames", "Parallelism")},
    DisplayName{"tp", QT_TRANSLATE_NOOP("DisplayNames", "Tensor parallel")},
    DisplayName{"pp", QT_TRANSLATE_NOOP("DisplayNames", "Pipeline parallel")},
    DisplayName{"virtual_stages", QT_TRANSLATE_NOOP("DisplayNames", "Virtual stages")},
    DisplayName{"cp", QT_TRANSLATE_NOOP("DisplayNames", "Context parallel")},
    DisplayName{"ep", QT_TRANSLATE_NOOP("DisplayNames", "Expert parallel")},
    DisplayName{"kv_heads", QT_TRANSLATE_NOOP("DisplayNames", "KV heads")},
    DisplayName{"ffn", QT_TRANSLATE_NOOP("DisplayNames", "MLP width")},
    DisplayName{"hidden", QT_TRANSLATE_NOOP("DisplayNames", "Hidden size")},
    DisplayName{"vocab", QT_TRANSLATE_NOOP("DisplayNames", "Vocabulary size")},
    DisplayName{"tied", QT_TRANSLATE_NOOP("DisplayNames", "Embeddings")},
    DisplayName{"experts_per_token", QT_TRANSLATE_NOOP("DisplayNames", "Experts per token")},
    DisplayName{"expert_gemm", QT_TRANSLATE_NOOP("DisplayNames", "Expert GEMM")},
    DisplayName{"expert_capacity", QT_TRANSLATE_NOOP("DisplayNames", "Expert capacity")},
    DisplayName{"micro_batch", QT_TRANSLATE_NOOP("DisplayNames", "Micro-batch")},
    DisplayName{"seq_len", QT_TRANSLATE_NOOP("DisplayNames", "Sequence length")},
    DisplayName{"grad_accum", QT_TRANSLATE_NOOP("DisplayNames", "Accumulation")},
    DisplayName{"grad_reduce", QT_TRANSLATE_NOOP("DisplayNames", "Gradient reduction")},
    DisplayName{"recompute", QT_TRANSLATE_NOOP("DisplayNames", "Recomputation")},
    DisplayName{"recompute_ops", QT_TRANSLATE_NOOP("DisplayNames", "Recomputed ops")},
    DisplayName{"offload_activations", QT_TRANSLATE_NOOP("DisplayNames", "Activation offloading")},
    DisplayName{"torch", QT_TRANSLATE_NOOP("DisplayNames", "PyTorch version")},
    DisplayName{"attention_kernel", QT_TRANSLATE_NOOP("DisplayNames", "Attention kernel")},
    DisplayName{"tp_overlap", QT_TRANSLATE_NOOP("DisplayNames", "TP overlap")},
    DisplayName{"vocab_multiple", QT_TRANSLATE_NOOP("DisplayNames", "Vocabulary multiple")},
    DisplayName{"tokens", QT_TRANSLATE_NOOP("DisplayNames", "Token budget")},
    DisplayName{"calibration", QT_TRANSLATE_NOOP("DisplayNames", "Calibration")},
    DisplayName{"prices", QT_TRANSLATE_NOOP("DisplayNames", "Price book")},
    DisplayName{"usd_budget", QT_TRANSLATE_NOOP("DisplayNames", "Cost budget")},
    DisplayName{"scaling_law", QT_TRANSLATE_NOOP("DisplayNames", "Scaling law")},
    DisplayName{"target_loss", QT_TRANSLATE_NOOP("DisplayNames", "Target loss")},
    DisplayName{"gpu_hours_per_failure", QT_TRANSLATE_NOOP("DisplayNames", "MTBF per GPU")},
    DisplayName{"preemptions_per_day", QT_TRANSLATE_NOOP("DisplayNames", "Preemptions/day")},
    DisplayName{"restart_time", QT_TRANSLATE_NOOP("DisplayNames", "Restart time")},
    DisplayName{"checkpoint_interval", QT_TRANSLATE_NOOP("DisplayNames", "Checkpoint every")},
    DisplayName{"checkpoint_time", QT_TRANSLATE_NOOP("DisplayNames", "Checkpoint time")},
    DisplayName{"usd_limit", QT_TRANSLATE_NOOP("DisplayNames", "Budget")},
    DisplayName{"kv", QT_TRANSLATE_NOOP("DisplayNames", "KV cache")},
    DisplayName{"prompt", QT_TRANSLATE_NOOP("DisplayNames", "Prompt")},
    DisplayName{"generate", QT_TRANSLATE_NOOP("DisplayNames", "Answer")},
    DisplayName{"batch", QT_TRANSLATE_NOOP("DisplayNames", "Batch")},
    DisplayName{"requests_per_s", QT_TRANSLATE_NOOP("DisplayNames", "Load")},
    DisplayName{"block", QT_TRANSLATE_NOOP("DisplayNames", "Block size")},
    DisplayName{"contiguous", QT_TRANSLATE_NOOP("DisplayNames", "Cache layout")},
    DisplayName{"max_length", QT_TRANSLATE_NOOP("DisplayNames", "Reserved length")},
    DisplayName{"ttft", QT_TRANSLATE_NOOP("DisplayNames", "First token within")},
    DisplayName{"tpot", QT_TRANSLATE_NOOP("DisplayNames", "Per token within")},
};

constexpr std::array kChoices{
    DisplayName{"none", QT_TRANSLATE_NOOP("DisplayNames", "None")},
    DisplayName{"ddp", QT_TRANSLATE_NOOP("DisplayNames", "DDP")},
    DisplayName{"fsdp-full", QT_TRANSLATE_NOOP("DisplayNames", "FSDP, full shard")},
    DisplayName{"fsdp-grad-op", QT_TRANSLATE_NOOP("DisplayNames", "FSDP, grad + op")},
    DisplayName{"hsdp", QT_TRANSLATE_NOOP("DisplayNames", "HSDP")},
    DisplayName{"zero1", QT_TRANSLATE_NOOP("DisplayNames", "ZeRO-1")},
    DisplayName{"flash", QT_TRANSLATE_NOOP("DisplayNames", "Flash")},
    DisplayName{"vanilla", QT_TRANSLATE_NOOP("DisplayNames", "Vanilla")},
    DisplayName{"selective", QT_TRANSLATE_NOOP("DisplayNames", "Selective")},
    DisplayName{"full", QT_TRANSLATE_NOOP("DisplayNames", "Full")},
    DisplayName{"bf16-mixed", QT_TRANSLATE_NOOP("DisplayNames", "bf16 mixed")},
    DisplayName{"slipway", QT_TRANSLATE_NOOP("DisplayNames", "Slipway")},
    DisplayName{"pytorch-eager", QT_TRANSLATE_NOOP("DisplayNames", "PyTorch eager")},
    DisplayName{"pytorch-compile", QT_TRANSLATE_NOOP("DisplayNames", "PyTorch compiled")},
    DisplayName{"megatron", QT_TRANSLATE_NOOP("DisplayNames", "Megatron")},
    DisplayName{"auto", QT_TRANSLATE_NOOP("DisplayNames", "Automatic")},
    DisplayName{"grouped", QT_TRANSLATE_NOOP("DisplayNames", "Grouped")},
    DisplayName{"loop", QT_TRANSLATE_NOOP("DisplayNames", "Loop")},
};

QString translated(const char *text) { return QCoreApplication::translate("DisplayNames", text); }

std::optional<QString> lookUp(std::string_view key, std::span<const DisplayName> names)
{
    const auto found =
        std::find_if(names.begin(), names.end(), [key](const DisplayName &one) { return one.key == key; });
    return found == names.end() ? std::nullopt : std::optional(translated(found->name));
}

QString booleanName(std::string_view key, bool value)
{
    if (key == "tied")
        return value ? translated(QT_TRANSLATE_NOOP("DisplayNames", "Tied"))
                     : translated(QT_TRANSLATE_NOOP("DisplayNames", "Untied"));
    return value ? translated(QT_TRANSLATE_NOOP("DisplayNames", "On"))
                 : translated(QT_TRANSLATE_NOOP("DisplayNames", "Off"));
}

} // namespace

QString roleName(Role role)
{
    static constexpr std::array names{QT_TRANSLATE_NOOP("DisplayNames", "Parameters"),
        QT_TRANSLATE_NOOP("DisplayNames", "Master weights"), QT_TRANSLATE_NOOP("DisplayNames", "Gradients"),
        QT_TRANSLATE_NOOP("DisplayNames", "Optimizer states"), QT_TRANSLATE_NOOP("DisplayNames", "Activations"),
        QT_TRANSLATE_NOOP("DisplayNames", "Logits"), QT_TRANSLATE_NOOP("DisplayNames", "Communication"),
        QT_TRANSLATE_NOOP("DisplayNames", "Workspace")};
    return translated(names[static_cast<std::size_t>(role)]);
}

QString costName(CostClass kind)
{
    static constexpr std::array names{QT_TRANSLATE_NOOP("DisplayNames", "GEMM"),
        QT_TRANSLATE_NOOP("DisplayNames", "Attention"), QT_TRANSLATE_NOOP("DisplayNames", "Elementwise"),
        QT_TRANSLATE_NOOP("DisplayNames", "Loss"), QT_TRANSLATE_NOOP("DisplayNames", "Optimizer"),
        QT_TRANSLATE_NOOP("DisplayNames", "Exposed communication")};
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
    if (const auto name = lookUp(key, kSettings))
        return *name;
    return capitalized(qs(key).replace(u'_', u' '));
}

QString valueName(std::string_view key, const QString &value)
{
    const Setting *setting = findSetting(key);
    if (setting == nullptr)
        return value;
    if (setting->type == SettingType::Bool)
        return booleanName(key, value == QStringLiteral("true"));
    // Models, GPUs, price books and other names are shown as they are.
    return setting->type == SettingType::Choice ? lookUp(value.toStdString(), kChoices).value_or(value) : value;
}

QString withFieldNames(const QString &message)
{
    static const QRegularExpression kFlag(QStringLiteral("--([a-z][a-z0-9-]*)(?: ([a-z0-9-]+))?"));
    QString text;
    qsizetype end = 0;
    for (QRegularExpressionMatchIterator flags = kFlag.globalMatch(message); flags.hasNext();) {
        const QRegularExpressionMatch flag = flags.next();
        const Setting *setting = findSetting(flag.captured(1).toStdString());
        const auto served = lookUp(flag.captured(1).replace(u'-', u'_').toStdString(), kSettings);
        if (setting == nullptr && !served)
            continue;
        text += message.mid(end, flag.capturedStart() - end) + (setting ? settingName(setting->key) : *served);
        end = flag.capturedEnd(1);
        if (setting == nullptr)
            continue;
        const std::vector<std::string> choices = setting->choices();
        if (std::find(choices.begin(), choices.end(), flag.captured(2).toStdString()) == choices.end())
            continue;
        text += QStringLiteral(" '%1'").arg(valueName(setting->key, flag.captured(2)));
        end = flag.capturedEnd(2);
    }
    return text + message.mid(end);
}

QString fieldMessage(const Error &error)
{
    QString text = withFieldNames(qs(error.what));
    text = error.where.empty() ? capitalized(text) : withFieldNames(qs(error.where)) + QStringLiteral(": ") + text;
    if (!text.endsWith(u'.'))
        text += u'.';
    if (!error.accepted.empty())
        text +=
            u' ' + QCoreApplication::translate("DisplayNames", "Accepted: %1.").arg(withFieldNames(qs(error.accepted)));
    return text;
}

} // namespace slipway::ui
