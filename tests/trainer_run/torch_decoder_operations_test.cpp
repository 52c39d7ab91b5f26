// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the host does for a token in the decoder that runs on GPUs: LibTorch's operations, counted here on the
// processor.
#include <functional>
#include <map>
#include <memory>
#include <string>

#include <ATen/record_function.h>
#include <gtest/gtest.h>

#include "run/torch_decoder.h"
#include "decoder_inputs.h"
#include "support/family_models.h"

namespace slipway {
namespace {

using testing::smallModelOf;
using testing::textOf;
using testing::unlike;

using Operations = std::map<std::string, int>;

Operations *counted = nullptr; // LibTorch takes a function without a state

std::unique_ptr<at::ObserverContext> countOne(const at::RecordFunction &operation)
{
    ++(*counted)[operation.name()];
    return nullptr;
}

// Of a step in which two sequences decode.
Operations operationsOf(ModelSpec model, int layers)
{
    model.layers = layers;
    TorchDecoder decoder(model, unlike(model), 48, {}, DecoderType::Bf16, DecoderDevice::Cpu);
    const std::vector<std::int32_t> prompts[] = {textOf(5, 1), textOf(9, 2)}, next = textOf(1, 3);
    const SequenceDecoder::Sequence sequences[] = {decoder.begin(), decoder.begin()};
    const DecoderInput whole[] = {{sequences[0], prompts[0]}, {sequences[1], prompts[1]}};
    decoder.forward(whole);
    Operations operations;
    counted = &operations;
    const at::CallbackHandle handle =
        at::addThreadLocalCallback(at::RecordFunctionCallback(countOne).scopes({at::RecordScope::FUNCTION}));
    const DecoderInput step[] = {{sequences[0], next}, {sequences[1], next}};
    decoder.forward(step);
    at::removeCallback(handle);
    return operations;
}

// What one layer more, of each kind, adds to a step.
Operations operationsOfLayers(const ModelSpec &model)
{
    const int kinds = std::max<int>(1, static_cast<int>(std::ssize(model.pattern)));
    Operations more = operationsOf(model, 2 * kinds);
    for (const auto &[name, count] : operationsOf(model, kinds))
        more[name] -= count;
    std::erase_if(more, [](const auto &operation) { return operation.second == 0; });
    return more;
}

TEST(TorchDecoder, ALayerUploadsAndGathersAndConvertsNothing)
{
    const Operations more = operationsOfLayers(smallModelOf(*familyOfType("llama")));
    for (const char *name : {"aten::index_select", "aten::_to_copy", "aten::empty_strided", "aten::copy_", "aten::cat",
             "aten::clone", "aten::t"})
        EXPECT_FALSE(more.contains(name)) << name;
    EXPECT_EQ(more.at("aten::mm"), 4);
    EXPECT_EQ(more.at("aten::index_copy_"), 1); // keys and values at once
    EXPECT_EQ(more.at("aten::add"), 2);         // the residual additions
    int all = 0;
    for (const auto &[name, count] : more)
        all += count;
    EXPECT_LE(all, 40); // views and allocations included
}

TEST(TorchDecoder, RotationsOfAPartOfAHeadGatherTheirAnglesOnceForAllLayers)
{
    for (const char *type : {"gpt_neox", "phi", "stablelm"})
        EXPECT_FALSE(operationsOfLayers(smallModelOf(*familyOfType(type))).contains("aten::index_select")) << type;
}

TEST(TorchDecoder, NoFamilyAsksTheDeviceWhichTokensAnExpertHas)
{
    for (const ModelFamily &family : modelFamilies()) {
        const Operations all = operationsOf(smallModelOf(family), 4);
        for (const char *name : {"aten::nonzero", "aten::item", "aten::_local_scalar_dense", "aten::masked_select"})
            EXPECT_FALSE(all.contains(name)) << family.type << ": " << name;
    }
}

} // namespace
} // namespace slipway
