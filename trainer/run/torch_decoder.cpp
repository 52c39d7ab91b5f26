// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/torch_decoder.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include <ATen/ATen.h>

#include "exec/model_tables.h"
#include "model/model_weights.h"
#include "run/block_norms.h"
#include "run/torch_layers.h"

namespace slipway {

namespace {

std::int64_t positionsOf(const ModelSpec &model, std::int64_t wanted)
{
    return model.position == Position::Learned
               ? std::min<std::int64_t>(wanted, model.embedding.positions - model.embedding.firstPosition)
               : wanted;
}

const fused_ops::Table &kernelsOf(DecoderDevice device)
{
    if (device == DecoderDevice::Cpu)
        return fused_ops::referenceKernels();
    const fused_ops::Table *const kernels = fused_ops::cudaKernels();
    if (!kernels)
        throw std::runtime_error("this program was built without CUDA");
    return *kernels;
}

TorchLayer layerOf(const ModelSpec &model, const TorchWeights &weights, int number)
{
    const std::string at = layerPrefix(number);
    TorchLayer layer{.attention = TorchAttention(model, weights, number),
        .mlp = TorchMlp(model, weights, at + "mlp"),
        .attentionNorm = {},
        .attentionPostNorm = {},
        .mlpNorm = {},
        .mlpPostNorm = {}};
    const auto norm = [&](const std::string &name) {
        return TorchNorm(model.norm, weights.find(at + name + ".weight"), weights.find(at + name + ".bias"));
    };
    addBlockNorms(layer, model, norm);
    return layer;
}

// LibTorch's attention reads each key once for many rows, and the kernel over the cache once for each row. A call for
// each beginning pays from so many rows on.
constexpr std::int64_t kLongBeginning = 64;

std::vector<TorchSegment> stretchesOf(
    const std::vector<std::int32_t> &sequences, const std::vector<std::int32_t> &positions)
{
    std::vector<TorchSegment> segments;
    const std::int64_t rows = std::ssize(sequences);
    for (std::int64_t first = 0; first < rows;) {
        std::int64_t next = first + 1;
        const auto at = [](const std::vector<std::int32_t> &of, std::int64_t i) {
            return of[static_cast<std::size_t>(i)];
        };
        while (next < rows && at(sequences, next) == at(sequences, first))
            ++next;
        const bool begins = at(positions, first) == 0 && next - first >= kLongBeginning;
        if (!begins && !segments.empty() && !segments.back().beginsSequence)
            segments.back().count += next - first;
        else
            segments.push_back({.first = first, .count = next - first, .beginsSequence = begins});
        first = next;
    }
    return segments;
}

} // namespace

// The rows of one pass: at most kPieceRows tokens of the sequences.
struct TorchDecoder::Piece {
    std::vector<Sequence> sequences; // sequence of each row
    std::vector<std::int32_t> tokens, positions;
    std::vector<std::int32_t> last; // rows that end an input
};

// The tensors of a piece on the device.
struct TorchDecoder::Step {
    at::Tensor tokens, last; // int32
    TorchRows rows;
};

struct TorchDecoder::Tensors {
    Tensors(const ModelSpec &model, const std::vector<HfWeight> &values, std::int64_t positions, DecoderType type,
        DecoderDevice on)
        : kernels(kernelsOf(on)),
          options(at::TensorOptions(type == DecoderType::Bf16 ? at::kBFloat16 : at::kFloat)
                  .device(on == DecoderDevice::Cuda ? at::kCUDA : at::kCPU))
    {
        const TorchWeights weights(values, options);
        table = weights.at("model.embed_tokens.weight");
        positionTable = weights.find("model.embed_positions.weight");
        for (int i = 0; i < model.layers; ++i)
            layers.push_back(layerOf(model, weights, i));
        finalNorm = TorchNorm(model.norm, weights.find("model.norm.weight"), weights.find("model.norm.bias"));
        head = TorchLinear(model.head.tied ? table : weights.at("lm_head.weight"), weights.find("lm_head.bias"));
        for (const cpu_ops::RopeTable &rope : ropeTables(model, positions))
            tables.ropes.emplace_back(angles(rope.cosines, positions), angles(rope.sines, positions));
        if (const std::vector<float> slopes = alibiSlopes(model); !slopes.empty())
            tables.slopes = at::tensor(slopes).to(options.device());
    }

    [[nodiscard]] at::Tensor angles(const std::vector<float> &values, std::int64_t positions) const
    {
        return at::tensor(values).view({positions, -1}).to(options.device());
    }
    // Copies from page-locked memory, which LibTorch keeps until it has been read, so that the host does not wait.
    [[nodiscard]] at::Tensor uploaded(const std::vector<std::int32_t> &values) const
    {
        const at::Tensor host =
            at::empty({std::ssize(values)}, at::TensorOptions(at::kInt).pinned_memory(options.device().is_cuda()));
        std::copy(values.begin(), values.end(), host.mutable_data_ptr<std::int32_t>());
        return host.to(options.device(), at::kInt, /*non_blocking=*/true);
    }

    // Enlarges the cache to `blocks` blocks and keeps its contents.
    void grow(const ModelSpec &model, std::int64_t blocks, std::int64_t block)
    {
        const std::int64_t before = cache.defined() ? cache.size(1) : 0;
        if (blocks <= before)
            return;
        at::Tensor larger = at::empty({std::int64_t{2} * model.layers, std::max(blocks, 2 * before), block,
                                          model.attention.kvHeads, model.attention.headDim},
            options);
        if (before > 0)
            larger.narrow(1, 0, before).copy_(cache);
        cache = std::move(larger);
    }

    [[nodiscard]] at::Tensor throughLayer(
        const BlockModule &block, std::size_t number, const at::Tensor &x, const TorchRows &rows) const
    {
        const TorchLayer &layer = layers[number];
        const auto part = static_cast<std::int64_t>(2 * number);
        const auto normedBy = [&](const std::optional<TorchNorm> &norm, const at::Tensor &of) {
            return norm ? norm->apply(of, kernels) : of;
        };
        const at::Tensor normed = normedBy(layer.attentionNorm, x);
        at::Tensor branch = layer.attention.apply(normed, rows, tables, cache.narrow(0, part, 2), kernels);
        branch = normedBy(layer.attentionPostNorm, branch);
        const at::Tensor stream = x.add(branch, block.branchScale), residual = block.parallel ? x : stream;
        branch = layer.mlp.apply(block.sharedNorm ? normed : normedBy(layer.mlpNorm, residual), kernels);
        return stream.add(normedBy(layer.mlpPostNorm, branch), block.branchScale);
    }

    const fused_ops::Table &kernels;
    at::TensorOptions options;
    at::Tensor table, positionTable;
    std::vector<TorchLayer> layers;
    TorchNorm finalNorm;
    TorchLinear head;
    TorchTables tables;
    at::Tensor cache; // [keys and values per layer, blocks, block, kvHeads, headDim]
};

TorchDecoder::TorchDecoder(const ModelSpec &model, const std::vector<HfWeight> &weights, std::int64_t positions,
    const KvCacheOptions &cache, DecoderType type, DecoderDevice device)
    : m_model(model),
      m_positions(positionsOf(model, positions)),
      m_tables(cache),
      m_tensors(std::make_unique<Tensors>(model, weights, m_positions, type, device))
{
}

TorchDecoder::~TorchDecoder() = default;

Bytes TorchDecoder::cacheInUse() const
{
    const auto element = static_cast<Bytes>(m_tensors->options.dtype().itemsize());
    return m_tables.blocksInUse() * 2 * m_model.layers * m_tables.block() * m_model.kvWidth() * element;
}

std::span<const float> TorchDecoder::forward(std::span<const DecoderInput> inputs)
{
    for (const DecoderInput &input : inputs) {
        const bool known = std::all_of(input.tokens.begin(), input.tokens.end(),
            [this](std::int32_t token) { return token >= 0 && token < m_model.vocab; });
        if (input.tokens.empty() || !known || m_tables.tokens(input.sequence) + std::ssize(input.tokens) > m_positions)
            throw std::logic_error("no token, or a token or a position outside the model");
    }
    const bool room = std::all_of(inputs.begin(), inputs.end(),
        [this](const DecoderInput &input) { return m_tables.reserve(input.sequence, std::ssize(input.tokens)); });
    if (inputs.empty() || !room)
        return {};
    m_tensors->grow(m_model, m_tables.blocksEver(), m_tables.block());
    m_logits.resize(inputs.size() * static_cast<std::size_t>(m_model.vocab));
    Piece piece;
    std::size_t finished = 0;
    const auto run = [&] {
        runPiece(piece, finished);
        finished += piece.last.size();
        piece = {};
    };
    for (const DecoderInput &input : inputs) {
        for (const std::int32_t &token : input.tokens) {
            piece.sequences.push_back(input.sequence);
            piece.tokens.push_back(token);
            piece.positions.push_back(static_cast<std::int32_t>(m_tables.tokens(input.sequence)));
            m_tables.advance(input.sequence, 1);
            if (&token == &input.tokens.back())
                piece.last.push_back(static_cast<std::int32_t>(std::ssize(piece.tokens) - 1));
            if (std::ssize(piece.tokens) == kPieceRows)
                run();
        }
    }
    if (!piece.tokens.empty())
        run();
    return m_logits;
}

// The block tables have one row per sequence of the piece, whose rows are consecutive. All layers read the same
// integers, so they are copied to the device once per step, in a single copy.
TorchDecoder::Step TorchDecoder::stepOf(const Piece &piece) const
{
    const Tensors &t = *m_tensors;
    std::vector<Sequence> distinct;
    std::vector<std::int32_t> sequences;
    std::vector<std::int64_t> slots;
    std::int64_t width = 1;
    for (std::size_t i = 0; i < piece.sequences.size(); ++i) {
        if (distinct.empty() || distinct.back() != piece.sequences[i])
            distinct.push_back(piece.sequences[i]);
        sequences.push_back(static_cast<std::int32_t>(std::ssize(distinct) - 1));
        const std::span<const std::int32_t> blocks = m_tables.blocksOf(piece.sequences[i]);
        width = std::max(width, std::ssize(blocks));
        const std::int64_t position = piece.positions[i], block = m_tables.block();
        slots.push_back(blocks[static_cast<std::size_t>(position / block)] * block + position % block);
    }
    const std::int64_t rows = std::ssize(sequences), last = std::ssize(piece.last), count = std::ssize(distinct);
    // The slots come first, so that they are aligned for 8-byte integers.
    std::vector<std::int32_t> all(static_cast<std::size_t>(2 * rows));
    std::memcpy(all.data(), slots.data(), slots.size() * sizeof(std::int64_t));
    for (const std::vector<std::int32_t> *part :
        {&piece.tokens, &piece.positions, &std::as_const(sequences), &piece.last})
        all.insert(all.end(), part->begin(), part->end());
    for (const Sequence sequence : distinct) {
        const std::span<const std::int32_t> blocks = m_tables.blocksOf(sequence);
        all.insert(all.end(), blocks.begin(), blocks.end());
        all.resize(all.size() + static_cast<std::size_t>(width - std::ssize(blocks)));
    }
    const at::Tensor there = t.uploaded(all);
    Step step{.tokens = there.narrow(0, 2 * rows, rows),
        .last = there.narrow(0, 5 * rows, last),
        .rows = {.segments = stretchesOf(sequences, piece.positions),
            .slots = there.narrow(0, 0, 2 * rows).view(at::kLong),
            .tables = there.narrow(0, 5 * rows + last, count * width).view({count, width}),
            .sequences = there.narrow(0, 4 * rows, rows),
            .positions = there.narrow(0, 3 * rows, rows),
            .angles = {}}};
    for (std::size_t i = 0; i < t.tables.ropes.size(); ++i) {
        const auto &[cosines, sines] = t.tables.ropes[i];
        step.rows.angles.emplace_back();
        if (!t.tables.rotatesWholeHeads(i, m_model.attention.headDim))
            step.rows.angles.back() = {
                cosines.index_select(0, step.rows.positions), sines.index_select(0, step.rows.positions)};
    }
    return step;
}

void TorchDecoder::runPiece(const Piece &piece, std::size_t firstInput)
{
    const at::InferenceMode inference;
    const Tensors &t = *m_tensors;
    const Step step = stepOf(piece);
    at::Tensor x = t.table.index_select(0, step.tokens);
    if (m_model.embeddingScale() != 1.0)
        x = x * m_model.embeddingScale();
    if (t.positionTable.defined())
        x = x + t.positionTable.index_select(0, step.rows.positions + m_model.embedding.firstPosition);
    for (std::size_t i = 0; i < t.layers.size(); ++i)
        x = t.throughLayer(m_model.block, i, x, step.rows);
    if (piece.last.empty())
        return;
    x = t.finalNorm.apply(x.index_select(0, step.last), t.kernels);
    at::Tensor logits = t.head.apply(x).to(at::kFloat);
    if (m_model.head.logitScale != 1.0)
        logits = logits * m_model.head.logitScale;
    if (m_model.head.softCap > 0)
        logits = (logits / m_model.head.softCap).tanh() * m_model.head.softCap;
    // This copy waits for the device.
    at::from_blob(m_logits.data() + firstInput * static_cast<std::size_t>(m_model.vocab), logits.sizes(), at::kFloat)
        .copy_(logits);
}

} // namespace slipway
