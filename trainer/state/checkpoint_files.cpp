// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "state/checkpoint_files.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/file.h"

namespace slipway {

namespace {

std::int64_t elementsOf(const TensorEntry &entry) { return (entry.end - entry.begin) / sizeOf(TensorType::F32); }

} // namespace

std::string shardFileName(std::string_view stem, ShardPlace place)
{
    return place.count == 1 ? fmt::format("{}.safetensors", stem)
                            : fmt::format("{}-{:05}-of-{:05}.safetensors", stem, place.index + 1, place.count);
}

std::string shardRecordName(ShardPlace place)
{
    return fmt::format("shard-{:05}-of-{:05}.json", place.index + 1, place.count);
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
    const Result<std::string> text = readFile(path / kManifestFile, kLargestManifest);
    if (!text)
        return folder.damaged("has no readable manifest.json");
    Result<CheckpointManifest> manifest = manifestFromJson(*text, (path / kManifestFile).string());
    if (!manifest)
        return manifest.error();
    folder.m_manifest = std::move(*manifest);
    for (int shard = 0; shard < folder.m_manifest.shards; ++shard) {
        Result<SafetensorsFile> model = SafetensorsFile::open(folder.pathOf(true, shard)),
                                optimizer = SafetensorsFile::open(folder.pathOf(false, shard));
        if (!model || !optimizer)
            return folder.damaged((model ? optimizer : model).error().message());
        folder.m_shards.push_back({std::move(*model), std::move(*optimizer)});
    }
    folder.m_parts = folder.m_manifest.parts;
    if (folder.m_manifest.shards == 1) {
        for (const TensorEntry &entry : folder.m_shards.front().model.header().tensors)
            folder.m_parts[entry.name] = {{.shard = 0, .first = 0, .count = elementsOf(entry)}};
    }
    for (auto &[name, parts] : folder.m_parts) {
        for (const TensorPart &part : parts) {
            if (part.shard < 0 || part.shard >= folder.m_manifest.shards || part.first < 0 || part.count < 1)
                return folder.damaged("its manifest places " + name + " nowhere");
        }
        std::sort(
            parts.begin(), parts.end(), [](const TensorPart &a, const TensorPart &b) { return a.first < b.first; });
    }
    return folder;
}

Result<CheckpointFolder::Stored> CheckpointFolder::find(
    bool ofModel, const std::string &name, const TensorPart &part) const
{
    const Shard &shard = m_shards[static_cast<std::size_t>(part.shard)];
    const SafetensorsFile &file = ofModel ? shard.model : shard.optimizer;
    const TensorEntry *const entry = file.find(name);
    const auto fault = [&](std::string what) {
        return Error{.what = std::move(what), .where = pathOf(ofModel, part.shard).string(), .fault = Fault::Damaged};
    };
    if (!entry)
        return fault("lacks the tensor " + name);
    if (entry->type != TensorType::F32 || elementsOf(*entry) != part.count)
        return fault("tensor " + name + " has another type or shape");
    return Stored{.file = &file, .entry = entry};
}

Result<void> CheckpointFolder::verify(bool ofModel, const std::string &name, const TensorPart &part) const
{
    const Result<Stored> stored = find(ofModel, name, part);
    if (!stored)
        return stored.error();
    const Result<std::string> checksum = stored->file->checksum(*stored->entry);
    if (!checksum)
        return checksum.error();
    const std::filesystem::path path = pathOf(ofModel, part.shard);
    const auto expected = m_manifest.checksums.find(path.filename().string() + "/" + name);
    if (expected == m_manifest.checksums.end() || expected->second != *checksum)
        return Error{.what = "the checksum of tensor " + name + " does not hold",
            .where = path.string(),
            .fault = Fault::Damaged};
    return {};
}

bool CheckpointFolder::keeps(const std::string &state, const TensorPart &part) const
{
    return m_manifest.checksums.contains(pathOf(false, part.shard).filename().string() + "/" + state);
}

Result<void> CheckpointFolder::verify(const std::function<void()> &reportProgress) const
{
    for (const auto &[name, parts] : m_parts) {
        std::int64_t next = 0;
        for (const TensorPart &part : parts) {
            if (part.first != next)
                return damaged(
                    "lacks elements " + std::to_string(next) + " to " + std::to_string(part.first) + " of " + name);
            next += part.count;
            Result<void> held = verify(true, name, part);
            for (const std::string_view state : {kMomentum, kVariance, kAverage}) {
                const std::string tensor = std::string(state) + name;
                if (held && (state == kMomentum || keeps(tensor, part)))
                    held = verify(false, tensor, part);
            }
            if (!held)
                return held;
            if (reportProgress)
                reportProgress();
        }
    }
    return {};
}

Result<void> CheckpointFolder::copy(
    std::span<const CheckpointTensor> tensors, const std::function<void()> &reportProgress) const
{
    struct Copy {
        Stored from;
        Bytes offset; // in the tensor
        std::span<float> to;
    };
    std::vector<Copy> copies;
    for (const CheckpointTensor &tensor : tensors) {
        if (tensor.slice)
            return damaged("cannot be read in slices of " + tensor.name);
        const auto found = m_parts.find(tensor.name);
        if (found == m_parts.end())
            return damaged("lacks the tensor " + tensor.name);
        const auto end = tensor.first + static_cast<std::int64_t>(tensor.weight.size());
        std::int64_t covered = tensor.first;
        for (const TensorPart &part : found->second) {
            const std::int64_t from = std::max(part.first, tensor.first), to = std::min(part.first + part.count, end);
            if (from >= to)
                continue;
            covered = to;
            const auto take = [&](bool ofModel, const std::string &name, std::span<float> into) -> Result<void> {
                const Result<Stored> stored = find(ofModel, name, part);
                if (!stored)
                    return stored.error();
                copies.push_back({.from = *stored,
                    .offset = (from - part.first) * sizeOf(TensorType::F32),
                    .to = into.subspan(
                        static_cast<std::size_t>(from - tensor.first), static_cast<std::size_t>(to - from))});
                return {};
            };
            const std::string variance = std::string(kVariance) + tensor.name,
                              average = std::string(kAverage) + tensor.name;
            const bool keepsVariance = keeps(variance, part), asksStates = !tensor.momentum.empty();
            if (asksStates && m_manifest.step > 0 && keepsVariance == tensor.variance.empty())
                return Error{.what = "was written with another optimizer, which " +
                                     std::string(keepsVariance ? "keeps " : "lacks ") + variance,
                    .where = m_folder.string(),
                    .accepted = "optimizer: " + std::string(keepsVariance ? "adamw" : "muon")};
            Result<void> taken = take(true, tensor.name, tensor.weight);
            if (taken && asksStates)
                taken = take(false, std::string(kMomentum) + tensor.name, tensor.momentum);
            if (taken && keepsVariance && !tensor.variance.empty())
                taken = take(false, variance, tensor.variance);
            if (taken && !tensor.average.empty())
                taken = keeps(average, part) ? take(false, average, tensor.average)
                                             : take(true, tensor.name, tensor.average);
            if (!taken)
                return taken;
        }
        if (covered != end)
            return damaged("tensor " + tensor.name + " has another shape");
    }
    for (const Copy &copy : copies) {
        if (const Result<void> read =
                copy.from.file->read(*copy.from.entry, copy.offset, std::as_writable_bytes(copy.to));
            !read)
            return read;
        if (reportProgress)
            reportProgress();
    }
    return {};
}

} // namespace slipway
