// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Checkpoints that one mesh of ranks has written and another one reads, bit for bit.
#include <algorithm>
#include <functional>
#include <limits>
#include <random>
#include <ranges>

#include <gmock/gmock.h>

#include "mesh_shares.h"
#include "scratch_folder.h"
#include "state/checkpoint.h"

namespace slipway {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using testing::Holding;
using testing::Mesh;
using testing::messageOf;
using testing::ScratchFolder;
using testing::Share;
using testing::sharesOf;

constexpr Mesh kWhole{}, kRows{.tensor = 2}, kStages{.stages = 2},
    kColumns{.tensor = 4, .shards = 3, .split = Mesh::Split::Columns},
    kAll{.stages = 2, .tensor = 2, .shards = 2, .split = Mesh::Split::Alternating};

// Each rank of the mesh writes what it holds of the weights, in a shard of its own.
void save(const CheckpointStore &store, std::int64_t step, std::vector<Holding> holdings)
{
    const int count = static_cast<int>(holdings.size());
    ASSERT_TRUE(store.begin(step));
    for (int index = 0; index < count; ++index) {
        const auto written = store.writeShard(
            step, {.index = index, .count = count}, holdings[static_cast<std::size_t>(index)].tensors());
        ASSERT_TRUE(written) << messageOf(written);
    }
    const auto saved = store.finish({.step = step}, count, 99);
    ASSERT_TRUE(saved) << messageOf(saved);
}

std::vector<Holding> holdingsOf(const Mesh &mesh, bool written)
{
    std::vector<Holding> holdings;
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        if (std::vector<Share> shares = sharesOf(mesh, rank, written); !shares.empty())
            holdings.emplace_back(std::move(shares));
    }
    return holdings;
}

std::vector<Holding> filled(std::vector<Holding> holdings)
{
    for (Holding &holding : holdings)
        holding = std::move(holding).filled();
    return holdings;
}

// Reads as the ranks of a mesh do, and gives what they then write.
std::vector<Holding> read(const CheckpointStore &store, std::int64_t step, const Mesh &mesh, bool written)
{
    std::vector<Holding> holdings = holdingsOf(mesh, written);
    for (Holding &holding : holdings) {
        const auto done = store.read(store.at(step), holding.tensors());
        EXPECT_TRUE(done) << messageOf(done);
    }
    return holdings;
}

void expectSame(const std::vector<Holding> &found, const std::vector<Holding> &expected)
{
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_EQ(found[i].bits(), expected[i].bits()) << "rank " << i;
}

TEST(CheckpointResharded, GoesThroughMeshesOfEveryKindBitForBit)
{
    const ScratchFolder folder;
    const CheckpointStore store(folder / "c");
    save(store, 1, filled(holdingsOf(kWhole, true)));
    std::int64_t step = 1;
    for (const Mesh &mesh : {kRows, kColumns, kStages, kAll, kColumns, kWhole}) {
        SCOPED_TRACE(step);
        expectSame(read(store, step, mesh, false), filled(holdingsOf(mesh, false)));
        save(store, step + 1, read(store, step, mesh, true));
        ++step;
        const auto chosen = store.choose({});
        ASSERT_TRUE(chosen) << messageOf(chosen);
        EXPECT_EQ(chosen->saved->step, step);
    }
    expectSame(read(store, step, kWhole, false), filled(holdingsOf(kWhole, false)));
    for (const char *file : {"model.safetensors", "optimizer.safetensors"})
        EXPECT_EQ(
            testing::readBytes(folder / "c/step-00000001" / file), testing::readBytes(store.at(step).folder / file));
}

TEST(CheckpointResharded, IsReadByAnyMeshAsAnyMeshWroteIt)
{
    const std::vector<Mesh> meshes{kWhole, kRows, kColumns, kStages, kAll};
    for (const Mesh &writer : meshes) {
        const ScratchFolder folder;
        const CheckpointStore store(folder / "c");
        save(store, 1, filled(holdingsOf(writer, true)));
        for (const Mesh &reader : meshes)
            expectSame(read(store, 1, reader, false), filled(holdingsOf(reader, false)));
    }
}

TEST(CheckpointResharded, WithoutSlicesIsWrittenAsRunsOfTheWholeWeights)
{
    const ScratchFolder folder;
    const CheckpointStore store(folder / "c");
    save(store, 1, filled(holdingsOf(kRows, true)));
    EXPECT_THAT(testing::readBytes(store.at(1).folder / "manifest.json"), HasSubstr("\"version\": 1,"))
        << "whole rows are runs, which earlier versions read";
    save(store, 2, filled(holdingsOf(kColumns, true)));
    EXPECT_THAT(testing::readBytes(store.at(2).folder / "manifest.json"), HasSubstr("\"version\": 2,"));
}

// A weight cut at random into rectangles, and these into runs; in random order.
class RandomShares {
public:
    explicit RandomShares(unsigned seed) : m_random(seed) {}
    std::int64_t drawn(std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(0, most)(m_random); }
    std::vector<Share> cut(const std::string &name, const std::vector<std::int64_t> &shape)
    {
        std::vector<Share> shares;
        cutRectangle({.name = name, .shape = shape, .slice = wholeSlice(shape)}, shares);
        std::shuffle(shares.begin(), shares.end(), m_random);
        return shares;
    }
    Share any(const std::string &name, const std::vector<std::int64_t> &shape)
    {
        const WeightSlice whole = wholeSlice(shape);
        WeightSlice slice{.firstRow = drawn(whole.rows - 1), .firstColumn = drawn(whole.columns - 1)};
        slice.rows = 1 + drawn(whole.rows - slice.firstRow - 1);
        slice.columns = 1 + drawn(whole.columns - slice.firstColumn - 1);
        Share share{.name = name, .shape = shape, .slice = slice, .first = drawn(slice.elements() - 1)};
        share.count = 1 + drawn(slice.elements() - share.first - 1);
        return share;
    }

private:
    void cutRectangle(const Share &share, std::vector<Share> &shares)
    {
        const WeightSlice &slice = *share.slice;
        const bool byRows = drawn(1) == 0;
        if (drawn(3) == 0 || (byRows ? slice.rows : slice.columns) < 2) {
            const int runs = static_cast<int>(1 + drawn(2));
            for (int run = 0; run < runs; ++run)
                shares.push_back(testing::runOfShard(share, run, runs));
            return;
        }
        const std::int64_t at = 1 + drawn((byRows ? slice.rows : slice.columns) - 2);
        Share before = share, after = share;
        (byRows ? before.slice->rows : before.slice->columns) = at;
        (byRows ? after.slice->firstRow : after.slice->firstColumn) += at;
        (byRows ? after.slice->rows : after.slice->columns) -= at;
        cutRectangle(before, shares);
        cutRectangle(after, shares);
    }
    std::mt19937 m_random;
};

TEST(CheckpointResharded, FromAnySlicesAndRunsIntoAnyOthers)
{
    RandomShares random(7);
    for (int trial = 0; trial < 25; ++trial) {
        const ScratchFolder folder;
        const CheckpointStore store(folder / "c");
        const std::vector<std::vector<std::int64_t>> shapes{{1 + random.drawn(11), 1 + random.drawn(11)},
            {1 + random.drawn(20)}, {1 + random.drawn(2), 1 + random.drawn(3), 1 + random.drawn(4)}};
        std::vector<std::vector<Share>> shards;
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            const std::vector<Share> cuts = random.cut("w" + std::to_string(i), shapes[i]);
            shards.resize(std::max(shards.size(), cuts.size()));
            for (std::size_t shard = 0; shard < cuts.size(); ++shard)
                shards[shard].push_back(cuts[shard]);
        }
        std::vector<Holding> written(shards.begin(), shards.end());
        save(store, 1, filled(std::move(written)));
        const auto chosen = store.choose({});
        ASSERT_TRUE(chosen) << messageOf(chosen);
        for (int reader = 0; reader < 40; ++reader) {
            std::vector<Share> shares;
            for (std::size_t i = 0; i < shapes.size(); ++i)
                shares.push_back(random.any("w" + std::to_string(i), shapes[i]));
            Holding holding(shares);
            const auto done = store.read(store.at(1), holding.tensors());
            ASSERT_TRUE(done) << messageOf(done);
            ASSERT_EQ(holding.bits(), Holding(shares).filled().bits()) << "trial " << trial << ", reader " << reader;
        }
    }
}

// A checkpoint of kColumns, and a rank of kWhole that reads it.
class DamagedReshard : public ::testing::Test {
protected:
    DamagedReshard() { save(store, 1, filled(holdingsOf(kColumns, true))); }

    // Nobody's values change, whatever the message.
    std::string messageOfReading(const Mesh &mesh = kWhole)
    {
        std::string message;
        for (Holding &holding : holdingsOf(mesh, false)) {
            const std::vector<std::uint32_t> before = holding.bits();
            const auto done = store.read(store.at(1), holding.tensors());
            if (!done) {
                EXPECT_EQ(done.error().fault, Fault::Damaged);
                EXPECT_EQ(holding.bits(), before);
                message = done.error().message();
            }
        }
        return message;
    }

    const ScratchFolder folder;
    const CheckpointStore store{folder / "c"};
    const std::filesystem::path checkpoint = folder / "c/step-00000001";
};

TEST_F(DamagedReshard, WithoutAFileNamesIt)
{
    std::filesystem::remove(checkpoint / "optimizer-00007-of-00012.safetensors");
    EXPECT_THAT(messageOfReading(), HasSubstr("optimizer-00007-of-00012.safetensors: cannot open"));
    EXPECT_THAT(messageOf(store.choose({})), HasSubstr("optimizer-00007-of-00012.safetensors: cannot open"));
}

TEST_F(DamagedReshard, WithATornFileNamesIt)
{
    std::filesystem::resize_file(checkpoint / "model-00012-of-00012.safetensors",
        std::filesystem::file_size(checkpoint / "model-00012-of-00012.safetensors") - 1);
    EXPECT_THAT(messageOfReading(), HasSubstr("model-00012-of-00012.safetensors"));
    EXPECT_THAT(messageOf(store.choose({})), HasSubstr("model-00012-of-00012.safetensors"));
}

TEST_F(DamagedReshard, WithAnotherRanksFileNamesIt)
{
    std::filesystem::copy_file(checkpoint / "model-00001-of-00012.safetensors",
        checkpoint / "model-00008-of-00012.safetensors", std::filesystem::copy_options::overwrite_existing);
    EXPECT_THAT(messageOfReading(), HasSubstr("model-00008-of-00012.safetensors"));
}

TEST_F(DamagedReshard, IsReadAsFarAsARankNeedsIt)
{
    // Ranks of the first group of four hold no columns of the last.
    std::filesystem::remove(checkpoint / "model-00012-of-00012.safetensors");
    Holding first(sharesOf(kColumns, 0, true)), last(sharesOf(kColumns, 11, true));
    EXPECT_TRUE(store.read(store.at(1), first.tensors()));
    EXPECT_FALSE(store.read(store.at(1), last.tensors()));
}

TEST_F(DamagedReshard, WithAHostileManifestIsRefused)
{
    const std::filesystem::path path = checkpoint / "manifest.json";
    const CheckpointManifest good = manifestFromJson(testing::readBytes(path), "").value();
    const std::string name = "model.layers.1.mlp.down_proj.weight";
    constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
    const auto messageWith = [&](const std::function<void(CheckpointManifest &, TensorPart &)> &change) {
        CheckpointManifest changed = good;
        change(changed, changed.parts[name][5]);
        testing::writeBytes(path, toJson(changed)); // its checksum holds
        EXPECT_THAT(messageOf(store.choose({})), HasSubstr(messageOfReading()));
        return messageOfReading();
    };
    EXPECT_EQ(messageWith([](CheckpointManifest &, TensorPart &) {}), "");
    const auto nowhere = HasSubstr("manifest.json: places elements of " + name + " outside of it or in no file");
    EXPECT_THAT(messageWith([](CheckpointManifest &, TensorPart &part) { part.shard = 12; }), nowhere);
    EXPECT_THAT(messageWith([](CheckpointManifest &, TensorPart &part) { part.first = -1; }), nowhere);
    EXPECT_THAT(messageWith([](CheckpointManifest &, TensorPart &part) { part.count = kLargest; }), nowhere);
    EXPECT_THAT(messageWith([](CheckpointManifest &, TensorPart &part) { part.slice->columns = kLargest; }), nowhere);
    EXPECT_THAT(messageWith([](CheckpointManifest &, TensorPart &part) { part.slice->firstRow = 1; }), nowhere);
    EXPECT_THAT(messageWith([](CheckpointManifest &, TensorPart &part) { ++part.slice->firstColumn; }),
        AnyOf(HasSubstr("lacks columns"), HasSubstr("holds elements of " + name)));
    EXPECT_THAT(messageWith([](CheckpointManifest &, TensorPart &part) { --part.count; }), HasSubstr("lacks columns"));
    EXPECT_THAT(
        messageWith([&](CheckpointManifest &changed, TensorPart &) { changed.shapes[name] = {kLargest, kLargest}; }),
        HasSubstr("gives no valid shape of " + name));
    EXPECT_THAT(messageWith([&](CheckpointManifest &changed, TensorPart &) { changed.shapes.erase(name); }),
        HasSubstr("gives no valid shape of " + name));
    EXPECT_THAT(messageWith([&](CheckpointManifest &changed, TensorPart &) { changed.shapes[name] = {7, 17}; }),
        HasSubstr("lacks columns"));
    EXPECT_THAT(messageWith([&](CheckpointManifest &changed, TensorPart &) { changed.shards = 1'000'000; }),
        HasSubstr("-of-1000000.safetensors: cannot open"));
    EXPECT_THAT(messageWith([&](CheckpointManifest &changed, TensorPart &) { changed.shards = 1'000'001; }),
        HasSubstr("was written by 1000001 ranks"));
}

TEST_F(DamagedReshard, OfAnotherShapeIsRefused)
{
    Share share{.name = "model.layers.0.mlp.down_proj.weight", .shape = {17, 6}, .count = 102};
    Holding holding({share});
    EXPECT_THAT(messageOf(store.read(store.at(1), holding.tensors())),
        HasSubstr("tensor model.layers.0.mlp.down_proj.weight has another shape"));
    share.name = "model.layers.7.mlp.down_proj.weight";
    Holding missing({share});
    EXPECT_THAT(messageOf(store.read(store.at(1), missing.tensors())),
        HasSubstr("lacks the tensor model.layers.7.mlp.down_proj.weight"));
}

// Slices of a weight of 4 rows and 6 columns, each in a shard of its own.
void saveSlices(const CheckpointStore &store, const std::vector<WeightSlice> &slices)
{
    std::vector<Holding> holdings;
    for (const WeightSlice &slice : slices)
        holdings.push_back(Holding({{.name = "w", .shape = {4, 6}, .slice = slice, .count = slice.elements()}}));
    save(store, 1, filled(std::move(holdings)));
}

TEST(CheckpointResharded, ThatContradictsItselfNamesTheWeightAndTheFiles)
{
    const ScratchFolder folder;
    const CheckpointStore store(folder / "c");
    saveSlices(store, {{.rows = 4, .columns = 4}, {.rows = 4, .firstColumn = 3, .columns = 3}});
    Holding holding({{.name = "w", .shape = {4, 6}, .count = 24}});
    const std::string twice =
        "model-00001-of-00002.safetensors: holds elements of w that model-00002-of-00002.safetensors holds, too";
    EXPECT_THAT(messageOf(store.read(store.at(1), holding.tensors())), HasSubstr(twice));
    EXPECT_THAT(messageOf(store.choose({})), HasSubstr(twice));
    EXPECT_EQ(holding.bits(), Holding({{.name = "w", .shape = {4, 6}, .count = 24}}).bits());
}

TEST(CheckpointResharded, ThatLacksColumnsNamesThem)
{
    const ScratchFolder folder;
    const CheckpointStore store(folder / "c");
    saveSlices(store, {{.rows = 4, .columns = 2}, {.rows = 4, .firstColumn = 3, .columns = 3}});
    EXPECT_THAT(messageOf(store.choose({})), HasSubstr("manifest.json: lacks columns 2 to 3 of rows 0 to 4 of w"));
}

TEST(CheckpointResharded, IsNotWrittenWithWhatCannotBeReadAgain)
{
    const ScratchFolder folder;
    const CheckpointStore store(folder / "c");
    ASSERT_TRUE(store.begin(1));
    const Share left{.name = "w", .shape = {4, 6}, .slice = WeightSlice{.rows = 4, .columns = 3}, .count = 12};
    Share right = left, outside = left;
    right.slice->firstColumn = 3;
    outside.slice->firstColumn = 4;
    EXPECT_THAT(messageOf(store.writeShard(1, {}, Holding({left, right}).tensors())), HasSubstr("one part of w"));
    EXPECT_THAT(messageOf(store.writeShard(1, {}, Holding({outside}).tensors())), HasSubstr("w is outside"));

    const Share transposed{.name = "w", .shape = {6, 4}, .slice = WeightSlice{.rows = 6, .columns = 2}, .count = 12};
    ASSERT_TRUE(store.writeShard(1, {.index = 0, .count = 2}, Holding({left}).tensors()));
    ASSERT_TRUE(store.writeShard(1, {.index = 1, .count = 2}, Holding({transposed}).tensors()));
    EXPECT_THAT(messageOf(store.finish({.step = 1}, 2, 1)), HasSubstr("gives w another shape"));
}

TEST(CheckpointResharded, WithoutPlacesForStatesReadsTheWeightsAlone)
{
    const ScratchFolder folder;
    const CheckpointStore store(folder / "c");
    save(store, 1, filled(holdingsOf(kColumns, true)));
    std::filesystem::remove(store.at(1).folder / "optimizer-00003-of-00012.safetensors");
    const Share share{.name = "model.embed_tokens.weight", .shape = {14, 6}, .count = 84};
    Holding holding({share}), expected = Holding({share}).filled();
    std::vector<CheckpointTensor> tensors = holding.tensors();
    tensors[0].momentum = tensors[0].variance = {};
    const auto done = store.read(store.at(1), tensors);
    ASSERT_TRUE(done) << messageOf(done);
    EXPECT_TRUE(std::ranges::equal(holding.bits() | std::views::take(84), expected.bits() | std::views::take(84)));
}

} // namespace
} // namespace slipway
