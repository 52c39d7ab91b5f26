// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/measured_model.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "config/resolve_model.h"
#include "measure/table_vocabulary.h"
#include "model/families.h"

namespace slipway {

namespace {

constexpr int kGpt2Vocabulary = 50257, kLlamaVocabulary = 32000;

// The number of parameters that the row gives for a dense model. For experts, it is not known how they are counted.
std::optional<double> saidParameters(const RowReader &r)
{
    const std::string words = toLower(r.text("mlp_type")) + toLower(r.text("notes")) + toLower(r.text("model_name"));
    const std::optional<double> parameters = parseNumber(r.text("params"));
    const bool dense = words.find("moe") == std::string::npos && words.find("expert") == std::string::npos &&
                       words.find("mixtral") == std::string::npos;
    return dense && parameters && *parameters > 0 && *parameters < 1e14 ? parameters : std::nullopt;
}

double distance(const ModelSpec &m, double parameters)
{
    return std::abs(static_cast<double>(parameterCount(m)) - parameters);
}

int &layersOf(ModelSpec &m) { return m.layers; }
int &widthOf(ModelSpec &m) { return m.mlp.width; }
int &vocabularyOf(ModelSpec &m) { return m.vocab; }

// The size, a multiple of `step`, at which the number of parameters is nearest to `parameters`. It grows with the size.
int sizeFor(double parameters, ModelSpec m, int &(*size)(ModelSpec &), int step)
{
    constexpr int kMost = 1'000'000;
    int low = 1, high = kMost / step;
    while (low < high) {
        const int middle = (low + high) / 2;
        size(m) = middle * step;
        if (static_cast<double>(parameterCount(m)) < parameters)
            low = middle + 1;
        else
            high = middle;
    }
    size(m) = low * step;
    ModelSpec below = m;
    size(below) = std::max(1, low - 1) * step;
    return distance(below, parameters) < distance(m, parameters) ? size(below) : size(m);
}

// The shape that replaces missing cells. Empty if the other cells determine it, or if none is known.
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
    if (!parameters || *parameters <= 0 || (r.has("d_model") && saidParameters(r)))
        return std::nullopt;
    const Result<ModelSpec> model = resolveModel({.name = formatExact(*parameters / 1e6) + "M"}, catalogue);
    if (!model)
        return std::nullopt;
    r.assume("shape of a model of " + formatCount(*parameters) + " parameters");
    return *model;
}

// Head dimensions of 64 up to GPT-2's widths, and of 128 beyond. Otherwise a smaller power of two that divides the
// width.
int usualHeads(int hidden)
{
    for (int size = hidden > 2048 ? 128 : 64; size > 1; size /= 2) {
        if (hidden % size == 0)
            return hidden / size;
    }
    return 1;
}

void readWidths(RowReader &r, ModelSpec &m, const std::optional<ModelSpec> &other)
{
    m.hidden = r.count("d_model", other ? std::optional<int>(other->hidden) : std::nullopt);
    m.attention.heads =
        r.count("n_heads", other && other->hidden == m.hidden ? other->attention.heads : usualHeads(m.hidden));
    m.attention.kvHeads = r.count("n_kv_heads", other ? other->attention.kvHeads : m.attention.heads);
    m.attention.headDim = std::max(1, m.hidden / m.attention.heads);
}

// Reads depth and MLP width. A missing one follows from the number of parameters.
void readDepth(RowReader &r, ModelSpec &m, const std::optional<ModelSpec> &other)
{
    const std::optional<double> parameters = saidParameters(r);
    const std::int64_t wide = m.hidden;
    const int usualFfn = static_cast<int>(std::min<std::int64_t>(m.mlp.gated ? wide * 8 / 3 : wide * 4, 1'000'000'000));
    ModelSpec guess = m;
    guess.mlp.width = r.has("d_ff") ? static_cast<int>(std::clamp(r.number("d_ff").value_or(1), 1.0, 1e9)) : usualFfn;
    const std::optional<int> depth = other        ? std::optional<int>(other->layers)
                                     : parameters ? std::optional<int>(sizeFor(*parameters, guess, layersOf, 1))
                                                  : std::nullopt;
    m.layers = guess.layers = r.count("n_layers", depth);
    int ffn = other ? other->mlp.width : usualFfn;
    if (!other && parameters && r.has("n_layers") && distance(guess, *parameters) > 0.02 * *parameters) {
        const int fitting = sizeFor(*parameters, guess, widthOf, 64);
        if (fitting >= m.hidden && fitting <= 8 * wide)
            ffn = fitting;
    }
    m.mlp.width = r.count("d_ff", ffn);
}

int usualVocabulary(const ModelSpec &m)
{
    return m.mlp.gated && m.position == Position::Rope ? kLlamaVocabulary : kGpt2Vocabulary;
}

// If the rest of the shape is known, an exact count of parameters gives the vocabulary size. It also tells whether the
// LM head has its own weights.
void readVocabulary(RowReader &r, ModelSpec &m, const std::optional<ModelSpec> &other)
{
    const std::optional<double> parameters =
        other || !r.has("n_layers") || !r.has("d_ff") ? std::nullopt : saidParameters(r);
    if (!r.has("tied_embeddings")) {
        ModelSpec turned = m;
        turned.head.tied = !m.head.tied;
        m.head.tied = parameters && r.has("vocab") && distance(turned, *parameters) < distance(m, *parameters)
                          ? turned.head.tied
                          : m.head.tied;
        r.assume(m.head.tied ? "tied_embeddings yes" : "tied_embeddings no");
    }
    ModelSpec fitting = m;
    if (parameters && std::fmod(*parameters, 1e5) != 0)
        fitting.vocab = sizeFor(*parameters, m, vocabularyOf, 1);
    const bool fits = parameters && fitting.vocab >= 1000 && fitting.vocab < 500'000 &&
                      distance(fitting, *parameters) < 0.001 * *parameters;
    m.vocab = r.count("vocab", fits ? fitting.vocab : m.vocab);
}

// Recognizes "swiglu3" and "swiglu-moe". Experts are gated unless the row says otherwise.
bool isGated(RowReader &r, const std::optional<ModelSpec> &other, const ModelFamily *family)
{
    if (!r.has("mlp_type")) {
        const bool gated = other ? other->mlp.gated : family && familyDefaults(*family).mlp.gated;
        r.assume(gated ? "mlp_type swiglu3" : "mlp_type gelu2");
        return gated;
    }
    const std::string type = r.word("mlp_type");
    const auto has = [&](std::string_view part) { return type.find(part) != std::string::npos; };
    return has("swiglu") || has("geglu") || has("gated") || (has("moe") && !has("gelu"));
}

Position readPosition(RowReader &r, const std::optional<ModelSpec> &other, const ModelFamily *family)
{
    const std::string word = r.word("pos");
    const std::optional<Position> known = positionOf(word);
    const Position usual = other ? other->position : family ? familyDefaults(*family).position : Position::Learned;
    const Position position = known.value_or(word.empty() ? usual : Position::Learned);
    if (!known)
        r.assume("pos " + std::string(enumName(position)) + (word.empty() ? "" : " for '" + word.substr(0, 40) + "'"));
    return position;
}

// Settings that have no column. They follow from the family that the name tells, where gates and positions are that
// family's.
void readBlock(RowReader &r, ModelSpec &m, const ModelFamily *family)
{
    // RoPE was in use before the norm that LLaMA combines with gates: GPT-J, GPT-NeoX, Falcon, Phi, Nemotron.
    m.norm.kind = m.mlp.gated ? NormKind::RmsNorm : NormKind::LayerNorm;
    m.norm.bias = m.norm.kind == NormKind::LayerNorm;
    const std::string name = toLower(m.name);
    const bool plain =
        name.find("falcon") != std::string::npos || name.find("nemotron") != std::string::npos; // GEMMs without biases
    m.attention.qkvBias = m.attention.outBias = m.mlp.bias = m.norm.bias && !plain;
    if (!family)
        return;
    const ModelSpec usual = familyDefaults(*family);
    if (usual.mlp.gated != m.mlp.gated || usual.position != m.position)
        return;
    applyFamily(*family, m);
    m.ropes = usual.ropes;
    if (usual.mlp.hasRelu())
        m.mlp.activation = usual.mlp.activation;
    r.assume("norms and biases of " + std::string(family->type) + " (name)");
}

} // namespace

ModelSpec readMeasuredModel(RowReader &r, const Catalogue &catalogue)
{
    ModelSpec m;
    const std::optional<ModelSpec> other = shapeElsewhere(r, catalogue);
    m.name = std::string(r.text("model_name"));
    readWidths(r, m, other);
    const ModelFamily *family = familyNamed(toLower(m.name));
    m.mlp.gated = isGated(r, other, family);
    if (!m.mlp.gated)
        m.mlp.activation = Activation::GeluErf;
    m.position = readPosition(r, other, family);
    readBlock(r, m, family);
    m.head.tied = r.flag("tied_embeddings").value_or(other ? other->head.tied : !m.mlp.gated);
    m.vocab = r.has("vocab") ? r.count("vocab") : other ? other->vocab : usualVocabulary(m);
    readDepth(r, m, other);
    readVocabulary(r, m, other);
    if (m.position == Position::Learned)
        m.embedding.positions = static_cast<int>(std::clamp(r.number("seq_len").value_or(kDefaultSequence), 1.0, 1e9));
    return m;
}

} // namespace slipway
