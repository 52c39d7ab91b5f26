// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/measurement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "base/unknown_name.h"
#include "config/pipeline_layers.h"
#include "measure/unsupported_features.h"
#include "measure/measured_gpu.h"
#include "measure/measured_experts.h"
#include "measure/measured_model.h"
#include "measure/note_text.h"
#include "measure/row_reader.h"
#include "measure/software_notes.h"
#include "measure/table_vocabulary.h"
#include "plan/data_parallel.h"
#include "predict/gpu_types.h"

namespace slipway {

namespace {

constexpr std::array<std::string_view, 10> kRequired{
    "id", "n_layers", "d_model", "n_heads", "seq_len", "gpu", "n_gpus", "parallelism", "precision", "micro_batch_size"};

// Where a cell is empty and nothing else tells.
constexpr double kUsualMicroBatch = 8;
constexpr double kMostAccumulation = 1e6; // as the flag has it
constexpr std::int64_t kMostRanks = 1'000'000;
constexpr std::size_t kLongestId = 200; // what is longer is no name
// GPT-2's 50,257 padded to a multiple of 64, as nanoGPT does, which compiles where nobody says otherwise.
constexpr std::string_view kPaddedGpt2Vocabulary = "50304";

// What all rows of a table are read with.
struct RowContext {
    const Catalogue &catalogue;
    const std::vector<Annotation> &annotations;
    AnnotationUse use = AnnotationUse::All;
};

// "tp=4,pp=2,cp=1,dp=2" onto the mesh; dp where it is said.
std::optional<int> readSizes(RowReader &r, std::string_view sizes, Parallelism &p)
{
    const std::array<std::pair<std::string_view, int *>, 6> kAxes{{{"tp", &p.tp}, {"pp", &p.pp}, {"cp", &p.cp},
        {"ep", &p.ep}, {"vp", &p.virtualStages}, {"vpp", &p.virtualStages}}};
    std::optional<int> dataRanks;
    for (const std::string_view each : split(sizes, ',')) {
        const std::string_view pair = trimmed(each), name = trimmed(pair.substr(0, pair.find('=')));
        const auto size =
            name.size() < pair.size() ? parseInteger(trimmed(pair.substr(pair.find('=') + 1))) : std::nullopt;
        const auto axis =
            std::find_if(kAxes.begin(), kAxes.end(), [name](const auto &known) { return known.first == name; });
        if (!size || *size < 1 || *size > 4096)
            r.skip("parallelism has '" + std::string(pair.substr(0, 40)) +
                   "' (accepted: tp=, pp=, cp=, ep=, dp= with a count)");
        else if (name == "dp")
            dataRanks = static_cast<int>(*size);
        else if (axis != kAxes.end())
            *axis->second = static_cast<int>(*size);
        else
            r.assume("parallelism without '" + std::string(pair.substr(0, 40)) + "'");
    }
    return dataRanks;
}

// "zero1+tp+pp;tp=4,pp=2,cp=1,dp=2"
void readParallelism(RowReader &r, Parallelism &p)
{
    std::string cell = toLower(r.text("parallelism"));
    std::replace(cell.begin(), cell.end(), '_', '-');
    const std::string_view first = std::string_view(cell).substr(0, cell.find(';'));
    const std::string_view kinds =
        first.find('=') == std::string_view::npos ? first : std::string_view(); // "tp=2,dp=4" names none
    for (const std::string_view part : split(kinds, '+')) {
        const std::string_view name = trimmed(part);
        if (const auto kind = parallelKindOf(name))
            p.kind = *kind;
        else if (name != "tp" && name != "pp" && name != "cp" && name != "ep" && name != "sp" && !name.empty())
            r.skip("parallelism '" + std::string(name.substr(0, 40)) +
                   "' is unknown (accepted: " + enumChoices<ParallelKind>() + ", with +tp, +pp, +cp, +ep)");
    }
    const bool sized = kinds.size() < cell.size();
    const std::optional<int> dataRanks =
        sized ? readSizes(r, std::string_view(cell).substr(kinds.empty() ? 0 : kinds.size() + 1), p) : std::nullopt;
    const std::int64_t modelRanks = std::int64_t{p.tp} * p.pp * p.cp, ranks = modelRanks * dataRanks.value_or(1);
    if (ranks > kMostRanks) {
        r.skip("parallelism has " + std::to_string(ranks) + " ranks");
        p = {};
        return;
    }
    // A usual node where nobody counted.
    const bool unsaid = !r.has("n_gpus") && !sized && p.kind != ParallelKind::None;
    p.gpus = r.count("n_gpus", unsaid ? 8 : static_cast<int>(ranks));
    p.gpusPerNode = r.count("gpus_per_node", std::min(p.gpus, 8));
    if (p.gpus % p.modelParallel() != 0) {
        r.skip(
            "n_gpus " + std::to_string(p.gpus) + " is not a multiple of tp x pp x cp = " + std::to_string(modelRanks));
        return;
    }
    if (dataRanks && *dataRanks != p.dataParallel())
        r.assume("dp " + std::to_string(p.dataParallel()) + " (from n_gpus)");
    if (p.kind == ParallelKind::None && p.gpus > p.modelParallel()) {
        p.kind = cell.empty() ? ParallelKind::FsdpFull : ParallelKind::Ddp;
        r.assume("parallel " + std::string(enumName(p.kind)));
    }
}

constexpr std::string_view kDigits = "0123456789";

// Whose last digit stands right before `end`, which is above 0.
std::optional<std::int64_t> wholeNumberBefore(std::string_view text, std::size_t end)
{
    const std::size_t before = text.find_last_not_of(kDigits, end - 1);
    return parseInteger(text.substr(before + 1, end - before - 1));
}

// "8x NDR": cards of a generation of InfiniBand, whose four lanes carry so much; "HDR100" and "NDR200" have two. Gbit/s
// of the node, 0 where nobody counts.
double infinibandGbps(const std::string &cell)
{
    constexpr std::array<std::pair<std::string_view, double>, 7> kGenerations{
        {{"hdr100", 100}, {"ndr200", 200}, {"fdr", 56}, {"edr", 100}, {"hdr", 200}, {"ndr", 400}, {"xdr", 800}}};
    for (const auto &[name, each] : kGenerations) {
        const std::size_t at = cell.find(name), times = at == 0 || at == std::string::npos
                                                            ? std::string::npos
                                                            : cell.find_last_not_of(' ', at - 1);
        if (times == std::string::npos || times == 0 || cell[times] != 'x')
            continue;
        const auto cards = wholeNumberBefore(cell, times);
        if (cards && *cards > 0 && *cards < 100)
            return static_cast<double>(*cards) * each;
    }
    return 0;
}

// "8x400Gbps/node", "800Gbps/node", "400Gb/s/GPU", "EFA 400 Gbit/s" anywhere in the cell; a node's, where nobody says
// whose.
void readNetwork(const RowReader &r, RunConfig &c)
{
    const std::string_view cell = r.text("interconnect");
    std::size_t unit = std::string_view::npos, end = unit;
    for (const std::string_view name : {"Gbps", "Gb/s", "Gbit/s"}) {
        unit = cell.find(name);
        if (unit != std::string_view::npos) {
            end = unit + name.size();
            break;
        }
    }
    const std::size_t last =
        unit == 0 || unit == std::string_view::npos ? std::string_view::npos : cell.find_last_not_of(' ', unit - 1);
    if (last == std::string_view::npos) {
        if (const double gbps = infinibandGbps(toLower(cell)); gbps > 0)
            c.networkGbps = gbps;
        return;
    }
    const std::size_t begin = cell.find_last_not_of(kDigits, last);
    const auto each = wholeNumberBefore(cell, last + 1);
    std::int64_t cards = toLower(cell.substr(end)).starts_with("/gpu") ? c.parallel.gpusPerNode : 1;
    if (begin != std::string_view::npos && begin > 0 && (cell[begin] == 'x' || cell[begin] == 'X'))
        cards = wholeNumberBefore(cell, begin).value_or(cards);
    if (each && *each > 0 && *each < 100'000 && cards > 0 && cards < 100)
        c.networkGbps = static_cast<double>(*each * cards);
}

// Clusters of A100 carry 50 Gbit/s a card (AWS p4d) to 200 (DGX SuperPOD, Azure); where nobody says whose it is, what
// lies in the middle of their ratio.
void assumeNetwork(RowReader &r, RunConfig &c, const Gpu &gpu)
{
    constexpr double kGbpsOfCard = 100;
    const bool hasSwitch = gpu.arch == "ampere" && gpu.linkKind.find("NVSwitch") != std::string::npos;
    if (c.networkGbps || !hasSwitch || c.parallel.gpus <= c.parallel.gpusPerNode)
        return;
    c.networkGbps = kGbpsOfCard * c.parallel.gpusPerNode;
    r.assume("network " + formatExact(*c.networkGbps) + " Gbit/s per node");
}

void readStep(RowReader &r, RunConfig &c)
{
    const double ranks = std::max(1, c.parallel.dataParallel());
    const std::optional<double> batch = r.amount("global_batch_tokens");
    const double sequencesSaid = r.number("micro_batch_size").value_or(0) * r.number("grad_accum").value_or(0) * ranks;
    const double tokensEach = batch && sequencesSaid >= 1 ? *batch / sequencesSaid : 0;
    c.seqLen = r.count(
        "seq_len", tokensEach >= 1 && tokensEach <= 1e8 ? static_cast<int>(std::lround(tokensEach)) : kDefaultSequence);
    const double sequences = batch
                                 ? *batch / double(c.seqLen) / ranks / std::max(1.0, r.number("grad_accum").value_or(1))
                                 : kUsualMicroBatch;
    c.microBatch = r.count("micro_batch_size", static_cast<int>(std::clamp(sequences, 1.0, kUsualMicroBatch)));
    const double accumulation = batch ? *batch / (double(c.seqLen) * double(c.microBatch) * ranks) : 1;
    if (accumulation > kMostAccumulation)
        r.skip("global_batch_tokens is " + formatExact(*batch) + ", which is too large");
    c.gradAccum = r.count("grad_accum", static_cast<int>(std::clamp(std::round(accumulation), 1.0, kMostAccumulation)));
}

void readChoices(RowReader &r, MeasuredRow &out)
{
    RunConfig &c = out.subject.config;
    if (!r.has("precision"))
        r.assume("precision bf16-mixed");
    else if (const auto precision = precisionOf(r.word("precision")))
        c.precision = *precision;
    else
        r.skipUnknown("precision", "bf16_mixed, fp16_mixed, fp8_mixed, bf16_pure, fp32");

    if (!r.has("attention")) {
        r.assume("attention flash");
    } else if (const auto attention = attentionOf(r.word("attention"))) {
        c.attention = attention->attention;
        c.attentionKernel = attention->kernel;
    } else {
        r.skipUnknown("attention", "flash, sdpa, vanilla");
    }

    out.recomputeUnstated = !r.has("recompute");
    if (const auto recompute = recomputeOf(r.word("recompute")))
        c.recompute = *recompute;
    else if (!out.recomputeUnstated)
        r.skipUnknown("recompute", "none, selective, full");
}

// Who says nothing of its code, but has tensor-parallel ranks or stages that FSDP does not shard, ran fused kernels.
bool isMegatronUnsaid(const RunConfig &c) { return c.parallel.tp * c.parallel.pp > 1 && !runsFsdp(c.parallel.kind); }

// A profile of the catalogue, by the column `framework` or by what is known of the source; or software that nobody
// knows, which is planned as plain PyTorch or Megatron-LM by what else the row says.
void readProfile(
    RowReader &r, const std::string &name, std::optional<CodeKind> code, const Frameworks &frameworks, RunConfig &c)
{
    c.software = name;
    if (!frameworks.resolve(name)) {
        const std::size_t at = name.find('@');
        const std::string version = at == std::string::npos ? std::string() : name.substr(at);
        c.software = frameworks.resolve("unknown" + version) ? "unknown" + version : "unknown";
        r.assume("framework unknown for '" + name.substr(0, 40) + "'");
    }
    if (code)
        c.compile = code == CodeKind::Compiled;
    c.fusedKernels = code == CodeKind::Kernels;
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

// By the column `compiled` and what else the row says.
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
    if (c.framework == Framework::Megatron && runsFsdp(c.parallel.kind)) { // which shards PyTorch's modules
        c.framework = Framework::PytorchEager;
        c.fusedKernels = true;
        r.assume("fused_kernels");
    }
}

// What ran, and what is known of it beside the columns.
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

// PyTorch's own takes its multi-tensor kernels since 2.0 where nobody asks for others, beside a compiled model, too;
// annotations say who does.
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

// PyTorch has fused attention since 2.0; before, whoever had flash-attn's said so.
void readUnsaidAttention(RowReader &r, RunConfig &c)
{
    constexpr int kTorchWithFusedAttention = 200;
    const bool named = c.attentionKernel != AttentionKernel::Auto || c.unpadAttention;
    if (r.has("attention") || named || c.torchVersion() >= kTorchWithFusedAttention)
        return;
    c.attention = Attention::Vanilla;
    r.assume("attention vanilla, of PyTorch " + c.torch);
}

// Nobody leaves a thousand cards waiting for a quarter of the time: where filling and draining would take that and no
// cell or note tells of parts, Megatron-LM's stages interleave layer by layer (Llama 3's paper, section 3.3.2).
void readUnsaidParts(RowReader &r, RunConfig &c, const ModelSpec &model)
{
    constexpr int kManyCards = 1024;
    Parallelism interleaved = c.parallel;
    interleaved.virtualStages = static_cast<int>(ceilDiv(model.layers, c.parallel.pp));
    const bool waits = std::int64_t{4} * (c.parallel.pp - 1) >= c.gradAccum + c.parallel.pp - 1,
               said = c.parallel.virtualStages > 1 || toLower(r.text("parallelism")).find("vp") != std::string::npos;
    if (c.framework != Framework::Megatron || c.attention != Attention::Flash || c.sharder == Sharder::DeepSpeed ||
        c.parallel.pp < 2 || c.parallel.gpus < kManyCards || !waits || said || !partsDivide(interleaved, model.layers))
        return;
    c.parallel = interleaved;
    r.assume("virtual_stages " + std::to_string(interleaved.virtualStages));
}

void readMeasured(RowReader &r, Measured &m)
{
    m.tokensPerSecondPerGpu = r.amount("tokens_per_s_per_gpu");
    m.peakGib = r.amount("peak_mem_gib");
    m.oom = r.flag("oom");
    const std::string kind = r.word("mem_kind");
    const std::optional<MemoryKind> known = memoryKindOf(kind);
    m.memoryKind = known.value_or(MemoryKind::Unknown);
    if (!known && !kind.empty() && kind != enumName(MemoryKind::Unknown))
        r.warn(unknownName("mem_kind", r.text("mem_kind"), namesOf(EnumNames<MemoryKind>::names), {}).message());
    if (m.memoryKind == MemoryKind::Unknown && m.peakGib)
        r.assume("mem_kind reserved");
}

void checkHeads(RowReader &r, const ModelSpec &m)
{
    if (m.hidden % m.attention.heads != 0 && m.attention.headDim == m.hidden / m.attention.heads)
        r.skip("n_heads " + std::to_string(m.attention.heads) + " is not a divisor of d_model " +
               std::to_string(m.hidden) + ", and the notes give no head_dim");
    if (m.attention.heads % m.attention.kvHeads != 0)
        r.skip("n_kv_heads " + std::to_string(m.attention.kvHeads) + " is not a divisor of n_heads " +
               std::to_string(m.attention.heads));
}

// Adapters whose rank a cell gives. Beside which matrices is taken as all, as nobody says it in a few words.
void readAdapters(RowReader &r, std::string_view cell, RunConfig &c)
{
    const std::optional<NotedAdapters> adapters = notedAdapters(cell);
    if (!adapters)
        return;
    c.loraRank = adapters->rank;
    c.frozenWeights = adapters->packed ? FrozenWeights::Nf4 : FrozenWeights::Whole;
    r.assume(fmt::format("adapters of rank {} beside all matrices of the layers (note)", adapters->rank));
}

MeasuredRow readRow(const CsvTable &table, const CsvRow &row, int largestRun, const RowContext &context)
{
    const Catalogue &catalogue = context.catalogue;
    MeasuredRow out;
    RowReader r(table, row, out);
    out.id = std::string(r.text("id"));
    out.place = table.place(row);
    if (out.id.empty() || out.id.size() > kLongestId)
        out.id = "line " + std::to_string(row.line);
    if (!row.fault.empty()) {
        out.source = "no record";
        r.skip(row.fault);
        return out;
    }
    const std::string_view repository = r.text("source_repo_or_paper");
    out.source = std::string(repository.empty() ? std::string_view(out.id).substr(0, out.id.find('-')) : repository);
    RunConfig &c = out.subject.config;
    out.subject.model = readMeasuredModel(r, catalogue);
    readParallelism(r, c.parallel);
    if (const std::string cell = toLower(r.text("parallelism"));
        cell.substr(0, cell.find(';')).find("+sp") != std::string::npos)
        c.sequenceParallel = true;
    readNetwork(r, c);
    readStep(r, c);
    if (out.subject.model.embedding.positions > 0)
        out.subject.model.embedding.positions = static_cast<int>(c.seqLen);
    readChoices(r, out);
    const SoftwareNotes notes = readFramework(r, context, out.subject.model, c);
    readOptimizer(r, c);
    if (Result<std::vector<std::string>> taken = notes.apply(catalogue.frameworks, c, out.subject.model)) {
        for (std::string &each : *taken)
            r.assume(std::move(each));
    } else {
        r.skip("annotations: " + taken.error().message());
    }
    if (const Result<Gpu> named = catalogue.gpu(r.text("gpu")))
        c.gpu = named->id;
    if (Result<std::vector<AppliedField>> software = applyFramework(c, out.subject.model, catalogue.frameworks)) {
        for (const AppliedField &field : *software)
            r.assume(field.key + " " + field.value + " (" + c.software + ")");
        out.subject.software = *std::move(software);
    }
    readUnsaidAttention(r, c);
    readUnsaidParts(r, c, out.subject.model);
    checkHeads(r, out.subject.model);
    for (const char *column : {"notes", "model_name", "optimizer", "parallelism"}) {
        if (std::string why = unsupportedFeature(r.text(column)); !why.empty())
            r.skip(std::string(column) + ": " + std::move(why) + ", which is not planned");
        readAdapters(r, r.text(column), c);
    }
    MeasuredExperts experts = readExperts(r.text("mlp_type"), r.text("notes"), c, out.subject.model);
    for (std::string &taken : experts.taken)
        r.assume(std::move(taken));
    if (!experts.fault.empty())
        r.skip(std::move(experts.fault));
    readMeasured(r, out.measured);
    out.measured.fromHours = fromWholeRun(r.text("notes"));
    if (out.measured.fromHours)
        r.assume(fmt::format("{:g} of its hours are steps (note)", catalogue.rates.productiveTimeFraction));
    out.measured.passesOnly = timesPassesOnly(r.text("notes"));
    if (out.measured.passesOnly)
        r.assume("its time excludes the optimizer (note)");
    // Whole GB of nvidia-smi beside the log of rank 0's node: configurations ran out of memory (the last stage has the
    // logits) that showed 13 of 16 GB. Lightning's monitor of that time asks nvidia-smi, LitGPT's loops
    // torch.cuda.max_memory_allocated.
    if (out.measured.memoryKind == MemoryKind::Unknown && out.source.find("Lightning-AI") != std::string::npos)
        out.measured.memoryKind =
            toLower(out.source).find("/lit") != std::string::npos ? MemoryKind::Allocated : MemoryKind::Device;
    out.measured.fromFirstNode = out.source.find("bigscience") != std::string::npos;
    out.framework =
        c.software.empty() ? std::string(enumName(c.framework)) : c.software.substr(0, c.software.find('@'));
    readGpu(r, catalogue, largestRun, out);
    // The ranges of the planner's engines were made of annotated rows, those of profiles of rows that name theirs.
    out.subject.knowledge =
        r.has("framework") ? knowledgeOf(c, out.subject.gpu, catalogue.frameworks) : Knowledge::Engine;
    assumeNetwork(r, c, out.subject.gpu);
    // scaled_dot_product_attention has no kernel for bf16 on cards before Ampere but the one that writes the scores.
    if (r.word("attention") == "sdpa" && !c.software.empty() && c.framework != Framework::Megatron &&
        (c.precision == Precision::Bf16 || c.precision == Precision::Bf16Mixed) && lacksBf16(c, out.subject.gpu)) {
        c.attention = Attention::Vanilla;
        r.assume("attention vanilla, as the GPU does not support bf16");
    }
    if (!r.has("precision") && lacksBf16(c, out.subject.gpu)) {
        c.precision = Precision::Fp16Mixed;
        r.assume("precision fp16-mixed, as the GPU does not support bf16");
    }
    c.gpu = out.subject.gpu.id;
    return out;
}

// What a first line without the columns would have to be; spreadsheets save text with other marks between the cells,
// and as UTF-16.
std::string_view expectedTable(const std::vector<std::string> &header)
{
    const std::string_view first = header.front();
    if (first.starts_with("\xff\xfe") || first.starts_with("\xfe\xff"))
        return "a measurement table in UTF-8; this one is UTF-16";
    if (header.size() == 1 && first.find_first_of(";\t") != std::string_view::npos)
        return "a measurement table separated by commas, not by semicolons or tabs";
    return "a measurement table with the column names in its first line";
}

} // namespace

Result<std::vector<MeasuredRow>> readMeasurements(const std::filesystem::path &path, const Catalogue &catalogue,
    const std::optional<RowFilter> &only, AnnotationUse annotations)
{
    const Result<CsvTable> table = readCsv(path, {.bytes = kGiB, .goesOn = true});
    return table ? readMeasurements(*table, catalogue, only, annotations) : table.error();
}

Result<std::vector<MeasuredRow>> readMeasurements(
    const CsvTable &table, const Catalogue &catalogue, const std::optional<RowFilter> &only, AnnotationUse use)
{
    std::string missing;
    for (const std::string_view column : kRequired) {
        if (!table.column(column))
            missing += (missing.empty() ? "" : ", ") + std::string(column);
    }
    if (!missing.empty())
        return Error{.what = "columns are missing: " + missing,
            .where = table.where + ":1",
            .accepted = std::string(expectedTable(table.header))};
    if (only && !table.column(only->column))
        return unknownName("column", only->column, table.header, "--only");
    const Result<std::vector<Annotation>> annotations = readAnnotations(resourceDirectory() / "annotations");
    if (!annotations)
        return annotations.error();
    const RowContext context{.catalogue = catalogue, .annotations = *annotations, .use = use};
    const auto largest = largestRuns(table); // of all rows: what a filter leaves out tells of the machine, too
    std::vector<MeasuredRow> rows;
    rows.reserve(table.rows.size());
    std::map<std::string_view, std::size_t> lines; // of the first row of an id
    for (const CsvRow &row : table.rows) {
        const std::string_view id = trimmed(table.cell(row, "id"));
        const auto [first, isNew] = lines.emplace(id, row.line);
        if (only && trimmed(table.cell(row, only->column)) != trimmed(only->value))
            continue;
        rows.push_back(
            readRow(table, row, largest.find(trimmed(table.cell(row, "source_repo_or_paper")))->second, context));
        if (!isNew && !id.empty() && row.fault.empty())
            rows.back().warnings.push_back(fmt::format("{}: the id '{}' already appears in line {}; ids must be unique",
                table.place(row), rows.back().id, first->second));
    }
    return rows;
}

} // namespace slipway
