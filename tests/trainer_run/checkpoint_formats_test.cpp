// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Checkpoints of earlier formats keep opening (tests/data/checkpoint-format-N). A fixture is what the program of that
// time wrote; a new format gets one beside the old ones. What a format can hold is written as it was then.
#include <map>

#include <gmock/gmock.h>

#include "mesh_shares.h"
#include "scratch_folder.h"
#include "state/checkpoint.h"

namespace slipway {
namespace {

using testing::Holding;
using testing::Mesh;
using testing::messageOf;
using testing::ScratchFolder;
using testing::sharesOf;

struct Format {
    std::string folder; // below tests/data
    Mesh mesh;          // that wrote it
};

const std::vector<Format> kFormats{{"checkpoint-format-1/whole", {}}, {"checkpoint-format-1/runs", {.shards = 3}},
    {"checkpoint-format-2", {.stages = 2, .tensor = 2, .shards = 2, .split = Mesh::Split::Alternating}}};

ModelSpec formatModel()
{
    ModelSpec spec;
    spec.name = "small";
    spec.layers = 2;
    spec.hidden = 6;
    spec.vocab = 14;
    return spec;
}

void save(const CheckpointStore &store, const Mesh &mesh)
{
    ASSERT_TRUE(store.begin(7));
    std::vector<Holding> writers;
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        if (auto shares = sharesOf(mesh, rank, true); !shares.empty())
            writers.push_back(Holding(std::move(shares)).filled());
    }
    const int count = static_cast<int>(writers.size());
    for (int index = 0; index < count; ++index)
        ASSERT_TRUE(
            store.writeShard(7, {.index = index, .count = count}, writers[static_cast<std::size_t>(index)].tensors()));
    const CheckpointManifest manifest{.step = 7,
        .tokens = 700,
        .samples = 70,
        .seed = 3,
        .attempt = 1,
        .configDigest = "abc",
        .model = formatModel()};
    const auto saved = store.finish(manifest, count, 9);
    ASSERT_TRUE(saved) << messageOf(saved);
}

std::map<std::string, std::string> filesIn(const std::filesystem::path &folder)
{
    std::map<std::string, std::string> files;
    for (const auto &entry : std::filesystem::directory_iterator(folder))
        files[entry.path().filename()] = testing::readBytes(entry.path());
    return files;
}

TEST(CheckpointFormats, OfEarlierTimesAreRead)
{
    for (const Format &format : kFormats) {
        SCOPED_TRACE(format.folder);
        const CheckpointStore store(std::filesystem::path(SLIPWAY_TEST_DATA) / format.folder);
        Holding whole(sharesOf({}, 0, false));
        const auto restored = store.restore(formatModel(), whole.tensors());
        ASSERT_TRUE(restored) << messageOf(restored);
        ASSERT_TRUE(restored->manifest);
        EXPECT_EQ(restored->manifest->step, 7);
        EXPECT_EQ(restored->manifest->samples, 70U);
        EXPECT_EQ(whole.bits(), Holding(sharesOf({}, 0, false)).filled().bits());
        const Mesh columns{.tensor = 4, .split = Mesh::Split::Columns};
        for (int rank = 0; rank < columns.ranks(); ++rank) {
            Holding holding(sharesOf(columns, rank, false));
            const auto read = store.read(store.at(7), holding.tensors());
            ASSERT_TRUE(read) << messageOf(read);
            EXPECT_EQ(holding.bits(), Holding(sharesOf(columns, rank, false)).filled().bits());
        }
    }
}

TEST(CheckpointFormats, AreWrittenAsTheyWereByteForByte)
{
    for (const Format &format : kFormats) {
        SCOPED_TRACE(format.folder);
        const ScratchFolder folder;
        save(CheckpointStore(folder.path()), format.mesh);
        EXPECT_EQ(filesIn(folder / "step-00000007"),
            filesIn(std::filesystem::path(SLIPWAY_TEST_DATA) / format.folder / "step-00000007"));
    }
}

} // namespace
} // namespace slipway
