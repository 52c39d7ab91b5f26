// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Documents kept apart in one call of LibTorch's attention, against our own attention that keeps them apart by itself.
#include <gtest/gtest.h>

#include "aten_ops/attention.h"
#include "cpu_ops/attention.h"
#include "exact_ops.h"
#include "exec/document_tables.h"
#include "fixed_seed.h"

namespace slipway::testing {
namespace {

using aten_ops::FlashKernel;

struct DocumentsCase {
    cpu_ops::QkvShape shape;
    std::vector<std::int64_t> documents; // where they begin in the first sequence; in each that follows a token later
};

class DocumentAttention : public ::testing::TestWithParam<DocumentsCase> {
protected:
    testing::FixedSeed m_seed;
    cpu_ops::QkvShape s = GetParam().shape;
    std::vector<std::int32_t> starts = documentStartsAt(s.batch, s.seq, GetParam().documents);
    std::vector<std::int32_t> positions = std::vector<std::int32_t>(starts.size()),
                              places = std::vector<std::int32_t>(starts.size() + 1);
    DocumentTable table = documentTables(starts, std::ssize(starts), s.seq, positions, places).front();
    at::Tensor qkv = randomFloats({s.batch, s.seq, s.heads + 2 * s.kvHeads, s.headDim}),
               dout = randomFloats({s.batch, s.seq, s.heads, s.headDim});
    [[nodiscard]] aten_ops::AttentionOptions options() const
    {
        return {.window = s.window,
            .scale = static_cast<double>(s.scale),
            .softCap = static_cast<double>(s.softCap),
            .documents = {.device = at::from_blob(
                              const_cast<std::int32_t *>(table.bounds.data()), {std::ssize(table.bounds)}, at::kInt),
                .host = table.bounds,
                .longest = table.longest}};
    }
};

TEST_P(DocumentAttention, OneCallGivesWhatOurOwnOpsGive)
{
    s.documentStarts = starts.data();
    const at::Tensor out = nans(dout.sizes()), lse = nans({s.batch, s.heads, s.seq}), dqkv = nans(qkv.sizes()),
                     delta = nans(lse.sizes());
    cpu_ops::flashAttention(s, dataOf(qkv), dataOf(out), dataOf(lse));
    cpu_ops::flashAttentionBackward(s, {.dout = dataOf(dout),
                                           .qkv = dataOf(qkv),
                                           .out = dataOf(out),
                                           .lse = dataOf(lse),
                                           .dqkv = dataOf(dqkv),
                                           .delta = dataOf(delta)});
    for (const FlashKernel kernel :
        {FlashKernel::Blocks, aten_ops::flashKernelFor(FlashKernel::Processor, options())}) {
        const at::Tensor ownOut = nans(out.sizes()), ownLse = nans(lse.sizes()), ownDqkv = nans(dqkv.sizes());
        aten_ops::flashAttention(kernel, qkv, ownOut, ownLse, options());
        EXPECT_LT(distanceOf(ownOut, out), 1e-5) << enumName(kernel);
        EXPECT_LT(distanceOf(ownLse.view({s.heads, s.batch * s.seq}), lse.transpose(0, 1).flatten(1)), 1e-5)
            << "statistics are laid out as FlashAttention-2 lays out those of all documents";
        aten_ops::flashAttentionBackward(
            kernel, {.dout = dout, .qkv = qkv, .out = ownOut, .lse = ownLse, .dqkv = ownDqkv, .options = options()});
        EXPECT_LT(distanceOf(ownDqkv, dqkv), 1e-5) << enumName(kernel);
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, DocumentAttention,
    ::testing::Values(DocumentsCase{shapeOf(1, 40, 2, 2, 8), {}},
        DocumentsCase{shapeOf(3, 24, 4, 2, 8), {5, 6, 20, 30}},
        DocumentsCase{shapeOf(2, 300, 4, 1, 8), {128, 300, 511}},
        DocumentsCase{shapeOf(2, 60, 4, 2, 8, 7), {10, 20, 61}},
        DocumentsCase{shapeOf(2, 60, 4, 1, 8, 100), {10, 20, 61}},
        DocumentsCase{shapeOf(2, 60, 4, 2, 8, 0, 0, 2), {1, 2, 3, 80}}));

TEST(DocumentTables, CountFromEachDocumentsFirstToken)
{
    // Two micro-batches of two sequences of four tokens.
    const std::vector<std::int32_t> starts{0, 0, 2, 2, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 3};
    std::vector<std::int32_t> positions(16), bounds(18);
    const std::vector<DocumentTable> tables = documentTables(starts, 8, 4, positions, bounds);
    ASSERT_EQ(tables.size(), 2U);
    const auto listed = [](std::span<const std::int32_t> numbers) {
        return std::vector(numbers.begin(), numbers.end());
    };
    EXPECT_EQ(listed(tables[0].positions), (std::vector<std::int32_t>{0, 1, 0, 1, 0, 1, 2, 3}));
    EXPECT_EQ(listed(tables[0].bounds), (std::vector<std::int32_t>{0, 2, 4, 8}));
    EXPECT_EQ(tables[0].longest, 4);
    EXPECT_EQ(listed(tables[1].positions), (std::vector<std::int32_t>{0, 0, 1, 2, 0, 1, 2, 0}));
    EXPECT_EQ(listed(tables[1].bounds), (std::vector<std::int32_t>{0, 1, 4, 7, 8}));
    EXPECT_EQ(tables[1].longest, 3);
    EXPECT_EQ(listed(documentTables({}, 8, 4, positions, bounds)[1].bounds), (std::vector<std::int32_t>{0, 4, 8}))
        << "without documents each sequence is one";
}

TEST(FlashKernelChoice, DocumentsTakeFlashAttention2InPlaceOfCudnn)
{
    const aten_ops::AttentionOptions documents{.documents = {.device = at::zeros({2}, at::kInt), .longest = 4}};
    for (const FlashKernel usual : {FlashKernel::Gpu, FlashKernel::Cudnn})
        EXPECT_EQ(aten_ops::flashKernelFor(usual, documents), FlashKernel::Gpu);
    EXPECT_EQ(aten_ops::flashKernelFor(FlashKernel::Processor, documents), FlashKernel::Processor);
}

} // namespace
} // namespace slipway::testing
