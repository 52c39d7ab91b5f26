// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/rendezvous_secret.h"

#include <filesystem>
#include <fstream>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trainer_run/scratch_folder.h"

namespace slipway::testing {
namespace {

using ::testing::HasSubstr;

TEST(RendezvousSecret, IsAnotherOneEachTime) { EXPECT_NE(*newSecret(), *newSecret()); }

TEST(RendezvousSecret, StandsInAFileThatOthersNeitherReadNorWrite)
{
    const ScratchFolder folder;
    const std::filesystem::path path = secretFileIn(folder / "", "run/1");
    const RendezvousSecret secret = *newSecret();
    ::umask(0);
    ASSERT_TRUE(writeSecretFile(path, secret));
    struct stat status{};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0600U);
    EXPECT_EQ(*readSecretFile(path), secret);
    EXPECT_NE(secretFileIn(folder / "", "run/2"), path);
}

TEST(RendezvousSecret, IsNotReadFromAFileThatOthersMayRead)
{
    const ScratchFolder folder;
    const std::filesystem::path path = folder / "secret";
    ASSERT_TRUE(writeSecretFile(path, *newSecret()));
    for (const ::mode_t mode : {0640, 0604, 0620}) {
        ::chmod(path.c_str(), mode);
        EXPECT_THAT(readSecretFile(path).error().message(), HasSubstr("other users may read or change it")) << mode;
    }
}

TEST(RendezvousSecret, IsNotReadThroughALinkOrFromAPipe)
{
    const ScratchFolder folder;
    ASSERT_TRUE(writeSecretFile(folder / "secret", *newSecret()));
    std::filesystem::create_symlink(folder / "secret", folder / "link");
    ::mkfifo((folder / "pipe").c_str(), 0600);
    EXPECT_FALSE(readSecretFile(folder / "link"));
    EXPECT_FALSE(readSecretFile(folder / "pipe"));
    EXPECT_FALSE(readSecretFile(folder / "none"));
}

TEST(RendezvousSecret, HasSixtyFourHexadecimalDigits)
{
    const ScratchFolder folder;
    const std::filesystem::path path = folder / "secret";
    for (const std::string &text :
        {std::string(), std::string(63, 'a'), std::string(65, 'a'), std::string(64, 'g'), std::string(1000, 'a')}) {
        std::ofstream(path) << text;
        ::chmod(path.c_str(), 0600);
        EXPECT_THAT(messageOf(readSecretFile(path)), HasSubstr("holds no secret of ranks")) << text;
    }
    std::ofstream(path) << std::string(64, 'a') << "\n";
    EXPECT_EQ(readSecretFile(path)->bytes[31], 0xaa);
}

TEST(RendezvousSecret, IsInheritedInMemoryThatNobodyChanges)
{
    const RendezvousSecret secret = *newSecret();
    const Result<FileDescriptor> descriptor = secretDescriptor(secret);
    ASSERT_TRUE(descriptor);
    EXPECT_EQ(*readSecret(descriptor->get()), secret);
    EXPECT_EQ(*readSecret(descriptor->get()), secret) << "by several ranks";
    EXPECT_EQ(::pwrite(descriptor->get(), "x", 1, 0), -1);
    EXPECT_EQ(::ftruncate(descriptor->get(), 0), -1);
    EXPECT_FALSE(readSecret(-1));
}

} // namespace
} // namespace slipway::testing
