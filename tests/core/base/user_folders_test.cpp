// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "base/user_folders.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>

namespace slipway {
namespace {

// The variables as a test sets them, and as they were after it.
class UserFolders : public ::testing::Test {
protected:
    UserFolders()
    {
        for (const char *name : {"HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"}) {
            const char *const value = std::getenv(name);
            m_before[name] = value ? std::optional<std::string>(value) : std::nullopt;
            ::unsetenv(name);
        }
    }
    ~UserFolders() override
    {
        for (const auto &[name, value] : m_before)
            value ? ::setenv(name.c_str(), value->c_str(), 1) : ::unsetenv(name.c_str());
    }

    std::map<std::string, std::optional<std::string>> m_before;
};

TEST_F(UserFolders, AreThoseOfTheSpecification)
{
    ::setenv("HOME", "/home/u", 1);
    EXPECT_EQ(userDataPath("runs"), "/home/u/.local/share/slipway/runs");
    EXPECT_EQ(userConfigPath("hosts"), "/home/u/.config/slipway/hosts");
    EXPECT_EQ(userCachePath("processor.yaml"), "/home/u/.cache/slipway/processor.yaml");
    ::setenv("XDG_DATA_HOME", "/data", 1);
    ::setenv("XDG_CONFIG_HOME", "relative", 1);
    EXPECT_EQ(userDataPath("runs"), "/data/slipway/runs");
    EXPECT_EQ(userConfigPath("hosts"), "/home/u/.config/slipway/hosts");
}

// /tmp belongs to everybody: another user could have made the folder first.
TEST_F(UserFolders, AreNowhereWithoutAHomeFolderAndTheErrorSaysSo)
{
    for (const char *home : {"", "relative"}) {
        ::setenv("HOME", home, 1);
        EXPECT_EQ(userDataPath("runs"), "");
        EXPECT_EQ(userConfigPath("hosts"), "");
        EXPECT_EQ(userCachePath("processor.yaml"), "");
    }
    const Result<void> made = makeUserFolder(userDataPath("runs"));
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().message(),
        "HOME: is not set, so there is no folder for the user's own files (accepted: the absolute path of a home "
        "folder, or XDG_DATA_HOME and XDG_CONFIG_HOME)");
}

} // namespace
} // namespace slipway
