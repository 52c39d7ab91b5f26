// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/op_groups.h"

#include <gtest/gtest.h>

#include "exec/torch_op_table.h"

namespace slipway::testing {
namespace {

TEST(OpGroups, EveryKindHasAFunctionWhereItsGroupIsNotOfSimulatedFrameworksAlone)
{
    for (std::size_t i = 0; i < EnumNames<OpKind>::names.size(); ++i) {
        const auto kind = static_cast<OpKind>(i);
        const bool runs = opFunction(kind) != nullptr || torchOpFunction(kind) != nullptr;
        EXPECT_EQ(runs, opGroup(kind) != OpGroup::Simulated) << enumName(kind);
    }
}

} // namespace
} // namespace slipway::testing
