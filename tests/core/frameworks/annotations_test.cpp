// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Annotations of measurement tables as files: for which rows they hold, and how a damaged one is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "frameworks/annotations.h"
#include "support/temporary_directory.h"

namespace slipway {
namespace {

using ::testing::HasSubstr;

class Annotations : public ::testing::Test {
protected:
    Result<std::vector<Annotation>> read(const std::string &yaml)
    {
        std::ofstream(m_folder.path() / "one.yaml") << yaml;
        return readAnnotations(m_folder.path());
    }
    Annotation one(const std::string &yaml) { return read("annotations:\n  - " + yaml).value().front(); }
    std::string failure(const std::string &yaml)
    {
        const Result<std::vector<Annotation>> annotations = read(yaml);
        return annotations ? "read" : annotations.error().message();
    }

    TemporaryDirectory m_folder;
};

constexpr const char *kSaysIt = "    framework: pytorch\n    reason: a test\n";

TEST_F(Annotations, HoldForRowsThatHaveOneOfEachList)
{
    const Annotation a = one(std::string("source: [Lab, club]\n    notes: fast\n    empty: compiled\n") + kSaysIt);
    EXPECT_TRUE(a.matches({.source = "the lab, readme", .notes = "very fast"}));
    EXPECT_FALSE(a.matches({.source = "the lab, readme", .notes = "slow"}));
    EXPECT_FALSE(a.matches({.source = "nobody", .notes = "fast"}));
    EXPECT_FALSE(a.matches({.source = "club", .notes = "fast", .states = [](std::string_view) { return true; }}));
    const Annotation anywhere = one(std::string("anywhere: llm.c\n") + kSaysIt);
    EXPECT_TRUE(anywhere.matches({.source = "karpathy/llm.c"}) && anywhere.matches({.notes = "by llm.c"}));
    const Annotation row = one(std::string("source: lab\n    id: a-1\n") + kSaysIt);
    EXPECT_TRUE(row.matches({.id = "a-1", .source = "lab"}));
    EXPECT_FALSE(row.matches({.id = "a-12", .source = "lab"})) << "ids are compared as a whole";
}

TEST_F(Annotations, OfNotesHoldForRowsWithAFrameworkToo)
{
    const std::string field = "    fields: [{set: a, to: b, origin: read, reference: x}]\n";
    EXPECT_TRUE(one("notes: fsdp1\n" + field).isOfNotes());
    EXPECT_FALSE(one("source: lab\n" + field).isOfNotes());
    EXPECT_FALSE(one("model: gpt\n" + field).isOfNotes());
}

TEST_F(Annotations, DamageIsNamedWithItsLine)
{
    EXPECT_THAT(failure("annotations: 3\n"), HasSubstr("one.yaml:1: has no list 'annotations'"));
    EXPECT_THAT(failure("annotations:\n  - source: lab\n"), HasSubstr("one.yaml:2: says nothing"));
    EXPECT_THAT(failure("annotations:\n  - source: lab\n    framework: pytorch\n"), HasSubstr("has no reason"));
    EXPECT_THAT(failure(std::string("annotations:\n  - id: a-1\n") + kSaysIt), HasSubstr("'id' has no source"));
    EXPECT_THAT(failure(std::string("annotations:\n  - source: []\n") + kSaysIt), HasSubstr("'source' has no words"));
    EXPECT_THAT(failure(std::string("annotations:\n  - sauce: lab\n") + kSaysIt), HasSubstr("unknown key 'sauce'"));
    EXPECT_THAT(failure("annotations:\n  - source: lab\n    fields: [{set: a, to: b, origin: read}]\n"),
        HasSubstr("'reference' is missing"));
    EXPECT_THAT(failure("annotations:\n  - source: lab\n    mem_kind: device\n"), HasSubstr("memory has no reason"));
    EXPECT_THAT(failure("annotations:\n  - source: lab\n    mem_kind: most\n    reason: x\n"),
        HasSubstr("allocated, reserved, device"));
}

TEST_F(Annotations, SayHowASourceReadItsPeaks)
{
    const Annotation smi =
        one("source: lab\n    mem_kind: device\n    first_node_memory: true\n    reason: nvidia-smi\n");
    EXPECT_EQ(smi.memoryKind, "device");
    EXPECT_TRUE(smi.firstNodeMemory);
    EXPECT_FALSE(smi.isOfNotes()) << "it is about who measured";
}

TEST_F(Annotations, AFolderThatIsNotThereHoldsNone)
{
    const auto none = readAnnotations(m_folder.path() / "nothing");
    ASSERT_TRUE(none);
    EXPECT_TRUE(none->empty());
}

} // namespace
} // namespace slipway
