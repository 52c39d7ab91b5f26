// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Profiles of frameworks as files: what is read, and how a damaged one is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "frameworks/framework_profile.h"
#include "frameworks/read_torch_changes.h"
#include "support/temporary_directory.h"

namespace slipway {
namespace {

using ::testing::HasSubstr;

class FrameworkFiles : public ::testing::Test {
protected:
    Result<Frameworks> read(const std::string &yaml)
    {
        std::ofstream(m_folder.path() / "one.yaml") << yaml;
        return readFrameworks(m_folder.path());
    }
    std::string failure(const std::string &yaml)
    {
        const Result<Frameworks> frameworks = read(yaml);
        return frameworks ? "read" : frameworks.error().message();
    }

    TemporaryDirectory m_folder;
};

const std::string kHead = "id: mine\ntitle: Mine\nreleases:\n  \"1.0\": 2024-01-10\n  \"1.2\": 2024-06\n";

TEST_F(FrameworkFiles, AFieldHasItsConditionItsBoundsAndItsOrigin)
{
    const Result<Frameworks> frameworks =
        read(kHead + "fields:\n  - set: loss_path\n    to: fused\n    when: {parallel: [ddp, "
                     "none], tp: \">1\"}\n    from: \"1.2\"\n    until: 2025-02\n    "
                     "torch_from: \"2.5\"\n    origin: read\n    reference: loss.py\n    "
                     "as_of: 2026-11-23\n");
    ASSERT_TRUE(frameworks) << frameworks.error().message();
    ASSERT_EQ(frameworks->profiles.size(), 1U);
    const FrameworkField &field = frameworks->profiles.front().fields.front();
    EXPECT_EQ(field.key, "loss_path");
    EXPECT_EQ(field.value, "fused");
    EXPECT_EQ(field.from, 20240600);
    EXPECT_EQ(field.until, 20250200);
    EXPECT_EQ(field.torchFrom, 205);
    EXPECT_EQ(field.origin, FieldOrigin::Read);
    ASSERT_EQ(field.when.size(), 2U);
    EXPECT_EQ(field.when[0].accepted, (std::vector<std::string>{"ddp", "none"}));
    EXPECT_EQ(field.when[1].accepted, (std::vector<std::string>{">1"}));
}

TEST_F(FrameworkFiles, DamageIsNamedWithItsLine)
{
    const std::string field = "fields:\n  - {set: a, to: b, origin: guessed, reference: x}\n";
    EXPECT_THAT(failure(kHead + field), HasSubstr("one.yaml:7: 'origin' is 'guessed' (accepted: documented, read"));
    EXPECT_THAT(failure(kHead + "fields:\n  - {set: a, to: b, origin: read}\n"), HasSubstr("'reference' is missing"));
    EXPECT_THAT(failure(kHead + "fields:\n  - {set: a, to: b, from: \"9.9\", origin: read, reference: x}\n"),
        HasSubstr("one.yaml:7: 'from' is '9.9', which is not a listed release"));
    EXPECT_THAT(failure(kHead + "colour: red\n"), HasSubstr("one.yaml:6: unknown key 'colour'"));
    EXPECT_THAT(failure("title: Mine\n"), HasSubstr("'id' is missing"));
    EXPECT_THAT(failure("id: a\ntitle: A\nreleases:\n  \"2\": 2024-05-01\n  \"1\": 2023-01-01\n"),
        HasSubstr("one.yaml:5: '1' has a date before the release above it"));
    EXPECT_THAT(failure(kHead + "inherits: nobody\n"),
        AllOf(HasSubstr("one.yaml: "), HasSubstr("inherits 'nobody', which is not there (accepted: the id of")));
    EXPECT_THAT(failure(kHead + "fields:\n  - {set: a, to: b, origin: read, reference: x, as_of: someday}\n"),
        HasSubstr("one.yaml:7: 'as_of' is 'someday' (accepted: a date YYYY-MM-DD)"));
    EXPECT_THAT(failure(kHead + "inherits: mine\n"), HasSubstr("which inherits it"));
    EXPECT_THAT(failure("[]"), HasSubstr("is not a record"));
}

TEST_F(FrameworkFiles, AnArgumentThatIsAddedHasAPlaceForItsValueAndAnOrigin)
{
    const std::string rule = "arguments:\n  - {flags: [n], set: steps, add: ";
    const std::string origin = ", origin: read, reference: x}\n";
    EXPECT_THAT(failure(kHead + rule + "[-n]" + origin), HasSubstr("one.yaml:7: 'add' has no {} for the value"));
    EXPECT_THAT(failure(kHead + rule + "[\"-n={}\"]}\n"), HasSubstr("'origin' is missing"));
    const Result<Frameworks> frameworks = read(kHead + rule + "[-n, \"{}\"]" + origin);
    ASSERT_TRUE(frameworks) << frameworks.error().message();
    EXPECT_THAT(frameworks->profiles.front().script.arguments.front().add, ::testing::ElementsAre("-n", "{}"));
}

TEST_F(FrameworkFiles, FieldsOfEnginesAreInAFolderOfTheirOwn)
{
    const std::filesystem::path folder = m_folder.path() / "engines";
    std::filesystem::create_directory(folder);
    std::ofstream(m_folder.path() / "one.yaml") << kHead;
    std::ofstream(folder / "a.yaml") << "fields:\n"
                                        "  - {set: a, to: b, torch_until: \"2.5\", origin: read, reference: x}\n";
    const Result<Frameworks> frameworks = readFrameworks(m_folder.path());
    ASSERT_TRUE(frameworks) << frameworks.error().message();
    ASSERT_EQ(frameworks->ofEngines.size(), 1U);
    EXPECT_EQ(frameworks->ofEngines[0].torchUntil, 205);
    EXPECT_EQ(frameworks->profiles.size(), 1U);
    std::ofstream(folder / "b.yaml") << "id: mine\n";
    EXPECT_THAT(readFrameworks(m_folder.path()).error().message(), HasSubstr("b.yaml:1: unknown key 'id'"));
}

TEST_F(FrameworkFiles, AChangeOfPyTorchHasItsVersionAndItsOrigin)
{
    const std::string origin = ", origin: read, reference: x, as_of: 2026-11-29}\n";
    std::filesystem::create_directory(m_folder.path() / "engines");
    const auto readChanges = [&](const std::string &records) {
        std::ofstream(m_folder.path() / "engines/changes.yaml") << "torch_changes:\n" << records;
        return read(kHead);
    };
    const auto refusal = [&](const std::string &records) {
        const Result<Frameworks> frameworks = readChanges(records);
        return frameworks ? "read" : frameworks.error().message();
    };
    const std::string gelu = "  - {key: half_gelu, since: \"1.10\"" + origin;
    const Result<Frameworks> frameworks = readChanges(gelu);
    ASSERT_TRUE(frameworks) << frameworks.error().message();
    EXPECT_EQ(frameworks->torchChanges,
        (std::vector<TorchChange>{{"half_gelu", 110, {FieldOrigin::Read, "x", "2026-11-29"}}}));
    EXPECT_FALSE(frameworks->changesOf(109).halfGelu);
    EXPECT_TRUE(frameworks->changesOf(110).halfGelu);
    EXPECT_THAT(refusal(gelu + gelu), HasSubstr("changes.yaml:3: 'half_gelu' appears twice"));
    EXPECT_THAT(refusal("  - {key: half_glue, since: \"1.10\"" + origin),
        HasSubstr("changes.yaml:2: 'half_glue' is not a change of PyTorch"));
    EXPECT_THAT(refusal("  - {key: half_gelu, since: soon" + origin),
        HasSubstr("changes.yaml:2: 'since' is 'soon' (accepted: a version such as"));
    EXPECT_THAT(refusal("  - {key: half_gelu, since: \"1.10\", origin: read, reference: x}\n"),
        HasSubstr("changes.yaml:2: the key 'as_of' is missing"));
}

// Otherwise the planner would take a change that has no record for one of every version.
TEST_F(FrameworkFiles, ShippedOnesHaveEachChangeOfPyTorch)
{
    Frameworks frameworks =
        readFrameworks(std::filesystem::path(std::getenv("SLIPWAY_RESOURCES")) / "frameworks").value();
    EXPECT_TRUE(checkTorchChanges(frameworks, "engines"));
    EXPECT_EQ(frameworks.torchChanges.size(), kTorchChanges.size());
    std::erase_if(frameworks.torchChanges, [](const TorchChange &change) { return change.key == "flash_2"; });
    EXPECT_THAT(checkTorchChanges(frameworks, "engines").error().message(),
        HasSubstr("engines: the change 'flash_2' of PyTorch is missing"));
}

TEST_F(FrameworkFiles, ShippedOnesAreRead)
{
    const Result<Frameworks> frameworks =
        readFrameworks(std::filesystem::path(std::getenv("SLIPWAY_RESOURCES")) / "frameworks");
    ASSERT_TRUE(frameworks) << frameworks.error().message();
    EXPECT_GT(frameworks->profiles.size(), 30U);
    EXPECT_FALSE(frameworks->ofEngines.empty());
}

TEST_F(FrameworkFiles, AUsersOwnTakesThePlaceOfAShippedOneOrStandsBesideIt)
{
    Frameworks frameworks{.profiles = {{.id = "mine", .title = "Shipped"}, {.id = "other", .title = "Other"}}};
    std::ofstream(m_folder.path() / "one.yaml") << kHead;
    std::ofstream(m_folder.path() / "two.yaml") << "id: new\ntitle: New\ninherits: other\n";
    std::ofstream(m_folder.path() / "notes.txt") << "not a profile";
    ASSERT_TRUE(addFrameworks(frameworks, m_folder.path()));
    ASSERT_EQ(frameworks.profiles.size(), 3U);
    EXPECT_EQ(frameworks.find("mine")->title, "Mine");
    EXPECT_EQ(frameworks.find("new")->inherits, "other");
    EXPECT_TRUE(addFrameworks(frameworks, m_folder.path() / "missing")) << "nobody has to have some";
}

} // namespace
} // namespace slipway
