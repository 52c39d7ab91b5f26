// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/hf_config.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/json_location.h"
#include "base/text.h"
#include "base/visible_text.h"
#include "model/families.h"
#include "model/hf_keys.h"
#include "model/model_fields.h"
#include "model/validate_model.h"

namespace slipway {

namespace {

using Json = nlohmann::json;
using Out = nlohmann::ordered_json;

// The depth of a config.json is 3.
constexpr Bytes kLargestConfig = kMiB;
constexpr const char *kAcceptedConfig = "the config.json of a Hugging Face model";

Result<Json> parseConfig(std::string_view text, const std::string &where)
{
    Result<Json> json = parseJsonFile(text, where, {.bytes = kLargestConfig, .depth = 16});
    if (json && json->is_object())
        return json;
    return Error{.what = json ? "is not a JSON object" : json.error().what,
        .where = json ? jsonLocation(where, text, "") : json.error().where,
        .accepted = kAcceptedConfig};
}

void checkFixed(HfReader &reader, const HfFixed &fixed)
{
    const Json *value = reader.value(fixed.key);
    const Result<Json> accepted = parseJson(fixed.json, {.bytes = 1000, .depth = 4, .values = 100, .keys = 20});
    if (value && (!accepted || *value != *accepted))
        reader.fail(fixed.key, fmt::format("'{}' is {}, which is not supported", fixed.key, HfReader::shown(*value)),
            std::string(fixed.json));
}

void readModel(const ModelFamily &family, HfReader &reader, ModelSpec &model)
{
    const HfMapping mapping = mappingOf(family);
    model = familyDefaults(family);
    for (const HfKey &key : mapping.keys) {
        if (key.required)
            reader.require(key.key);
        reader.read(key.key, key.at(model));
    }
    for (const HfPart &part : mapping.parts)
        part.read(reader, model);
    if (model.position != Position::Learned)
        reader.read("max_position_embeddings", &model.contextLength);
    for (const HfFixed &fixed : mapping.fixed)
        checkFixed(reader, fixed);
    for (const std::string_view key : mapping.ignored)
        reader.ignore(key);
    reader.finish(family.type);
}

// Those of a model that sees more than text.
bool seesImages(const Json &json) { return json.contains("vision_config") || json.contains("text_config"); }

// Layer by layer, so that patterns of different lengths compare.
ModelSpec spelledOut(ModelSpec model)
{
    std::vector<LayerKind> kinds;
    for (int layer = 0; layer < model.layers; ++layer)
        kinds.push_back(model.kindOf(layer));
    model.pattern = std::move(kinds);
    return model;
}

struct PlaceToJson {
    Out operator()(const int *place) const { return *place; }
    Out operator()(const double *place) const { return *place; }
    Out operator()(const bool *place) const { return *place; }
    Out operator()(const TextAccessor &place) const { return place.get(); }
};

// What well-known architectures are that no family of decoders can become: they have no KV cache as a decoder has it.
std::string whyNot(std::string_view type)
{
    struct Kind {
        std::string_view what;
        std::vector<std::string_view> types;
    };
    const std::array<Kind, 3> kinds{Kind{"a recurrent model, which has a state instead of a KV cache",
                                        {"mamba", "mamba2", "falcon_mamba", "rwkv", "recurrent_gemma", "xlstm"}},
        Kind{"an encoder, which generates no tokens and has no KV cache",
            {"bert", "roberta", "distilbert", "albert", "deberta-v2", "electra", "modernbert", "vit", "clip"}},
        Kind{"an encoder and a decoder, whose cache also holds the encoder's keys",
            {"t5", "mt5", "bart", "mbart", "marian", "pegasus", "whisper"}}};
    for (const Kind &kind : kinds) {
        if (std::find(kind.types.begin(), kind.types.end(), type) != kind.types.end())
            return ": " + std::string(kind.what);
    }
    return {};
}

// A name for messages and titles: without control characters, and short.
std::string cleaned(std::string_view name)
{
    constexpr std::size_t kLongest = 60;
    std::string clean;
    for (const char c : name.substr(0, 4 * kLongest))
        clean += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    clean = std::string(trimmed(clean));
    return clean.size() <= kLongest ? clean : std::string(utf8Prefix(clean, kLongest)) + "…";
}

// The last part of a path, or "organization/model" of one in the cache of Hugging Face, whose last folder is a hash.
std::string nameInPath(std::string path)
{
    std::replace(path.begin(), path.end(), '\\', '/');
    std::string last;
    for (const std::string_view part : split(path, '/')) {
        constexpr std::string_view kCached = "models--";
        if (part.starts_with(kCached)) {
            std::string name(part.substr(kCached.size()));
            if (const std::size_t organization = name.find("--"); organization != std::string::npos)
                name.replace(organization, 2, "/");
            return cleaned(name);
        }
        if (!trimmed(part).empty())
            last = part;
    }
    return cleaned(last);
}

// The name of a model on the hub, or the last folder if a local path was written.
std::string writtenName(const Json &json)
{
    const auto name = json.find("_name_or_path");
    if (name == json.end() || !name->is_string())
        return {};
    const std::string written = name->get<std::string>();
    const bool onHub = std::count(written.begin(), written.end(), '/') == 1 && written.front() != '/' &&
                       written.front() != '.' && written.front() != '~' && written.back() != '/';
    return onHub ? cleaned(written) : nameInPath(written);
}

// The file's name or, for config.json, that of its folder.
std::string nameOfFile(const std::filesystem::path &path)
{
    std::error_code failure;
    const std::filesystem::path whole = std::filesystem::absolute(path, failure).lexically_normal();
    return nameInPath(path.filename() == "config.json" ? whole.parent_path().string() : path.stem().string());
}

} // namespace

Result<ModelSpec> modelFromHfConfig(std::string_view text, const std::string &where)
{
    const Result<Json> read = parseConfig(text, where);
    if (!read)
        return read.error();
    const Json &json = *read;
    const std::string place = jsonLocation(where, text, "model_type");
    const auto type = json.find("model_type");
    if (type == json.end() || !type->is_string())
        return Error{.what = "the key 'model_type' is missing", .where = place, .accepted = familyNames()};
    const std::string wanted = type->get<std::string>();
    const ModelFamily *family = familyOfType(wanted);
    if (!family && seesImages(json))
        return Error{.what = "'" + wanted.substr(0, 60) + "' is a vision-language model, which is not supported",
            .where = place,
            .accepted = "a text model: " + familyNames()};
    if (!family)
        return Error{.what = "unknown model_type '" + wanted.substr(0, 60) + "'" + whyNot(wanted),
            .where = place,
            .accepted = familyNames()};
    HfReader reader(json, text, where);
    ModelSpec model;
    readModel(*family, reader, model);
    if (const Result<void> valid = reader.error() ? Result<void>() : validateModel(model); !valid)
        reader.failAt(valid.error(), model);
    if (reader.error())
        return *reader.error();
    const std::string name = writtenName(json);
    model.name = name.empty() ? wanted : name;
    return model;
}

Result<ModelSpec> readHfConfig(const std::filesystem::path &path)
{
    const Result<std::string> text = readPackedFile(path, kLargestConfig);
    if (!text)
        return Error{.what = text.error().what,
            .where = text.error().where,
            .accepted = text.error().accepted.empty() ? kAcceptedConfig : text.error().accepted};
    Result<ModelSpec> model = modelFromHfConfig(*text, path.string());
    if (!model)
        return model;
    const std::string type = model->family;
    const std::string found = model->name == type ? nameOfFile(path) : model->name;
    if (!found.empty() && found != type)
        model->name = found + " (" + type + ")";
    return model;
}

Result<std::string> hfConfigOf(const ModelSpec &model, const HfConfigText &text)
{
    const ModelFamily *family = familyOfType(model.family);
    if (!family)
        return Error{
            .what = "unknown architecture '" + model.family + "'", .where = model.name, .accepted = familyNames()};
    if (!family->writtenAs.empty())
        family = familyOfType(family->writtenAs);
    const HfMapping mapping = mappingOf(*family);
    Out json{{"architectures", {family->architecture}}, {"model_type", family->type}};
    ModelSpec source = model;
    for (const HfKey &key : mapping.keys)
        json[std::string(key.key)] = std::visit(PlaceToJson{}, key.at(source));
    if (model.position != Position::Learned)
        json["max_position_embeddings"] = text.positions;
    for (const HfPart &part : mapping.parts)
        part.write(json, model);
    const auto id = [](std::optional<int> mark) { return mark ? Out(*mark) : Out(); };
    json.update(
        Out{{"initializer_range", 0.02}, {"bos_token_id", id(text.marks.bos)}, {"eos_token_id", id(text.marks.eos)},
            {"pad_token_id", nullptr}, {"use_cache", true}, {"torch_dtype", text.type}});
    std::string written = json.dump(2) + "\n";
    Result<ModelSpec> again = modelFromHfConfig(written, "config.json");
    if (!again)
        return again.error();
    again->name = model.name;
    again->family = model.family;
    again->dropout = model.dropout;
    if (const std::string difference = differenceOf(spelledOut(*again), spelledOut(model)); !difference.empty())
        return Error{
            .what = "Transformers' " + std::string(family->architecture) + " computes a different model: " + difference,
            .where = model.name,
            .accepted = "a model that one of these families can express: " + familyNames()};
    return written;
}

} // namespace slipway
