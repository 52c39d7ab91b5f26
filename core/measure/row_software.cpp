// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/row_software.h"

#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"
#include "config/pipeline_layers.h"
#include "measure/note_text.h"
#include "measure/table_vocabulary.h"
#include "plan/data_parallel.h"

namespace slipway {

namespace {

// GPT-2's vocabulary of 50,257, padded to a multiple of 64, as nanoGPT does. nanoGPT compiles by default.
constexpr std::string_view kPaddedGpt2Vocabulary = "50304";

// A row that does not name its code, but has tensor-parallel ranks or stages without FSDP, ran fused kernels.
bool isMegatronUnsaid(const RunConfig &c) { return c.parallel.tp * c.parallel.pp > 1 && !runsFsdp(c.parallel.kind); }

// Finds a profile of the catalogue, by the column `framework` or by what is known of the source. Unknown software is
// planned as plain PyTorch or as Megatron-LM, depending on the rest of the row.
void readProfile(
    RowReader &r, const std::string &name, std::optional<CodeKind> code, const Frameworks &frameworks, RunConfig &c)
{
    c.software = name;
    if (!frameworks.resolve(name)) {
        const std::string_view version = softwareVersion(name);
        const std::string dated = "unknown@" + std::string(version);
        c.software = !version.empty() && frameworks.resolve(dated) ? dated : "unknown";
        r.assume("framework unknown for '" + name.substr(0, 40) + "'");
    }
    if (code)
        c.simulated.compile = code == CodeKind::Compiled;
    c.simulated.fusedKernels = code == CodeKind::Kernels;
    for (const std::string_view option : split(r.text("framework_option"), ',')) {
        if (!trimmed(option).empty())
            c.frameworkOptions.emplace_back(trimmed(option));
    }
    RunConfig settled = c;
    ModelSpec any;
    if (const auto applied = applyFramework(settled, any, frameworks))
        c.framework = settled.framework;
    else
        r.skip("framework_option: " + applied.error().message());
}

// Chooses the engine by the column `compiled` and the rest of the row.
void guessEngine(RowReader &r, std::optional<CodeKind> code, RunConfig &c)
{
    const bool megatron = !code && isMegatronUnsaid(c),
               padded = !code && !megatron && r.text("vocab") == kPaddedGpt2Vocabulary;
    const Framework fused = r.text("source_repo_or_paper") == "slipway"
                                ? Framework::Slipway
                                : Framework::Megatron; // slipway-train bench grid
    c.framework = code == CodeKind::Kernels || megatron  ? fused
                  : code == CodeKind::Compiled || padded ? Framework::PytorchCompile
                                                         : Framework::PytorchEager;
    if (c.framework == Framework::Megatron && runsFsdp(c.parallel.kind)) { // FSDP shards PyTorch's modules
        c.framework = Framework::PytorchEager;
        c.simulated.fusedKernels = true;
        r.assume("fused_kernels");
    }
    // Megatron-LM got flash attention in 2023. A run that writes its scores to memory is mostly an earlier one.
    if (c.framework == Framework::Megatron && c.attention == Attention::Vanilla) {
        c.simulated.olderRecipe = true;
        r.assume("older_recipe");
    }
}

} // namespace

SoftwareNotes readFramework(RowReader &r, const RowContext &context, const ModelSpec &model, RunConfig &c)
{
    const std::optional<CodeKind> code = codeKindOf(r.word("compiled"));
    if (!code && r.has("compiled"))
        r.skipUnknown("compiled", "yes, no, kernels");
    const bool named = r.has("framework");
    if (!named)
        guessEngine(r, code, c);
    SoftwareNotes notes(context.annotations,
        {.id = toLower(r.text("id")),
            .source = toLower(
                std::string(r.text("source_repo_or_paper")) + ", " + std::string(r.text("source_path_or_section"))),
            .notes = toLower(r.text("notes")),
            .model = toLower(r.text("model_name")),
            .states = [&r](std::string_view column) { return r.has(column); }},
        named, context.use, c, model);
    const std::string known = notes.framework();
    if (named) {
        readProfile(r, toLower(r.text("framework")), code, context.catalogue.frameworks, c);
    } else if (const auto engine = enumFromName<Framework>(known)) {
        c.framework = *engine;
    } else if (!known.empty()) {
        readProfile(r, known, code, context.catalogue.frameworks, c);
        r.assume("framework " + known + " (source)");
    }
    if (!named && !code && c.software.empty())
        r.assume("framework " + std::string(enumName(c.framework)));
    return notes;
}

// Since 2.0, PyTorch's own optimizer uses its multi-tensor kernels by default, also with a compiled model. Annotations
// name the exceptions.
void readOptimizer(RowReader &r, RunConfig &c)
{
    const std::string word = r.word("optimizer");
    const std::optional<OptimizerKind> known = optimizerOf(word);
    if (has(word, "offload") || has(word, "cpu-adam"))
        c.hostOffload = HostOffload::Optimizer;
    c.optimizer = c.software.empty() &&
                          (c.framework == Framework::PytorchEager || c.framework == Framework::PytorchCompile) &&
                          (word == "adamw" || word == "adam")
                      ? OptimizerKind::AdamWForeach
                      : known.value_or(OptimizerKind::AdamW);
    if (!known)
        r.assume("optimizer " + std::string(enumName(c.optimizer)) +
                 (word.empty() ? "" : " for '" + word.substr(0, 40) + "'"));
}

// PyTorch has fused attention since 2.0. Before that, rows with flash-attn's kernels say so.
void readImpliedAttention(RowReader &r, RunConfig &c)
{
    const bool named = c.simulated.attentionKernel != AttentionKernel::Auto || c.simulated.unpadAttention;
    if (r.has("attention"))
        return;
    if (named || c.simulated.torchChanges.fusedAttention) {
        r.assume("attention " + std::string(enumName(c.attentionOrFlash())));
        return;
    }
    c.attention = Attention::Vanilla;
    r.assume("attention vanilla, of PyTorch " + c.simulated.torch);
}

// Nobody lets a thousand GPUs idle for a quarter of the time. If the pipeline bubble would take that long, and no cell
// or note gives the number of model chunks, Megatron-LM's stages are interleaved layer by layer (Llama 3's paper,
// section 3.3.2).
void readImpliedModules(RowReader &r, RunConfig &c, const ModelSpec &model)
{
    constexpr int kManyGpus = 1024;
    Parallelism interleaved = c.parallel;
    interleaved.virtualStages = static_cast<int>(ceilDiv(model.layers, c.parallel.pp));
    const bool waits = std::int64_t{4} * (c.parallel.pp - 1) >= c.gradAccum + c.parallel.pp - 1,
               said = c.parallel.virtualStages > 1 || toLower(r.text("parallelism")).find("vp") != std::string::npos;
    if (c.framework != Framework::Megatron || c.attentionOrFlash() != Attention::Flash ||
        c.simulated.sharder == Sharder::DeepSpeed || c.parallel.pp < 2 || c.parallel.gpus < kManyGpus || !waits ||
        said || !hasEqualModelChunks(interleaved, model.layers))
        return;
    c.parallel = interleaved;
    r.assume("virtual_stages " + std::to_string(interleaved.virtualStages));
}

} // namespace slipway
