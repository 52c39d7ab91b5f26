// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "state/manifest.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <utility>

#include "base/json.h"
#include "data/checksum.h"
#include "model/model_fields.h"

namespace slipway {

namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr int kVersionOfRuns = 1, kVersionOfSlices = 2;
constexpr int kMostShards = 1'000'000;
// A part of a tensor takes four values, eight with a slice, and every rank may have a part of every tensor. These
// limits bound the number of weights and parts before the manifest is evaluated.
constexpr JsonLimits kManifestLimits{.bytes = kLargestManifest, .depth = 8, .values = 16'000'000, .keys = 4'000'000};

struct PlaceToJson {
    OrderedJson operator()(const int *place) const { return *place; }
    OrderedJson operator()(const double *place) const { return *place; }
    OrderedJson operator()(const bool *place) const { return *place; }
    OrderedJson operator()(const TextAccessor &place) const { return place.get(); }
};

// The properties that determine the shapes and the meaning of the weights.
OrderedJson toJson(const ModelSpec &model)
{
    OrderedJson json{{"name", model.name}};
    ModelSpec source = model, plain;
    for (const ModelField &field : modelFields()) {
        const OrderedJson value = std::visit(PlaceToJson{}, field.at(source));
        const bool unusual = value != std::visit(PlaceToJson{}, field.at(plain));
        if (field.inManifest == InManifest::Always || (field.inManifest == InManifest::WhereUnusual && unusual))
            json[std::string(field.key)] = value;
    }
    return json;
}

// Throws if the value is not an integer, or is too large for the type, because nlohmann's get would truncate it.
template<typename Integer>
Integer integerOf(const Json &json)
{
    const bool signedOne = json.is_number_integer() && !json.is_number_unsigned();
    const bool fits = signedOne ? std::in_range<Integer>(json.get<std::int64_t>())
                                : json.is_number_unsigned() && std::in_range<Integer>(json.get<std::uint64_t>());
    if (!fits)
        throw std::out_of_range("a value is not an integer of its range");
    return json.get<Integer>();
}

// Throws nlohmann's exceptions if a value has another type.
struct PlaceFromJson {
    const Json &value;

    void operator()(int *place) const { *place = integerOf<int>(value); }
    void operator()(double *place) const { value.get_to(*place); }
    void operator()(bool *place) const { value.get_to(*place); }
    void operator()(const TextAccessor &place) const
    {
        if (!place.set(value.get_ref<const std::string &>()))
            throw std::out_of_range(value.get<std::string>());
    }
};

ModelSpec modelOf(const Json &json)
{
    ModelSpec model;
    json.at("name").get_to(model.name);
    for (const ModelField &field : modelFields()) {
        if (field.inManifest == InManifest::Always || json.contains(field.key))
            std::visit(PlaceFromJson{json.at(std::string(field.key))}, field.at(model));
    }
    return model;
}

using Parts = std::map<std::string, std::vector<TensorPart>>;
using Shapes = std::map<std::string, std::vector<std::int64_t>>;

// [shard, first, count], or with a slice [shard, first, count, first row, rows, first column, columns].
OrderedJson toJson(const TensorPart &part)
{
    OrderedJson json{part.shard, part.first, part.count};
    if (part.slice) {
        for (const std::int64_t number :
            {part.slice->firstRow, part.slice->rows, part.slice->firstColumn, part.slice->columns})
            json.push_back(number);
    }
    return json;
}

OrderedJson toJson(const Parts &parts)
{
    OrderedJson json = OrderedJson::object();
    for (const auto &[name, list] : parts) {
        for (const TensorPart &part : list)
            json[name].push_back(toJson(part));
    }
    return json;
}

template<typename Integer>
void takeInteger(const Json &json, Integer &place)
{
    place = integerOf<Integer>(json);
}

TensorPart partOf(const Json &json)
{
    const auto number = [&json](std::size_t i) { return integerOf<std::int64_t>(json.at(i)); };
    if (!json.is_array() || (json.size() != 3 && json.size() != 7))
        throw std::out_of_range("a part of a weight has neither 3 nor 7 numbers");
    TensorPart part{.shard = integerOf<int>(json.at(0)), .first = number(1), .count = number(2)};
    if (json.size() == 7)
        part.slice =
            WeightSlice{.firstRow = number(3), .rows = number(4), .firstColumn = number(5), .columns = number(6)};
    return part;
}

Parts partsOf(const Json &json)
{
    Parts parts;
    for (const auto &[name, list] : json.items()) {
        for (const Json &part : list)
            parts[name].push_back(partOf(part));
    }
    return parts;
}

// Empty if there are none, as in records of earlier versions.
Shapes shapesIn(const Json &json)
{
    Shapes shapes;
    const auto found = json.find("shapes");
    if (found == json.end())
        return shapes;
    if (!found->is_object())
        throw std::out_of_range("shapes is not an object");
    for (const auto &[name, shape] : found->items()) {
        for (std::size_t i = 0; i < std::max<std::size_t>(shape.size(), 1); ++i)
            shapes[name].push_back(integerOf<std::int64_t>(shape.at(i)));
    }
    return shapes;
}

std::string checksumOfText(const std::string &text) { return checksumOf(std::as_bytes(std::span(text))); }

// The contents over which the manifest's own checksum is computed.
OrderedJson contentOf(const CheckpointManifest &manifest)
{
    OrderedJson content = {{"step", manifest.step}, {"tokens", manifest.tokens}, {"samples", manifest.samples},
        {"seed", manifest.seed}, {"attempt", manifest.attempt}, {"config_digest", manifest.configDigest},
        {"model", toJson(manifest.model)}, {"checksums", manifest.checksums}};
    if (manifest.shards > 1 || !manifest.shapes.empty()) {
        content["shards"] = manifest.shards;
        content["parts"] = toJson(manifest.parts);
    }
    if (!manifest.shapes.empty())
        content["shapes"] = manifest.shapes;
    return content;
}

} // namespace

std::string toJson(const CheckpointManifest &manifest)
{
    const OrderedJson content = contentOf(manifest);
    const int version = manifest.shapes.empty() ? kVersionOfRuns : kVersionOfSlices;
    const OrderedJson json = {{"version", version}, {"checksum", checksumOfText(content.dump())}, {"content", content}};
    return json.dump(2) + "\n";
}

std::string toJson(const ShardRecord &record)
{
    return OrderedJson{{"checksums", record.checksums}, {"parts", toJson(record.parts)}, {"shapes", record.shapes}}
               .dump() +
           "\n";
}

Result<ShardRecord> shardRecordFromJson(std::string_view text, const std::string &where)
{
    const auto damaged = [&where](const std::string &what) {
        return Error{.what = "is not a record of a shard: " + what, .where = where, .fault = Fault::Damaged};
    };
    const Result<Json> json = parseJson(text, kManifestLimits);
    if (!json)
        return damaged("it " + json.error().what);
    try {
        return ShardRecord{.checksums = json->at("checksums").get<std::map<std::string, std::string>>(),
            .parts = partsOf(json->at("parts")),
            .shapes = shapesIn(*json)};
    } catch (const std::exception &exception) {
        return damaged(exception.what());
    }
}

Result<CheckpointManifest> manifestFromJson(std::string_view text, const std::string &where)
{
    const auto damaged = [&where](const std::string &what) {
        return Error{.what = what, .where = where, .fault = Fault::Damaged};
    };
    const Result<Json> json = parseJson(text, kManifestLimits);
    if (!json || !json->is_object())
        return damaged("is not a JSON object" + (json ? "" : ": it " + json.error().what));
    try {
        const auto version = integerOf<std::int64_t>(json->at("version"));
        if (version != kVersionOfRuns && version != kVersionOfSlices)
            return damaged("has version " + std::to_string(version) + " (this program reads " +
                           std::to_string(kVersionOfRuns) + " and " + std::to_string(kVersionOfSlices) + ")");
        const Json &content = json->at("content");
        CheckpointManifest manifest;
        takeInteger(content.at("step"), manifest.step);
        takeInteger(content.at("tokens"), manifest.tokens);
        takeInteger(content.at("samples"), manifest.samples);
        takeInteger(content.at("seed"), manifest.seed);
        takeInteger(content.at("attempt"), manifest.attempt);
        content.at("config_digest").get_to(manifest.configDigest);
        manifest.model = modelOf(content.at("model"));
        content.at("checksums").get_to(manifest.checksums);
        if (content.contains("shards"))
            manifest.shards = integerOf<int>(content.at("shards"));
        if (content.contains("parts"))
            manifest.parts = partsOf(content.at("parts"));
        manifest.shapes = shapesIn(content);
        if (json->at("checksum").get<std::string>() != checksumOfText(contentOf(manifest).dump()))
            return damaged("its checksum does not match");
        if (manifest.step < 0 || manifest.tokens < 0)
            return damaged("has a position before the start");
        if (manifest.shards < 1 || manifest.shards > kMostShards)
            return damaged("was written by " + std::to_string(manifest.shards) + " ranks");
        return manifest;
    } catch (const std::exception &exception) {
        return damaged(std::string("lacks a field or has a value of another type: ") + exception.what());
    }
}

} // namespace slipway
