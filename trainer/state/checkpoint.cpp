// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "state/checkpoint.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "data/output_file.h"
#include "state/checksum.h"
#include "state/safetensors.h"

namespace slipway {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "step-";
constexpr std::string_view kUnfinished = ".unfinished-";
constexpr const char *kModelFile = "model.safetensors";
constexpr const char *kOptimizerFile = "optimizer.safetensors";
constexpr const char *kManifestFile = "manifest.json";
constexpr std::string_view kMomentum = "exp_avg/", kVariance = "exp_avg_sq/";

std::string folderName(std::int64_t step) { return fmt::format("{}{:08}", kPrefix, step); }

Error outside(const fs::path &path, const char *action, const std::string &reason)
{
    return {.what = std::string("cannot ") + action + ": " + reason, .where = path.string(), .fault = Fault::Outside};
}

Error damaged(const fs::path &path, std::string what) { return {.what = std::move(what), .where = path.string(), .fault = Fault::Damaged}; }

TensorToWrite fp32(std::string name, const std::vector<std::int64_t> &shape, std::span<const float> data)
{
    return {.name = std::move(name), .type = TensorType::F32, .shape = shape, .data = std::as_bytes(data)};
}

Result<void> writeTensors(const fs::path &folder, const char *file, const std::vector<TensorToWrite> &tensors, CheckpointManifest &manifest)
{
    for (const TensorToWrite &tensor : tensors)
        manifest.checksums[std::string(file) + "/" + tensor.name] = checksumOf(tensor.data);
    return writeSafetensors(folder / file, tensors, {{"format", "pt"}});
}

Result<void> writeInto(const fs::path &folder, CheckpointManifest manifest, std::span<const CheckpointTensor> tensors)
{
    std::vector<TensorToWrite> model, optimizer;
    for (const CheckpointTensor &tensor : tensors) {
        model.push_back(fp32(tensor.name, tensor.shape, tensor.weight));
        optimizer.push_back(fp32(std::string(kMomentum) + tensor.name, tensor.shape, tensor.momentum));
        optimizer.push_back(fp32(std::string(kVariance) + tensor.name, tensor.shape, tensor.variance));
    }
    manifest.checksums.clear();
    Result<void> written = writeTensors(folder, kModelFile, model, manifest);
    if (written)
        written = writeTensors(folder, kOptimizerFile, optimizer, manifest);
    return written ? writeFileAtomically(folder / kManifestFile, toJson(manifest)) : written;
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

// The tensor's bytes in an open file, once name, type, shape and checksum are as they must be.
Result<std::span<const std::byte>> checkedBytes(const SafetensorsFile &file, const fs::path &path, const std::string &name,
    const std::vector<std::int64_t> &shape, const CheckpointManifest &manifest)
{
    const TensorEntry *const entry = file.find(name);
    if (!entry)
        return damaged(path, "lacks the tensor " + name);
    if (entry->type != TensorType::F32 || entry->shape != shape)
        return damaged(path, "tensor " + name + " has another type or shape");
    const std::span<const std::byte> bytes = file.bytesOf(*entry);
    const auto expected = manifest.checksums.find(path.filename().string() + "/" + name);
    if (expected == manifest.checksums.end() || expected->second != checksumOf(bytes))
        return damaged(path, "the checksum of tensor " + name + " does not hold");
    return bytes;
}

} // namespace

std::vector<SavedCheckpoint> CheckpointStore::list() const
{
    std::vector<SavedCheckpoint> found;
    std::error_code error;
    for (fs::directory_iterator entry(m_directory, error), end; !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        const auto step = name.starts_with(kPrefix) ? parseInteger(std::string_view(name).substr(kPrefix.size())) : std::nullopt;
        if (step && *step >= 0 && folderName(*step) == name)
            found.push_back({.step = *step, .folder = entry->path()});
    }
    std::sort(found.begin(), found.end(), [](const SavedCheckpoint &a, const SavedCheckpoint &b) { return a.step > b.step; });
    return found;
}

Result<SavedCheckpoint> CheckpointStore::save(CheckpointManifest manifest, std::span<const CheckpointTensor> tensors, int keep) const
{
    const fs::path target = m_directory / folderName(manifest.step);
    const fs::path unfinished = m_directory / (std::string(kUnfinished) + folderName(manifest.step));
    std::error_code error;
    fs::remove_all(unfinished, error);
    fs::create_directories(unfinished, error);
    if (error)
        return outside(unfinished, "make the folder", error.message());
    const Result<void> written = writeInto(unfinished, manifest, tensors);
    const int moved = written ? moveIntoPlace(unfinished, target) : 0;
    fs::remove_all(unfinished, error); // what failed, or what was exchanged
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
    return SavedCheckpoint{.step = manifest.step, .folder = target};
}

Result<CheckpointManifest> CheckpointStore::restoreFrom(const fs::path &folder, const ModelSpec &model, std::span<const CheckpointTensor> tensors) const
{
    const Result<std::string> text = readFile(folder / kManifestFile);
    if (!text)
        return damaged(folder, "has no readable manifest.json");
    Result<CheckpointManifest> manifest = manifestFromJson(*text, (folder / kManifestFile).string());
    if (!manifest)
        return manifest;
    if (const std::string difference = differenceOf(manifest->model, model); !difference.empty())
        return Error{.what = "is a checkpoint of another model: " + difference, .where = folder.string(), .accepted = "the model of this run's run.yaml"};

    const fs::path modelPath = folder / kModelFile, optimizerPath = folder / kOptimizerFile;
    const Result<SafetensorsFile> modelFile = SafetensorsFile::open(modelPath);
    if (!modelFile)
        return damaged(folder, modelFile.error().message());
    const Result<SafetensorsFile> optimizerFile = SafetensorsFile::open(optimizerPath);
    if (!optimizerFile)
        return damaged(folder, optimizerFile.error().message());

    std::vector<std::pair<std::span<float>, std::span<const std::byte>>> copies;
    for (const CheckpointTensor &tensor : tensors) {
        const auto take = [&](const SafetensorsFile &file, const fs::path &path, const std::string &name, std::span<float> into) -> Result<void> {
            const auto bytes = checkedBytes(file, path, name, tensor.shape, *manifest);
            if (!bytes)
                return bytes.error();
            copies.emplace_back(into, *bytes);
            return {};
        };
        Result<void> taken = take(*modelFile, modelPath, tensor.name, tensor.weight);
        if (taken)
            taken = take(*optimizerFile, optimizerPath, std::string(kMomentum) + tensor.name, tensor.momentum);
        if (taken)
            taken = take(*optimizerFile, optimizerPath, std::string(kVariance) + tensor.name, tensor.variance);
        if (!taken)
            return taken.error();
    }
    for (const auto &[into, bytes] : copies)
        std::memcpy(into.data(), bytes.data(), bytes.size());
    return manifest;
}

Result<RestoredCheckpoint> CheckpointStore::restore(const ModelSpec &model, std::span<const CheckpointTensor> tensors) const
{
    RestoredCheckpoint restored;
    for (const SavedCheckpoint &saved : list()) {
        Result<CheckpointManifest> manifest = restoreFrom(saved.folder, model, tensors);
        if (manifest) {
            restored.manifest = std::move(*manifest);
            return restored;
        }
        if (manifest.error().fault != Fault::Damaged)
            return manifest.error();
        restored.passedOver.push_back(manifest.error().message());
    }
    if (!restored.passedOver.empty()) {
        return Error{.what = "no checkpoint is whole; the newest: " + restored.passedOver.front(), .where = m_directory.string(),
            .accepted = "move the damaged ones away to begin anew", .fault = Fault::Damaged};
    }
    return restored;
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
