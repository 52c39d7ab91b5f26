// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/hf_parts.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "model/validate_model.h"

namespace slipway::hf {

namespace {

using Json = nlohmann::json;
using Out = nlohmann::ordered_json;

void shareHiddenAmongHeads(HfReader &reader, ModelSpec &model)
{
    if (const Result<int> headDim = headDimOf(model.hidden, model.attention.heads))
        model.attention.headDim = *headDim;
    else
        reader.failAt(headDim.error(), model);
    reader.copySource(&model.attention.headDim, &model.attention.heads);
}

void readOwnHeads(HfReader &reader, ModelSpec &model)
{
    model.attention.kvHeads = model.attention.heads;
    shareHiddenAmongHeads(reader, model);
}

void readNarrowHeads(HfReader &reader, ModelSpec &model)
{
    model.attention.kvHeads = model.attention.heads;
    reader.read("num_key_value_heads", &model.attention.kvHeads);
    shareHiddenAmongHeads(reader, model);
}

// kUsual: what the family's class takes where head_dim is missing; 0: hidden / heads.
template<int kUsual>
void readHeads(HfReader &reader, ModelSpec &model)
{
    model.attention.kvHeads = model.attention.heads;
    reader.read("num_key_value_heads", &model.attention.kvHeads);
    model.attention.headDim = kUsual;
    reader.read("head_dim", &model.attention.headDim);
    if (model.attention.headDim == 0 && !reader.error())
        shareHiddenAmongHeads(reader, model);
}

void writeNoHeads(Out &, const ModelSpec &) {}

void writeNarrowHeads(Out &json, const ModelSpec &model) { json["num_key_value_heads"] = model.attention.kvHeads; }

void writeHeads(Out &json, const ModelSpec &model)
{
    json["num_key_value_heads"] = model.attention.kvHeads;
    json["head_dim"] = model.attention.headDim;
}

// Layers that are alike in turn are one kind.
void shorten(ModelSpec &model)
{
    const auto &all = model.pattern;
    if (std::all_of(all.begin(), all.end(), [&](const LayerKind &kind) { return kind == all.front(); }))
        model.pattern.resize(1);
}

bool layersAreThere(HfReader &reader, const ModelSpec &model)
{
    constexpr int kMostLayers = 1000; // validateModel's limit, which comes later
    if (model.layers < 1 || model.layers > kMostLayers)
        reader.fail("num_hidden_layers", fmt::format("'num_hidden_layers' is {}", model.layers),
            fmt::format("1 to {}", kMostLayers));
    return !reader.error();
}

// What layer_types says of each layer, or else what the family does.
template<typename Slides>
std::vector<bool> slidingLayers(HfReader &reader, const ModelSpec &model, const Slides &otherwise)
{
    std::vector<bool> sliding(static_cast<std::size_t>(model.layers));
    const Json *types = reader.value("layer_types");
    const auto fail = [&] {
        reader.fail("layer_types", fmt::format("'layer_types' is {}", HfReader::shown(*types)),
            fmt::format("a list of {} times full_attention or sliding_attention", model.layers));
    };
    if (types && (!types->is_array() || types->size() != sliding.size()))
        fail();
    for (std::size_t i = 0; i < sliding.size() && !reader.error(); ++i) {
        sliding[i] = types ? types->at(i) == "sliding_attention" : otherwise(static_cast<int>(i));
        if (types && !sliding[i] && types->at(i) != "full_attention")
            fail();
    }
    return sliding;
}

template<typename Slides>
void readWindows(HfReader &reader, ModelSpec &model, int window, const Slides &otherwise)
{
    if (!layersAreThere(reader, model))
        return;
    const std::vector<bool> sliding = slidingLayers(reader, model, otherwise);
    model.pattern.assign(sliding.size(), LayerKind{});
    for (std::size_t i = 0; i < sliding.size(); ++i) {
        if (sliding[i] && window < 1)
            return reader.fail(reader.has("sliding_window") ? "sliding_window" : "layer_types",
                "the layers have a sliding window, but its size is missing", "sliding_window: 1 or more");
        model.pattern[i] = {.window = sliding[i] ? window : 0};
    }
}

int windowOf(const ModelSpec &model)
{
    const auto found =
        std::find_if(model.pattern.begin(), model.pattern.end(), [](const LayerKind &kind) { return kind.window > 0; });
    return found == model.pattern.end() ? 0 : found->window;
}

void writeLayerTypes(Out &json, const ModelSpec &model)
{
    const int window = windowOf(model);
    json["sliding_window"] = window > 0 ? Out(window) : Out();
    Out types = Out::array();
    for (int i = 0; i < model.layers; ++i)
        types.push_back(model.kindOf(i).window > 0 ? "sliding_attention" : "full_attention");
    json["layer_types"] = types;
}

void readWindow(HfReader &reader, ModelSpec &model)
{
    model.pattern = {LayerKind{.window = reader.integer("sliding_window", 0)}};
}

// A file of Transformers says null where there is none.
void readMistralWindow(HfReader &reader, ModelSpec &model)
{
    constexpr int kOfTheClass = 4096;
    model.pattern = {LayerKind{.window = kOfTheClass}};
    if (reader.contains("sliding_window"))
        readWindow(reader, model);
}

void writeWindow(Out &json, const ModelSpec &model)
{
    const int window = model.pattern.front().window;
    json["sliding_window"] = window > 0 ? Out(window) : Out();
}

void readQwenWindows(HfReader &reader, ModelSpec &model)
{
    const bool uses = reader.boolean("use_sliding_window", false);
    const int window = reader.integer("sliding_window", 4096), from = reader.integer("max_window_layers", 28);
    readWindows(reader, model, uses ? window : 0, [&](int layer) { return uses && layer >= from; });
    shorten(model);
}

void writeQwenWindows(Out &json, const ModelSpec &model)
{
    writeLayerTypes(json, model);
    json["use_sliding_window"] = windowOf(model) > 0;
    json["max_window_layers"] = model.layers;
}

// kUsual: the window of the family's class.
template<int kUsual>
void readAlternatingWindows(HfReader &reader, ModelSpec &model)
{
    const int window = reader.integer("sliding_window", kUsual);
    readWindows(reader, model, window, [](int layer) { return layer % 2 == 0; });
    shorten(model);
}

void readGemma3Windows(HfReader &reader, ModelSpec &model)
{
    const int window = reader.integer("sliding_window", 4096);
    const int every = reader.integer("sliding_window_pattern", 6);
    if (every < 1)
        return reader.fail("sliding_window_pattern", "'sliding_window_pattern' is 0", "1 or more");
    // Transformers writes it beside layer_types, and never reads it.
    const char *const unread = "_sliding_window_pattern";
    if (const int other = reader.integer(unread, every); other != every && !reader.has("layer_types"))
        return reader.fail(unread,
            fmt::format("'{}' is {}, but Transformers' class reads 'sliding_window_pattern', which is {}", unread,
                other, every),
            "sliding_window_pattern or layer_types");
    readWindows(reader, model, window, [every](int layer) { return (layer + 1) % every != 0; });
    for (LayerKind &kind : model.pattern)
        kind.rope = kind.window > 0 ? 1 : 0;
    shorten(model);
}

void readSmolLayers(HfReader &reader, ModelSpec &model)
{
    if (!layersAreThere(reader, model))
        return;
    const int every = reader.integer("no_rope_layer_interval", 4);
    if (every < 1)
        return reader.fail("no_rope_layer_interval", "'no_rope_layer_interval' is 0", "1 or more");
    std::vector<bool> rotates(static_cast<std::size_t>(model.layers));
    const Json *list = reader.value("no_rope_layers"); // 1: with rotations
    const auto isFlag = [](const Json &value) { return value.is_number_integer() && (value == 0 || value == 1); };
    const bool flags =
        list && list->is_array() && list->size() == rotates.size() && std::all_of(list->begin(), list->end(), isFlag);
    if (list && !flags)
        return reader.fail("no_rope_layers", fmt::format("'no_rope_layers' is {}", HfReader::shown(*list)),
            fmt::format("a list of {} times 0 or 1", model.layers));
    for (std::size_t i = 0; i < rotates.size(); ++i)
        rotates[i] = list ? list->at(i) == 1 : (i + 1) % static_cast<std::size_t>(every) != 0;
    const bool uses = reader.boolean("use_sliding_window", false);
    const int window = reader.integer("sliding_window", 0);
    readWindows(reader, model, uses ? window : 0,
        [&](int layer) { return uses && window > 0 && !rotates[static_cast<std::size_t>(layer)]; });
    for (std::size_t i = 0; i < model.pattern.size() && i < rotates.size(); ++i)
        model.pattern[i].rope = rotates[i] ? 0 : kNoRope;
    shorten(model);
}

// layer_types of a family whose layers have no windows.
void readFullLayers(HfReader &reader, ModelSpec &model)
{
    if (!reader.has("layer_types") || !layersAreThere(reader, model))
        return;
    const std::vector<bool> sliding = slidingLayers(reader, model, [](int) { return false; });
    if (std::find(sliding.begin(), sliding.end(), true) != sliding.end())
        reader.fail("layer_types", "'layer_types' has sliding_attention, which is not supported for this model_type",
            "full_attention in all layers");
}

void writeSmolLayers(Out &json, const ModelSpec &model)
{
    writeLayerTypes(json, model);
    json["use_sliding_window"] = windowOf(model) > 0;
    Out list = Out::array();
    for (int i = 0; i < model.layers; ++i)
        list.push_back(model.kindOf(i).rope == kNoRope ? 0 : 1);
    json["no_rope_layers"] = list;
}

constexpr std::array<const char *, 9> kDropouts{"resid_pdrop", "embd_pdrop", "attn_pdrop", "dropout",
    "attention_dropout", "hidden_dropout", "residual_dropout", "embedding_dropout", "layerdrop"};

void readDropout(HfReader &reader, ModelSpec &model)
{
    const bool says = std::any_of(kDropouts.begin(), kDropouts.end(), [&](const char *key) { return reader.has(key); });
    model.dropout = model.dropout && !says;
    for (const char *key : kDropouts)
        model.dropout = reader.number(key, 0) > 0 || model.dropout;
}

void writeDropout(Out &json, const ModelSpec &model)
{
    if (model.position == Position::Learned) { // the classes that have it by default
        for (const char *key : {"resid_pdrop", "embd_pdrop", "attn_pdrop"})
            json[key] = 0.0;
    } else {
        json["attention_dropout"] = 0.0;
    }
}

} // namespace

const HfPart heads{readHeads<0>, writeHeads}, headsOf128{readHeads<128>, writeHeads},
    headsOf256{readHeads<256>, writeHeads}, headsOf64{readHeads<64>, writeHeads};
const HfPart ownHeads{readOwnHeads, writeNoHeads};
const HfPart narrowHeads{readNarrowHeads, writeNarrowHeads};
const HfPart window{readWindow, writeWindow};
const HfPart mistralWindow{readMistralWindow, writeWindow};
const HfPart qwenWindows{readQwenWindows, writeQwenWindows};
const HfPart gemma2Windows{readAlternatingWindows<4096>, writeLayerTypes};
const HfPart gptOssWindows{readAlternatingWindows<128>, writeLayerTypes};
const HfPart gemma3Windows{readGemma3Windows, writeLayerTypes};
const HfPart fullLayers{readFullLayers, [](Out &, const ModelSpec &) {}};
const HfPart smolLayers{readSmolLayers, writeSmolLayers};
const HfPart dropout{readDropout, writeDropout};

} // namespace slipway::hf
