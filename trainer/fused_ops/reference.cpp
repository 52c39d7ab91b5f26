// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The kernels as loops over single elements. They define the results with which the fast kernels are compared.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <cstring>
#include <vector>

#include "fused_ops/fp8.h"
#include "fused_ops/gemm.h"

namespace slipway::fused_ops {

namespace {

float fromBf16(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U); }

std::uint16_t toBf16(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value))
        return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);
    return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U);
}

Fp8Format formatOf(Float fp8) { return fp8 == Float::E5m2 ? kE5m2 : kE4m3; }

// Elements of any type.
class In {
public:
    In(const void *data, Float type) : m_data(data), m_type(type) {}
    float operator[](std::int64_t i) const
    {
        switch (m_type) {
        case Float::Fp32:
            return static_cast<const float *>(m_data)[i];
        case Float::Bf16:
            return fromBf16(static_cast<const std::uint16_t *>(m_data)[i]);
        default:
            return fromFp8(static_cast<const std::uint8_t *>(m_data)[i], formatOf(m_type));
        }
    }

private:
    const void *m_data;
    Float m_type;
};

void put(void *data, Float type, std::int64_t i, float value)
{
    if (type == Float::Fp32)
        static_cast<float *>(data)[i] = value;
    else if (type == Float::Bf16)
        static_cast<std::uint16_t *>(data)[i] = toBf16(value);
    else
        static_cast<std::uint8_t *>(data)[i] = toFp8(value, formatOf(type));
}

// Rounds a value to the type as if it were stored to memory and read back.
float rounded(Float type, float value) { return type == Float::Fp32 ? value : fromBf16(toBf16(value)); }

void norm(const Norm &n, const Queue &)
{
    const In x(n.x, n.type), delta(n.delta, n.type), weight(n.weight, n.type);
    for (std::int64_t row = 0; row < n.shape.rows; ++row) {
        const std::int64_t at = row * n.shape.width;
        const auto value = [&](std::int64_t j) {
            return n.delta ? rounded(n.type, x[at + j] + delta[at + j]) : x[at + j];
        };
        double squares = 0;
        for (std::int64_t j = 0; j < n.shape.width; ++j)
            squares += static_cast<double>(value(j)) * static_cast<double>(value(j));
        const auto rstd = static_cast<float>(
            1.0 / std::sqrt(squares / static_cast<double>(n.shape.width) + static_cast<double>(n.eps)));
        n.rstd[row] = rstd;
        for (std::int64_t j = 0; j < n.shape.width; ++j) {
            const float v = value(j);
            put(n.y, n.type, at + j, v * rstd * weight[j]);
            if (n.delta)
                put(n.sum, n.type, at + j, v);
        }
    }
}

void normBackward(const NormBackward &n, const Queue &)
{
    const In dy(n.dy, n.type), x(n.x, n.type), weight(n.weight, n.type), residual(n.residual, n.type);
    const std::int64_t width = n.shape.width;
    for (std::int64_t j = 0; j < width; ++j) {
        double sum = n.accumulate ? static_cast<double>(n.dweight[j]) : 0.0;
        for (std::int64_t row = 0; row < n.shape.rows; ++row)
            sum += static_cast<double>(dy[row * width + j] * x[row * width + j] * n.rstd[row]);
        n.dweight[j] = static_cast<float>(sum);
    }
    for (std::int64_t row = 0; row < n.shape.rows; ++row) {
        const std::int64_t at = row * width;
        const float rstd = n.rstd[row];
        double dot = 0;
        for (std::int64_t j = 0; j < width; ++j)
            dot += static_cast<double>(dy[at + j] * weight[j] * x[at + j]);
        const float mean = static_cast<float>(dot / static_cast<double>(width)) * rstd * rstd;
        for (std::int64_t j = 0; j < width; ++j) {
            const float own = rstd * (dy[at + j] * weight[j] - x[at + j] * mean);
            put(n.dx, n.type, at + j, n.residual ? residual[at + j] + own : own);
        }
    }
}

// Copies [tokens, heads, headDim] to its position in qkv.
void putHeads(const Rope &r, const Heads &from, std::int64_t heads, std::int64_t firstHead)
{
    const In source(from.data, r.type);
    for (std::int64_t token = 0; token < r.tokens; ++token) {
        for (std::int64_t head = 0; head < heads; ++head) {
            const std::int64_t at =
                token / r.seq * from.batchStride + token % r.seq * from.tokenStride + head * from.headStride;
            for (std::int64_t i = 0; i < r.headDim; ++i)
                put(r.qkv, r.type, (token * (r.heads + 2 * r.kvHeads) + firstHead + head) * r.headDim + i,
                    source[at + i]);
        }
    }
}

void rope(const Rope &r, const Queue &)
{
    const std::int64_t stride = (r.heads + 2 * r.kvHeads) * r.headDim, half = r.headDim / 2;
    const In qkv(r.qkv, r.type);
    if (r.q.data) {
        putHeads(r, r.q, r.heads, 0);
        putHeads(r, r.k, r.kvHeads, r.heads);
        putHeads(r, r.v, r.kvHeads, r.heads + r.kvHeads);
    }
    for (std::int64_t token = 0; token < r.tokens; ++token) {
        const std::int64_t position = r.positions ? r.positions[token] : token % r.seq;
        const float *const cosines = r.cosines + position * half, *const sines = r.sines + position * half;
        for (std::int64_t head = 0; head < r.heads + r.kvHeads; ++head) {
            const std::int64_t at = token * stride + head * r.headDim;
            for (std::int64_t i = 0; i < half; ++i) {
                const float a = qkv[at + i], b = qkv[at + i + half], sine = r.inverse ? -sines[i] : sines[i];
                put(r.qkv, r.type, at + i, a * cosines[i] - b * sine);
                put(r.qkv, r.type, at + i + half, b * cosines[i] + a * sine);
            }
        }
    }
}

float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }

void swiGlu(const SwiGlu &s, const Queue &)
{
    const In gateUp(s.gateUp, s.type);
    const std::int64_t width = s.shape.width;
    for (std::int64_t i = 0; i < s.shape.rows * width; ++i) {
        const std::int64_t at = i / width * 2 * width + i % width;
        const float gate = gateUp[at];
        put(s.product, s.type, i, gate * sigmoid(gate) * gateUp[at + width]);
    }
}

void swiGluBackward(const SwiGlu &s, const Queue &)
{
    const In gateUp(s.gateUp, s.type), dproduct(s.dproduct, s.type);
    const std::int64_t width = s.shape.width;
    for (std::int64_t i = 0; i < s.shape.rows * width; ++i) {
        const std::int64_t at = i / width * 2 * width + i % width;
        const float gate = gateUp[at], up = gateUp[at + width], d = dproduct[i], s1 = sigmoid(gate);
        put(s.gateUp, s.type, at, d * up * s1 * (1.0f + gate * (1.0f - s1)));
        put(s.gateUp, s.type, at + width, d * gate * s1);
    }
}

// Statistics of a row of logits: the maximum, the sum of exp(logit - maximum), and the target's logit.
struct RowStatistics {
    float largest = -std::numeric_limits<float>::infinity();
    double sum = 0;
    float chosen = 0;
};

RowStatistics statisticsOf(const In &logits, std::int64_t at, std::int64_t width, std::int64_t target)
{
    RowStatistics row;
    for (std::int64_t j = 0; j < width; ++j)
        row.largest = std::max(row.largest, logits[at + j]);
    for (std::int64_t j = 0; j < width; ++j)
        row.sum += static_cast<double>(std::exp(logits[at + j] - row.largest));
    row.chosen = target >= 0 && target < width ? logits[at + target] : 0.0f;
    return row;
}

RowStatistics statisticsOfAllRanks(const CrossEntropy &c, std::int64_t row)
{
    RowStatistics all;
    const auto of = [&](std::int64_t rank) { return c.statistics + (rank * c.shape.rows + row) * kLogitStatistics; };
    for (std::int64_t rank = 0; rank < c.ranks; ++rank)
        all.largest = std::max(all.largest, of(rank)[0]);
    for (std::int64_t rank = 0; rank < c.ranks; ++rank) {
        all.sum += static_cast<double>(of(rank)[1] * std::exp(of(rank)[0] - all.largest));
        all.chosen += of(rank)[2];
    }
    return all;
}

void logitStatistics(const LogitStatistics &s, const Queue &)
{
    const In logits(s.logits, s.type);
    for (std::int64_t row = 0; row < s.shape.rows; ++row) {
        const RowStatistics own =
            statisticsOf(logits, row * std::max(s.pitch, s.shape.width), s.shape.width, s.targets[row] - s.firstId);
        float *const to = s.statistics + row * kLogitStatistics;
        to[0] = own.largest;
        to[1] = static_cast<float>(own.sum);
        to[2] = own.chosen;
    }
}

void crossEntropy(const CrossEntropy &c, const Queue &)
{
    const In logits(c.logits, c.type);
    const std::int64_t pitch = std::max(c.pitch, c.shape.width);
    double loss = 0;
    for (std::int64_t row = 0; row < c.shape.rows; ++row) {
        const std::int64_t at = row * pitch, target = c.targets[row] - c.firstId;
        const RowStatistics all =
            c.statistics ? statisticsOfAllRanks(c, row) : statisticsOf(logits, at, c.shape.width, target);
        const bool counts = c.targets[row] >= 0;
        if (counts)
            loss += std::log(all.sum) + static_cast<double>(all.largest - all.chosen);
        for (std::int64_t j = 0; j < c.shape.width; ++j) {
            const float probability = std::exp(logits[at + j] - all.largest) / static_cast<float>(all.sum);
            put(c.logits, c.type, at + j, (counts ? c.scale : 0.0f) * (probability - (j == target ? 1.0f : 0.0f)));
        }
        for (std::int64_t j = c.shape.width; j < pitch; ++j)
            put(c.logits, c.type, at + j, 0);
    }
    *c.loss = (c.accumulate ? *c.loss : 0.0f) + static_cast<float>(loss * static_cast<double>(c.scale));
}

void causalSoftmax(const CausalSoftmax &c, const Queue &)
{
    const In scores(c.scores, c.type);
    for (std::int64_t row = 0; row < c.matrices * c.seq; ++row) {
        const std::int64_t at = row * c.seq, seen = row % c.seq + 1;
        float largest = c.scale * scores[at];
        for (std::int64_t j = 1; j < seen; ++j)
            largest = std::max(largest, c.scale * scores[at + j]);
        double sum = 0;
        for (std::int64_t j = 0; j < seen; ++j)
            sum += static_cast<double>(std::exp(c.scale * scores[at + j] - largest));
        for (std::int64_t j = 0; j < c.seq; ++j)
            put(c.scores, c.type, at + j,
                j < seen ? std::exp(c.scale * scores[at + j] - largest) / static_cast<float>(sum) : 0.0f);
    }
}

void causalSoftmaxBackward(const CausalSoftmax &c, const Queue &)
{
    const In gradients(c.scores, c.type), probabilities(c.probabilities, c.type);
    for (std::int64_t row = 0; row < c.matrices * c.seq; ++row) {
        const std::int64_t at = row * c.seq, seen = row % c.seq + 1;
        double dot = 0;
        for (std::int64_t j = 0; j < seen; ++j)
            dot += static_cast<double>(probabilities[at + j] * gradients[at + j]);
        for (std::int64_t j = 0; j < c.seq; ++j)
            put(c.scores, c.type, at + j,
                j < seen ? c.scale * probabilities[at + j] * (gradients[at + j] - static_cast<float>(dot)) : 0.0f);
    }
}

void sumSquares(const SumSquares &s, const Queue &)
{
    double sum = 0;
    for (std::int64_t i = 0; i < s.elements; ++i)
        sum += static_cast<double>(s.values[i]) * static_cast<double>(s.values[i]);
    *s.sum = (s.accumulate ? *s.sum : 0.0f) + s.scale * static_cast<float>(sum);
}

void adamW(const AdamW &a, const Queue &)
{
    const float clip = a.gradClip > 0 ? std::min(1.0f, a.gradClip / (std::sqrt(*a.norm2) + 1e-6f)) : 1.0f;
    for (std::int64_t i = 0; i < a.elements; ++i) {
        const float gradient = a.gradient[i] * clip;
        const float m = a.momentum[i] += (gradient - a.momentum[i]) * (1.0f - a.beta1);
        const float v = a.variance[i] = a.beta2 * a.variance[i] + (1.0f - a.beta2) * gradient * gradient;
        const float rate = a.rates[0] * a.rateFactor, decay = i < a.decayed ? 1.0f - rate * a.weightDecay : 1.0f;
        const float step = rate / a.rates[1] * m / (std::sqrt(v / a.rates[2]) + a.eps);
        a.master[i] = a.master[i] * decay - step;
        if (a.parameter != a.master)
            put(a.parameter, a.type, i, a.master[i]);
    }
}

void castScale(const CastScale &c, const Queue &)
{
    const In source(c.source, c.from);
    for (std::int64_t i = 0; i < c.elements; ++i)
        put(c.target, c.to, i, c.scale * source[i]);
}

void embeddingBackward(const EmbeddingBackward &e, const Queue &)
{
    const In dx(e.dx, e.type);
    for (std::int64_t i = 0; i < e.shape.rows; ++i) {
        const std::int64_t row = e.ids[i] - e.firstId;
        for (std::int64_t j = 0; row >= 0 && row < e.tableRows && j < e.shape.width; ++j)
            e.table[row * e.shape.width + j] += dx[e.places[i] * e.shape.width + j];
    }
}

void quantize(const Quantize &q, const Queue &)
{
    const In source(q.source, q.type);
    const auto [rows, width] = q.shape;
    float most = kSmallestQuantized;
    for (std::int64_t i = 0; i < rows * width; ++i)
        most = std::isnan(source[i]) ? source[i] : std::max(most, std::abs(source[i]));
    *q.factor = most / (q.to == Float::E5m2 ? kLargestE5m2 : kLargestE4m3);
    const float inverse = 1.0f / *q.factor;
    for (std::int64_t i = 0; i < rows * width; ++i)
        put(q.target, q.to, q.transposed ? i % width * rows + i / width : i, source[i] * inverse);
}

void pagedAttention(const PagedAttention &a, const Queue &)
{
    const In q(a.q, a.type), keys(a.keys, a.type), values(a.values, a.type);
    std::vector<double> weights;
    for (std::int64_t i = 0; i < a.rows * a.heads; ++i) {
        const std::int64_t row = i / a.heads, head = i % a.heads, position = a.positions[row],
                           first = a.window > 0 ? std::max<std::int64_t>(0, position - a.window + 1) : 0;
        const auto at = [&](std::int64_t t) {
            const std::int64_t block = a.tables[a.sequences[row] * a.tableWidth + t / a.block];
            return ((block * a.block + t % a.block) * a.kvHeads + head / (a.heads / a.kvHeads)) * a.headDim;
        };
        weights.clear();
        for (std::int64_t t = first; t <= position; ++t) {
            double product = 0;
            for (std::int64_t j = 0; j < a.headDim; ++j)
                product += double(q[row * a.queryStride + head * a.headDim + j]) * double(keys[at(t) + j]);
            double score = double(a.scale) * product;
            if (a.softCap > 0)
                score = double(a.softCap) * std::tanh(score / double(a.softCap));
            weights.push_back(score - (a.slopes ? double(a.slopes[head]) * double(position - t) : 0));
        }
        const double largest = *std::max_element(weights.begin(), weights.end());
        double sum = 0;
        for (double &weight : weights)
            sum += weight = std::exp(weight - largest);
        for (std::int64_t j = 0; j < a.headDim; ++j) {
            double value = 0;
            for (std::int64_t t = first; t <= position; ++t)
                value += weights[static_cast<std::size_t>(t - first)] / sum * double(values[at(t) + j]);
            put(a.out, a.type, i * a.headDim + j, static_cast<float>(value));
        }
    }
}

void gatherRows(const GatherRows &g, const Queue &)
{
    const In rows(g.rows, g.type), added(g.added, g.type);
    const std::int64_t width = g.shape.width;
    for (std::int64_t i = 0; i < g.shape.rows * width; ++i) {
        const std::int64_t first = i / width * g.perToken;
        float sum = g.added ? added[i] : 0.0f;
        for (std::int64_t slot = first; slot < first + g.perToken; ++slot)
            sum += (g.weights ? g.weights[slot] : 1.0f) * rows[g.places[slot] * width + i % width];
        put(g.y, g.type, i, sum);
    }
}

void gatherRowsBackward(const GatherRowsBackward &g, const Queue &)
{
    const In rows(g.rows, g.type), dy(g.dy, g.type);
    const std::int64_t width = g.shape.width;
    for (std::int64_t slot = 0; slot < g.shape.rows * g.perToken; ++slot) {
        const std::int64_t from = slot / g.perToken * width, to = g.places[slot] * width;
        double dot = 0;
        for (std::int64_t j = 0; j < width; ++j) {
            dot += static_cast<double>(dy[from + j]) * static_cast<double>(rows[to + j]);
            put(g.rows, g.type, to + j, g.weights[slot] * dy[from + j]);
        }
        g.dweights[slot] = static_cast<float>(dot);
    }
}

std::int64_t scratchBytes(std::int64_t) { return 0; }

} // namespace

void referenceGemm(const Gemm &p)
{
    const In a(p.a.data, p.type), b(p.b.data, p.typeB()), added(p.added, p.result);
    const double factor = p.factorA ? static_cast<double>(*p.factorA) * static_cast<double>(*p.factorB) : 1.0;
    for (std::int64_t number = 0; number < p.count; ++number) {
        const std::int64_t atA = number * p.a.stride, atB = number * p.b.stride, atC = number * p.strideC;
        for (std::int64_t i = 0; i < p.m; ++i) {
            for (std::int64_t j = 0; j < p.n; ++j) {
                const std::int64_t place = atC + i * p.rowsOfC() + j;
                double sum = 0;
                for (std::int64_t l = 0; l < p.k; ++l)
                    sum += static_cast<double>(a[atA + (p.transposedA ? l * p.a.pitch + i : i * p.a.pitch + l)]) *
                           static_cast<double>(b[atB + (p.transposedB ? j * p.b.pitch + l : l * p.b.pitch + j)]);
                sum = factor * sum + (p.added ? static_cast<double>(added[place]) : 0.0);
                put(p.c, p.result, place, static_cast<float>(sum));
            }
        }
    }
}

const Table &referenceKernels()
{
    static constexpr Table kTable{norm, normBackward, rope, swiGlu, swiGluBackward, logitStatistics, crossEntropy,
        causalSoftmax, causalSoftmaxBackward, sumSquares, adamW, castScale, embeddingBackward, quantize, pagedAttention,
        gatherRows, gatherRowsBackward, scratchBytes};
    return kTable;
}

} // namespace slipway::fused_ops
