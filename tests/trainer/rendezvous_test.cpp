// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/rendezvous.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::testing {
namespace {

using ::testing::AllOf;
using ::testing::Ne;
using ::testing::Not;
using ::testing::StartsWith;

// Whatever a machine calls itself: by such an address no other one comes.
TEST(Rendezvous, TellsOthersNoAddressThatMeansThemselves)
{
    for (const char *host : {"127.0.0.1", "127.0.1.1", "localhost", "192.0.2.77", "no-such-host.invalid"}) {
        const std::optional<std::string> own = addressForOthers(host);
        if (!own)
            GTEST_SKIP() << "this machine has no network";
        EXPECT_THAT(*own, AllOf(Not(StartsWith("127.")), Ne("::1"), Not(StartsWith("fe80")))) << host;
    }
}

} // namespace
} // namespace slipway::testing
