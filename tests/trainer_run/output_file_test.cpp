// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/output_file.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include "scratch_folder.h"

namespace slipway {
namespace {

TEST(OutputFile, OthersMayReadItOnlyWhereTheUmaskAllowsItAndItIsNotPrivate)
{
    const testing::ScratchFolder folder;
    const mode_t before = ::umask(022);
    const auto modeOf = [&](const char *name, FileAccess access) -> mode_t {
        Result<OutputFile> file = OutputFile::create(folder / name, access);
        struct stat status{};
        if (!file || !file->commit() || ::stat((folder / name).c_str(), &status) != 0)
            return 0;
        return status.st_mode & 07777U;
    };
    EXPECT_EQ(modeOf("tokens", FileAccess::OfUmask), 0644U);
    EXPECT_EQ(modeOf("weights", FileAccess::Private), 0600U);
    ::umask(before);
}

} // namespace
} // namespace slipway
