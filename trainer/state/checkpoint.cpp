// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "state/checkpoint.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fmt/format.h>
#include <functional>
#include <set>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "data/output_file.h"
#include "state/checkpoint_files.h"
#include "data/checksum.h"
#include "model/model_fields.h"

namespace slipway {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "step-";
constexpr const char *kLatest = "latest";
constexpr std::string_view kUnfinished = ".unfinished-", kAside = ".replaced-";
std::string folderName(std::int64_t step) { return fmt::format("{}{:08}", kPrefix, step); }

Error outside(const fs::path &path, const char *action, const std::string &reason)
{
    return {.what = std::string("cannot ") + action + ": " + reason, .where = path.string(), .fault = Fault::Outside};
}

// The manifest's entry for the tensor. A run of whole rows is stored as a run of the whole weight.
TensorPart partOf(const CheckpointTensor &tensor, int shard)
{
    TensorPart part{.shard = shard,
        .slice = tensor.slice,
        .first = tensor.first,
        .count = static_cast<std::int64_t>(tensor.weight.size())};
    const std::int64_t columns = wholeSlice(tensor.shape).columns;
    if (part.slice && part.slice->columns == columns) {
        part.first += part.slice->firstRow * columns;
        part.slice.reset();
    }
    return part;
}

Result<void> writeTensors(const fs::path &path, const std::vector<TensorToWrite> &tensors, ShardRecord &record)
{
    for (const TensorToWrite &tensor : tensors)
        record.checksums[path.filename().string() + "/" + tensor.name] = checksumOf(tensor.data);
    return writeSafetensors(path, tensors, {{"format", "pt"}}, FileAccess::Private);
}

// Renames `finished` to `target`. An existing target from an earlier attempt is renamed to `aside` until the new one is
// in place, so that a complete checkpoint exists under one of the two names at any time. Only renaming is required of
// the file system, because NFS cannot exchange two names. Returns 0 or an errno.
int moveIntoPlace(const fs::path &finished, const fs::path &target, const fs::path &aside)
{
    std::error_code ignored;
    const bool replaces = fs::exists(target, ignored);
    if (replaces) {
        fs::remove_all(aside, ignored);
        if (::rename(target.c_str(), aside.c_str()) != 0)
            return errno;
    }
    if (::rename(finished.c_str(), target.c_str()) != 0) {
        const int failure = errno;
        if (replaces)
            ::rename(aside.c_str(), target.c_str());
        return failure;
    }
    syncFolder(target.parent_path());
    fs::remove_all(aside, ignored);
    return 0;
}

// Merges the records of the shards into the manifest.
Result<void> takeRecords(const fs::path &folder, int shards, CheckpointManifest &manifest)
{
    bool sliced = false;
    manifest.shards = shards;
    for (int shard = 0; shard < shards; ++shard) {
        const fs::path path = folder / shardRecordName({.index = shard, .count = shards});
        const Result<std::string> text = readPrivateFile(path, kLargestManifest);
        const Result<ShardRecord> record =
            text ? shardRecordFromJson(*text, path.string()) : Result<ShardRecord>(text.error());
        if (!record)
            return outside(path, "read", record.error().what);
        manifest.checksums.insert(record->checksums.begin(), record->checksums.end());
        for (const auto &[name, parts] : record->parts) {
            manifest.parts[name].insert(manifest.parts[name].end(), parts.begin(), parts.end());
            sliced = sliced || std::any_of(parts.begin(), parts.end(),
                                   [](const TensorPart &part) { return part.slice.has_value(); });
        }
        for (const auto &[name, shape] : record->shapes) {
            if (manifest.shapes.emplace(name, shape).first->second != shape)
                return Error{.what = "gives " + name + " another shape than an earlier shard",
                    .where = path.string(),
                    .fault = Fault::Damaged};
        }
        std::error_code ignored;
        fs::remove(path, ignored);
    }
    if (!sliced)
        manifest.shapes.clear();
    return {};
}

// The steps of folders with names such as PREFIXstep-00000100.
std::vector<std::int64_t> stepsIn(const fs::path &directory, std::string_view prefix)
{
    std::vector<std::int64_t> steps;
    std::error_code error;
    for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        const std::string before = std::string(prefix) + std::string(kPrefix);
        const auto step =
            name.starts_with(before) ? parseInteger(std::string_view(name).substr(before.size())) : std::nullopt;
        if (step && *step >= 0 && std::string(prefix) + folderName(*step) == name)
            steps.push_back(*step);
    }
    return steps;
}

} // namespace

std::vector<SavedCheckpoint> CheckpointStore::list() const
{
    std::set<std::int64_t, std::greater<>> steps;
    for (const std::string_view prefix : {std::string_view(), kAside}) {
        for (const std::int64_t step : stepsIn(m_directory, prefix))
            steps.insert(step);
    }
    std::vector<SavedCheckpoint> found;
    for (const std::int64_t step : steps)
        found.push_back(at(step));
    return found;
}

SavedCheckpoint CheckpointStore::at(std::int64_t step) const
{
    std::error_code ignored;
    const bool onlyAside = !fs::exists(placeOf(step), ignored) && fs::exists(asideOf(step), ignored);
    return {.step = step, .folder = onlyAside ? asideOf(step) : placeOf(step)};
}

fs::path CheckpointStore::placeOf(std::int64_t step) const { return m_directory / folderName(step); }

fs::path CheckpointStore::asideOf(std::int64_t step) const
{
    return m_directory / (std::string(kAside) + folderName(step));
}

fs::path CheckpointStore::unfinished(std::int64_t step) const
{
    return m_directory / (std::string(kUnfinished) + folderName(step));
}

Result<void> CheckpointStore::begin(std::int64_t step) const
{
    std::error_code error;
    fs::remove_all(unfinished(step), error);
    return error ? Result<void>(outside(unfinished(step), "remove the folder", error.message()))
                 : makePrivateFolder(unfinished(step));
}

void CheckpointStore::abandon(std::int64_t step) const
{
    std::error_code ignored;
    fs::remove_all(unfinished(step), ignored);
}

Result<void> CheckpointStore::writeShard(
    std::int64_t step, ShardPosition position, std::span<const CheckpointTensor> tensors) const
{
    std::vector<TensorToWrite> model, optimizer;
    ShardRecord record;
    for (const CheckpointTensor &tensor : tensors) {
        if (tensor.weight.empty())
            continue;
        const WeightSlice whole = wholeSlice(tensor.shape);
        if (!liesWithin(runOf(tensor), whole))
            return outside(unfinished(step), "write", "the part of " + tensor.name + " is outside the weight");
        if (!record.shapes.emplace(tensor.name, tensor.shape).second)
            return outside(unfinished(step), "write", "a shard can hold one part of " + tensor.name);
        const auto count = static_cast<std::int64_t>(tensor.weight.size());
        for (const StoredValues &values : kStoredValues) {
            if ((tensor.*values.place).empty())
                continue;
            (values.ofModel ? model : optimizer)
                .push_back({.name = std::string(values.prefix) + tensor.name,
                    .type = TensorType::F32,
                    .shape = count == whole.elements() ? tensor.shape : std::vector{count},
                    .data = std::as_bytes(tensor.*values.place)});
        }
        record.parts[tensor.name] = {partOf(tensor, position.index)};
    }
    Result<void> written = writeTensors(unfinished(step) / shardFileName("model", position), model, record);
    if (written)
        written = writeTensors(unfinished(step) / shardFileName("optimizer", position), optimizer, record);
    return written ? writePrivateFile(unfinished(step) / shardRecordName(position), toJson(record)) : written;
}

Result<SavedCheckpoint> CheckpointStore::finish(CheckpointManifest manifest, int shards, int keep) const
{
    const fs::path folder = unfinished(manifest.step), target = placeOf(manifest.step);
    if (const Result<void> taken = takeRecords(folder, shards, manifest); !taken)
        return taken.error();
    std::error_code error;
    const std::string text = toJson(manifest);
    if (std::ssize(text) > kLargestManifest)
        return outside(folder / kManifestFile, "write", "it would exceed the size that can be read");
    const Result<void> written = writePrivateFile(folder / kManifestFile, text);
    const int moved = written ? moveIntoPlace(folder, target, asideOf(manifest.step)) : 0;
    fs::remove_all(folder, error); // if an earlier operation failed
    if (!written)
        return written.error();
    if (moved != 0)
        return outside(target, "rename", systemMessage(moved));
    if (const Result<void> published = publish(manifest.step, keep); !published)
        return published.error();
    return at(manifest.step);
}

Result<void> CheckpointStore::publish(std::int64_t step, int keep) const
{
    const std::string name = folderName(step) + "\n";
    if (readFile(m_directory / kLatest, std::ssize(name)).valueOr("") != name) {
        if (const Result<void> latest = writePrivateFile(m_directory / kLatest, name); !latest)
            return latest;
    }
    const std::vector<SavedCheckpoint> all = list();
    std::error_code ignored;
    for (std::size_t i = static_cast<std::size_t>(std::max(keep, 1)); i < all.size(); ++i) {
        if (all[i].step < step)
            fs::remove_all(all[i].folder, ignored);
    }
    return {};
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
        Result<void> whole = folder ? folder->verify(reportProgress) : Result<void>(folder.error());
        if (whole && folder->manifest().step != saved.step)
            whole = Error{.what = "its manifest is of step " + std::to_string(folder->manifest().step),
                .where = saved.folder.string(),
                .fault = Fault::Damaged};
        if (whole) {
            chosen.saved = saved;
            chosen.manifest = folder->manifest();
            return chosen;
        }
        chosen.passedOver.push_back(whole.error().message());
    }
    if (!chosen.passedOver.empty()) {
        return Error{.what = "no checkpoint is complete; the latest: " + chosen.passedOver.front(),
            .where = m_directory.string(),
            .accepted = "move the damaged ones away to start from the first step",
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
    for (const std::int64_t step : stepsIn(m_directory, kUnfinished))
        fs::remove_all(unfinished(step), error);
    for (const std::int64_t step : stepsIn(m_directory, kAside)) {
        if (fs::exists(placeOf(step), error))
            fs::remove_all(asideOf(step), error);
        else
            fs::rename(asideOf(step), placeOf(step), error);
    }
    std::vector<fs::path> temporaries;
    for (fs::directory_iterator entry(m_directory, error), end; !error && entry != end; entry.increment(error)) {
        if (entry->path().filename().string().starts_with(std::string(kLatest) + ".tmp"))
            temporaries.push_back(entry->path());
    }
    for (const fs::path &temporary : temporaries)
        fs::remove(temporary, error);
}

} // namespace slipway
