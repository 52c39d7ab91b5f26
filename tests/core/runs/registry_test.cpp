// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/registry_entry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runs/rename_run.h"
#include "runs/run_reader.h"
#include "support/temporary_directory.h"

namespace slipway {
namespace {

class Registering : public ::testing::Test {
protected:
    std::filesystem::path run(const std::filesystem::path &directory)
    {
        std::filesystem::create_directories(directory);
        writeText(directory / "run.yaml", "model: 100M\n");
        return directory;
    }
    std::vector<std::string> names()
    {
        std::vector<std::string> list;
        for (const KnownRun &known : m_registry.list())
            list.push_back(known.name);
        return list;
    }

    TemporaryDirectory m_folder;
    Registry m_registry{m_folder.path() / "data" / "runs"};
};

TEST_F(Registering, ListsNothingWhereNoFolderIs) { EXPECT_TRUE(m_registry.list().empty()); }

TEST_F(Registering, GivesEveryRunAFolderOfItsOwn)
{
    EXPECT_EQ(m_registry.create("small")->filename(), "small");
    EXPECT_EQ(m_registry.create("small")->filename(), "small-2");
    EXPECT_EQ(m_registry.create("small")->filename(), "small-3");
    EXPECT_EQ(m_registry.create("")->filename(), "run");
}

TEST_F(Registering, LetsNoNameLeaveTheFolder)
{
    for (const char *name : {"../../etc", "/etc/passwd", "..", ".", "a/b", "-rf", ".hidden", "a\nb; rm -rf $HOME"}) {
        const auto directory = m_registry.create(name);
        ASSERT_TRUE(directory) << name;
        EXPECT_EQ(directory->parent_path(), m_registry.folder()) << name;
        EXPECT_NE(directory->filename().string().front(), '.') << name;
        EXPECT_NE(directory->filename().string().front(), '-') << name;
    }
}

TEST_F(Registering, CutsALongNameBetweenCharacters)
{
    std::string name = "x";
    for (int i = 0; i < 200; ++i)
        name += "ä";
    const auto directory = m_registry.create(name);
    ASSERT_TRUE(directory);
    EXPECT_EQ(directory->filename().string(), name.substr(0, 99)); // 49 of two bytes each behind the first
}

TEST_F(Registering, ListsFoldersThatHoldARunAndNothingElse)
{
    run(*m_registry.create("a"));
    ASSERT_TRUE(m_registry.create("empty"));
    writeText(m_registry.folder() / "stray", "file");
    EXPECT_THAT(names(), ::testing::ElementsAre("a"));
}

TEST_F(Registering, KnowsRunsThatLieElsewhereOnce)
{
    const auto directory = run(m_folder.path() / "elsewhere" / "mine");
    ASSERT_TRUE(m_registry.add(directory));
    ASSERT_TRUE(m_registry.add(directory));
    EXPECT_THAT(names(), ::testing::ElementsAre("mine"));
    EXPECT_EQ(*m_registry.find("mine"), directory);
    const auto other = run(m_folder.path() / "other" / "mine");
    ASSERT_TRUE(m_registry.add(other));
    EXPECT_EQ(*m_registry.find("mine-2"), other);
}

TEST_F(Registering, ForgetsALinkWhoseRunWasDeletedAndReusesItsName)
{
    const auto directory = run(m_folder.path() / "elsewhere" / "mine");
    ASSERT_TRUE(m_registry.add(directory));
    std::filesystem::remove_all(directory);
    EXPECT_TRUE(names().empty());
    const auto other = run(m_folder.path() / "other" / "mine");
    ASSERT_TRUE(m_registry.add(other));
    EXPECT_EQ(*m_registry.find("mine"), other);
}

TEST_F(Registering, KnowsTheEntryOfADirectoryThatIsInTheListOrLinkedFromIt)
{
    const std::filesystem::path inside = run(*m_registry.create("inside")), outside = run(m_folder.path() / "outside");
    EXPECT_EQ(entryName(m_registry, inside), "inside");
    EXPECT_EQ(entryName(m_registry, outside), "outside");
    std::filesystem::create_directory_symlink(outside, m_registry.folder() / "linked");
    EXPECT_EQ(entryName(m_registry, outside), "linked");
}

TEST_F(Registering, FindsByNameAndByDirectory)
{
    const auto directory = run(*m_registry.create("a"));
    EXPECT_EQ(*m_registry.find("a"), directory);
    EXPECT_EQ(*m_registry.find(directory.string()), directory);
    EXPECT_EQ(*m_registry.find(directory.string() + "/"), directory);
}

TEST_F(Registering, NamesTheNearestRunWhenThereIsNone)
{
    run(*m_registry.create("bible-small"));
    const auto found = m_registry.find("bible-smal");
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().what, "unknown run 'bible-smal'; did you mean bible-small?");
    EXPECT_EQ(found.error().fault, Fault::Input);
    EXPECT_FALSE(m_registry.find(""));
    EXPECT_FALSE(m_registry.find(m_folder.path().string()));
}

TEST_F(Registering, ARunIsCalledByItsConfigurationUntilItsFolderGetsAnotherName)
{
    EXPECT_EQ(nameInFolder("my run", "my-run"), "my run");
    EXPECT_EQ(nameInFolder("my run", "my-run-2"), "my run-2") << "two runs of one name are told apart everywhere";
    EXPECT_EQ(nameInFolder("my run", "my-run-second"), "my-run-second");
    EXPECT_EQ(nameInFolder("", "folder"), "folder");
    EXPECT_EQ(nameInFolder("my run", ""), "my run");
}

TEST_F(Registering, ADirectoryTakesAPlaceInTheListThatIsFree)
{
    run(m_registry.folder() / "taken");
    run(m_folder.path() / "trash" / "taken");
    EXPECT_FALSE(moveIntoList(m_registry, m_folder.path() / "trash" / "taken", "taken"));
    ASSERT_TRUE(moveIntoList(m_registry, m_folder.path() / "trash" / "taken", "free"));
    EXPECT_THAT(names(), ::testing::UnorderedElementsAre("free", "taken"));
}

} // namespace
} // namespace slipway
