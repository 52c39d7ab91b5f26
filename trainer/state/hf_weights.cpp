// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "state/hf_weights.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <utility>

#include "base/file.h"
#include "base/json.h"
#include "state/safetensors.h"

namespace slipway {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char *kSingleFile = "model.safetensors", *kIndexFile = "model.safetensors.index.json";

Error damaged(const fs::path &path, std::string what)
{
    return {.what = std::move(what), .where = path.string(), .fault = Fault::Damaged};
}

std::int64_t elementsOf(const std::vector<std::int64_t> &shape)
{
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

// The files that hold the weights.
Result<std::vector<fs::path>> weightFiles(const fs::path &folder)
{
    std::error_code ignored;
    if (!fs::exists(folder / kIndexFile, ignored)) {
        if (fs::exists(folder / kSingleFile, ignored))
            return std::vector{folder / kSingleFile};
        return Error{.what = "holds neither model.safetensors nor model.safetensors.index.json",
            .where = folder.string(),
            .accepted = "a folder that transformers' save_pretrained wrote"};
    }
    const Result<std::string> text = readFile(folder / kIndexFile);
    if (!text)
        return text.error();
    const Result<nlohmann::json> json = parseJson(*text);
    if (!json)
        return damaged(folder / kIndexFile, json.error().what);
    if (!json->is_object() || !json->contains("weight_map") || !json->at("weight_map").is_object())
        return damaged(folder / kIndexFile, "is not an index of weights");
    std::set<fs::path> files;
    for (const auto &[name, file] : json->at("weight_map").items()) {
        const fs::path path = file.is_string() ? fs::path(file.get<std::string>()) : fs::path();
        if (path.empty() || path.has_parent_path())
            return damaged(folder / kIndexFile, "names no file for " + name);
        files.insert(folder / path);
    }
    return std::vector<fs::path>(files.begin(), files.end());
}

template<typename Bits, typename Convert>
void widen(std::span<const std::byte> bytes, std::vector<float> &values, const Convert &convert)
{
    for (std::size_t i = 0; i < values.size(); ++i) {
        Bits bits;
        std::memcpy(&bits, bytes.data() + i * sizeof bits, sizeof bits);
        values[i] = convert(bits);
    }
}

Result<void> take(const fs::path &path, const SafetensorsFile &file, const TensorEntry &entry, HfWeight &weight)
{
    if (entry.shape != weight.shape)
        return damaged(path, "weight " + entry.name + " has another shape than config.json says");
    weight.values.resize(static_cast<std::size_t>(elementsOf(weight.shape)));
    if (entry.type == TensorType::F32)
        return file.read(entry, 0, std::as_writable_bytes(std::span(weight.values)));
    std::vector<std::byte> bytes(static_cast<std::size_t>(entry.end - entry.begin));
    if (const Result<void> read = file.read(entry, 0, bytes); !read)
        return read;
    switch (entry.type) {
    case TensorType::BF16:
        widen<std::uint16_t>(bytes, weight.values, fromBf16);
        return {};
    case TensorType::F16:
        widen<std::uint16_t>(bytes, weight.values, fromFp16);
        return {};
    default:
        return damaged(path, "weight " + entry.name + " is of type " + std::string(enumName(entry.type)) +
                                 " (this program reads F32, BF16, F16)");
    }
}

Json configOf(const ModelSpec &m, ExportType type, std::int64_t positions)
{
    return {{"architectures", {"LlamaForCausalLM"}}, {"model_type", "llama"}, {"hidden_size", m.hidden},
        {"intermediate_size", m.mlp.width}, {"num_hidden_layers", m.layers}, {"num_attention_heads", m.attention.heads},
        {"num_key_value_heads", m.attention.kvHeads}, {"head_dim", m.attention.headDim}, {"vocab_size", m.vocab},
        {"max_position_embeddings", positions}, {"rms_norm_eps", m.norm.eps}, {"rope_theta", m.rope().base},
        {"tie_word_embeddings", m.head.tied}, {"hidden_act", "silu"}, {"attention_bias", false}, {"mlp_bias", false},
        {"attention_dropout", 0.0}, {"initializer_range", 0.02}, {"bos_token_id", 1}, {"eos_token_id", 2},
        {"use_cache", true}, {"torch_dtype", type == ExportType::Bf16 ? "bfloat16" : "float32"}};
}

} // namespace

float fromBf16(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U); }

float fromFp16(std::uint16_t bits)
{
    const float sign = (bits & 0x8000U) != 0 ? -1.0f : 1.0f;
    const int exponent = (bits >> 10U) & 0x1f, fraction = bits & 0x3ff;
    if (exponent == 31)
        return fraction == 0 ? sign * std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
    return exponent == 0 ? sign * std::ldexp(static_cast<float>(fraction), -24)
                         : sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
}

std::uint16_t toBf16(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value))
        return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);
    return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U);
}

std::vector<HfWeight> weightsOf(const ModelSpec &m)
{
    std::vector<HfWeight> weights;
    const auto add = [&weights](std::string name, std::vector<std::int64_t> shape) {
        weights.push_back({.name = std::move(name) + ".weight", .shape = std::move(shape)});
    };
    const std::int64_t hidden = m.hidden;
    add("model.embed_tokens", {m.vocab, hidden});
    for (int layer = 0; layer < m.layers; ++layer) {
        const std::string prefix = "model.layers." + std::to_string(layer) + ".";
        add(prefix + "self_attn.q_proj", {m.queryWidth(), hidden});
        add(prefix + "self_attn.k_proj", {m.kvWidth(), hidden});
        add(prefix + "self_attn.v_proj", {m.kvWidth(), hidden});
        add(prefix + "self_attn.o_proj", {hidden, m.queryWidth()});
        add(prefix + "mlp.gate_proj", {m.mlp.width, hidden});
        add(prefix + "mlp.up_proj", {m.mlp.width, hidden});
        add(prefix + "mlp.down_proj", {hidden, m.mlp.width});
        add(prefix + "input_layernorm", {hidden});
        add(prefix + "post_attention_layernorm", {hidden});
    }
    if (!m.head.tied)
        add("lm_head", {m.vocab, hidden});
    add("model.norm", {hidden});
    return weights;
}

Result<NewestWeights> newestWeights(const fs::path &run, const CheckpointStore &store, const ModelSpec &model)
{
    const Result<ChosenCheckpoint> chosen = store.choose(model);
    if (!chosen)
        return chosen.error();
    if (!chosen->saved)
        return Error{.what = "has no checkpoint yet", .where = run.string(), .accepted = "a run that has written one"};
    NewestWeights newest{.step = chosen->saved->step, .weights = weightsOf(model)};
    std::vector<float> states; // which nobody asks for
    std::vector<CheckpointTensor> tensors;
    for (HfWeight &weight : newest.weights) {
        weight.values.resize(static_cast<std::size_t>(elementsOf(weight.shape)));
        states.resize(std::max(states.size(), weight.values.size()));
    }
    for (HfWeight &weight : newest.weights) {
        const std::span<float> state(states.data(), weight.values.size());
        tensors.push_back({.name = weight.name,
            .shape = weight.shape,
            .weight = weight.values,
            .momentum = state,
            .variance = state});
    }
    const Result<void> filled = store.read(*chosen->saved, tensors);
    return filled ? Result<NewestWeights>(std::move(newest)) : Result<NewestWeights>(filled.error());
}

Result<std::vector<HfWeight>> readHfWeights(const fs::path &folder, const ModelSpec &model)
{
    const Result<std::vector<fs::path>> files = weightFiles(folder);
    if (!files)
        return files.error();
    std::vector<HfWeight> weights = weightsOf(model);
    std::map<std::string_view, HfWeight *> byName;
    for (HfWeight &weight : weights)
        byName[weight.name] = &weight;
    for (const fs::path &path : *files) {
        const Result<SafetensorsFile> file = SafetensorsFile::open(path);
        if (!file)
            return file.error();
        for (const TensorEntry &entry : file->header().tensors) {
            const auto wanted = byName.find(entry.name);
            const bool derived =
                entry.name.ends_with("rotary_emb.inv_freq") || (model.head.tied && entry.name == "lm_head.weight");
            if (wanted == byName.end() && !derived)
                return damaged(
                    path, "holds the weight " + entry.name + ", which the model of config.json does not have");
            if (wanted == byName.end())
                continue;
            if (Result<void> taken = take(path, *file, entry, *wanted->second); !taken)
                return taken.error();
        }
    }
    for (const HfWeight &weight : weights) {
        if (weight.values.empty())
            return damaged(folder, "lacks the weight " + weight.name);
    }
    return weights;
}

Result<void> writeHfFolder(const fs::path &folder, const ModelSpec &model, std::span<const HfWeight> weights,
    ExportType type, std::int64_t positions)
{
    std::error_code error;
    for (const char *name : {kSingleFile, kIndexFile, "config.json"}) {
        if (fs::exists(folder / name, error))
            return Error{.what = "holds a " + std::string(name) + " already",
                .where = folder.string(),
                .accepted = "a new folder"};
    }
    fs::create_directories(folder, error);
    if (error)
        return Error{
            .what = "cannot make the folder: " + error.message(), .where = folder.string(), .fault = Fault::Outside};
    std::vector<std::vector<std::uint16_t>> narrow;
    std::vector<TensorToWrite> tensors;
    for (const HfWeight &weight : weights) {
        TensorToWrite tensor{
            .name = weight.name, .shape = weight.shape, .data = std::as_bytes(std::span(weight.values))};
        if (type == ExportType::Bf16) {
            std::vector<std::uint16_t> &bits = narrow.emplace_back(weight.values.size());
            std::transform(weight.values.begin(), weight.values.end(), bits.begin(), toBf16);
            tensor.type = TensorType::BF16;
            tensor.data = std::as_bytes(std::span(bits));
        }
        tensors.push_back(std::move(tensor));
    }
    if (Result<void> written = writeSafetensors(folder / kSingleFile, tensors, {{"format", "pt"}}); !written)
        return written;
    return writeNamedFile(folder / "config.json", configOf(model, type, positions).dump(2) + "\n");
}

} // namespace slipway
