// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "state/checkpoint_files.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/file.h"
#include "state/checkpoint_parts.h"
#include "state/checkpoint_reader.h"

namespace slipway {

namespace {

std::int64_t elementsOf(const TensorEntry &entry) { return (entry.end - entry.begin) / sizeOf(TensorType::F32); }

SliceRun runOf(const TensorPart &part, const WeightSlice &whole)
{
    return {.slice = part.slice.value_or(whole), .first = part.first, .count = part.count};
}

} // namespace

std::string shardFileName(std::string_view stem, ShardPosition position)
{
    return position.count == 1 ? fmt::format("{}.safetensors", stem)
                               : fmt::format("{}-{:05}-of-{:05}.safetensors", stem, position.index + 1, position.count);
}

std::string shardRecordName(ShardPosition position)
{
    return fmt::format("shard-{:05}-of-{:05}.json", position.index + 1, position.count);
}

SliceRun runOf(const CheckpointTensor &tensor)
{
    return {.slice = tensor.slice.value_or(wholeSlice(tensor.shape)),
        .first = tensor.first,
        .count = std::ssize(tensor.weight)};
}

Error CheckpointFolder::damaged(std::string what) const
{
    return {.what = std::move(what), .where = m_folder.string(), .fault = Fault::Damaged};
}

std::filesystem::path CheckpointFolder::pathOf(bool ofModel, int shard) const
{
    return m_folder / shardFileName(ofModel ? "model" : "optimizer", {.index = shard, .count = m_manifest.shards});
}

Result<CheckpointFolder> CheckpointFolder::open(const std::filesystem::path &path)
{
    CheckpointFolder folder;
    folder.m_folder = path;
    const Result<std::string> text = readPrivateFile(path / kManifestFile, kLargestManifest);
    if (!text)
        return folder.damaged("has no readable manifest.json");
    Result<CheckpointManifest> manifest = manifestFromJson(*text, (path / kManifestFile).string());
    if (!manifest)
        return manifest.error();
    folder.m_manifest = std::move(*manifest);
    folder.m_parts = folder.m_manifest.parts;
    if (folder.m_manifest.shards == 1 && folder.m_parts.empty()) {
        const Result<SafetensorsFile> model = SafetensorsFile::open(folder.pathOf(true, 0));
        if (!model)
            return folder.damaged(model.error().message());
        for (const TensorEntry &entry : model->header().tensors)
            folder.m_parts[entry.name] = {{.shard = 0, .first = 0, .count = elementsOf(entry)}};
    }
    return folder;
}

bool CheckpointFolder::keeps(const std::string &state, const TensorPart &part) const
{
    return m_manifest.checksums.contains(pathOf(false, part.shard).filename().string() + "/" + state);
}

// A missing average is read from the weight.
std::optional<CheckpointFolder::Source> CheckpointFolder::sourceOf(
    const Wanted &wanted, const StoredValues &values) const
{
    if (wanted.tensor && (wanted.tensor->*values.place).empty())
        return std::nullopt;
    Source source{.ofModel = values.ofModel, .name = std::string(values.prefix) + *wanted.name};
    if (values.always || keeps(source.name, *wanted.part))
        return source;
    return wanted.tensor && values.prefix == kAverage ? std::optional(Source{.ofModel = true, .name = *wanted.name})
                                                      : std::nullopt;
}

// Every optimizer stores a momentum. If the manifest does not list it, a file is missing, which is reported elsewhere.
Result<void> CheckpointFolder::checkOptimizer(const CheckpointTensor &tensor, const TensorPart &part) const
{
    const std::string variance = std::string(kVariance) + tensor.name;
    if (!keeps(std::string(kMomentum) + tensor.name, part))
        return {};
    const bool keepsVariance = keeps(variance, part), asksStates = !tensor.momentum.empty();
    if (!asksStates || m_manifest.step == 0 || keepsVariance != tensor.variance.empty())
        return {};
    return Error{.what = "was written with another optimizer, which " +
                         std::string(keepsVariance ? "keeps " : "lacks ") + variance,
        .where = m_folder.string(),
        .accepted = "optimizer: " + std::string(keepsVariance ? "adamw" : "muon")};
}

Result<void> CheckpointFolder::inFile(bool ofModel, int shard, std::span<const Wanted> wanted, const Use &use) const
{
    const std::filesystem::path path = pathOf(ofModel, shard);
    const Result<SafetensorsFile> file = SafetensorsFile::open(path);
    if (!file)
        return damaged(file.error().message());
    const auto fault = [&](std::string what) {
        return Error{.what = std::move(what), .where = path.string(), .fault = Fault::Damaged};
    };
    for (const Wanted &part : wanted) {
        for (const StoredValues &values : kStoredValues) {
            const std::optional<Source> source = sourceOf(part, values);
            if (!source || source->ofModel != ofModel)
                continue;
            const TensorEntry *const entry = file->find(source->name);
            if (!entry)
                return fault("lacks the tensor " + source->name);
            if (entry->type != TensorType::F32 || elementsOf(*entry) != part.part->count)
                return fault("tensor " + source->name + " has another type or shape");
            if (Result<void> used = use(*file, *entry, part, values); !used)
                return used;
        }
    }
    return {};
}

Result<void> CheckpointFolder::inFiles(std::vector<Wanted> wanted, bool everyFile, const Use &use) const
{
    std::stable_sort(
        wanted.begin(), wanted.end(), [](const Wanted &a, const Wanted &b) { return a.part->shard < b.part->shard; });
    auto begin = wanted.begin();
    for (int shard = 0; shard < m_manifest.shards && (everyFile || begin != wanted.end()); ++shard) {
        const auto end =
            std::find_if(begin, wanted.end(), [shard](const Wanted &part) { return part.part->shard != shard; });
        for (const bool ofModel : {true, false}) {
            const bool needed = std::any_of(begin, end, [this, ofModel](const Wanted &part) {
                return std::any_of(kStoredValues.begin(), kStoredValues.end(), [&](const StoredValues &values) {
                    const std::optional<Source> source = sourceOf(part, values);
                    return source && source->ofModel == ofModel;
                });
            });
            Result<void> done = everyFile || needed ? inFile(ofModel, shard, {begin, end}, use) : Result<void>();
            if (!done)
                return done;
        }
        begin = end;
    }
    return {};
}

Result<WeightSlice> CheckpointFolder::checkedParts(const std::string &name) const
{
    const auto found = m_parts.find(name);
    if (found == m_parts.end())
        return damaged("lacks the tensor " + name);
    const auto shape = m_manifest.shapes.find(name);
    PartsOfWeight weight{.name = name, .shape = {}, .parts = found->second};
    if (shape != m_manifest.shapes.end())
        weight.shape = shape->second;
    return checkParts(
        weight, m_manifest.shards, m_folder / kManifestFile, [this](int shard) { return pathOf(true, shard); });
}

Result<void> CheckpointFolder::verify(const std::function<void()> &reportProgress) const
{
    std::vector<Wanted> all;
    for (const auto &[name, parts] : m_parts) {
        if (const Result<WeightSlice> whole = checkedParts(name); !whole)
            return whole.error();
        for (const TensorPart &part : parts)
            all.push_back({.name = &name, .part = &part});
    }
    return inFiles(std::move(all), true,
        [&](const SafetensorsFile &file, const TensorEntry &entry, const Wanted &wanted,
            const StoredValues &values) -> Result<void> {
            const Result<std::string> checksum = file.checksum(entry);
            if (!checksum)
                return checksum.error();
            const std::filesystem::path path = pathOf(values.ofModel, wanted.part->shard);
            const auto expected = m_manifest.checksums.find(path.filename().string() + "/" + entry.name);
            if (expected == m_manifest.checksums.end() || expected->second != *checksum)
                return Error{.what = "the checksum of tensor " + entry.name + " does not match",
                    .where = path.string(),
                    .fault = Fault::Damaged};
            if (reportProgress)
                reportProgress();
            return {};
        });
}

// Adds the parts that have elements of the tensor.
Result<void> CheckpointFolder::addWanted(const CheckpointTensor &tensor, std::vector<Wanted> &wanted) const
{
    const Result<WeightSlice> checked = checkedParts(tensor.name);
    if (!checked)
        return checked.error();
    const WeightSlice whole = wholeSlice(tensor.shape);
    const auto shape = m_manifest.shapes.find(tensor.name);
    const bool sameShape = shape == m_manifest.shapes.end() || shape->second == tensor.shape;
    if (!sameShape || checked->elements() != whole.elements() || !liesWithin(runOf(tensor), whole))
        return damaged("tensor " + tensor.name + " has another shape");
    const auto &[name, parts] = *m_parts.find(tensor.name);
    for (const TensorPart &part : parts) {
        bool shares = false;
        forEachShared(
            runOf(part, whole), runOf(tensor), [&shares](std::int64_t, std::int64_t, std::int64_t) { shares = true; });
        if (!shares)
            continue;
        if (Result<void> same = checkOptimizer(tensor, part); !same)
            return same;
        wanted.push_back({.name = &name, .part = &part, .tensor = &tensor});
    }
    return {};
}

Result<void> CheckpointFolder::copy(
    std::span<const CheckpointTensor> tensors, const std::function<void()> &reportProgress) const
{
    std::vector<Wanted> wanted;
    for (const CheckpointTensor &tensor : tensors) {
        Result<void> added = tensor.weight.empty() ? Result<void>() : addWanted(tensor, wanted);
        if (!added)
            return added;
    }
    const auto nothing = [](const SafetensorsFile &, const TensorEntry &, const Wanted &, const StoredValues &) {
        return Result<void>();
    };
    if (Result<void> complete = inFiles(wanted, false, nothing); !complete)
        return complete;
    return inFiles(std::move(wanted), false,
        [&](const SafetensorsFile &file, const TensorEntry &entry, const Wanted &part, const StoredValues &values) {
            const CheckpointTensor &tensor = *part.tensor;
            Result<void> read = readShared(
                file, entry, runOf(*part.part, wholeSlice(tensor.shape)), runOf(tensor), tensor.*values.place);
            if (reportProgress)
                reportProgress();
            return read;
        });
}

} // namespace slipway
