// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/measurement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "base/unknown_name.h"
#include "measure/measured_experts.h"
#include "measure/measured_gpu.h"
#include "measure/measured_model.h"
#include "measure/note_text.h"
#include "measure/row_network.h"
#include "measure/row_parallelism.h"
#include "measure/row_reader.h"
#include "measure/row_software.h"
#include "measure/software_notes.h"
#include "measure/table_vocabulary.h"
#include "measure/unsupported_features.h"
#include "plan/data_parallel.h"
#include "predict/gpu_types.h"

namespace slipway {

namespace {

constexpr std::array<std::string_view, 10> kRequired{
    "id", "n_layers", "d_model", "n_heads", "seq_len", "gpu", "n_gpus", "parallelism", "precision", "micro_batch_size"};

// Assumed if the cell is empty and nothing else determines the micro-batch.
constexpr double kUsualMicroBatch = 8;
constexpr double kMostAccumulation = 1e6; // the limit of the flag
constexpr std::size_t kLongestId = 200;   // a longer text is not a name

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
    RunConfig &c = out.resolved.config;
    if (const auto precision = precisionOf(r.word("precision")))
        c.precision = precision;
    else if (r.has("precision")) // otherwise its software settles it
        r.skipUnknown("precision", "bf16_mixed, fp16_mixed, fp8_mixed, bf16_pure, fp32");

    if (r.has("attention")) { // otherwise its software settles it, see readImpliedAttention()
        if (const auto attention = attentionOf(r.word("attention"))) {
            c.attention = attention->attention;
            c.simulated.attentionKernel = attention->kernel;
        } else {
            r.skipUnknown("attention", "flash, sdpa, vanilla");
        }
    }

    out.recomputeUnstated = !r.has("recompute");
    if (const auto recompute = recomputeOf(r.word("recompute")))
        c.recompute = recompute;
    else if (!out.recomputeUnstated)
        r.skipUnknown("recompute", "none, selective, full");
}

void readMeasured(RowReader &r, Measured &m)
{
    m.tokensPerSecondPerGpu = r.amount("tokens_per_s_per_gpu");
    m.peakGib = r.amount("peak_mem_gib", 1e6);
    m.oom = r.flag("oom");
    const std::string kind = r.word("mem_kind");
    const std::optional<MemoryKind> known = memoryKindOf(kind);
    m.memoryKind = known.value_or(MemoryKind::Unknown);
    if (!known && !kind.empty() && kind != enumName(MemoryKind::Unknown))
        r.warn(unknownName("mem_kind", r.text("mem_kind"), namesOf(EnumNames<MemoryKind>::names), {}).message());
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

// Adapters that a cell names. They are assumed at all matrices, because short notes do not name the matrices. Their
// rank matters little for memory and speed, so a usual one is assumed where none is given.
void readAdapters(RowReader &r, std::string_view cell, RunConfig &c)
{
    const std::optional<NotedAdapters> adapters = notedAdapters(cell);
    if (!adapters)
        return;
    constexpr int kUsualRank = 16;
    if (adapters->rank > 0 || c.loraRank == 0)
        c.loraRank = adapters->rank > 0 ? adapters->rank : kUsualRank;
    if (adapters->packed)
        c.frozenWeights = FrozenWeights::Nf4;
    r.assume(fmt::format("LoRA adapters of rank {} on all matrices of the layers ({})", c.loraRank,
        adapters->rank > 0 ? "note" : "the note gives no rank"));
}

void readHostOffload(RowReader &r, std::string_view cell, RunConfig &c)
{
    const bool fsdp = runsFsdp(c.parallel.kind) && !c.simulated.hasHalfPrecisionModel();
    const HostOffload offload = notedHostOffload(cell, fsdp);
    if (offload == HostOffload::None || c.hostOffload == offload || c.hostOffload == HostOffload::Weights)
        return;
    c.hostOffload = offload;
    r.assume(fmt::format("host_offload {} (note)", enumName(offload)));
}

// Reads what notes and the source tell about the measured values.
void readMeasuredNotes(RowReader &r, const SpeedRates &rates, const SoftwareNotes &notes, Measured &m)
{
    m.fromHours = fromWholeRun(r.text("notes"));
    if (m.fromHours)
        r.assume(fmt::format("{:g} of its time is spent on steps (note)", rates.productiveTimeFraction));
    m.onlyPasses = timesOnlyPasses(r.text("notes"));
    if (m.onlyPasses)
        r.assume("its time excludes the optimizer (note)");
    if (m.memoryKind == MemoryKind::Unknown && m.peakGib) {
        const std::string kind = notes.memoryKind();
        m.memoryKind = memoryKindOf(kind).value_or(MemoryKind::Unknown);
        r.assume(kind.empty() ? "mem_kind reserved" : "mem_kind " + kind + " (source)");
    }
    m.fromFirstNode = notes.readsFirstNode();
}

// GPUs before Ampere have no bf16. If the row does not name a precision, it was another one, and another attention
// kernel.
void settleWithoutBf16(RowReader &r, const Gpu &gpu, RunConfig &c)
{
    if (!lacksBf16(c, gpu))
        return;
    // On such GPUs, scaled_dot_product_attention supports bf16 only in the kernel that writes the attention scores.
    if (r.word("attention") == "sdpa" && !c.software.empty() && c.framework != Framework::Megatron) {
        c.attention = Attention::Vanilla;
        r.assume("attention vanilla, because the GPU does not support bf16");
    }
    if (!r.has("precision")) {
        c.precision = Precision::Fp16Mixed;
        r.assume("precision fp16-mixed, because the GPU does not support bf16");
    }
}

// Reads the columns of the mesh, the batch and the choices.
void readColumns(RowReader &r, MeasuredRow &out)
{
    RunConfig &c = out.resolved.config;
    readParallelism(r, c.parallel);
    if (const std::string cell = toLower(r.text("parallelism"));
        cell.substr(0, cell.find(';')).find("+sp") != std::string::npos)
        c.simulated.sequenceParallel = true;
    readNetwork(r, c);
    readStep(r, c);
    if (out.resolved.model.embedding.positions > 0)
        out.resolved.model.embedding.positions = static_cast<int>(c.seqLen);
    readChoices(r, out);
}

// The columns whose words name adapters, and what no plan supports.
constexpr std::array kFeatureColumns{"notes", "model_name", "optimizer", "parallelism"};

bool sets(const std::vector<AppliedField> &fields, std::string_view key)
{
    return std::any_of(fields.begin(), fields.end(), [key](const AppliedField &field) { return field.key == key; });
}

// Reads the software and the settings that follow from it. Returns what is known of the row beyond its columns.
SoftwareNotes readSoftware(RowReader &r, const RowContext &context, ResolvedConfig &resolved)
{
    RunConfig &c = resolved.config;
    const Catalogue &catalogue = context.catalogue;
    SoftwareNotes notes = readFramework(r, context, resolved.model, c);
    readOptimizer(r, c);
    if (Result<std::vector<std::string>> taken = notes.apply(catalogue.frameworks, c, resolved.model)) {
        for (std::string &each : *taken)
            r.assume(std::move(each));
    } else {
        r.skip("annotations: " + taken.error().message());
    }
    if (const Result<Gpu> named = catalogue.gpu(r.text("gpu")))
        c.gpu = named->id;
    // Before the profile, whose conditions ask for adapters and experts.
    for (const char *column : kFeatureColumns)
        readAdapters(r, r.text(column), c);
    MeasuredExperts experts = readExperts(r.text("mlp_type"), r.text("notes"), c, resolved.model);
    for (std::string &taken : experts.taken)
        r.assume(std::move(taken));
    if (!experts.fault.empty())
        r.skip(std::move(experts.fault));
    resolved.open = openChoicesOf(c);
    if (Result<std::vector<AppliedField>> software = applyFramework(c, resolved.model, catalogue.frameworks)) {
        for (const AppliedField &field : *software)
            r.assume(field.key + " " + field.value + " (" +
                     (c.software.empty() ? "software of PyTorch " + c.simulated.torch : c.software) + ")");
        resolved.software = *std::move(software);
    }
    if (resolved.open.precision && !sets(resolved.software, "precision"))
        r.assume("precision " + std::string(enumName(c.precisionOrMixed())));
    readImpliedAttention(r, c);
    readImpliedModules(r, c, resolved.model);
    return notes;
}

// Reads words of notes and names that change the model, or that no plan supports.
void readFeatures(RowReader &r, ResolvedConfig &resolved)
{
    for (const char *column : kFeatureColumns) {
        if (std::string why = unsupportedFeature(r.text(column)); !why.empty())
            r.skip(std::string(column) + ": " + std::move(why) + ", which is not planned");
        readHostOffload(r, r.text(column), resolved.config);
    }
}

MeasuredRow readRow(const CsvTable &table, const CsvRow &row, int largestRun, const RowContext &context)
{
    const Catalogue &catalogue = context.catalogue;
    MeasuredRow out;
    RowReader r(table, row, out);
    out.id = std::string(r.text("id"));
    out.place = table.location(row);
    if (out.id.empty() || out.id.size() > kLongestId)
        out.id = "line " + std::to_string(row.line);
    if (!row.fault.empty()) {
        out.source = "no record";
        r.skip(row.fault);
        return out;
    }
    const std::string_view repository = r.text("source_repo_or_paper");
    out.source = std::string(repository.empty() ? std::string_view(out.id).substr(0, out.id.find('-')) : repository);
    RunConfig &c = out.resolved.config;
    out.resolved.model = readMeasuredModel(r, catalogue);
    readColumns(r, out);
    const SoftwareNotes notes = readSoftware(r, context, out.resolved);
    checkHeads(r, out.resolved.model);
    readFeatures(r, out.resolved);
    readMeasured(r, out.measured);
    readMeasuredNotes(r, catalogue.rates, notes, out.measured);
    out.framework = c.software.empty() ? std::string(enumName(c.framework)) : std::string(softwareName(c.software));
    readGpu(r, catalogue, largestRun, out);
    // The error ranges of the planner's engines come from annotated rows. Those of profiles come from rows that name
    // their profile. A row with neither may be of any software.
    out.resolved.softwareKnowledge = r.has("framework") ? softwareKnowledge(c, out.resolved.gpu, catalogue.frameworks)
                                     : notes.knowsSource() || c.framework == Framework::Slipway
                                         ? SoftwareKnowledge::BuiltIn
                                         : SoftwareKnowledge::Unknown;
    assumeNetwork(r, catalogue.rates, c, out.resolved.gpu);
    settleWithoutBf16(r, out.resolved.gpu, c);
    c.gpu = out.resolved.gpu.id;
    return out;
}

// Says what the first line should be if it lacks the columns. Spreadsheets save text with other separators, and as
// UTF-16.
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
    const Result<CsvTable> table = readCsv(path, {.bytes = kGiB, .keepsBrokenRecords = true});
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
    const auto largest = largestRuns(table); // of all rows: rows that a filter excludes also tell about the machine
    std::vector<MeasuredRow> rows;
    rows.reserve(table.rows.size());
    std::map<std::string_view, std::size_t> lines; // line of the first row with an id
    for (const CsvRow &row : table.rows) {
        const std::string_view id = trimmed(table.cell(row, "id"));
        const auto [first, isNew] = lines.emplace(id, row.line);
        if (only && trimmed(table.cell(row, only->column)) != trimmed(only->value))
            continue;
        rows.push_back(
            readRow(table, row, largest.find(trimmed(table.cell(row, "source_repo_or_paper")))->second, context));
        if (!isNew && !id.empty() && row.fault.empty())
            rows.back().warnings.push_back(fmt::format("{}: the id '{}' already appears in line {}; ids must be unique",
                table.location(row), rows.back().id, first->second));
    }
    return rows;
}

} // namespace slipway
