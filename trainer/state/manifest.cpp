// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "state/manifest.h"

#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "base/json.h"
#include "data/checksum.h"

namespace slipway {

namespace {

using Json = nlohmann::ordered_json;
using ParsedJson = nlohmann::json;

constexpr int kVersion = 1;
constexpr int kMostShards = 1'000'000;
// A part of a tensor is four values; every rank may hold one of every tensor.
constexpr JsonLimits kManifestLimits{.bytes = kLargestManifest, .depth = 8, .values = 16'000'000, .keys = 4'000'000};

// What decides the shapes and the meaning of the weights.
Json toJson(const ModelSpec &model)
{
    return {{"name", model.name}, {"layers", model.layers}, {"hidden", model.hidden}, {"heads", model.heads},
        {"kv_heads", model.kvHeads}, {"head_dim", model.headDim}, {"ffn", model.ffn}, {"vocab", model.vocab},
        {"tied", model.tied}, {"mlp", enumName(model.mlp)}, {"norm", enumName(model.norm)},
        {"position", enumName(model.position)}, {"max_positions", model.maxPositions}, {"rope_theta", model.ropeTheta},
        {"norm_eps", model.normEps}, {"qkv_bias", model.qkvBias}, {"attention_out_bias", model.attentionOutBias},
        {"mlp_bias", model.mlpBias}, {"head_bias", model.headBias}, {"norm_bias", model.normBias},
        {"experts", model.experts}, {"experts_per_token", model.expertsPerToken}};
}

template<typename E>
E enumOf(const ParsedJson &json, const char *key)
{
    const auto value = enumFromName<E>(json.at(key).get_ref<const std::string &>());
    return value ? *value : throw std::out_of_range(key);
}

// Throws what nlohmann throws where a field is missing or of another type.
ModelSpec modelOf(const ParsedJson &json)
{
    ModelSpec model;
    json.at("name").get_to(model.name);
    json.at("layers").get_to(model.layers);
    json.at("hidden").get_to(model.hidden);
    json.at("heads").get_to(model.heads);
    json.at("kv_heads").get_to(model.kvHeads);
    json.at("head_dim").get_to(model.headDim);
    json.at("ffn").get_to(model.ffn);
    json.at("vocab").get_to(model.vocab);
    json.at("tied").get_to(model.tied);
    model.mlp = enumOf<Mlp>(json, "mlp");
    model.norm = enumOf<Norm>(json, "norm");
    model.position = enumOf<Position>(json, "position");
    json.at("max_positions").get_to(model.maxPositions);
    json.at("rope_theta").get_to(model.ropeTheta);
    json.at("norm_eps").get_to(model.normEps);
    json.at("qkv_bias").get_to(model.qkvBias);
    json.at("attention_out_bias").get_to(model.attentionOutBias);
    json.at("mlp_bias").get_to(model.mlpBias);
    json.at("head_bias").get_to(model.headBias);
    json.at("norm_bias").get_to(model.normBias);
    json.at("experts").get_to(model.experts);
    json.at("experts_per_token").get_to(model.expertsPerToken);
    return model;
}

Json toJson(const std::map<std::string, std::vector<TensorPart>> &parts)
{
    Json json = Json::object();
    for (const auto &[name, list] : parts) {
        for (const TensorPart &part : list)
            json[name].push_back({part.shard, part.first, part.count});
    }
    return json;
}

std::map<std::string, std::vector<TensorPart>> partsOf(const ParsedJson &json)
{
    std::map<std::string, std::vector<TensorPart>> parts;
    for (const auto &[name, list] : json.items()) {
        for (const ParsedJson &part : list)
            parts[name].push_back({.shard = part.at(0).get<int>(),
                .first = part.at(1).get<std::int64_t>(),
                .count = part.at(2).get<std::int64_t>()});
    }
    return parts;
}

std::string checksumOfText(const std::string &text) { return checksumOf(std::as_bytes(std::span(text))); }

// What the manifest's own checksum is of.
Json contentOf(const CheckpointManifest &manifest)
{
    Json content = {{"step", manifest.step}, {"tokens", manifest.tokens}, {"samples", manifest.samples},
        {"seed", manifest.seed}, {"attempt", manifest.attempt}, {"config_digest", manifest.configDigest},
        {"model", toJson(manifest.model)}, {"checksums", manifest.checksums}};
    if (manifest.shards > 1) {
        content["shards"] = manifest.shards;
        content["parts"] = toJson(manifest.parts);
    }
    return content;
}

} // namespace

std::string toJson(const CheckpointManifest &manifest)
{
    const Json content = contentOf(manifest);
    const Json json = {{"version", kVersion}, {"checksum", checksumOfText(content.dump())}, {"content", content}};
    return json.dump(2) + "\n";
}

std::string toJson(const ShardRecord &record)
{
    return Json{{"checksums", record.checksums}, {"parts", toJson(record.parts)}}.dump() + "\n";
}

Result<ShardRecord> shardRecordFromJson(std::string_view text, const std::string &where)
{
    const auto damaged = [&where](const std::string &what) {
        return Error{.what = "is not a record of a shard: " + what, .where = where, .fault = Fault::Damaged};
    };
    const Result<ParsedJson> json = parseJson(text, kManifestLimits);
    if (!json)
        return damaged("it " + json.error().what);
    try {
        return ShardRecord{.checksums = json->at("checksums").get<std::map<std::string, std::string>>(),
            .parts = partsOf(json->at("parts"))};
    } catch (const std::exception &exception) {
        return damaged(exception.what());
    }
}

Result<CheckpointManifest> manifestFromJson(std::string_view text, const std::string &where)
{
    const auto damaged = [&where](const std::string &what) {
        return Error{.what = what, .where = where, .fault = Fault::Damaged};
    };
    const Result<ParsedJson> json = parseJson(text, kManifestLimits);
    if (!json || !json->is_object())
        return damaged("is not a JSON object" + (json ? "" : ": it " + json.error().what));
    try {
        if (const auto version = json->at("version").get<std::int64_t>(); version != kVersion)
            return damaged(
                "has version " + std::to_string(version) + " (this program reads " + std::to_string(kVersion) + ")");
        const ParsedJson &content = json->at("content");
        CheckpointManifest manifest;
        content.at("step").get_to(manifest.step);
        content.at("tokens").get_to(manifest.tokens);
        content.at("samples").get_to(manifest.samples);
        content.at("seed").get_to(manifest.seed);
        content.at("attempt").get_to(manifest.attempt);
        content.at("config_digest").get_to(manifest.configDigest);
        manifest.model = modelOf(content.at("model"));
        content.at("checksums").get_to(manifest.checksums);
        manifest.shards = content.value("shards", 1);
        if (content.contains("parts"))
            manifest.parts = partsOf(content.at("parts"));
        if (json->at("checksum").get<std::string>() != checksumOfText(contentOf(manifest).dump()))
            return damaged("its checksum does not hold");
        if (manifest.step < 0 || manifest.tokens < 0)
            return damaged("has a position before the start");
        if (manifest.shards < 1 || manifest.shards > kMostShards)
            return damaged("was written by " + std::to_string(manifest.shards) + " ranks");
        return manifest;
    } catch (const std::exception &exception) {
        return damaged(std::string("lacks a field: ") + exception.what());
    }
}

std::string differenceOf(const ModelSpec &saved, const ModelSpec &wanted)
{
    const Json a = toJson(saved), b = toJson(wanted);
    for (const auto &[key, value] : a.items()) {
        if (key != "name" && value != b.at(key))
            return key + " is " + value.dump() + ", not " + b.at(key).dump();
    }
    return {};
}

} // namespace slipway
