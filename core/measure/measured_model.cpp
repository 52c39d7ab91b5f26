// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/measured_model.h"

#include <algorithm>

#include "base/text.h"
#include "config/resolve_model.h"
#include "measure/table_words.h"

namespace slipway {

namespace {

constexpr int kGpt2Vocabulary = 50257;

// The shape that stands in for cells without one; nothing where all three are there or nothing tells.
std::optional<ModelSpec> shapeElsewhere(RowReader &r, const Catalogue &catalogue)
{
    if (r.has("n_layers") && r.has("d_model") && r.has("n_heads"))
        return std::nullopt;
    const std::string name(r.text("model_name"));
    if (const Result<CatalogueModel> known = catalogue.model(name)) {
        r.assume("shape of " + known->spec.name + " (catalogue)");
        return known->spec;
    }
    const std::optional<double> parameters = r.amount("params");
    if (!parameters || *parameters <= 0)
        return std::nullopt;
    const Result<ModelSpec> model = resolveModel({.name = formatExact(*parameters / 1e6) + "M"}, catalogue);
    if (!model)
        return std::nullopt;
    r.assume("shape of a model of " + formatCount(*parameters) + " parameters");
    return *model;
}

void readSizes(RowReader &r, ModelSpec &m, const std::optional<ModelSpec> &other)
{
    const auto usual = [&](int ModelSpec::*size) { return other ? std::optional<int>((*other).*size) : std::nullopt; };
    m.layers = r.count("n_layers", usual(&ModelSpec::layers));
    m.hidden = r.count("d_model", usual(&ModelSpec::hidden));
    m.heads = r.count("n_heads", usual(&ModelSpec::heads));
    m.kvHeads = r.count("n_kv_heads", usual(&ModelSpec::kvHeads).value_or(m.heads));
    m.headDim = std::max(1, m.hidden / m.heads);
}

// "swiglu3", "swiglu-moe"; experts are gated where nothing else is said.
bool isGated(RowReader &r, const std::optional<ModelSpec> &other)
{
    if (!r.has("mlp_type")) {
        const bool gated = other && other->mlp == Mlp::SwiGlu;
        r.assume(gated ? "mlp_type swiglu3" : "mlp_type gelu2");
        return gated;
    }
    const std::string type = r.word("mlp_type");
    const auto has = [&](std::string_view part) { return type.find(part) != std::string::npos; };
    return has("swiglu") || has("geglu") || has("gated") || (has("moe") && !has("gelu"));
}

Position readPosition(RowReader &r, const std::optional<ModelSpec> &other)
{
    const std::string word = r.word("pos");
    const std::optional<Position> known = positionOf(word);
    const Position position = known.value_or(word.empty() && other ? other->position : Position::Learned);
    if (!known)
        r.assume("pos " + std::string(enumName(position)) + (word.empty() ? "" : " for '" + word.substr(0, 40) + "'"));
    return position;
}

} // namespace

ModelSpec readMeasuredModel(RowReader &r, const Catalogue &catalogue)
{
    ModelSpec m;
    const std::optional<ModelSpec> other = shapeElsewhere(r, catalogue);
    m.name = std::string(r.text("model_name"));
    readSizes(r, m, other);
    const bool swiglu = isGated(r, other);
    m.ffn = r.count("d_ff", other ? other->ffn : swiglu ? static_cast<int>(std::int64_t{m.hidden} * 8 / 3) : static_cast<int>(std::min<std::int64_t>(std::int64_t{4} * m.hidden, 1'000'000'000)));
    m.vocab = r.count("vocab", other ? other->vocab : kGpt2Vocabulary);
    m.mlp = swiglu ? Mlp::SwiGlu : Mlp::Gelu;
    m.position = readPosition(r, other);
    // Rotations came before the norm that LLaMA has beside its gates: GPT-J, GPT-NeoX, Falcon, Phi, Nemotron.
    m.norm = swiglu ? Norm::RmsNorm : Norm::LayerNorm;
    if (const std::optional<bool> tied = r.flag("tied_embeddings")) {
        m.tied = *tied;
    } else {
        m.tied = other ? other->tied : !swiglu;
        r.assume(m.tied ? "tied_embeddings yes" : "tied_embeddings no");
    }
    m.normBias = m.norm == Norm::LayerNorm;
    const std::string name = toLower(m.name);
    const bool plain = name.find("falcon") != std::string::npos || name.find("nemotron") != std::string::npos; // products without biases
    m.qkvBias = m.attentionOutBias = m.mlpBias = m.normBias && !plain;
    if (m.position == Position::Learned)
        m.maxPositions = static_cast<int>(std::clamp(r.number("seq_len").value_or(kUsualSequence), 1.0, 1e9));
    return m;
}

} // namespace slipway
