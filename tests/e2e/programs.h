// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Starts the built programs and looks at what a script would see: status, output, files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "hosts/child_process.h"
#include "support/temporary_directory.h"

namespace slipway::e2e {

// `slipway ARGUMENTS...`, waited for.
ChildResult slipway(const std::vector<std::string> &arguments);
// Its standard output as JSON; a test failure where that is not one document, or where standard error is not empty.
nlohmann::json slipwayJson(const std::vector<std::string> &arguments);

// Every test has a data folder and a working folder of its own.
class ProgramTest : public ::testing::Test {
protected:
    ProgramTest();
    ~ProgramTest() override;

    // A configuration's file in the working folder.
    std::string file(const std::string &name, const std::string &text);
    [[nodiscard]] std::filesystem::path folder() const { return m_folder.path(); }

private:
    TemporaryDirectory m_folder;
    std::filesystem::path m_previous;
};

// "status 2, message on standard error that holds every one of these, and nothing on standard output".
void expectRefused(const ChildResult &result, int status, const std::vector<std::string> &words);

} // namespace slipway::e2e
