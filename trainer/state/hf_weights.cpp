// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "state/hf_weights.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <fmt/ranges.h>
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
#include "base/json_location.h"
#include "data/input_file.h"
#include "model/hf_config.h"
#include "model/hf_names.h"
#include "state/checkpoint_files.h"
#include "state/hf_layout.h"
#include "state/safetensors.h"

namespace slipway {

namespace {

namespace fs = std::filesystem;

constexpr const char *kSingleFile = "model.safetensors", *kIndexFile = "model.safetensors.index.json";

std::int64_t elementsOf(const std::vector<std::int64_t> &shape)
{
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

// The files that contain the weights.
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
    const Result<std::string> text = readPackedFile(folder / kIndexFile);
    if (!text)
        return text.error();
    const Result<nlohmann::json> json = parseJsonFile(*text, (folder / kIndexFile).string());
    if (!json)
        return damagedFile(json.error().where, json.error().what);
    if (!json->is_object() || !json->contains("weight_map") || !json->at("weight_map").is_object())
        return damagedFile(
            jsonLocation((folder / kIndexFile).string(), *text, "weight_map"), "is not an index of weights");
    std::set<fs::path> files;
    for (const auto &[name, file] : json->at("weight_map").items()) {
        const fs::path path = file.is_string() ? fs::path(file.get<std::string>()) : fs::path();
        if (path.empty() || path.has_parent_path())
            return damagedFile(jsonLocation((folder / kIndexFile).string(), *text, "weight_map." + name),
                "names no file for " + name.substr(0, 200));
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

std::string shown(const std::vector<std::int64_t> &shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

// The values of the tensor, converted to fp32.
Result<std::vector<float>> valuesOf(const fs::path &path, const SafetensorsFile &file, const TensorEntry &entry)
{
    std::vector<float> values(static_cast<std::size_t>(elementsOf(entry.shape)));
    const bool wide = entry.type == TensorType::F32;
    std::vector<std::byte> narrow(wide ? 0 : static_cast<std::size_t>(entry.end - entry.begin));
    const std::span<std::byte> bytes = wide ? std::as_writable_bytes(std::span(values)) : std::span(narrow);
    if (const Result<void> read = file.read(entry, 0, bytes); !read)
        return read.error();
    if (entry.type == TensorType::BF16)
        widen<std::uint16_t>(bytes, values, fromBf16);
    else if (entry.type == TensorType::F16)
        widen<std::uint16_t>(bytes, values, fromFp16);
    else if (!wide)
        return damagedFile(path, "weight " + entry.name + " is of type " + std::string(enumName(entry.type)) +
                                     " (this program reads F32, BF16, F16)");
    return values;
}

// Fills our weights from the tensors of Hugging Face's files, one at a time.
class Filling {
public:
    explicit Filling(const ModelSpec &model) : m_model(model), m_weights(weightsOf(model)), m_tensors(hfTensors(model))
    {
        for (HfWeight &weight : m_weights)
            m_ours[weight.name] = &weight;
        for (const HfTensor &tensor : m_tensors)
            m_theirs[tensor.name] = &tensor;
    }

    Result<void> take(const fs::path &path, const SafetensorsFile &file, const TensorEntry &entry)
    {
        const auto wanted = m_theirs.find(wholeHfName(m_model, entry.name));
        if (wanted == m_theirs.end()) {
            if (isDerivedHfTensor(m_model, entry.name))
                return {};
            return damagedFile(
                path, "holds the weight " + entry.name + ", which the model of config.json does not have");
        }
        const HfTensor &tensor = *wanted->second;
        if (entry.shape != tensor.shape)
            return damagedFile(path, "weight " + entry.name + " has the shape " + shown(entry.shape) +
                                         ", but config.json says " + shown(tensor.shape));
        Result<std::vector<float>> values = valuesOf(path, file, entry);
        if (!values)
            return values.error();
        fill(tensor, std::move(*values));
        return {};
    }

    // Returns an error if a weight is missing.
    Result<std::vector<HfWeight>> finish(const fs::path &folder)
    {
        for (const HfTensor &tensor : m_tensors) {
            if (m_ours.at(tensor.parts.front().name)->values.empty())
                return damagedFile(folder, "lacks the weight " + tensor.name);
        }
        return std::move(m_weights);
    }

private:
    void fill(const HfTensor &tensor, std::vector<float> values)
    {
        if (isOneWeight(tensor)) {
            m_ours.at(tensor.parts.front().name)->values = std::move(values);
            return;
        }
        std::vector<float *> parts;
        for (const ModelWeight &part : tensor.parts) {
            std::vector<float> &to = m_ours.at(part.name)->values;
            to.resize(static_cast<std::size_t>(elementsOf(part.shape)));
            parts.push_back(to.data());
        }
        splitIntoParts(tensor, values, parts);
    }

    const ModelSpec &m_model;
    std::vector<HfWeight> m_weights;
    std::vector<HfTensor> m_tensors;
    std::map<std::string, HfWeight *, std::less<>> m_ours;
    std::map<std::string, const HfTensor *, std::less<>> m_theirs;
};

using ByName = std::map<std::string_view, const HfWeight *>;

ByName byName(std::span<const HfWeight> weights)
{
    ByName all;
    for (const HfWeight &weight : weights)
        all[weight.name] = &weight;
    return all;
}

std::vector<float> joined(const HfTensor &tensor, const ByName &weights)
{
    std::vector<const float *> parts;
    for (const ModelWeight &part : tensor.parts)
        parts.push_back(weights.at(part.name)->values.data());
    return joinedParts(tensor, parts);
}

// The contents of a file, as bytes that live as long as this object.
class FileContent {
public:
    FileContent(const ModelSpec &model, std::span<const HfWeight> weights, ExportType type)
    {
        const ByName ours = byName(weights);
        for (const HfTensor &tensor : hfTensors(model)) {
            if (isOneWeight(tensor))
                add(tensor, ours.at(tensor.parts.front().name)->values, type);
            else if (type == ExportType::Fp32)
                add(tensor, m_wide.emplace_back(joined(tensor, ours)), type);
            else
                add(tensor, joined(tensor, ours), type);
        }
    }
    [[nodiscard]] const std::vector<TensorToWrite> &tensors() const { return m_tensors; }

private:
    void add(const HfTensor &tensor, const std::vector<float> &values, ExportType type)
    {
        TensorToWrite entry{.name = tensor.name, .shape = tensor.shape, .data = std::as_bytes(std::span(values))};
        if (type == ExportType::Bf16) {
            std::vector<std::uint16_t> &bits = m_bf16.emplace_back(values.size());
            std::transform(values.begin(), values.end(), bits.begin(), toBf16);
            entry.type = TensorType::BF16;
            entry.data = std::as_bytes(std::span(bits));
        }
        m_tensors.push_back(std::move(entry));
    }

    std::deque<std::vector<float>> m_wide;
    std::deque<std::vector<std::uint16_t>> m_bf16;
    std::vector<TensorToWrite> m_tensors;
};

Result<void> checkNew(const fs::path &folder)
{
    std::error_code error;
    for (const char *name : {kSingleFile, kIndexFile, "config.json"}) {
        if (fs::exists(folder / name, error))
            return Error{.what = "holds a " + std::string(name) + " already",
                .where = folder.string(),
                .accepted = "a new folder"};
    }
    return {};
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

bool keepsAverage(const CheckpointManifest &manifest)
{
    return std::any_of(manifest.checksums.begin(), manifest.checksums.end(),
        [](const auto &entry) { return entry.first.find("/" + std::string(kAverage)) != std::string::npos; });
}

std::vector<HfWeight> weightsOf(const ModelSpec &model)
{
    std::vector<HfWeight> weights;
    for (ModelWeight &weight : modelWeights(model))
        weights.push_back({.name = std::move(weight.name), .shape = std::move(weight.shape), .values = {}});
    return weights;
}

std::vector<HfWeight> asHfTensors(const ModelSpec &model, const std::vector<HfWeight> &weights)
{
    const ByName ours = byName(weights);
    std::vector<HfWeight> all;
    for (const HfTensor &tensor : hfTensors(model))
        all.push_back({.name = tensor.name, .shape = tensor.shape, .values = joined(tensor, ours)});
    return all;
}

Result<NewestWeights> newestWeights(
    const fs::path &run, const CheckpointStore &store, const ModelSpec &model, WeightsOf which)
{
    const Result<ChosenCheckpoint> chosen = store.choose(model);
    if (!chosen)
        return chosen.error();
    if (!chosen->saved)
        return Error{.what = "has no checkpoint yet", .where = run.string(), .accepted = "a run that has written one"};
    if (which == WeightsOf::Average && !keepsAverage(*chosen->manifest))
        return Error{.what = "has no moving average of the weights",
            .where = chosen->saved->folder.string(),
            .accepted = "a run with ema: 0.999 or the like, or the weights themselves"};
    NewestWeights newest{.step = chosen->saved->step, .weights = weightsOf(model)};
    std::vector<CheckpointTensor> tensors;
    for (HfWeight &weight : newest.weights) {
        weight.values.resize(static_cast<std::size_t>(elementsOf(weight.shape)));
        tensors.push_back({.name = weight.name, .shape = weight.shape, .weight = weight.values});
        // The average is read after the weight, into the same memory.
        if (which == WeightsOf::Average)
            tensors.back().average = weight.values;
    }
    const Result<void> filled = store.read(*chosen->saved, tensors);
    return filled ? Result<NewestWeights>(std::move(newest)) : Result<NewestWeights>(filled.error());
}

Result<std::vector<HfWeight>> readHfWeights(const fs::path &folder, const ModelSpec &model)
{
    const Result<std::vector<fs::path>> files = weightFiles(folder);
    if (!files)
        return files.error();
    Filling filling(model);
    for (const fs::path &path : *files) {
        const Result<SafetensorsFile> file = SafetensorsFile::open(path);
        if (!file)
            return file.error();
        for (const TensorEntry &entry : file->header().tensors) {
            if (const Result<void> taken = filling.take(path, *file, entry); !taken)
                return taken.error();
        }
    }
    return filling.finish(folder);
}

Result<void> writeHfFolder(const fs::path &folder, const ModelSpec &model, std::span<const HfWeight> weights,
    ExportType type, std::int64_t positions, const HfMarks &marks)
{
    const Result<std::string> config = hfConfigOf(
        model, {.type = type == ExportType::Bf16 ? "bfloat16" : "float32", .positions = positions, .marks = marks});
    if (!config)
        return config.error();
    if (Result<void> checked = checkNew(folder); !checked)
        return checked;
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        return Error{
            .what = "cannot create the folder: " + error.message(), .where = folder.string(), .fault = Fault::Outside};
    const FileContent content(model, weights, type);
    if (Result<void> written = writeSafetensors(folder / kSingleFile, content.tensors(), {{"format", "pt"}}); !written)
        return written;
    return writeNamedFile(folder / "config.json", *config);
}

} // namespace slipway
