// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "e2e/programs.h"

#include <cstdlib>

namespace slipway::e2e {

ChildResult slipway(const std::vector<std::string> &arguments)
{
    std::vector<std::string> argv{SLIPWAY_PROGRAM};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    const Result<ChildResult> result = runChild(argv, std::chrono::minutes(5));
    EXPECT_TRUE(result) << result.error().message();
    return result ? *result : ChildResult{.exitStatus = -1};
}

nlohmann::json slipwayJson(const std::vector<std::string> &arguments)
{
    const ChildResult result = slipway(arguments);
    EXPECT_EQ(result.err, "");
    nlohmann::json json = nlohmann::json::parse(result.out, nullptr, false);
    EXPECT_FALSE(json.is_discarded()) << result.out;
    return json;
}

ProgramTest::ProgramTest() : m_previous(std::filesystem::current_path())
{
    ::setenv("XDG_DATA_HOME", (m_folder.path() / "data").c_str(), 1);
    ::unsetenv("DISPLAY");
    ::unsetenv("WAYLAND_DISPLAY");
    std::filesystem::current_path(m_folder.path());
}

ProgramTest::~ProgramTest() { std::filesystem::current_path(m_previous); }

std::string ProgramTest::file(const std::string &name, const std::string &text)
{
    writeText(m_folder.path() / name, text);
    return (m_folder.path() / name).string();
}

void expectRefused(const ChildResult &result, int status, const std::vector<std::string> &words)
{
    EXPECT_EQ(result.exitStatus, status) << result.err;
    EXPECT_EQ(result.out, "");
    for (const std::string &word : words)
        EXPECT_NE(result.err.find(word), std::string::npos) << "'" << word << "' is not in: " << result.err;
}

} // namespace slipway::e2e
