// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "state/manifest.h"

#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "base/json.h"
#include "data/checksum.h"
#include "model/model_fields.h"

namespace slipway {

namespace {

using Json = nlohmann::ordered_json;
using ParsedJson = nlohmann::json;

constexpr int kVersion = 1;
constexpr int kMostShards = 1'000'000;
// A part of a tensor is four values; every rank may hold one of every tensor.
constexpr JsonLimits kManifestLimits{.bytes = kLargestManifest, .depth = 8, .values = 16'000'000, .keys = 4'000'000};

struct PlaceToJson {
    Json operator()(const int *place) const { return *place; }
    Json operator()(const double *place) const { return *place; }
    Json operator()(const bool *place) const { return *place; }
    Json operator()(const TextPlace &place) const { return place.get(); }
};

// What decides the shapes and the meaning of the weights.
Json toJson(const ModelSpec &model)
{
    Json json{{"name", model.name}};
    ModelSpec source = model, plain;
    for (const ModelField &field : modelFields()) {
        const Json value = std::visit(PlaceToJson{}, field.at(source));
        const bool unusual = value != std::visit(PlaceToJson{}, field.at(plain));
        if (field.inManifest == InManifest::Always || (field.inManifest == InManifest::WhereUnusual && unusual))
            json[std::string(field.key)] = value;
    }
    return json;
}

// Throws what nlohmann throws where a value is of another type.
struct PlaceFromJson {
    const ParsedJson &value;

    void operator()(int *place) const { value.get_to(*place); }
    void operator()(double *place) const { value.get_to(*place); }
    void operator()(bool *place) const { value.get_to(*place); }
    void operator()(const TextPlace &place) const
    {
        if (!place.set(value.get_ref<const std::string &>()))
            throw std::out_of_range(value.get<std::string>());
    }
};

ModelSpec modelOf(const ParsedJson &json)
{
    ModelSpec model;
    json.at("name").get_to(model.name);
    for (const ModelField &field : modelFields()) {
        if (field.inManifest == InManifest::Always || json.contains(field.key))
            std::visit(PlaceFromJson{json.at(std::string(field.key))}, field.at(model));
    }
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

} // namespace slipway
