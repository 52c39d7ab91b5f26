// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "state/checkpoint.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <functional>
#include <numeric>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "data/output_file.h"
#include "state/checkpoint_files.h"
#include "data/checksum.h"

namespace slipway {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "step-";
constexpr std::string_view kUnfinished = ".unfinished-";
std::string folderName(std::int64_t step) { return fmt::format("{}{:08}", kPrefix, step); }

Error outside(const fs::path &path, const char *action, const std::string &reason)
{
    return {.what = std::string("cannot ") + action + ": " + reason, .where = path.string(), .fault = Fault::Outside};
}

TensorToWrite fp32(std::string name, const CheckpointTensor &tensor, std::span<const float> data, bool whole)
{
    const auto count = static_cast<std::int64_t>(data.size());
    return {.name = std::move(name),
        .type = TensorType::F32,
        .shape = whole ? tensor.shape : std::vector{count},
        .data = std::as_bytes(data)};
}

std::int64_t elementsOf(const CheckpointTensor &tensor)
{
    return std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::int64_t{1}, std::multiplies<>());
}

Result<void> writeTensors(const fs::path &path, const std::vector<TensorToWrite> &tensors, ShardRecord &record)
{
    for (const TensorToWrite &tensor : tensors)
        record.checksums[path.filename().string() + "/" + tensor.name] = checksumOf(tensor.data);
    return writeSafetensors(path, tensors, {{"format", "pt"}});
}

// Puts `finished` in the place of `target`, which may be there from an earlier attempt. 0 or an errno.
int moveIntoPlace(const fs::path &finished, const fs::path &target)
{
    if (::rename(finished.c_str(), target.c_str()) == 0)
        return 0;
    if (errno != ENOTEMPTY && errno != EEXIST)
        return errno;
    // Both names are exchanged in one go: at no moment is there no checkpoint of this step.
    return ::renameat2(AT_FDCWD, finished.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0 ? 0 : errno;
}

} // namespace

std::vector<SavedCheckpoint> CheckpointStore::list() const
{
    std::vector<SavedCheckpoint> found;
    std::error_code error;
    for (fs::directory_iterator entry(m_directory, error), end; !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        const auto step =
            name.starts_with(kPrefix) ? parseInteger(std::string_view(name).substr(kPrefix.size())) : std::nullopt;
        if (step && *step >= 0 && folderName(*step) == name)
            found.push_back({.step = *step, .folder = entry->path()});
    }
    std::sort(
        found.begin(), found.end(), [](const SavedCheckpoint &a, const SavedCheckpoint &b) { return a.step > b.step; });
    return found;
}

SavedCheckpoint CheckpointStore::at(std::int64_t step) const
{
    return {.step = step, .folder = m_directory / folderName(step)};
}

fs::path CheckpointStore::unfinished(std::int64_t step) const
{
    return m_directory / (std::string(kUnfinished) + folderName(step));
}

Result<void> CheckpointStore::begin(std::int64_t step) const
{
    std::error_code error;
    fs::remove_all(unfinished(step), error);
    fs::create_directories(unfinished(step), error);
    return error ? Result<void>(outside(unfinished(step), "make the folder", error.message())) : Result<void>();
}

void CheckpointStore::abandon(std::int64_t step) const
{
    std::error_code ignored;
    fs::remove_all(unfinished(step), ignored);
}

Result<void> CheckpointStore::writeShard(
    std::int64_t step, ShardPlace place, std::span<const CheckpointTensor> tensors) const
{
    std::vector<TensorToWrite> model, optimizer;
    ShardRecord record;
    for (const CheckpointTensor &tensor : tensors) {
        const auto count = static_cast<std::int64_t>(tensor.weight.size());
        const bool whole = count == elementsOf(tensor);
        model.push_back(fp32(tensor.name, tensor, tensor.weight, whole));
        optimizer.push_back(fp32(std::string(kMomentum) + tensor.name, tensor, tensor.momentum, whole));
        optimizer.push_back(fp32(std::string(kVariance) + tensor.name, tensor, tensor.variance, whole));
        record.parts[tensor.name].push_back({.shard = place.index, .first = tensor.first, .count = count});
    }
    Result<void> written = writeTensors(unfinished(step) / shardFileName("model", place), model, record);
    if (written)
        written = writeTensors(unfinished(step) / shardFileName("optimizer", place), optimizer, record);
    return written ? writeFileAtomically(unfinished(step) / shardRecordName(place), toJson(record)) : written;
}

Result<SavedCheckpoint> CheckpointStore::finish(CheckpointManifest manifest, int shards, int keep) const
{
    const fs::path folder = unfinished(manifest.step), target = at(manifest.step).folder;
    std::error_code error;
    manifest.shards = shards;
    for (int shard = 0; shard < shards; ++shard) {
        const fs::path path = folder / shardRecordName({.index = shard, .count = shards});
        const Result<std::string> text = readFile(path);
        const Result<ShardRecord> record =
            text ? shardRecordFromJson(*text, path.string()) : Result<ShardRecord>(text.error());
        if (!record)
            return outside(path, "read", record.error().what);
        manifest.checksums.insert(record->checksums.begin(), record->checksums.end());
        for (const auto &[name, parts] : record->parts)
            manifest.parts[name].insert(manifest.parts[name].end(), parts.begin(), parts.end());
        fs::remove(path, error);
    }
    const Result<void> written = writeFileAtomically(folder / kManifestFile, toJson(manifest));
    const int moved = written ? moveIntoPlace(folder, target) : 0;
    fs::remove_all(folder, error); // what failed, or what was exchanged
    if (!written)
        return written.error();
    if (moved != 0)
        return outside(target, "rename", systemMessage(moved));
    syncFolder(m_directory);
    if (Result<void> latest = writeFileAtomically(m_directory / "latest", target.filename().string() + "\n"); !latest)
        return latest.error();

    const std::vector<SavedCheckpoint> all = list();
    for (std::size_t i = static_cast<std::size_t>(std::max(keep, 1)); i < all.size(); ++i) {
        if (all[i].step < manifest.step)
            fs::remove_all(all[i].folder, error);
    }
    return at(manifest.step);
}

Result<SavedCheckpoint> CheckpointStore::save(
    CheckpointManifest manifest, std::span<const CheckpointTensor> tensors, int keep) const
{
    const std::int64_t step = manifest.step;
    Result<void> written = begin(step);
    if (written)
        written = writeShard(step, {}, tensors);
    Result<SavedCheckpoint> saved =
        written ? finish(std::move(manifest), 1, keep) : Result<SavedCheckpoint>(written.error());
    if (!saved)
        abandon(step);
    return saved;
}

Result<ChosenCheckpoint> CheckpointStore::choose(
    const ModelSpec &model, const std::function<void()> &reportProgress) const
{
    ChosenCheckpoint chosen;
    for (const SavedCheckpoint &saved : list()) {
        const Result<CheckpointFolder> folder = CheckpointFolder::open(saved.folder);
        if (folder) {
            if (const std::string difference = differenceOf(folder->manifest().model, model); !difference.empty())
                return Error{.what = "is a checkpoint of another model: " + difference,
                    .where = saved.folder.string(),
                    .accepted = "the model of this run's run.yaml",
                    .fault = Fault::Damaged};
        }
        const Result<void> whole = folder ? folder->verify(reportProgress) : Result<void>(folder.error());
        if (whole) {
            chosen.saved = saved;
            chosen.manifest = folder->manifest();
            return chosen;
        }
        chosen.passedOver.push_back(whole.error().message());
    }
    if (!chosen.passedOver.empty()) {
        return Error{.what = "no checkpoint is whole; the newest: " + chosen.passedOver.front(),
            .where = m_directory.string(),
            .accepted = "move the damaged ones away to begin anew",
            .fault = Fault::Damaged};
    }
    return chosen;
}

Result<void> CheckpointStore::read(const SavedCheckpoint &saved, std::span<const CheckpointTensor> tensors,
    const std::function<void()> &reportProgress) const
{
    const Result<CheckpointFolder> folder = CheckpointFolder::open(saved.folder);
    return folder ? folder->copy(tensors, reportProgress) : Result<void>(folder.error());
}

Result<ChosenCheckpoint> CheckpointStore::restore(
    const ModelSpec &model, std::span<const CheckpointTensor> tensors) const
{
    Result<ChosenCheckpoint> chosen = choose(model);
    if (!chosen || !chosen->saved)
        return chosen;
    const Result<void> filled = read(*chosen->saved, tensors);
    return filled ? std::move(chosen) : Result<ChosenCheckpoint>(filled.error());
}

void CheckpointStore::removeUnfinished() const
{
    std::error_code error;
    std::vector<fs::path> leftovers;
    for (fs::directory_iterator entry(m_directory, error), end; !error && entry != end; entry.increment(error)) {
        if (entry->path().filename().string().starts_with(kUnfinished))
            leftovers.push_back(entry->path());
    }
    for (const fs::path &leftover : leftovers)
        fs::remove_all(leftover, error);
}

} // namespace slipway
