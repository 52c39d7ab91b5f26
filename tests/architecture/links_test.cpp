// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The arrows of the architecture on what was really built: each target's libraries, each file's compile line, and the
// shared libraries that each program asks the loader for.
#include "architecture/source_tree.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

namespace slipway::architecture {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
namespace fs = std::filesystem;

const std::string kBuild = SLIPWAY_BUILD_DIR;

struct Target {
    std::string folder;
    std::string name;
    std::vector<std::string> links;
};

std::vector<Target> targets()
{
    std::ifstream in(kBuild + "/tests/architecture/links.txt");
    std::vector<Target> found;
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        Target target;
        words >> target.folder >> target.name;
        target.links.assign(std::istream_iterator<std::string>(words), {});
        found.push_back(std::move(target));
    }
    return found;
}

// "slipway_plan links Qt6::Core" for each library of a target below `folder` that `forbidden` says yes to.
template<typename Forbidden>
std::vector<std::string> badLinks(const std::string &folder, Forbidden forbidden)
{
    std::vector<std::string> found;
    for (const auto &target : targets()) {
        if (!startsWith(target.folder + '/', folder)) {
            continue;
        }
        for (const auto &link : target.links) {
            if (forbidden(target, link)) {
                found.push_back(target.name + " links " + link);
            }
        }
    }
    return found;
}

bool isQtLibrary(const std::string &link)
{
    return link.find("Qt6::") != std::string::npos || link.find("Qt::") != std::string::npos;
}
bool isTorchLibrary(const std::string &link) { return link.find("torch") != std::string::npos; }

TEST(Links, CoreLinksNoQtButQtCoreInHosts)
{
    EXPECT_THAT(badLinks("core/",
                    [](const Target &target, const std::string &link) {
                        const bool qtCore = link == "Qt6::Core" || link == "Qt::Core";
                        return isQtLibrary(link) && !(qtCore && target.folder == "core/hosts");
                    }),
        IsEmpty());
}

TEST(Links, LibTorchAndTheTrainerAreLinkedByTheTrainerAlone)
{
    EXPECT_THAT(badLinks("",
                    [](const Target &target, const std::string &link) {
                        return (isTorchLibrary(link) || startsWith(link, "slipway_trainer")) &&
                               !startsWith(target.folder, "trainer") && target.folder != "app/train";
                    }),
        IsEmpty());
}

TEST(Links, TrainerLinksNoQtAndNoUi)
{
    for (const auto *folder : {"trainer/", "app/train"}) {
        EXPECT_THAT(badLinks(folder,
                        [](const Target &, const std::string &link) {
                            return isQtLibrary(link) || startsWith(link, "slipway_ui") || link == "slipway_hosts";
                        }),
            IsEmpty());
    }
}

TEST(Links, QtChartsIsLinkedByUiChartsAlone)
{
    EXPECT_THAT(badLinks("",
                    [](const Target &target, const std::string &link) {
                        return link.find("::Charts") != std::string::npos && target.folder != "ui/charts";
                    }),
        IsEmpty());
}

TEST(Links, CoreLinksNothingAboveIt)
{
    EXPECT_THAT(badLinks("core/",
                    [](const Target &, const std::string &link) {
                        return startsWith(link, "slipway_ui") || startsWith(link, "slipway_trainer");
                    }),
        IsEmpty());
}

TEST(CompileLines, OfCoreAndUiSeeNoLibTorchAndThoseOfTheTrainerNoQt)
{
    std::ifstream in(kBuild + "/compile_commands.json");
    if (!in) {
        GTEST_SKIP() << "this build keeps no compile_commands.json";
    }
    std::vector<std::string> found;
    for (const auto &entry : nlohmann::json::parse(in)) {
        const auto command = entry.at("command").get<std::string>();
        // By the object, which lies below the folder of its target: the sources of precompiled headers are elsewhere.
        const std::string file = command.substr(command.find(" -o ") + 4);
        const bool seesTorch = command.find("torch/include") != std::string::npos;
        const bool seesQt = command.find("/qt6") != std::string::npos;
        if (seesTorch && !startsWith(file, "trainer/") && !startsWith(file, "tests/")) {
            found.push_back(entry.at("file").get<std::string>() + " sees LibTorch");
        }
        if (seesQt && (startsWith(file, "trainer/") || startsWith(file, "app/train/") ||
                          (startsWith(file, "core/") && !startsWith(file, "core/hosts/")))) {
            found.push_back(entry.at("file").get<std::string>() + " sees Qt");
        }
    }
    EXPECT_THAT(found, IsEmpty());
}

// What the dynamic section asks for; what those ask for in turn is theirs.
std::vector<std::string> neededBy(const std::string &program)
{
    const std::unique_ptr<FILE, int (*)(FILE *)> pipe(
        ::popen(("readelf -d '" + program + "'").c_str(), "r"), &::pclose);
    std::vector<std::string> names;
    std::array<char, 4096> line{};
    while (pipe && std::fgets(line.data(), static_cast<int>(line.size()), pipe.get())) {
        const std::string text = line.data();
        const auto open = text.find('[');
        if (text.find("(NEEDED)") != std::string::npos && open != std::string::npos) {
            names.push_back(text.substr(open + 1, text.find(']') - open - 1));
        }
    }
    return names;
}

class Programs : public ::testing::Test {
protected:
    static std::vector<std::string> needed(const std::string &name)
    {
        const auto path = kBuild + "/bin/" + name;
        return fs::exists(path) ? neededBy(path) : std::vector<std::string>{};
    }
};

TEST_F(Programs, TheCommandLineLoadsNeitherAWindowNorLibTorch)
{
    EXPECT_THAT(needed("slipway"),
        Each(AllOf(Not(HasSubstr("Qt6Gui")), Not(HasSubstr("Qt6Widgets")), Not(HasSubstr("torch")))));
}

TEST_F(Programs, TheDesktopLoadsNoLibTorch)
{
    EXPECT_THAT(needed("slipway-desktop"), Each(AllOf(Not(HasSubstr("torch")), Not(HasSubstr("libc10")))));
}

TEST_F(Programs, TheTrainerLoadsNoQt) { EXPECT_THAT(needed("slipway-train"), Each(Not(HasSubstr("Qt6")))); }

} // namespace
} // namespace slipway::architecture
