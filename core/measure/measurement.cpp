// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/measurement.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "measure/measured_experts.h"
#include "measure/software_notes.h"

namespace slipway {

namespace {

constexpr std::array<std::string_view, 10> kRequired{"id", "n_layers", "d_model", "n_heads", "seq_len", "gpu", "n_gpus", "parallelism", "precision", "micro_batch_size"};

// Where a cell is empty and nothing else tells.
constexpr int kUsualSequence = 1024;
constexpr double kUsualMicroBatch = 8;
// GPT-2's 50,257 padded to a multiple of 64, as nanoGPT does, which compiles where nobody says otherwise.
constexpr std::string_view kPaddedGpt2Vocabulary = "50304";

// Reads the cells of one row; the first that is wrong makes the row skipped.
class RowReader {
public:
    RowReader(const CsvTable &table, const CsvRow &row, MeasuredRow &out) : m_table(table), m_row(row), m_out(out) {}

    [[nodiscard]] std::string_view text(std::string_view column) const { return trimmed(m_table.cell(m_row, column)); }

    std::optional<double> number(std::string_view column)
    {
        const std::string_view cell = text(column);
        if (cell.empty())
            return std::nullopt;
        const std::optional<double> value = parseNumber(cell);
        if (!value || !std::isfinite(*value))
            skip(std::string(column) + " is '" + std::string(cell.substr(0, 40)) + "', not a number");
        return value;
    }
    // A count from 1 to 1e9; `usual` where the cell is empty, which is then listed as assumed.
    int count(std::string_view column, std::optional<int> usual = std::nullopt)
    {
        const std::optional<double> value = number(column);
        if (!value) {
            if (!usual)
                skip(std::string(column) + " is empty");
            else
                assume(std::string(column) + " " + std::to_string(*usual));
            return usual.value_or(1);
        }
        if (*value < 1 || *value > 1e9 || *value != std::floor(*value)) {
            skip(std::string(column) + " is " + formatExact(*value) + ", not a count");
            return 1;
        }
        return static_cast<int>(*value);
    }

    void skip(std::string why)
    {
        if (m_out.skipped.empty())
            m_out.skipped = m_table.place(m_row) + ": " + std::move(why);
    }
    void assume(std::string what) { m_out.assumed.push_back(std::move(what)); }

private:
    const CsvTable &m_table;
    const CsvRow &m_row;
    MeasuredRow &m_out;
};

void readModel(RowReader &r, ModelSpec &m)
{
    m.name = std::string(r.text("model_name"));
    m.layers = r.count("n_layers");
    m.hidden = r.count("d_model");
    m.heads = r.count("n_heads");
    m.kvHeads = r.count("n_kv_heads", m.heads);
    m.headDim = std::max(1, m.hidden / m.heads);
    // "swiglu3", "swiglu-moe"; experts are gated where nothing else is said.
    const std::string type = toLower(r.text("mlp_type"));
    const bool swiglu = type.starts_with("swiglu") || (type.find("moe") != std::string::npos && type.find("gelu") == std::string::npos);
    m.ffn = r.count("d_ff", swiglu ? m.hidden * 8 / 3 : 4 * m.hidden);
    m.vocab = r.count("vocab", 50257);
    const bool rope = r.text("pos") == "rope";
    m.mlp = swiglu ? Mlp::SwiGlu : Mlp::Gelu;
    m.norm = swiglu || rope ? Norm::RmsNorm : Norm::LayerNorm;
    m.position = rope ? Position::Rope : r.text("pos") == "alibi" ? Position::Alibi : Position::Learned;
    m.tied = r.text("tied_embeddings").empty() ? !swiglu : r.text("tied_embeddings") == "yes";
    if (m.norm == Norm::LayerNorm)
        m.qkvBias = m.attentionOutBias = m.mlpBias = m.normBias = true;
    if (m.position == Position::Learned)
        m.maxPositions = static_cast<int>(r.number("seq_len").value_or(kUsualSequence));
}

// "zero1+tp+pp;tp=4,pp=2,cp=1,dp=2"
void readParallelism(RowReader &r, Parallelism &p)
{
    const std::string_view cell = r.text("parallelism");
    const std::size_t end = cell.find(';');
    int dataRanks = 1;
    for (const std::string_view part : split(cell.substr(0, end), '+')) {
        std::string name(part);
        std::replace(name.begin(), name.end(), '_', '-');
        if (const auto kind = enumFromName<ParallelKind>(name))
            p.kind = *kind;
        else if (name != "tp" && name != "pp" && name != "cp" && name != "ep" && !name.empty())
            r.skip("parallelism '" + name + "' is unknown");
    }
    if (end != std::string_view::npos) {
        for (const std::string_view pair : split(cell.substr(end + 1), ',')) {
            const std::size_t eq = pair.find('=');
            const auto size = eq == std::string_view::npos ? std::nullopt : parseInteger(pair.substr(eq + 1));
            if (!size || *size < 1 || *size > 4096)
                r.skip("parallelism has '" + std::string(pair) + "'");
            else if (pair.starts_with("tp="))
                p.tp = static_cast<int>(*size);
            else if (pair.starts_with("pp="))
                p.pp = static_cast<int>(*size);
            else if (pair.starts_with("cp="))
                p.cp = static_cast<int>(*size);
            else if (pair.starts_with("ep="))
                p.ep = static_cast<int>(*size);
            else if (pair.starts_with("dp="))
                dataRanks = static_cast<int>(*size);
        }
    }
    // A usual node where nobody counted.
    const bool unsaid = r.text("n_gpus").empty() && end == std::string_view::npos && p.kind != ParallelKind::None;
    p.gpus = r.count("n_gpus", unsaid ? 8 : dataRanks * p.modelParallel());
    p.gpusPerNode = r.count("gpus_per_node", std::min(p.gpus, 8));
    if (p.gpus % p.modelParallel() != 0)
        r.skip("n_gpus does not divide by tp x pp x cp");
    if (p.kind == ParallelKind::None && p.gpus > p.modelParallel()) {
        p.kind = cell.empty() ? ParallelKind::FsdpFull : ParallelKind::Ddp;
        if (cell.empty())
            r.assume("parallel fsdp-full");
    }
}

// "8x400Gbps/node", "800Gbps/node", "400Gbps/GPU" anywhere in the cell.
void readNetwork(RowReader &r, RunConfig &c)
{
    const std::string_view cell = r.text("interconnect");
    const std::size_t unit = cell.find("Gbps/");
    if (unit == std::string_view::npos)
        return;
    const std::size_t begin = cell.find_last_not_of("0123456789", unit - 1);
    const auto each = parseInteger(cell.substr(begin + 1, unit - begin - 1));
    std::int64_t cards = cell.substr(unit + 5).starts_with("GPU") ? c.parallel.gpusPerNode : 1;
    if (begin != std::string_view::npos && cell[begin] == 'x') {
        const std::size_t before = cell.find_last_not_of("0123456789", begin - 1);
        cards = parseInteger(cell.substr(before + 1, begin - before - 1)).value_or(1);
    }
    if (each && *each > 0 && *each < 100'000 && cards > 0 && cards < 100)
        c.networkGbps = static_cast<double>(*each * cards);
}

void readStep(RowReader &r, RunConfig &c)
{
    c.seqLen = r.count("seq_len", kUsualSequence);
    const std::optional<double> batch = r.number("global_batch_tokens");
    const double sequences = batch ? *batch / double(c.seqLen) / c.parallel.dataParallel() / std::max(1.0, r.number("grad_accum").value_or(1)) : kUsualMicroBatch;
    c.microBatch = r.count("micro_batch_size", static_cast<int>(std::clamp(sequences, 1.0, kUsualMicroBatch)));
    const double perAccumulation = double(c.seqLen) * double(c.microBatch) * c.parallel.dataParallel();
    if (r.text("grad_accum").empty() && batch)
        c.gradAccum = std::max<std::int64_t>(1, std::llround(*batch / perAccumulation));
    else
        c.gradAccum = r.count("grad_accum", 1);

    const std::string_view precision = r.text("precision");
    if (precision == "bf16_mixed")
        c.precision = Precision::Bf16Mixed;
    else if (precision == "fp16_mixed")
        c.precision = Precision::Fp16Mixed;
    else if (precision == "fp8_mixed")
        c.precision = Precision::Fp8Mixed;
    else if (precision == "bf16_pure")
        c.precision = Precision::Bf16;
    else if (precision == "fp32")
        c.precision = Precision::Fp32;
    else if (precision.empty())
        r.assume("precision bf16-mixed");
    else
        r.skip("precision '" + std::string(precision) + "' cannot be planned");

    if (r.text("attention").empty())
        r.assume("attention flash");
    c.attention = r.text("attention") == "vanilla" ? Attention::Vanilla : Attention::Flash;
    const std::string_view recompute = r.text("recompute");
    c.recompute = recompute == "full" ? Recompute::Full : recompute == "selective" ? Recompute::Selective : Recompute::None;
}

void readFramework(RowReader &r, RunConfig &c)
{
    const std::string_view compiled = r.text("compiled");
    const bool padded = compiled.empty() && r.text("vocab") == kPaddedGpt2Vocabulary;
    const Framework fused = r.text("source_repo_or_paper") == "slipway" ? Framework::Slipway : Framework::Megatron; // slipway-train bench grid
    c.framework = compiled == "kernels" ? fused : compiled == "yes" || padded ? Framework::PytorchCompile : Framework::PytorchEager;
    if (compiled.empty())
        r.assume("framework " + std::string(enumName(c.framework)));
    // PyTorch's own takes its multi-tensor kernels since 2.0 where nobody asks for others; applySoftwareNotes knows who does.
    const std::string_view optimizer = r.text("optimizer");
    c.optimizer = optimizer == "adamw8bit" ? OptimizerKind::AdamW8bit : optimizer == "sgd" ? OptimizerKind::Sgd
        : c.framework == Framework::PytorchEager && (optimizer == "adamw" || optimizer == "adam") ? OptimizerKind::AdamWForeach : OptimizerKind::AdamW;
}

void readMeasured(RowReader &r, Measured &m)
{
    m.tokensPerSecondPerGpu = r.number("tokens_per_s_per_gpu");
    m.peakGib = r.number("peak_mem_gib");
    m.memoryKind = enumFromName<MemoryKind>(r.text("mem_kind")).value_or(MemoryKind::Unknown);
    if (!r.text("oom").empty())
        m.oom = r.text("oom") == "1";
}

void checkHeads(RowReader &r, const ModelSpec &m)
{
    if (m.hidden % m.heads != 0 && m.headDim == m.hidden / m.heads)
        r.skip("n_heads " + std::to_string(m.heads) + " do not divide d_model " + std::to_string(m.hidden) + ", and the note names no head_dim");
    if (m.heads % m.kvHeads != 0)
        r.skip("n_kv_heads " + std::to_string(m.kvHeads) + " do not divide n_heads " + std::to_string(m.heads));
}

MeasuredRow readRow(const CsvTable &table, const CsvRow &row, const Catalogue &catalogue)
{
    MeasuredRow out;
    RowReader r(table, row, out);
    out.id = std::string(r.text("id"));
    out.place = table.place(row);
    if (!row.fault.empty()) {
        out.id = "line " + std::to_string(row.line);
        out.source = "no record";
        r.skip(row.fault);
        return out;
    }
    const std::string_view repository = r.text("source_repo_or_paper");
    out.source = std::string(repository.empty() ? std::string_view(out.id).substr(0, out.id.find('-')) : repository);
    RunConfig &c = out.subject.config;
    readModel(r, out.subject.model);
    readParallelism(r, c.parallel);
    readNetwork(r, c);
    readStep(r, c);
    out.recomputeUnsaid = r.text("recompute").empty();
    readFramework(r, c);
    const std::string origin = std::string(repository) + ", " + std::string(r.text("source_path_or_section"));
    for (std::string &taken : applySoftwareNotes(origin, r.text("notes"), c, out.subject.model))
        r.assume(std::move(taken));
    checkHeads(r, out.subject.model);
    MeasuredExperts experts = readExperts(r.text("mlp_type"), r.text("notes"), c, out.subject.model);
    for (std::string &taken : experts.taken)
        r.assume(std::move(taken));
    if (!experts.fault.empty())
        r.skip(std::move(experts.fault));
    readMeasured(r, out.measured);
    // Whole GB of nvidia-smi beside the log of rank 0's node: configurations ran out of memory (the last stage has the logits) that showed
    // 13 of 16 GB.
    // Lightning's monitor of that time asks nvidia-smi.
    if (out.measured.memoryKind == MemoryKind::Unknown && out.source.find("Lightning-AI") != std::string::npos)
        out.measured.memoryKind = MemoryKind::Device;
    out.measured.ofFirstNode = out.source.find("bigscience") != std::string::npos;
    out.framework = std::string(enumName(c.framework));
    out.gpu = std::string(r.text("gpu"));
    if (const Result<Gpu> gpu = catalogue.gpu(out.gpu))
        out.subject.gpu = *gpu;
    else
        r.skip("gpu '" + out.gpu + "' is not in the catalogue");
    c.gpu = out.subject.gpu.id;
    return out;
}

} // namespace

Result<std::vector<MeasuredRow>> readMeasurements(const std::filesystem::path &path, const Catalogue &catalogue, const std::optional<RowFilter> &only)
{
    const Result<CsvTable> table = readCsv(path, {.bytes = kGiB, .goesOn = true});
    if (!table)
        return table.error();
    std::string missing;
    for (const std::string_view column : kRequired) {
        if (!table->column(column))
            missing += (missing.empty() ? "" : ", ") + std::string(column);
    }
    if (!missing.empty())
        return Error{.what = "columns are missing: " + missing, .where = path.string() + ":1", .accepted = "a measurement table"};
    if (only && !table->column(only->column))
        return Error{.what = "no column is called '" + only->column + "'", .where = "--only", .accepted = "a column of " + path.string()};
    std::vector<MeasuredRow> rows;
    rows.reserve(table->rows.size());
    for (const CsvRow &row : table->rows) {
        if (!only || table->cell(row, only->column) == only->value)
            rows.push_back(readRow(*table, row, catalogue));
    }
    return rows;
}

} // namespace slipway
