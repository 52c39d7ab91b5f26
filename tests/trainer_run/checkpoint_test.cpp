// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "state/checkpoint.h"

#include <gmock/gmock.h>

#include <csignal>
#include <numeric>
#include <sys/resource.h>
#include <sys/stat.h>

#include "model/model_fields.h"
#include "scratch_folder.h"

namespace slipway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::messageOf;
using testing::readBytes;
using testing::ScratchFolder;
using testing::writeBytes;

// Two weights with their states, filled with numbers that depend on `start`.
struct State {
    explicit State(float start) { std::iota(values.begin(), values.end(), start); }
    [[nodiscard]] std::vector<CheckpointTensor> tensors()
    {
        const std::span<float> all(values);
        return {{.name = "model.embed_tokens.weight",
                    .shape = {4, 3},
                    .weight = all.subspan(0, 12),
                    .momentum = all.subspan(12, 12),
                    .variance = all.subspan(24, 12)},
            {.name = "model.norm.weight",
                .shape = {3},
                .weight = all.subspan(36, 3),
                .momentum = all.subspan(39, 3),
                .variance = all.subspan(42, 3)}};
    }
    std::vector<float> values = std::vector<float>(45);
};

ModelSpec smallModel()
{
    ModelSpec model;
    model.name = "small";
    model.layers = 1;
    model.hidden = 3;
    model.vocab = 4;
    return model;
}

CheckpointManifest manifestOf(std::int64_t step)
{
    return {.step = step,
        .tokens = step * 100,
        .samples = static_cast<std::uint64_t>(step) * 10,
        .seed = 7,
        .attempt = 2,
        .configDigest = "abc",
        .model = smallModel(),
        .checksums = {}};
}

void save(const CheckpointStore &store, std::int64_t step, int keep = 2)
{
    State state(static_cast<float>(step));
    const auto saved = store.save(manifestOf(step), state.tensors(), keep);
    ASSERT_TRUE(saved) << messageOf(saved);
}

std::vector<std::int64_t> stepsOf(const CheckpointStore &store)
{
    std::vector<std::int64_t> steps;
    for (const SavedCheckpoint &saved : store.list())
        steps.push_back(saved.step);
    return steps;
}

// The step that a restore leads to, its values checked; 0 where it starts anew.
std::int64_t restoredStep(const CheckpointStore &store)
{
    State state(-1000);
    const auto restored = store.restore(smallModel(), state.tensors());
    EXPECT_TRUE(restored) << messageOf(restored);
    if (!restored || !restored->manifest)
        return 0;
    EXPECT_EQ(state.values, State(static_cast<float>(restored->manifest->step)).values);
    return restored->manifest->step;
}

void flipByte(const std::filesystem::path &path, std::streamoff fromEnd)
{
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(-fromEnd, std::ios::end);
    const int byte = file.get();
    file.seekp(-fromEnd, std::ios::end);
    file.put(static_cast<char>(byte ^ 1));
}

TEST(Checkpoint, BringsBackWeightsStatesAndPosition)
{
    const ScratchFolder folder;
    const CheckpointStore store(folder / "checkpoints");
    save(store, 1000);
    State state(-1);
    const auto restored = store.restore(smallModel(), state.tensors());
    ASSERT_TRUE(restored) << messageOf(restored);
    ASSERT_TRUE(restored->manifest);
    CheckpointManifest expected = manifestOf(1000);
    expected.checksums = restored->manifest->checksums;
    EXPECT_EQ(*restored->manifest, expected);
    EXPECT_EQ(restored->manifest->checksums.size(), 6);
    EXPECT_EQ(state.values, State(1000).values);
    EXPECT_EQ(readBytes(folder / "checkpoints/latest"), "step-00001000\n");
    EXPECT_TRUE(std::filesystem::exists(folder / "checkpoints/step-00001000/model.safetensors"));
}

// A weight that Muon updates has no variance; the average of the weights is a state of its own.
TEST(Checkpoint, KeepsTheStatesThatThereAre)
{
    const ScratchFolder folder;
    const CheckpointStore store(folder / "c");
    State state(3), averages(100);
    std::vector<CheckpointTensor> tensors = state.tensors();
    tensors[0].variance = {};
    for (std::size_t i = 0; i < tensors.size(); ++i)
        tensors[i].average = averages.tensors()[i].weight;
    ASSERT_TRUE(store.save(manifestOf(5), tensors, 1));

    State back(-1), averagesBack(-1);
    std::vector<CheckpointTensor> wanted = back.tensors();
    wanted[0].variance = {};
    for (std::size_t i = 0; i < wanted.size(); ++i)
        wanted[i].average = averagesBack.tensors()[i].weight;
    ASSERT_TRUE(store.restore(smallModel(), wanted));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_TRUE(std::equal(wanted[i].average.begin(), wanted[i].average.end(), tensors[i].average.begin()));
        EXPECT_TRUE(std::equal(wanted[i].momentum.begin(), wanted[i].momentum.end(), tensors[i].momentum.begin()));
    }
    // AdamW's states were not written.
    const auto other = store.restore(smallModel(), back.tensors());
    EXPECT_THAT(messageOf(other), HasSubstr("optimizer: muon"));
}

TEST(Checkpoint, BeginsAnAverageWithTheWeightsWhereItHasNone)
{
    const ScratchFolder folder;
    const CheckpointStore store(folder / "c");
    save(store, 7);
    State back(-1), averages(-1);
    std::vector<CheckpointTensor> wanted = back.tensors();
    for (std::size_t i = 0; i < wanted.size(); ++i)
        wanted[i].average = averages.tensors()[i].weight;
    ASSERT_TRUE(store.restore(smallModel(), wanted));
    for (const CheckpointTensor &tensor : wanted)
        EXPECT_TRUE(std::equal(tensor.average.begin(), tensor.average.end(), tensor.weight.begin())) << tensor.name;
}

TEST(Checkpoint, NoneMeansTheStart)
{
    const ScratchFolder folder;
    EXPECT_EQ(restoredStep(CheckpointStore(folder / "none")), 0);
}

TEST(Checkpoint, KeepsTheNewest)
{
    const ScratchFolder folder;
    const CheckpointStore store(folder / "c");
    for (const std::int64_t step : {100, 200, 300, 400})
        save(store, step, 2);
    EXPECT_THAT(stepsOf(store), ElementsAre(400, 300));
    save(store, 500, 0); // the one just written always stays
    EXPECT_THAT(stepsOf(store), ElementsAre(500));
}

TEST(Checkpoint, ReplacesOneOfTheSameStep)
{
    const ScratchFolder folder;
    const CheckpointStore store(folder / "c");
    save(store, 100);
    flipByte(folder / "c/step-00000100/model.safetensors", 1);
    save(store, 100);
    EXPECT_EQ(restoredStep(store), 100);
    EXPECT_THAT(stepsOf(store), ElementsAre(100));
}

TEST(Checkpoint, ThatIsDamagedIsPassedOverForTheOneBefore)
{
    const ScratchFolder folder;
    const CheckpointStore store(folder / "c");
    save(store, 100);
    for (const char *file : {"model.safetensors", "optimizer.safetensors", "manifest.json"}) {
        save(store, 200);
        flipByte(folder / "c/step-00000200" / file, file == std::string("manifest.json") ? 20 : 1);
        State state(-1);
        const auto restored = store.restore(smallModel(), state.tensors());
        ASSERT_TRUE(restored) << messageOf(restored);
        ASSERT_TRUE(restored->manifest);
        EXPECT_EQ(restored->manifest->step, 100);
        ASSERT_EQ(restored->passedOver.size(), 1);
        EXPECT_THAT(restored->passedOver[0], HasSubstr("step-00000200"));
        EXPECT_EQ(state.values, State(100).values);
    }
}

TEST(Checkpoint, ThatIsIncompleteIsPassedOver)
{
    const ScratchFolder folder;
    const CheckpointStore store(folder / "c");
    for (const char *file : {"model.safetensors", "optimizer.safetensors", "manifest.json"}) {
        save(store, 100);
        save(store, 200);
        std::filesystem::remove(folder / "c/step-00000200" / file);
        EXPECT_EQ(restoredStep(store), 100);
        save(store, 200);
        std::filesystem::resize_file(folder / "c/step-00000200" / file, 20);
        EXPECT_EQ(restoredStep(store), 100);
    }
}

TEST(Checkpoint, WithAPipeInPlaceOfAFileIsPassedOver)
{
    const ScratchFolder folder;
    const CheckpointStore store(folder / "c");
    for (const char *file : {"model.safetensors", "optimizer.safetensors", "manifest.json"}) {
        save(store, 100);
        save(store, 200);
        std::filesystem::remove(folder / "c/step-00000200" / file);
        ASSERT_EQ(::mkfifo((folder / "c/step-00000200" / file).c_str(), 0600), 0);
        EXPECT_EQ(restoredStep(store), 100) << file;
    }
}

TEST(Checkpoint, AllDamagedIsAnErrorThatNamesTheNewest)
{
    const ScratchFolder folder;
    const CheckpointStore store(folder / "c");
    save(store, 100);
    flipByte(folder / "c/step-00000100/model.safetensors", 1);
    State state(-1);
    const auto restored = store.restore(smallModel(), state.tensors());
    ASSERT_FALSE(restored);
    EXPECT_EQ(restored.error().fault, Fault::Damaged);
    EXPECT_THAT(restored.error().message(),
        HasSubstr("step-00000100/model.safetensors: the checksum of tensor model.norm.weight does not match"));
    EXPECT_EQ(state.values, State(-1).values); // untouched
}

TEST(Checkpoint, OfAnotherModelIsRefusedAndNotPassedOver)
{
    const ScratchFolder folder;
    const CheckpointStore store(folder / "c");
    save(store, 100);
    ModelSpec other = smallModel();
    other.name = "renamed"; // makes no difference
    EXPECT_EQ(differenceOf(smallModel(), other), "");
    other.hidden = 256;
    State state(-1);
    const auto restored = store.restore(other, state.tensors());
    ASSERT_FALSE(restored);
    EXPECT_EQ(restored.error().fault, Fault::Damaged);
    EXPECT_THAT(restored.error().message(), HasSubstr("another model: hidden is 3, not 256"));
}

// The state's elements as `count` ranks hold them, cut without regard to tensors or rows.
std::vector<CheckpointTensor> partOf(State &state, int index, int count)
{
    std::vector<CheckpointTensor> parts;
    for (CheckpointTensor tensor : state.tensors()) {
        const std::size_t size = tensor.weight.size(),
                          begin = size * static_cast<std::size_t>(index) / static_cast<std::size_t>(count);
        const std::size_t length = size * static_cast<std::size_t>(index + 1) / static_cast<std::size_t>(count) - begin;
        if (length == 0)
            continue;
        tensor.first = static_cast<std::int64_t>(begin);
        for (std::span<float> *values : {&tensor.weight, &tensor.momentum, &tensor.variance})
            *values = values->subspan(begin, length);
        parts.push_back(tensor);
    }
    return parts;
}

void saveSharded(const CheckpointStore &store, std::int64_t step, int shards)
{
    State state(static_cast<float>(step));
    ASSERT_TRUE(store.begin(step));
    for (int shard = 0; shard < shards; ++shard)
        ASSERT_TRUE(store.writeShard(step, {.index = shard, .count = shards}, partOf(state, shard, shards)));
    const auto saved = store.finish(manifestOf(step), shards, 9);
    ASSERT_TRUE(saved) << messageOf(saved);
}

TEST(Checkpoint, WrittenByAnyNumberOfRanksIsReadByAnyOther)
{
    for (const int writers : {1, 2, 3, 5}) {
        const ScratchFolder folder;
        const CheckpointStore store(folder / "c");
        saveSharded(store, 100, writers);
        EXPECT_EQ(restoredStep(store), 100) << writers << " writers, one reader";
        EXPECT_EQ(std::filesystem::exists(folder / "c/step-00000100/model-00002-of-00002.safetensors"), writers == 2);
        for (const int readers : {2, 4}) {
            State state(-1);
            for (int reader = 0; reader < readers; ++reader)
                ASSERT_TRUE(store.read(store.at(100), partOf(state, reader, readers)));
            EXPECT_EQ(state.values, State(100).values) << writers << " writers, " << readers << " readers";
        }
    }
}

TEST(Checkpoint, WithADamagedOrMissingShardIsPassedOver)
{
    const ScratchFolder folder;
    const CheckpointStore store(folder / "c");
    saveSharded(store, 100, 3);
    for (const char *file : {"model-00002-of-00003.safetensors", "optimizer-00003-of-00003.safetensors"}) {
        saveSharded(store, 200, 3);
        flipByte(folder / "c/step-00000200" / file, 1);
        EXPECT_EQ(restoredStep(store), 100);
        saveSharded(store, 200, 3);
        std::filesystem::resize_file(folder / "c/step-00000200" / file, 40);
        EXPECT_EQ(restoredStep(store), 100);
        saveSharded(store, 200, 3);
        std::filesystem::remove(folder / "c/step-00000200" / file);
        EXPECT_EQ(restoredStep(store), 100);
    }
}

TEST(Checkpoint, WhoseShardsLeaveAGapIsDamaged)
{
    const ScratchFolder folder;
    const CheckpointStore store(folder / "c");
    State state(1);
    ASSERT_TRUE(store.begin(1));
    ASSERT_TRUE(store.writeShard(1, {.index = 0, .count = 2}, partOf(state, 0, 3)));
    ASSERT_TRUE(store.writeShard(1, {.index = 1, .count = 2}, partOf(state, 2, 3)));
    ASSERT_TRUE(store.finish(manifestOf(1), 2, 1));
    EXPECT_THAT(messageOf(store.choose(smallModel())), HasSubstr("lacks elements 4 to 8 of model.embed_tokens.weight"));
}

TEST(Checkpoint, WithoutAllItsShardsIsNotFinished)
{
    const ScratchFolder folder;
    const CheckpointStore store(folder / "c");
    State state(1);
    ASSERT_TRUE(store.begin(1));
    ASSERT_TRUE(store.writeShard(1, {.index = 0, .count = 2}, partOf(state, 0, 2)));
    EXPECT_FALSE(store.finish(manifestOf(1), 2, 1));
    EXPECT_THAT(stepsOf(store), IsEmpty());
}

TEST(Checkpoint, OfSomebodyElseIsDamaged)
{
    const ScratchFolder folder;
    std::filesystem::create_directories(folder / "c/step-00000100");
    writeBytes(folder / "c/step-00000100/model.safetensors", "PK\x03\x04 a zip file");
    writeBytes(folder / "c/step-00000100/config.json", "{}");
    const auto chosen = CheckpointStore(folder / "c").choose(smallModel());
    ASSERT_FALSE(chosen);
    EXPECT_EQ(chosen.error().fault, Fault::Damaged);
    EXPECT_THAT(chosen.error().message(), HasSubstr("has no readable manifest.json"));
}

TEST(Checkpoint, LeftoversOfACrashAreNoCheckpointAndAreRemoved)
{
    const ScratchFolder folder;
    const CheckpointStore store(folder / "c");
    save(store, 100);
    std::filesystem::create_directories(folder / "c/.unfinished-step-00000200");
    writeBytes(folder / "c/.unfinished-step-00000200/model.safetensors", "half");
    std::filesystem::create_directories(folder / "c/step-x");
    EXPECT_THAT(stepsOf(store), ElementsAre(100));
    store.removeUnfinished();
    EXPECT_FALSE(std::filesystem::exists(folder / "c/.unfinished-step-00000200"));
    EXPECT_EQ(restoredStep(store), 100);
}

// Limits the size of a file as a full disk does: writes fail in their middle.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes)
    {
        std::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit limit{.rlim_cur = bytes, .rlim_max = m_before.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &m_before); }

private:
    rlimit m_before{};
};

TEST(Checkpoint, OnAFullDiskFailsAndLosesNothing)
{
    const ScratchFolder folder;
    const CheckpointStore store(folder / "c");
    save(store, 100, 1);
    {
        const FileSizeLimit limit(200);
        State state(200);
        const auto saved = store.save(manifestOf(200), state.tensors(), 1);
        ASSERT_FALSE(saved);
        EXPECT_EQ(saved.error().fault, Fault::Outside);
        EXPECT_THAT(saved.error().message(), HasSubstr("cannot write"));
    }
    EXPECT_EQ(restoredStep(store), 100);
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(folder / "c"))
        names.push_back(entry.path().filename());
    EXPECT_THAT(names, ::testing::UnorderedElementsAre("latest", "step-00000100"));
}

TEST(Checkpoint, WhereNoFolderCanBeMadeIsAFaultOutside)
{
    const ScratchFolder folder;
    writeBytes(folder / "file", "");
    State state(1);
    const auto saved = CheckpointStore(folder / "file/c").save(manifestOf(1), state.tensors(), 1);
    ASSERT_FALSE(saved);
    EXPECT_EQ(saved.error().fault, Fault::Outside);
}

TEST(Manifest, OfAnotherVersionOrWithoutAFieldIsDamaged)
{
    const std::string good = toJson(manifestOf(5));
    EXPECT_TRUE(manifestFromJson(good, "m"));
    std::string version = good;
    version.replace(version.find("\"version\": 1"), 12, "\"version\": 9");
    EXPECT_THAT(messageOf(manifestFromJson(version, "m")), HasSubstr("version 9"));
    std::string step = good;
    step.replace(step.find("\"step\": 5"), 9, "\"step\": 6");
    EXPECT_THAT(messageOf(manifestFromJson(step, "m")), HasSubstr("checksum"));
    for (const char *text : {"", "[]", "{}", "null", "{\"version\":1}"})
        EXPECT_FALSE(manifestFromJson(text, "m"));
}

} // namespace
} // namespace slipway
