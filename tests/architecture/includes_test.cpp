// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The arrows of the architecture on #include lines. A violation is printed as "file includes name".
#include "architecture/source_tree.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <iterator>
#include <regex>
#include <sstream>

namespace slipway::architecture {
namespace {

using ::testing::IsEmpty;
using Forbidden = std::function<bool(const std::string &path, const std::string &include)>;

const std::vector<SourceFile> &sources()
{
    static const auto read = readSources();
    return read;
}

std::vector<std::string> violations(const std::string &folder, const Forbidden &forbidden)
{
    std::vector<std::string> found;
    for (const auto &file : cppBelow(sources(), folder)) {
        for (const auto &include : includesOf(file.text)) {
            if (forbidden(file.path, include)) {
                found.push_back(file.path + " includes " + include);
            }
        }
    }
    return found;
}

bool isQt(const std::string &include)
{
    // <QString>, <QtCore/QString>, <qglobal.h>: Qt's names and nobody else's here.
    return include.size() > 1 && ((include[0] == 'Q' && std::isupper(static_cast<unsigned char>(include[1]))) ||
                                     startsWith(include, "Qt") || startsWith(include, "qglobal"));
}

bool isTorch(const std::string &include)
{
    constexpr std::array prefixes{"torch/", "ATen/", "c10/", "caffe2/"};
    return std::any_of(
        prefixes.begin(), prefixes.end(), [&](const char *prefix) { return startsWith(include, prefix); });
}

bool isChart(const std::string &include)
{
    constexpr std::array names{"QtCharts", "QChart", "QAbstractSeries", "QAbstractAxis", "QValueAxis", "QLogValueAxis",
        "QDateTimeAxis", "QCategoryAxis", "QBarCategoryAxis", "QXYSeries", "QLineSeries", "QAreaSeries",
        "QScatterSeries", "QBarS", "QStackedBar", "QHorizontal", "QPieS", "QLegend"};
    return std::any_of(names.begin(), names.end(), [&](const char *name) { return startsWith(include, name); });
}

// Parts of core from the bottom up, as core/CMakeLists.txt lists them: a part knows itself and those before it.
const std::vector<std::string> &coreParts()
{
    static const auto parts = [] {
        const auto lists = std::find_if(
            sources().begin(), sources().end(), [](const auto &file) { return file.path == "core/CMakeLists.txt"; });
        std::smatch line;
        std::vector<std::string> names;
        if (lists != sources().end() &&
            std::regex_search(lists->text, line, std::regex(R"(foreach\(\s*part\s+([a-z\s]+)\))"))) {
            std::istringstream words(line[1]);
            names.assign(std::istream_iterator<std::string>(words), {});
        }
        return names;
    }();
    return parts;
}

// -1 for what is no part of core.
int orderOf(const std::string &part)
{
    const auto at = std::find(coreParts().begin(), coreParts().end(), part);
    return at == coreParts().end() ? -1 : static_cast<int>(at - coreParts().begin());
}

std::string firstFolder(const std::string &path) { return path.substr(0, path.find('/')); }

TEST(Includes, AreReadFromBothForms)
{
    EXPECT_THAT(includesOf("#include <QString>\nint a; // #include <no>\n  # include \"base/units.h\"\n"),
        ::testing::ElementsAre("QString", "base/units.h"));
}

TEST(Includes, TheSourceTreeIsFound) { EXPECT_GT(cppBelow(sources(), "core/").size(), 10u); }

TEST(Includes, CoreKnowsNoQtOutsideHosts)
{
    EXPECT_THAT(
        violations("core/",
            [](const auto &path, const auto &include) { return isQt(include) && !startsWith(path, "core/hosts/"); }),
        IsEmpty());
}

TEST(Includes, HostsKnowsNothingOfQtBeyondQtCore)
{
    EXPECT_THAT(violations("core/hosts/",
                    [](const auto &, const auto &include) {
                        return startsWith(include, "QtGui") || startsWith(include, "QtWidgets") ||
                               startsWith(include, "QWidget") || isChart(include);
                    }),
        IsEmpty());
}

TEST(Includes, LibTorchIsKnownToTheTrainerAlone)
{
    for (const auto *folder : {"core/", "ui/", "app/"}) {
        EXPECT_THAT(violations(folder, [](const auto &, const auto &include) { return isTorch(include); }), IsEmpty());
    }
}

TEST(Includes, TrainerAndCommandLineKnowNoQt)
{
    for (const auto *folder : {"trainer/", "app/train/", "app/cli/"}) {
        EXPECT_THAT(violations(folder, [](const auto &, const auto &include) { return isQt(include); }), IsEmpty());
    }
}

TEST(Includes, QtChartsIsKnownToUiChartsAlone)
{
    for (const auto *folder : {"core/", "ui/", "app/", "trainer/"}) {
        EXPECT_THAT(violations(folder,
                        [](const auto &path, const auto &include) {
                            return isChart(include) && !startsWith(path, "ui/charts/");
                        }),
            IsEmpty());
    }
}

TEST(Includes, PartsOfCoreKnowOnlyPartsBelowThem)
{
    EXPECT_THAT(violations("core/",
                    [](const auto &path, const auto &include) {
                        const auto part = firstFolder(path.substr(std::string("core/").size()));
                        return include.find('/') != std::string::npos && orderOf(firstFolder(include)) > orderOf(part);
                    }),
        IsEmpty());
}

TEST(Includes, EveryPartOfCoreHasItsPlaceInTheOrder)
{
    ASSERT_THAT(coreParts(), ::testing::Contains("plan"));
    for (const auto &file : cppBelow(sources(), "core/")) {
        const auto part = firstFolder(file.path.substr(std::string("core/").size()));
        EXPECT_GE(orderOf(part), 0) << file.path << ": name " << part << " in core/CMakeLists.txt";
    }
}

TEST(Includes, NobodyBelowAppKnowsAnotherTop)
{
    const std::vector<std::string> trainer{
        "fused_ops", "cpu_ops", "aten_ops", "exec", "comm", "cuda", "tokenizer", "data", "state", "run"};
    EXPECT_THAT(violations("core/",
                    [&](const auto &, const auto &include) {
                        return startsWith(include, "trainer/") || startsWith(include, "ui/") ||
                               startsWith(include, "app/");
                    }),
        IsEmpty());
    EXPECT_THAT(violations("ui/",
                    [&](const auto &, const auto &include) {
                        return startsWith(include, "app/") ||
                               (include.find('/') != std::string::npos &&
                                   std::find(trainer.begin(), trainer.end(), firstFolder(include)) != trainer.end());
                    }),
        IsEmpty());
}

} // namespace
} // namespace slipway::architecture
