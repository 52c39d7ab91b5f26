// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "base/yaml.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace slipway {
namespace {

Result<YamlNode> parse(std::string_view text) { return parseYaml(text, "f.yaml"); }

TEST(ParseYaml, KeepsLinesKeysAndQuotes)
{
    const auto tree = parse("a: 1\nb:\n  - x\n  - \"2\"\n\nc: {d: ~}\n");
    ASSERT_TRUE(tree) << tree.error().message();
    EXPECT_EQ(tree->keys, (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_EQ(tree->find("a")->scalar, "1");
    const YamlNode &list = *tree->find("b");
    ASSERT_EQ(list.items.size(), 2u);
    EXPECT_EQ(list.items[1].line, 4);
    EXPECT_TRUE(list.items[1].quoted);
    EXPECT_EQ(tree->find("c")->find("d")->kind, YamlNode::Kind::Null);
    EXPECT_EQ(tree->keyLines[2], 6);
    EXPECT_EQ(tree->find("none"), nullptr);
}

TEST(ParseYaml, TakesEmptyTextAsNull)
{
    for (const char *text : {"", "\n\n", "# only a comment\n"}) {
        const auto tree = parse(text);
        ASSERT_TRUE(tree) << text;
        EXPECT_EQ(tree->kind, YamlNode::Kind::Null);
    }
}

TEST(ParseYaml, RefusesAnchorsSoThatNoBombCanGrow)
{
    std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n";
    for (char c = 'b'; c < 'z'; ++c)
        bomb +=
            std::string(1, c) + ": &" + c + " [*" + static_cast<char>(c - 1) + ", *" + static_cast<char>(c - 1) + "]\n";
    const auto tree = parse(bomb);
    ASSERT_FALSE(tree);
    EXPECT_EQ(tree.error().where, "f.yaml:1");
    EXPECT_FALSE(parse("a: *b\n"));
    EXPECT_FALSE(parse("&k a: 1\n"));
    EXPECT_FALSE(parse("<<: *x\n"));
}

TEST(ParseYaml, RefusesDeepNestingInEveryForm)
{
    EXPECT_FALSE(parse(std::string(100'000, '[')));
    EXPECT_FALSE(parse(std::string(100'000, '{')));
    std::string blocks;
    for (int i = 0; i < 300; ++i)
        blocks += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
    EXPECT_FALSE(parse(blocks));
    std::string dashes;
    for (int i = 0; i < 50'000; ++i)
        dashes += "- ";
    EXPECT_FALSE(parse(dashes));
}

TEST(ParseYaml, RefusesWhatIsTooLargeBeforeReadingIt)
{
    EXPECT_FALSE(parse(std::string(2 << 20, 'x')));
    EXPECT_FALSE(readYaml("/dev/zero"));
    EXPECT_FALSE(parseYaml("[a, b, c]", "f", {.nodes = 3}));
}

TEST(ParseYaml, NamesTheLineOfWhatIsNoYaml)
{
    const auto tree = parse("a: 1\nb: [1, 2\nc: 3\n");
    ASSERT_FALSE(tree);
    EXPECT_TRUE(tree.error().where.starts_with("f.yaml:")) << tree.error().message();
    EXPECT_EQ(parse("a: 1\nb: 2\na: 3\n").error().message(), "f.yaml:3: 'a' appears twice (accepted: each key once)");
    EXPECT_EQ(parse(std::string_view("a: 1\n\0", 6)).error().where, "f.yaml:2");
}

TEST(ParseYaml, RefusesTagsKeysThatAreNoTextAndSecondDocuments)
{
    EXPECT_FALSE(parse("a: !!binary abc\n"));
    EXPECT_FALSE(parse("a: !python/object x\n"));
    EXPECT_FALSE(parse("? [a, b]\n: 1\n"));
    EXPECT_FALSE(parse("a: 1\n---\nb: 2\n"));
}

// 95,000 keys took 20 seconds where each was compared with all others.
TEST(ParseYaml, ReadsAsManyKeysAsTheLimitsAllow)
{
    std::string text;
    for (int i = 0; i < 95'000; ++i)
        text += "k" + std::to_string(i) + ":\n";
    EXPECT_EQ(parse(text)->keys.size(), 95'000U);
    EXPECT_EQ(parse(text + "k7:\n").error().message(), "f.yaml:95001: 'k7' appears twice (accepted: each key once)");
    EXPECT_TRUE(parse("a: {x: 1}\nb: {x: 1}\n"));
}

TEST(ParseYaml, SurvivesGarbage)
{
    std::uint32_t state = 1;
    for (int round = 0; round < 2000; ++round) {
        std::string text;
        for (int i = 0; i < 40; ++i) {
            state = state * 1664525 + 1013904223;
            static constexpr std::string_view alphabet = "ab: -[]{}\n\"'#&*!|>%@,?\t\\\x80\xff~0";
            text += alphabet[(state >> 16) % alphabet.size()];
        }
        const auto tree = parse(text);
        if (!tree) {
            EXPECT_FALSE(tree.error().what.empty());
        }
    }
}

class ReadYaml : public ::testing::Test {
protected:
    ReadYaml() : m_path(std::filesystem::temp_directory_path() / ("slipway_yaml_" + std::to_string(::getpid()))) {}
    ~ReadYaml() override { std::filesystem::remove(m_path); }

    std::string refused(const std::string &content)
    {
        std::ofstream(m_path, std::ios::binary) << content;
        const Result<YamlNode> tree = readYaml(m_path);
        EXPECT_FALSE(tree);
        return tree ? "" : tree.error().message();
    }
    std::filesystem::path m_path;
};

TEST_F(ReadYaml, SaysWhatIsWrongWithAFileThatIsNoText)
{
    const std::string path = m_path.string(), accepted = " (accepted: a text file in YAML, in UTF-8)";
    EXPECT_EQ(refused(std::string("a: 1\nb: \0", 9)), path + ":2: contains a NUL byte, so it is not text" + accepted);
    EXPECT_EQ(refused("a: 1\nb: \x02"), path + ":2: contains a control character 0x02, so it is not text" + accepted);
    EXPECT_EQ(refused("PK\x03\x04 and more"), path + ":1: this is a ZIP archive" + accepted);
    EXPECT_EQ(refused("%PDF-1.4\n"), path + ":1: this is a PDF" + accepted);
    EXPECT_EQ(refused(std::string("\xff\xfe"
                                  "a\0:\0",
                  6)),
        path + ":1: this is text in UTF-16" + accepted);
}

TEST_F(ReadYaml, SaysOfALargeFileWhatItIsAndOfLargeTextHowLargeItMayBe)
{
    EXPECT_EQ(refused(std::string("\x1f\x8b") + std::string(3 << 20, 'x')),
        m_path.string() + ":1: this is a gzip archive (accepted: a text file in YAML, in UTF-8)");
    EXPECT_EQ(refused("x" + std::string(3 << 20, '\0')),
        m_path.string() + ":1: contains a NUL byte, so it is not text (accepted: a text file in YAML, in UTF-8)");
    EXPECT_EQ(refused(std::string(3 << 20, 'x')),
        m_path.string() + ": is larger than 1.0 MiB (accepted: a text file in YAML, in UTF-8, of at most 1.0 MiB)");
}

TEST_F(ReadYaml, SaysThatAFolderIsOneAndAMissingFileMissing)
{
    const Error folder = readYaml("/tmp").error();
    EXPECT_EQ(folder.message(), "/tmp: is a folder (accepted: a text file in YAML, in UTF-8)");
    EXPECT_EQ(folder.fault, Fault::Input);
    EXPECT_NE(readYaml(m_path).error().message().find("No such file"), std::string::npos);
}

TEST(YamlScalar, ReadsBackAsTheSameText)
{
    for (const std::string text : {"plain", "two words", "", " x", "x ", "a: b", "a #b", "yes", "12", "1e3", "20B", "-",
             "- a", "[a]", "\"q\"", "back\\slash", "two\nlines", "tab\t", "\x01", "ä€", "null", "~", "a,b", "a:", "@x",
             "%y", "'", "#", "C:\\x", "=", "true", "0x10", "1_000", "what?.bin"}) {
        const auto tree = parse("k: " + yamlScalar(text) + "\n");
        ASSERT_TRUE(tree) << text << " -> " << yamlScalar(text) << ": " << tree.error().message();
        EXPECT_EQ(tree->find("k")->scalar, text);
        const auto flow = parse("k: [" + yamlScalar(text) + "]\n");
        ASSERT_TRUE(flow) << text;
        EXPECT_EQ(flow->find("k")->items.at(0).scalar, text);
    }
}

} // namespace
} // namespace slipway
