// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/display_names.h"

#include <QRegularExpression>
#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "config/choice_names.h"
#include "config/settings.h"
#include "frameworks/torch_changes.h"
#include "ui/language/core_texts.h"
#include "ui/language/local_text.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

struct DisplayName {
    std::string_view key;
    const char *name;
};

constexpr std::array kSettings{
    DisplayName{"model", QT_TRANSLATE_NOOP("slipway::ui", "Model")},
    DisplayName{"layers", QT_TRANSLATE_NOOP("slipway::ui", "Layers")},
    DisplayName{"heads", QT_TRANSLATE_NOOP("slipway::ui", "Heads")},
    DisplayName{"experts", QT_TRANSLATE_NOOP("slipway::ui", "Experts")},
    DisplayName{"attention", QT_TRANSLATE_NOOP("slipway::ui", "Attention")},
    DisplayName{"precision", QT_TRANSLATE_NOOP("slipway::ui", "Precision")},
    DisplayName{"framework", QT_TRANSLATE_NOOP("slipway::ui", "Framework")},
    DisplayName{"optimizer", QT_TRANSLATE_NOOP("slipway::ui", "Optimizer")},
    DisplayName{"lora_rank", QT_TRANSLATE_NOOP("slipway::ui", "LoRA rank")},
    DisplayName{"lora_targets", QT_TRANSLATE_NOOP("slipway::ui", "LoRA targets")},
    DisplayName{"frozen_weights", QT_TRANSLATE_NOOP("slipway::ui", "Frozen weights")},
    DisplayName{"loss_path", QT_TRANSLATE_NOOP("slipway::ui", "Loss path")},
    DisplayName{"gpu", QT_TRANSLATE_NOOP("slipway::ui", "GPU")},
    DisplayName{"gpus", QT_TRANSLATE_NOOP("slipway::ui", "GPUs")},
    DisplayName{"gpus_per_node", QT_TRANSLATE_NOOP("slipway::ui", "GPUs per node")},
    DisplayName{"network_gbps", QT_TRANSLATE_NOOP("slipway::ui", "Network (Gbit/s)")},
    DisplayName{"memory_gib", QT_TRANSLATE_NOOP("slipway::ui", "Memory limit")},
    DisplayName{"parallel", QT_TRANSLATE_NOOP("slipway::ui", "Parallelism")},
    DisplayName{"tp", QT_TRANSLATE_NOOP("slipway::ui", "Tensor parallel")},
    DisplayName{"pp", QT_TRANSLATE_NOOP("slipway::ui", "Pipeline parallel")},
    DisplayName{"virtual_stages", QT_TRANSLATE_NOOP("slipway::ui", "Virtual stages")},
    DisplayName{"pipeline_schedule", QT_TRANSLATE_NOOP("slipway::ui", "Pipeline schedule")},
    DisplayName{"cp", QT_TRANSLATE_NOOP("slipway::ui", "Context parallel")},
    DisplayName{"context_exchange", QT_TRANSLATE_NOOP("slipway::ui", "Context exchange")},
    DisplayName{"ep", QT_TRANSLATE_NOOP("slipway::ui", "Expert parallel")},
    DisplayName{"kv_heads", QT_TRANSLATE_NOOP("slipway::ui", "KV heads")},
    DisplayName{"ffn", QT_TRANSLATE_NOOP("slipway::ui", "MLP width")},
    DisplayName{"hidden", QT_TRANSLATE_NOOP("slipway::ui", "Hidden size")},
    DisplayName{"vocab", QT_TRANSLATE_NOOP("slipway::ui", "Vocabulary size")},
    DisplayName{"tied", QT_TRANSLATE_NOOP("slipway::ui", "Embeddings")},
    DisplayName{"experts_per_token", QT_TRANSLATE_NOOP("slipway::ui", "Experts per token")},
    DisplayName{"expert_gemm", QT_TRANSLATE_NOOP("slipway::ui", "Expert GEMM")},
    DisplayName{"expert_capacity", QT_TRANSLATE_NOOP("slipway::ui", "Expert capacity")},
    DisplayName{"micro_batch", QT_TRANSLATE_NOOP("slipway::ui", "Micro-batch")},
    DisplayName{"seq_len", QT_TRANSLATE_NOOP("slipway::ui", "Sequence length")},
    DisplayName{"grad_accum", QT_TRANSLATE_NOOP("slipway::ui", "Accumulation")},
    DisplayName{"grad_reduce", QT_TRANSLATE_NOOP("slipway::ui", "Gradient reduction")},
    DisplayName{"recompute", QT_TRANSLATE_NOOP("slipway::ui", "Recomputation")},
    DisplayName{"recompute_ops", QT_TRANSLATE_NOOP("slipway::ui", "Recomputed ops")},
    DisplayName{"offload_activations", QT_TRANSLATE_NOOP("slipway::ui", "Activation offloading")},
    DisplayName{"reduce_type", QT_TRANSLATE_NOOP("slipway::ui", "Reduction type")},
    DisplayName{"ema", QT_TRANSLATE_NOOP("slipway::ui", "EMA decay")},
    DisplayName{"balance_loss", QT_TRANSLATE_NOOP("slipway::ui", "Balance loss")},
    DisplayName{"optimizer_in_backward", QT_TRANSLATE_NOOP("slipway::ui", "Optimizer in backward")},
    DisplayName{"torch", QT_TRANSLATE_NOOP("slipway::ui", "PyTorch version")},
    DisplayName{"attention_kernel", QT_TRANSLATE_NOOP("slipway::ui", "Attention kernel")},
    DisplayName{"tp_overlap", QT_TRANSLATE_NOOP("slipway::ui", "TP overlap")},
    DisplayName{"vocab_multiple", QT_TRANSLATE_NOOP("slipway::ui", "Vocabulary multiple")},
    DisplayName{"framework_option", QT_TRANSLATE_NOOP("slipway::ui", "Framework options")},
    DisplayName{"compile", QT_TRANSLATE_NOOP("slipway::ui", "torch.compile")},
    DisplayName{"autocast", QT_TRANSLATE_NOOP("slipway::ui", "Autocast")},
    DisplayName{"train_metrics", QT_TRANSLATE_NOOP("slipway::ui", "Training metrics")},
    DisplayName{"fused_kernels", QT_TRANSLATE_NOOP("slipway::ui", "Fused kernels")},
    DisplayName{"gemm_epilogues", QT_TRANSLATE_NOOP("slipway::ui", "GEMM epilogues")},
    DisplayName{"fused_add_norm", QT_TRANSLATE_NOOP("slipway::ui", "Fused addition and norm")},
    DisplayName{"packed_qkv", QT_TRANSLATE_NOOP("slipway::ui", "Packed QKV")},
    DisplayName{"unpad_attention", QT_TRANSLATE_NOOP("slipway::ui", "Unpadded attention")},
    DisplayName{"dense_mask", QT_TRANSLATE_NOOP("slipway::ui", "Dense mask")},
    DisplayName{"repeat_kv", QT_TRANSLATE_NOOP("slipway::ui", "Repeated keys and values")},
    DisplayName{"sharder", QT_TRANSLATE_NOOP("slipway::ui", "Sharding")},
    DisplayName{"gradient_as_bucket_view", QT_TRANSLATE_NOOP("slipway::ui", "Gradients as bucket views")},
    DisplayName{"reduce_bucket", QT_TRANSLATE_NOOP("slipway::ui", "Reduction bucket")},
    DisplayName{"gradient_type", QT_TRANSLATE_NOOP("slipway::ui", "Gradient type")},
    DisplayName{"fp8_scales", QT_TRANSLATE_NOOP("slipway::ui", "fp8 scales")},
    DisplayName{"dropout", QT_TRANSLATE_NOOP("slipway::ui", "Dropout")},
    DisplayName{"sequence_parallel", QT_TRANSLATE_NOOP("slipway::ui", "Sequence parallel")},
    DisplayName{"expandable_segments", QT_TRANSLATE_NOOP("slipway::ui", "Expandable segments")},
    DisplayName{"logits_copy", QT_TRANSLATE_NOOP("slipway::ui", "Copy of the logits")},
    DisplayName{"checkpoint_early_stop", QT_TRANSLATE_NOOP("slipway::ui", "Early stop of checkpoints")},
    DisplayName{"tf32", QT_TRANSLATE_NOOP("slipway::ui", "fp32 GEMMs in TF32")},
    DisplayName{"backward_prefetch", QT_TRANSLATE_NOOP("slipway::ui", "Backward prefetch")},
    DisplayName{"limit_gathers", QT_TRANSLATE_NOOP("slipway::ui", "Limited gathers")},
    DisplayName{"wrap_layers", QT_TRANSLATE_NOOP("slipway::ui", "Layers as FSDP units")},
    DisplayName{"split_units", QT_TRANSLATE_NOOP("slipway::ui", "Embedding and head as FSDP units")},
    DisplayName{"torch_modules", QT_TRANSLATE_NOOP("slipway::ui", "Modules of torch.nn")},
    DisplayName{"gather_type", QT_TRANSLATE_NOOP("slipway::ui", "Gather type")},
    DisplayName{"overlap_reduce", QT_TRANSLATE_NOOP("slipway::ui", "Reduction overlap")},
    DisplayName{"accumulate_apart", QT_TRANSLATE_NOOP("slipway::ui", "Separate fp32 gradients")},
    DisplayName{"fused_gate", QT_TRANSLATE_NOOP("slipway::ui", "Fused gate")},
    DisplayName{"fused_softmax", QT_TRANSLATE_NOOP("slipway::ui", "Fused softmax")},
    DisplayName{"weighted_experts", QT_TRANSLATE_NOOP("slipway::ui", "Weighted experts")},
    DisplayName{"older_models", QT_TRANSLATE_NOOP("slipway::ui", "Older models")},
    DisplayName{"older_recipe", QT_TRANSLATE_NOOP("slipway::ui", "Older recipe")},
    DisplayName{"half_model", QT_TRANSLATE_NOOP("slipway::ui", "Half-precision model")},
    DisplayName{"half_adapters", QT_TRANSLATE_NOOP("slipway::ui", "Half-precision adapters")},
    DisplayName{"autocast_cache", QT_TRANSLATE_NOOP("slipway::ui", "Autocast cache")},
    DisplayName{"late_zero_grad", QT_TRANSLATE_NOOP("slipway::ui", "Late zero_grad")},
    DisplayName{"flat_gradients", QT_TRANSLATE_NOOP("slipway::ui", "Flat gradients")},
    DisplayName{"state_shards", QT_TRANSLATE_NOOP("slipway::ui", "Optimizer shards")},
    DisplayName{"host_offload", QT_TRANSLATE_NOOP("slipway::ui", "Host offloading")},
    DisplayName{"launch_factor", QT_TRANSLATE_NOOP("slipway::ui", "Launch factor")},
    DisplayName{"gemm_factor", QT_TRANSLATE_NOOP("slipway::ui", "GEMM factor")},
    DisplayName{"collective_factor", QT_TRANSLATE_NOOP("slipway::ui", "Collective factor")},
    DisplayName{"tokens", QT_TRANSLATE_NOOP("slipway::ui", "Token budget")},
    DisplayName{"calibration", QT_TRANSLATE_NOOP("slipway::ui", "Calibration")},
    DisplayName{"prices", QT_TRANSLATE_NOOP("slipway::ui", "Price book")},
    DisplayName{"usd_budget", QT_TRANSLATE_NOOP("slipway::ui", "Cost budget")},
    DisplayName{"scaling_law", QT_TRANSLATE_NOOP("slipway::ui", "Scaling law")},
    DisplayName{"target_loss", QT_TRANSLATE_NOOP("slipway::ui", "Target loss")},
    DisplayName{"gpu_hours_per_failure", QT_TRANSLATE_NOOP("slipway::ui", "MTBF per GPU")},
    DisplayName{"preemptions_per_day", QT_TRANSLATE_NOOP("slipway::ui", "Preemptions/day")},
    DisplayName{"restart_time", QT_TRANSLATE_NOOP("slipway::ui", "Restart time")},
    DisplayName{"checkpoint_interval", QT_TRANSLATE_NOOP("slipway::ui", "Checkpoint every")},
    DisplayName{"checkpoint_time", QT_TRANSLATE_NOOP("slipway::ui", "Checkpoint time")},
    DisplayName{"usd_limit", QT_TRANSLATE_NOOP("slipway::ui", "Budget")},
    DisplayName{"data", QT_TRANSLATE_NOOP("slipway::ui", "Token files")},
    DisplayName{"eval_data", QT_TRANSLATE_NOOP("slipway::ui", "Evaluation data")},
    DisplayName{"tokenizer", QT_TRANSLATE_NOOP("slipway::ui", "Tokenizer")},
    DisplayName{"name", QT_TRANSLATE_NOOP("slipway::ui", "Name")},
    DisplayName{"steps", QT_TRANSLATE_NOOP("slipway::ui", "Steps")},
    DisplayName{"time_limit", QT_TRANSLATE_NOOP("slipway::ui", "Time limit")},
    DisplayName{"documents", QT_TRANSLATE_NOOP("slipway::ui", "Documents")},
    DisplayName{"learning_rate", QT_TRANSLATE_NOOP("slipway::ui", "Learning rate")},
    DisplayName{"min_learning_rate", QT_TRANSLATE_NOOP("slipway::ui", "Minimum learning rate")},
    DisplayName{"embedding_learning_rate", QT_TRANSLATE_NOOP("slipway::ui", "Embedding learning rate")},
    DisplayName{"head_learning_rate", QT_TRANSLATE_NOOP("slipway::ui", "Head learning rate")},
    DisplayName{"warmup_steps", QT_TRANSLATE_NOOP("slipway::ui", "Warmup steps")},
    DisplayName{"schedule", QT_TRANSLATE_NOOP("slipway::ui", "Learning rate schedule")},
    DisplayName{"decay_steps", QT_TRANSLATE_NOOP("slipway::ui", "Decay steps")},
    DisplayName{"weight_decay", QT_TRANSLATE_NOOP("slipway::ui", "Weight decay")},
    DisplayName{"no_decay", QT_TRANSLATE_NOOP("slipway::ui", "Without weight decay")},
    DisplayName{"muon_momentum", QT_TRANSLATE_NOOP("slipway::ui", "Muon momentum")},
    DisplayName{"beta1", QT_TRANSLATE_NOOP("slipway::ui", "Beta 1")},
    DisplayName{"beta2", QT_TRANSLATE_NOOP("slipway::ui", "Beta 2")},
    DisplayName{"grad_clip", QT_TRANSLATE_NOOP("slipway::ui", "Gradient clipping")},
    DisplayName{"z_loss", QT_TRANSLATE_NOOP("slipway::ui", "z loss")},
    DisplayName{"seed", QT_TRANSLATE_NOOP("slipway::ui", "Seed")},
    DisplayName{"eval_every", QT_TRANSLATE_NOOP("slipway::ui", "Steps per evaluation")},
    DisplayName{"checkpoint_every", QT_TRANSLATE_NOOP("slipway::ui", "Steps per checkpoint")},
    DisplayName{"keep_checkpoints", QT_TRANSLATE_NOOP("slipway::ui", "Checkpoints kept")},
    DisplayName{"deterministic", QT_TRANSLATE_NOOP("slipway::ui", "Deterministic")},
    DisplayName{"stop_on_nan", QT_TRANSLATE_NOOP("slipway::ui", "Stop on NaN")},
    DisplayName{"device", QT_TRANSLATE_NOOP("slipway::ui", "Device")},
    DisplayName{"communicator", QT_TRANSLATE_NOOP("slipway::ui", "Communicator")},
    DisplayName{"tags", QT_TRANSLATE_NOOP("slipway::ui", "Tags")},
    DisplayName{"notes", QT_TRANSLATE_NOOP("slipway::ui", "Notes")},
    DisplayName{"environment", QT_TRANSLATE_NOOP("slipway::ui", "Environment")},
    DisplayName{"log_pattern", QT_TRANSLATE_NOOP("slipway::ui", "Log pattern")},
    DisplayName{"stop_at_usd", QT_TRANSLATE_NOOP("slipway::ui", "Stop at the budget")},
    DisplayName{"command", QT_TRANSLATE_NOOP("slipway::ui", "Command")},
    DisplayName{"workdir", QT_TRANSLATE_NOOP("slipway::ui", "Working folder")},
    DisplayName{"log", QT_TRANSLATE_NOOP("slipway::ui", "Log")},
    DisplayName{"weights", QT_TRANSLATE_NOOP("slipway::ui", "Weights")},
    DisplayName{"kv", QT_TRANSLATE_NOOP("slipway::ui", "KV cache")},
    DisplayName{"prompt", QT_TRANSLATE_NOOP("slipway::ui", "Prompt")},
    DisplayName{"generate", QT_TRANSLATE_NOOP("slipway::ui", "Answer")},
    DisplayName{"batch", QT_TRANSLATE_NOOP("slipway::ui", "Batch")},
    DisplayName{"requests_per_s", QT_TRANSLATE_NOOP("slipway::ui", "Load")},
    DisplayName{"block", QT_TRANSLATE_NOOP("slipway::ui", "Block size")},
    DisplayName{"contiguous", QT_TRANSLATE_NOOP("slipway::ui", "Cache layout")},
    DisplayName{"max_length", QT_TRANSLATE_NOOP("slipway::ui", "Reserved length")},
    DisplayName{"ttft", QT_TRANSLATE_NOOP("slipway::ui", "First token within")},
    DisplayName{"tpot", QT_TRANSLATE_NOOP("slipway::ui", "Per token within")},
};

// Changes of PyTorch, by their keys in engines/torch_changes.yaml.
constexpr std::array kTorchChangeNames{
    DisplayName{"half_gelu", QT_TRANSLATE_NOOP("slipway::ui", "GELU in half precision under autocast")},
    DisplayName{"keeps_softmax_output", QT_TRANSLATE_NOOP("slipway::ui", "Softmax saves only its result")},
    DisplayName{"fused_attention", QT_TRANSLATE_NOOP("slipway::ui", "Fused attention in PyTorch")},
    DisplayName{"upcasts_logits", QT_TRANSLATE_NOOP("slipway::ui", "Logits converted to fp32")},
    DisplayName{"drops_gradients", QT_TRANSLATE_NOOP("slipway::ui", "Gradients freed after the step")},
    DisplayName{"softmax_in_place", QT_TRANSLATE_NOOP("slipway::ui", "Parallel loss overwrites its logits")},
    DisplayName{"updates_in_lists", QT_TRANSLATE_NOOP("slipway::ui", "Optimizer updates lists of tensors")},
    DisplayName{
        "names_originals", QT_TRANSLATE_NOOP("slipway::ui", "Optimizer updates original parameters under FSDP")},
    DisplayName{"loads_lazily", QT_TRANSLATE_NOOP("slipway::ui", "Kernels loaded at first launch")},
    DisplayName{"stops_early", QT_TRANSLATE_NOOP("slipway::ui", "Recomputation stops early")},
    DisplayName{"limits_gathers", QT_TRANSLATE_NOOP("slipway::ui", "FSDP limits all-gathers")},
    DisplayName{"adds_in_place", QT_TRANSLATE_NOOP("slipway::ui", "AdamW adds epsilon in place")},
    DisplayName{"pads_widths", QT_TRANSLATE_NOOP("slipway::ui", "Compiler pads widths of GEMMs")},
    DisplayName{"flattens_buckets", QT_TRANSLATE_NOOP("slipway::ui", "ZeRO flattens its buckets")},
    DisplayName{"flash_2", QT_TRANSLATE_NOOP("slipway::ui", "FlashAttention-2 in PyTorch")},
    DisplayName{"balances_context", QT_TRANSLATE_NOOP("slipway::ui", "Balanced ring attention")},
    DisplayName{"donates_buffers", QT_TRANSLATE_NOOP("slipway::ui", "Compiled backward pass overwrites saved tensors")},
    DisplayName{"cudnn_on_blackwell", QT_TRANSLATE_NOOP("slipway::ui", "cuDNN attention on Blackwell")},
    DisplayName{"cudnn_on_hopper", QT_TRANSLATE_NOOP("slipway::ui", "cuDNN attention on Hopper")},
    DisplayName{"wide_rms_norm", QT_TRANSLATE_NOOP("slipway::ui", "RMSNorm in fp32 in PyTorch")},
    DisplayName{"fused_rms_norm", QT_TRANSLATE_NOOP("slipway::ui", "Fused RMSNorm in PyTorch")},
    DisplayName{"keeps_no_outputs", QT_TRANSLATE_NOOP("slipway::ui", "Pipelines free the last stage's outputs")},
};

std::optional<QString> lookUp(std::string_view key, std::span<const DisplayName> names)
{
    const auto found =
        std::find_if(names.begin(), names.end(), [key](const DisplayName &one) { return one.key == key; });
    return found == names.end() ? std::nullopt : std::optional(tr(found->name));
}

QString booleanName(std::string_view key, bool value)
{
    if (key == "tied")
        return value ? tr("Tied") : tr("Untied");
    return value ? tr("On") : tr("Off");
}

} // namespace

QString roleName(Role role)
{
    static constexpr std::array names{QT_TRANSLATE_NOOP("slipway::ui", "Parameters"),
        QT_TRANSLATE_NOOP("slipway::ui", "Master weights"), QT_TRANSLATE_NOOP("slipway::ui", "Gradients"),
        QT_TRANSLATE_NOOP("slipway::ui", "Optimizer states"), QT_TRANSLATE_NOOP("slipway::ui", "Activations"),
        QT_TRANSLATE_NOOP("slipway::ui", "Logits"), QT_TRANSLATE_NOOP("slipway::ui", "Communication"),
        QT_TRANSLATE_NOOP("slipway::ui", "Workspace")};
    return tr(names[static_cast<std::size_t>(role)]);
}

QString costName(CostClass kind)
{
    static constexpr std::array names{QT_TRANSLATE_NOOP("slipway::ui", "GEMM"),
        QT_TRANSLATE_NOOP("slipway::ui", "Attention"), QT_TRANSLATE_NOOP("slipway::ui", "Elementwise"),
        QT_TRANSLATE_NOOP("slipway::ui", "Loss"), QT_TRANSLATE_NOOP("slipway::ui", "Optimizer"),
        QT_TRANSLATE_NOOP("slipway::ui", "Exposed communication")};
    return tr(names[static_cast<std::size_t>(kind)]);
}

QString phaseName(Phase phase)
{
    static constexpr std::array names{QT_TRANSLATE_NOOP("slipway::ui", "Forward"),
        QT_TRANSLATE_NOOP("slipway::ui", "Backward"), QT_TRANSLATE_NOOP("slipway::ui", "Recomputation"),
        QT_TRANSLATE_NOOP("slipway::ui", "Optimizer")};
    return tr(names[static_cast<std::size_t>(phase)]);
}

QString settingName(std::string_view key)
{
    if (const auto name = lookUp(key, kSettings))
        return *name;
    return capitalized(qs(key).replace(u'_', u' '));
}

QString torchChangeName(std::string_view option)
{
    if (!option.starts_with(kTorchOption))
        return {};
    return lookUp(option.substr(kTorchOption.size()), kTorchChangeNames).value_or(QString());
}

QString valueName(std::string_view key, const QString &value)
{
    const Setting *setting = findSetting(key);
    if (setting == nullptr)
        return value;
    if (setting->type == SettingType::Bool)
        return booleanName(key, value == QStringLiteral("true"));
    // Models, GPUs, price books and other names are shown unchanged.
    if (setting->type != SettingType::Choice)
        return value;
    const std::string name = choiceName(key, value.toStdString());
    return name == value.toStdString() ? value : coreText(name);
}

QString asNumber(std::string_view key, const QString &typed)
{
    const Setting *setting = findSetting(key);
    const bool number =
        setting != nullptr && (setting->type == SettingType::Number || setting->type == SettingType::Count ||
                                  setting->type == SettingType::Duration);
    return number ? withPoint(typed) : typed;
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
    QString text = withFieldNames(coreText(error.what));
    text = error.where.empty() ? capitalized(text) : withFieldNames(qs(error.where)) + QStringLiteral(": ") + text;
    if (text.isEmpty() || !QStringLiteral(".!?…").contains(text.back())) // "did you mean h100?"
        text += u'.';
    if (!error.accepted.empty())
        text += u' ' + tr("Accepted: %1.").arg(withFieldNames(coreText(error.accepted)));
    return text;
}

} // namespace slipway::ui
