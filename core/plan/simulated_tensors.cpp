// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/simulated_tensors.h"

#include <string_view>

namespace slipway {

std::int64_t StageTensors::layerElements() const
{
    return m_model.experts.count > 0
               ? ceilDiv(blockParameterCount(m_model) - expertParameterCount(m_model) - routerParameterCount(m_model),
                     m_sizes.tp) +
                     routerParameterCount(m_model)
               : ceilDiv(blockParameterCount(m_model), m_sizes.tp);
}

std::int64_t StageTensors::embeddingElements() const
{
    return m_first ? (m_sizes.vocab + m_model.embedding.positions) * m_sizes.hidden : 0;
}

std::int64_t StageTensors::rootElements() const
{
    const std::int64_t table = m_sizes.vocab * m_sizes.hidden;
    std::int64_t elements = 2 * m_sizes.hidden;
    if (!m_splitsEnds)
        elements += embeddingElements();
    if (m_last && !(m_model.head.tied && m_first))
        elements += table;
    return elements;
}

// Elements of the matrices that an adapter adds to those of a layer: rank x (rows + columns) each.
std::int64_t StageTensors::adapterElements() const
{
    const std::int64_t h = m_sizes.hidden, q = m_sizes.qWidth(), kv = m_sizes.kvWidth(), f = m_sizes.ffn;
    const bool gated = m_model.mlp.gated;
    std::int64_t sides = 0;
    const auto add = [&](std::string_view gemm, std::int64_t out, std::int64_t in) {
        sides += m_recipe.hasAdapter(gemm) ? out + in : 0;
    };
    if (m_recipe.fusedQkv) {
        add("qkv", q + 2 * kv, h);
    } else {
        add("q", q, h);
        add("k", kv, h);
        add("v", kv, h);
    }
    add("o", h, q);
    if (gated)
        add("gate", f, h);
    add("up", f, h);
    add("down", h, f);
    return m_recipe.loraRank * sides;
}

std::vector<UnitTensor> StageTensors::layerTensors() const
{
    const std::int64_t h = m_sizes.hidden, q = m_sizes.qWidth(), kv = m_sizes.kvWidth();
    std::vector<UnitTensor> list;
    if (m_recipe.fusedQkv)
        list = {{"qkv", (q + 2 * kv) * h}};
    else
        list = {{"q", q * h}, {"k", kv * h}, {"v", kv * h}};
    list.emplace_back("o", h * q);
    if (m_model.experts.count > 0)
        return list;
    const bool gated = m_model.mlp.gated;
    if (gated && m_recipe.fusedGateUp)
        list.emplace_back("gate_up", 2 * h * m_sizes.ffn);
    if (gated && !m_recipe.fusedGateUp)
        list.emplace_back("gate", h * m_sizes.ffn);
    if (!gated || !m_recipe.fusedGateUp)
        list.emplace_back("up", h * m_sizes.ffn);
    list.emplace_back("down", h * m_sizes.ffn);
    return list;
}

int StageTensors::layerVectors() const
{
    const int norms = 2 + (m_model.attention.qkNorm == QkNorm::None ? 0 : 2);
    return norms * (m_model.norm.bias ? 2 : 1) + (m_model.attention.qkvBias ? m_recipe.fusedQkv ? 1 : 3 : 0) +
           (m_model.attention.outBias ? 1 : 0) + (m_model.attention.sinks ? 1 : 0) + (m_model.mlp.bias ? 2 : 0) +
           (m_model.experts.routerBias ? 1 : 0);
}

std::vector<UnitTensor> StageTensors::rootTensors() const
{
    const bool shares = m_model.head.tied && m_first && m_last;
    std::vector<UnitTensor> list;
    if (m_first && !m_splitsEnds)
        list.emplace_back("embedding", m_sizes.vocab * m_sizes.hidden);
    if (m_last && !shares)
        list.emplace_back("head", m_sizes.vocab * m_sizes.hidden);
    return list;
}

} // namespace slipway
