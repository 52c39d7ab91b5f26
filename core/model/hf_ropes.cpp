// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The keys of RoPE. Transformers' classes differ in which of them they read; one that a class ignores is an error.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <initializer_list>
#include <optional>
#include <utility>

#include "model/hf_parts.h"

namespace slipway::hf {

namespace {

using Json = nlohmann::json;
using Out = nlohmann::ordered_json;

// Of a family's class: which dimensions of a head it rotates.
enum class Rotated : std::uint8_t { All, Fraction };

// One object of rope_parameters, or rope_scaling, and its path in the file.
struct RopeObject {
    const Json &json;
    std::string path;

    [[nodiscard]] std::string keyOf(std::string_view name) const { return path + "." + std::string(name); }
    [[nodiscard]] bool has(const char *key) const { return json.contains(key) && !json.at(key).is_null(); }
};

// An array of numbers, one for each pair of rotated dimensions.
void readFactors(HfReader &reader, const RopeObject &object, const char *key, std::vector<double> &factors)
{
    constexpr std::size_t kMost = 4096;
    const auto found = object.json.find(key);
    if (found == object.json.end() || found->is_null())
        return;
    const bool numbers = found->is_array() && found->size() <= kMost &&
                         std::all_of(found->begin(), found->end(), [](const Json &v) { return v.is_number(); });
    if (!numbers)
        return reader.fail(
            object.keyOf(key), fmt::format("'{}' is {}", key, HfReader::shown(*found)), "a list of numbers");
    factors = found->get<std::vector<double>>();
}

constexpr std::array<std::string_view, 17> kRopeKeys{"rope_type", "type", "rope_theta", "factor", "low_freq_factor",
    "high_freq_factor", "original_max_position_embeddings", "beta_fast", "beta_slow", "mscale", "mscale_all_dim",
    "truncate", "attention_factor", "short_factor", "long_factor", "partial_rotary_factor", "finetuned"};

void checkKeys(HfReader &reader, const RopeObject &object)
{
    for (const auto &[key, value] : object.json.items()) {
        if (std::find(kRopeKeys.begin(), kRopeKeys.end(), key) == kRopeKeys.end())
            return reader.fail(object.keyOf(key),
                fmt::format(
                    "'{}' is {}, which is not a known RoPE parameter", key.substr(0, 60), HfReader::shown(value)),
                "the keys of Transformers' rope_parameters");
    }
}

void readScalingType(HfReader &reader, const RopeObject &object, Rope &rope)
{
    std::string type = "default", path = object.path;
    for (const char *key : {"type", "rope_type"}) {
        const auto found = object.json.find(key);
        if (found == object.json.end() || found->is_null())
            continue;
        path = object.keyOf(key);
        type = found->is_string() ? found->get<std::string>() : HfReader::shown(*found);
    }
    if (path == object.path && object.has("factor"))
        return reader.fail(path, "the RoPE scaling has a factor but no type", "a key 'rope_type' next to the factor");
    if (type == "su")
        type = "longrope";
    if (const auto scaling = enumFromName<RopeScaling>(type))
        rope.scaling = *scaling;
    else
        reader.fail(path, fmt::format("the RoPE scaling is '{}'", type.substr(0, 60)), enumChoices<RopeScaling>());
}

// At the top level, or in an object.
void checkFraction(HfReader &reader, const Json *value, const std::string &path, Rotated rotated)
{
    if (rotated == Rotated::All && value && *value != 1)
        reader.fail(path,
            fmt::format(
                "'partial_rotary_factor' is {}, but Transformers' class for this model_type rotates whole heads",
                HfReader::shown(*value)),
            "1, or a config.json without this key");
}

// Transformers takes it from files with these types alone.
void readAttentionFactor(HfReader &reader, const RopeObject &object, Rope &rope)
{
    if (!object.has("attention_factor"))
        return;
    const std::string path = object.keyOf("attention_factor");
    if (rope.scaling != RopeScaling::Yarn && rope.scaling != RopeScaling::Longrope)
        return reader.fail(path,
            fmt::format(
                "'attention_factor' has no effect in Transformers with RoPE scaling '{}'", enumName(rope.scaling)),
            "yarn or longrope, or a config.json without this key");
    reader.readFrom(object.json, object.path, "attention_factor", &rope.attentionFactor);
    if (!(rope.attentionFactor > 0))
        reader.fail(path, "'attention_factor' is not above 0", "a number above 0");
}

void readRope(HfReader &reader, const RopeObject &object, Rope &rope, Rotated rotated)
{
    checkKeys(reader, object);
    readScalingType(reader, object, rope);
    if (reader.error())
        return;
    for (const auto &[key, place] : std::initializer_list<std::pair<const char *, FieldPointer>>{
             {"rope_theta", &rope.base}, {"factor", &rope.factor}, {"low_freq_factor", &rope.lowFrequencyFactor},
             {"high_freq_factor", &rope.highFrequencyFactor},
             {"original_max_position_embeddings", &rope.trainedPositions}, {"beta_fast", &rope.betaFast},
             {"beta_slow", &rope.betaSlow}, {"mscale", &rope.mscale}, {"mscale_all_dim", &rope.mscaleAllDim},
             {"truncate", &rope.truncates}, {"partial_rotary_factor", &rope.fraction}})
        reader.readFrom(object.json, object.path, key, place);
    if (object.has("partial_rotary_factor"))
        checkFraction(reader, &object.json.at("partial_rotary_factor"), object.keyOf("partial_rotary_factor"), rotated);
    readAttentionFactor(reader, object, rope);
    readFactors(reader, object, "short_factor", rope.shortFactors);
    readFactors(reader, object, "long_factor", rope.longFactors);
}

// The number of positions before scaling is that of the model, or of its class, where there is one: Transformers then
// ignores the one of the object.
void readTrainedPositions(
    HfReader &reader, const std::optional<RopeObject> &object, Rope &rope, int positions, int ofClass)
{
    constexpr const char *kKey = "original_max_position_embeddings";
    const int original = reader.integer(kKey, ofClass);
    if (rope.scaling == RopeScaling::Default || rope.scaling == RopeScaling::Linear)
        rope.trainedPositions = 0;
    else if (rope.trainedPositions == 0)
        rope.trainedPositions = original > 0 ? original : positions;
    else if (original > 0 && original != rope.trainedPositions)
        reader.fail(object ? object->keyOf(kKey) : "",
            fmt::format("'{}' is {}, but Transformers' class takes {} from outside of this object", kKey,
                rope.trainedPositions, original),
            fmt::format("the key {} with {} outside of this object, too", kKey, rope.trainedPositions));
}

// What a scaling rests on besides its own keys.
void finishRope(HfReader &reader, const std::optional<RopeObject> &object, Rope &rope, int trainedOfClass = 0)
{
    const int positions = reader.integer("max_position_embeddings", 0);
    readTrainedPositions(reader, object, rope, positions, trainedOfClass);
    if (rope.scaling == RopeScaling::Default || (object && object->has("factor")))
        return;
    if (rope.scaling == RopeScaling::Longrope && rope.trainedPositions > 0 && positions > 0)
        rope.factor = std::max(1.0, static_cast<double>(positions) / rope.trainedPositions);
    else
        reader.fail(object ? object->path : "", "the RoPE scaling has no factor", "a key 'factor' next to the type");
}

std::optional<RopeObject> ropeObjectAt(HfReader &reader, const char *key)
{
    const Json *value = reader.value(key);
    if (!value)
        return std::nullopt;
    if (value->is_object())
        return RopeObject{.json = *value, .path = key};
    reader.fail(key, fmt::format("'{}' is {}", key, HfReader::shown(*value)), "an object, or null");
    return std::nullopt;
}

void failOfBoth(HfReader &reader)
{
    reader.fail("rope_scaling", "'rope_scaling' and 'rope_parameters' differ", "one of them, or the same in both");
}

// The newer name or the older one; an empty object says nothing.
std::optional<RopeObject> oneRopeObject(HfReader &reader)
{
    std::optional<RopeObject> parameters = ropeObjectAt(reader, "rope_parameters");
    std::optional<RopeObject> scaling = ropeObjectAt(reader, "rope_scaling");
    const bool both = parameters && scaling && !parameters->json.empty() && !scaling->json.empty();
    if (both && parameters->json != scaling->json)
        failOfBoth(reader);
    return scaling && (!parameters || parameters->json.empty()) ? std::move(scaling) : std::move(parameters);
}

void readNamedRope(HfReader &reader, ModelSpec &model, Rotated rotated, int trainedOfClass = 0)
{
    Rope &rope = model.ropes.front();
    const std::optional<RopeObject> object = oneRopeObject(reader);
    if (object)
        readRope(reader, *object, rope, rotated);
    finishRope(reader, object, rope, trainedOfClass);
}

template<Rotated kRotated>
void readOneRope(HfReader &reader, ModelSpec &model)
{
    reader.read("rope_theta", &model.ropes.front().base);
    reader.read("partial_rotary_factor", &model.ropes.front().fraction);
    checkFraction(reader, reader.value("partial_rotary_factor"), "partial_rotary_factor", kRotated);
    readNamedRope(reader, model, kRotated);
}

void writeScaling(Out &json, const Rope &rope)
{
    if (rope.scaling == RopeScaling::Default)
        return;
    Out object{{"rope_type", enumName(rope.scaling)}, {"factor", rope.factor}};
    if (rope.trainedPositions > 0)
        object["original_max_position_embeddings"] = rope.trainedPositions;
    if (rope.scaling == RopeScaling::Llama3) {
        object["low_freq_factor"] = rope.lowFrequencyFactor;
        object["high_freq_factor"] = rope.highFrequencyFactor;
    }
    if (rope.scaling == RopeScaling::Yarn) {
        object["beta_fast"] = rope.betaFast;
        object["beta_slow"] = rope.betaSlow;
        object["truncate"] = rope.truncates;
        if (rope.mscale > 0 && rope.mscaleAllDim > 0) {
            object["mscale"] = rope.mscale;
            object["mscale_all_dim"] = rope.mscaleAllDim;
        }
    }
    if (rope.attentionFactor > 0)
        object["attention_factor"] = rope.attentionFactor;
    if (rope.scaling == RopeScaling::Longrope) {
        object["short_factor"] = rope.shortFactors;
        object["long_factor"] = rope.longFactors;
        json["original_max_position_embeddings"] = rope.trainedPositions;
        json["max_position_embeddings"] = static_cast<int>(std::lround(rope.factor * rope.trainedPositions));
    }
    json["rope_scaling"] = object;
}

template<Rotated kRotated>
void writeOneRope(Out &json, const ModelSpec &model)
{
    const Rope &rope = model.ropes.front();
    json["rope_theta"] = rope.base;
    if (kRotated == Rotated::Fraction && rope.fraction != 1)
        json["partial_rotary_factor"] = rope.fraction;
    writeScaling(json, rope);
}

void readPhi3Rope(HfReader &reader, ModelSpec &model)
{
    constexpr int kTrainedPositions = 4096;
    Rope &rope = model.ropes.front();
    reader.read("rope_theta", &rope.base);
    reader.read("partial_rotary_factor", &rope.fraction);
    readNamedRope(reader, model, Rotated::Fraction, kTrainedPositions);
    if (rope.scaling != RopeScaling::Default && rope.scaling != RopeScaling::Longrope)
        reader.fail(reader.has("rope_scaling") ? "rope_scaling" : "rope_parameters",
            fmt::format("Transformers' class for this model_type has no RoPE scaling '{}'", enumName(rope.scaling)),
            "default, longrope");
}

// The class has YaRN where the file says nothing of a scaling.
void readGptOssRope(HfReader &reader, ModelSpec &model)
{
    readOneRope<Rotated::All>(reader, model);
    if (!reader.has("rope_parameters") && !reader.has("rope_scaling"))
        model.ropes.front() = {.base = model.ropes.front().base,
            .scaling = RopeScaling::Yarn,
            .factor = 32,
            .trainedPositions = 4096,
            .truncates = false};
}

void writeGptOssRope(Out &json, const ModelSpec &model)
{
    writeOneRope<Rotated::All>(json, model);
    if (model.rope().scaling == RopeScaling::Default)
        json["rope_scaling"] = Out{{"rope_type", "default"}};
}

// Files of some versions have both names of a number, of which the class reads GPT-NeoX's.
void readOwnNumber(HfReader &reader, const char *own, const char *usual, double &number)
{
    reader.read(own, &number);
    if (const double other = reader.number(usual, number); other != number)
        reader.fail(usual,
            fmt::format("'{}' is {}, but Transformers' class reads '{}', which is {}", usual, other, own, number),
            fmt::format("the same number as '{}', or a config.json without this key", own));
}

void readNeoX(HfReader &reader, ModelSpec &model)
{
    readOwnNumber(reader, "rotary_emb_base", "rope_theta", model.ropes.front().base);
    readOwnNumber(reader, "rotary_pct", "partial_rotary_factor", model.ropes.front().fraction);
    readNamedRope(reader, model, Rotated::Fraction);
}

void writeNeoX(Out &json, const ModelSpec &model)
{
    json["rotary_emb_base"] = model.ropes.front().base;
    json["rotary_pct"] = model.ropes.front().fraction;
    writeScaling(json, model.ropes.front());
}

// Of one kind of layers in Gemma 3's rope_parameters.
std::optional<RopeObject> ropeOfLayers(HfReader &reader, const RopeObject &parameters, const char *layers)
{
    const auto found = parameters.json.find(layers);
    if (found == parameters.json.end() || found->is_null())
        return std::nullopt;
    if (found->is_object())
        return RopeObject{.json = *found, .path = parameters.keyOf(layers)};
    reader.fail(parameters.keyOf(layers), fmt::format("'{}' is {}", layers, HfReader::shown(*found)), "an object");
    return std::nullopt;
}

void readLocalRopes(HfReader &reader, ModelSpec &model)
{
    reader.read("rope_theta", &model.ropes[0].base);
    reader.read("rope_local_base_freq", &model.ropes[1].base);
    const std::optional<RopeObject> parameters = ropeObjectAt(reader, "rope_parameters");
    const std::optional<RopeObject> scaling = ropeObjectAt(reader, "rope_scaling");
    if (!parameters) {
        if (scaling)
            readRope(reader, *scaling, model.ropes[0], Rotated::All);
        return finishRope(reader, scaling, model.ropes[0]);
    }
    for (const auto &[key, value] : parameters->json.items()) {
        if (key != "full_attention" && key != "sliding_attention")
            return reader.fail(parameters->keyOf(key), "'rope_parameters' has '" + key.substr(0, 60) + "'",
                "objects 'full_attention' and 'sliding_attention'");
    }
    std::size_t number = 0;
    for (const char *layers : {"full_attention", "sliding_attention"}) {
        const std::optional<RopeObject> object = ropeOfLayers(reader, *parameters, layers);
        if (object)
            readRope(reader, *object, model.ropes[number], Rotated::All);
        if (number == 0 && scaling && (!object || object->json != scaling->json))
            failOfBoth(reader);
        finishRope(reader, object, model.ropes[number++]);
    }
}

void writeLocalRopes(Out &json, const ModelSpec &model)
{
    json["rope_theta"] = model.ropes.front().base;
    json["rope_local_base_freq"] = model.ropes.back().base;
    writeScaling(json, model.ropes.front());
}

} // namespace

const HfPart rope{readOneRope<Rotated::All>, writeOneRope<Rotated::All>};
const HfPart partialRope{readOneRope<Rotated::Fraction>, writeOneRope<Rotated::Fraction>};
const HfPart ropeOfPhi3{readPhi3Rope, writeOneRope<Rotated::Fraction>};
const HfPart ropeOfGptOss{readGptOssRope, writeGptOssRope};
const HfPart ropeOfNeoX{readNeoX, writeNeoX};
const HfPart localRopes{readLocalRopes, writeLocalRopes};

} // namespace slipway::hf
