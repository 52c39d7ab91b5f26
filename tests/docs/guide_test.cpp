// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Every command of README.md and of the guide, as a reader would type it. What a fence says decides how it is tried:
//
//   ```sh              runs in the guide's folder; `# exits N` behind a command names a status other than 0
//   ```sh ssh          runs where `node7` is a host that the test's own sshd answers for
//   ```sh host         is not run, since it needs what a test lacks; its program and flags must exist
//   ```yaml FILE       is written to FILE first, so that the page's commands can read it; any language does
//
// The pages share one folder, in the order of the guide's index. It begins with a text, its tokens and two runs.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <regex>
#include <sched.h>

#include <gtest/gtest.h>

#include "base/text.h"
#include "config/settings.h"
#include "docs/markdown.h"
#include "hosts/child_process.h"
#include "support/ssh_server.h"

namespace slipway::docs {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kLimit{2};

ChildResult bash(const std::string &command)
{
    const Result<ChildResult> done = runChild({"bash", "-c", command}, kLimit);
    return done ? *done : ChildResult{.exitStatus = -1, .out = {}, .err = done.error().message()};
}

std::string helpOf(const std::string &command) { return bash(command + " --help").out; }

// The words of a command up to the first that the shell reads itself.
std::vector<std::string> wordsOf(const std::string &command)
{
    std::vector<std::string> words;
    const std::string joined = std::regex_replace(command, std::regex(R"(\\\n\s*)"), " ");
    for (const std::string_view word : split(joined, ' ')) {
        if (word == "#" || word == "|" || word == "&&" || word == ">" || word == "<")
            break;
        if (!word.empty())
            words.emplace_back(word);
    }
    return words;
}

// A command that cannot be run here: of our own programs, the command and every flag must be in the help.
void expectKnown(const Page &page, const Command &command)
{
    const std::vector<std::string> words = wordsOf(command.text);
    const std::string &program = words.at(0);
    const bool ours = program == "slipway" || program == "slipway-train" || program.starts_with("packaging/");
    if (!ours)
        return;
    std::string help = helpOf(program);
    std::string called = program;
    for (std::size_t i = 1; i < words.size() && !words[i].starts_with('-'); ++i) {
        if (!std::regex_search(help, std::regex("(^|\n)  " + words[i] + " ")))
            break; // an argument, and no command of this one
        called += " " + words[i];
        help = helpOf(called);
    }
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string flag = words[i].substr(0, words[i].find('='));
        if (words[i] == "--") // what follows is another program's
            break;
        if (flag.starts_with('-') && flag.size() > 1) {
            EXPECT_NE(help.find(flag), std::string::npos)
                << page.name << ":" << command.line << ": " << called << " --help does not list " << flag;
        }
    }
    EXPECT_FALSE(help.empty()) << page.name << ":" << command.line << ": " << called;
}

class TheGuide : public ::testing::Test {
protected:
    TheGuide() : m_before(fs::current_path())
    {
        const std::string home = path("home");
        fs::create_directories(home);
        for (const auto &[name, value] :
            {std::pair<const char *, std::string>{"HOME", home}, {"XDG_DATA_HOME", home + "/.local/share"},
                {"XDG_CONFIG_HOME", home + "/.config"}, {"XDG_CACHE_HOME", home + "/.cache"}, {"XDG_RUNTIME_DIR", home},
                {"PATH", std::string(SLIPWAY_PROGRAMS) + ":" + std::getenv("PATH")}})
            ::setenv(name, value.c_str(), 1);
        ::unsetenv("DISPLAY");
        ::unsetenv("WAYLAND_DISPLAY");
        // Ranks that are threads wait for one another, which takes long where other tests have all cores.
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<std::size_t>(std::max(0, ::sched_getcpu())), &one);
        ::sched_setaffinity(0, sizeof one, &one);
        fs::create_directory(path("guide"));
        fs::current_path(path("guide"));
    }
    ~TheGuide() override { fs::current_path(m_before); }

    std::string path(const std::string &name) const { return (m_folder.path() / name).string(); }

    // What the guide's index says that its examples have: a text and its tokens. The documents are the text.
    void prepare()
    {
        fs::create_directory("my-text");
        for (const fs::directory_entry &entry : fs::directory_iterator(fs::path(SLIPWAY_SOURCE) / "docs")) {
            if (entry.path().extension() == ".md")
                fs::copy_file(entry.path(), "my-text/" + entry.path().stem().string() + ".txt");
        }
        fs::create_directory_symlink(fs::path(SLIPWAY_SOURCE) / "packaging", "packaging");
        fs::create_directory_symlink(fs::path(SLIPWAY_SOURCE) / "resources", "resources");
    }
    void run(const Page &page, const Command &command)
    {
        const ChildResult done = bash(command.text);
        EXPECT_EQ(done.exitStatus, command.exitStatus)
            << page.name << ":" << command.line << ": " << command.text << "\n"
            << done.out << done.err;
    }
    void tryBlock(const Page &page, const Block &block)
    {
        if (block.language != "sh") {
            if (!block.info.empty()) {
                std::ofstream out(block.info);
                for (const std::string &line : block.lines)
                    out << line << '\n';
            }
            return;
        }
        if (block.info == "ssh" && !m_server)
            startServer();
        const bool canRun = block.info.empty() || (block.info == "ssh" && m_server->problem().empty());
        for (const Command &command : commandsOf(block))
            canRun ? run(page, command) : expectKnown(page, command);
    }
    void startServer()
    {
        m_server = std::make_unique<SshServer>(std::string("PATH=") + std::getenv("PATH"));
        std::ifstream in(m_server->path("ssh_config"));
        const std::string text((std::istreambuf_iterator<char>(in)), {});
        writeText(
            m_server->path("ssh_config"), std::regex_replace(text, std::regex("Host testnode"), "Host testnode node7"));
    }

private:
    TemporaryDirectory m_folder;
    fs::path m_before;
    std::unique_ptr<SshServer> m_server;
};

TEST_F(TheGuide, RunsEveryCommandAsItIsPrinted)
{
    prepare();
    const fs::path top = SLIPWAY_SOURCE;
    std::vector<std::string> names{"README.md", "docs/guide/README.md"};
    for (const std::string &link : linksOf(readPage(top, "docs/guide/README.md"))) {
        const std::string name = "docs/guide/" + link;
        if (link.ends_with(".md") && link.find('/') == std::string::npos &&
            std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(name);
    }
    for (const std::string &name : names) {
        const Page page = readPage(top, name);
        EXPECT_FALSE(page.lines.empty()) << name;
        for (const Block &block : page.blocks)
            tryBlock(page, block);
    }
}

TEST(TheGuidesIndex, NamesEveryPage)
{
    const fs::path top = SLIPWAY_SOURCE;
    const std::vector<std::string> links = linksOf(readPage(top, "docs/guide/README.md"));
    for (const fs::directory_entry &entry : fs::directory_iterator(top / "docs/guide")) {
        const std::string name = entry.path().filename().string();
        EXPECT_TRUE(name == "README.md" || std::find(links.begin(), links.end(), name) != links.end()) << name;
    }
}

TEST(TheGuidesSettings, AreAllThatThereAre)
{
    std::string pages;
    for (const char *name : {"docs/guide/settings.md", "docs/guide/launching.md"}) {
        for (const std::string &line : readPage(SLIPWAY_SOURCE, name).lines)
            pages += line + "\n";
    }
    for (const Setting &setting : settings()) {
        const std::string name = setting.runOnly ? std::string(setting.key) : setting.flag();
        EXPECT_NE(pages.find("`" + name + "`"), std::string::npos) << name;
    }
}

} // namespace
} // namespace slipway::docs
