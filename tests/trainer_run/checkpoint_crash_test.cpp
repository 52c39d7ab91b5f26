// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A checkpoint of a step that is saved again, while the process ends at any of its calls to the file system, and on a
// file system that refuses what NFS refuses. The calls below stand in for libc's in this program.
#include "state/checkpoint.h"

#include <cerrno>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "scratch_folder.h"

namespace {

int g_callsUntilTheEnd = 0; // 0: the process goes on

template<typename Function>
Function *next(const char *name)
{
    return reinterpret_cast<Function *>(::dlsym(RTLD_NEXT, name));
}

void countCall()
{
    if (g_callsUntilTheEnd == 0)
        return;
    --g_callsUntilTheEnd;
    if (g_callsUntilTheEnd == 0)
        ::_exit(99);
}

} // namespace

extern "C" {

int rename(const char *from, const char *to) noexcept
{
    countCall();
    return next<int(const char *, const char *)>("rename")(from, to);
}

int renameat2(int, const char *, int, const char *, unsigned int) noexcept
{
    errno = EINVAL; // as NFS answers RENAME_EXCHANGE
    return -1;
}

int unlinkat(int folder, const char *path, int flags) noexcept
{
    countCall();
    return next<int(int, const char *, int)>("unlinkat")(folder, path, flags);
}

int fsync(int descriptor)
{
    countCall();
    return next<int(int)>("fsync")(descriptor);
}

} // extern "C"

namespace slipway {
namespace {

using testing::ScratchFolder;

ModelSpec oneWeightModel()
{
    ModelSpec spec;
    spec.name = "small";
    return spec;
}

// One weight of eight elements and its states, all of one value.
struct OneWeight {
    explicit OneWeight(float value) : values(24, value) {}
    std::vector<CheckpointTensor> tensors()
    {
        const std::span<float> all(values);
        return {{.name = "weight",
            .shape = {8},
            .weight = all.subspan(0, 8),
            .momentum = all.subspan(8, 8),
            .variance = all.subspan(16, 8)}};
    }
    std::vector<float> values;
};

Result<SavedCheckpoint> saveOneWeight(const CheckpointStore &store, float value)
{
    return store.save({.step = 100, .model = oneWeightModel()}, OneWeight(value).tensors(), 2);
}

// What a process that starts now goes on from.
std::vector<float> restored(const CheckpointStore &store)
{
    OneWeight state(-1);
    const auto chosen = store.restore(oneWeightModel(), state.tensors());
    EXPECT_TRUE(chosen) << testing::messageOf(chosen);
    EXPECT_TRUE(chosen && chosen->saved && chosen->saved->step == 100);
    return state.values;
}

std::vector<std::string> namesIn(const std::filesystem::path &folder)
{
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(folder))
        names.push_back(entry.path().filename());
    return names;
}

// The child's exit status: 99 where it came to an end at the n-th call, 0 where there was none.
int saveInAProcessThatEndsAt(int call, const CheckpointStore &store, float value)
{
    const pid_t child = ::fork();
    if (child == 0) {
        g_callsUntilTheEnd = call;
        ::_exit(saveOneWeight(store, value) ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(CheckpointOfAStepSavedAgain, ReplacesTheOldOneWhereNamesCannotBeExchanged)
{
    const ScratchFolder folder;
    const CheckpointStore store(folder / "c");
    for (const float value : {1.0F, 2.0F, 3.0F}) {
        const auto saved = saveOneWeight(store, value);
        ASSERT_TRUE(saved) << testing::messageOf(saved);
        EXPECT_EQ(restored(store), OneWeight(value).values);
        EXPECT_THAT(namesIn(folder / "c"), ::testing::UnorderedElementsAre("latest", "step-00000100"));
    }
}

TEST(CheckpointOfAStepSavedAgain, IsTheOldOneOrTheNewOneWhereverTheProcessEnds)
{
    int call = 1, ended = 99, newOnes = 0;
    for (; ended == 99 && call < 1000; ++call) {
        const ScratchFolder folder;
        const CheckpointStore store(folder / "c");
        ASSERT_TRUE(saveOneWeight(store, 1));
        ended = saveInAProcessThatEndsAt(call, store, 2);
        const std::vector<float> values = restored(store);
        EXPECT_TRUE(values == OneWeight(1).values || values == OneWeight(2).values) << "call " << call;
        newOnes += values == OneWeight(2).values;
        OneWeight read(-1);
        EXPECT_TRUE(store.read(store.at(100), read.tensors())) << "call " << call;
        EXPECT_EQ(read.values, values);
        EXPECT_EQ(store.list().size(), 1U);

        store.removeUnfinished(); // as the next process begins
        EXPECT_EQ(restored(store), values) << "call " << call;
        EXPECT_TRUE(saveOneWeight(store, 3));
        EXPECT_EQ(restored(store), OneWeight(3).values);
        EXPECT_THAT(namesIn(folder / "c"), ::testing::UnorderedElementsAre("latest", "step-00000100"));
    }
    EXPECT_EQ(ended, 0);
    EXPECT_GT(call, 15) << "files, folders and names were synced, renamed and removed";
    EXPECT_GT(newOnes, 1);
}

} // namespace
} // namespace slipway
