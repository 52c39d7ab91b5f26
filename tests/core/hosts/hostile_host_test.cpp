// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A real sshd whose login answers with lies. Nothing outside the copy of a run is touched, every call ends within its
// limits, and its message names the host and the reason.
#include <algorithm>
#include <csignal>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "core/hosts/testnode_fixture.h"
#include "hosts/fetched_files.h"
#include "hosts/host_text.h"
#include "hosts/run_copy.h"
#include "hosts/ssh_shell.h"
#include "hosts/transfer_pace.h"

namespace slipway {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAreArray;

const std::string kHonest = "exec /bin/sh -c \"$SSH_ORIGINAL_COMMAND\"\n";
const std::string kBeginsAnswer = "printf '\\036slipway\\036\\000'\n"; // as the script does that it was given

// Whatever is asked, the sshd runs this test's own login script in its place.
class HostileHost : public OnTestnode {
protected:
    void SetUp() override
    {
        if (!m_server.problem().empty())
            GTEST_SKIP() << m_server.problem();
        login(kHonest);
    }
    void login(const std::string &script)
    {
        writeText(m_login.path() / "new", "#!/bin/sh\n" + script);
        std::filesystem::permissions(m_login.path() / "new", std::filesystem::perms::owner_all);
        std::filesystem::rename(m_login.path() / "new", m_login.path() / "login");
    }
    // A program of the host that stands before its own one of that name.
    void program(const std::string &name, const std::string &script)
    {
        const std::filesystem::path bin = m_login.path() / "bin";
        std::filesystem::create_directory(bin);
        writeText(bin / name, "#!/bin/sh\n" + script + "\n");
        std::filesystem::permissions(bin / name, std::filesystem::perms::owner_all);
        login("PATH=" + bin.string() + ":$PATH\n" + kHonest);
    }
    LaunchedRun endedRun(const std::string &script = "exit 0")
    {
        trainer(script);
        const LaunchedRun run = launch();
        const auto node = host();
        EXPECT_TRUE(waitForState(run, *node, RunState::Succeeded));
        return run;
    }
    std::string factsProblem()
    {
        const auto facts = host()->facts();
        return facts ? "(none)" : facts.error().message();
    }

    TemporaryDirectory m_login;
    SshServer m_server{{}, "ForceCommand " + (m_login.path() / "login").string()};
};

std::vector<std::string> namesIn(const std::filesystem::path &folder)
{
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(folder))
        names.push_back(entry.path().filename().string());
    return names;
}

bool isShownPlainly(const std::string &text)
{
    return std::all_of(
        text.begin(), text.end(), [](unsigned char c) { return (c >= 0x20 && c != 0x7f) || c == '\n' || c == '\t'; });
}

TEST_F(HostileHost, ThatPrintsWithoutEndIsCutOffAndNamed)
{
    login(kBeginsAnswer + "exec yes 'host=node7'");
    EXPECT_THAT(factsProblem(), AllOf(HasSubstr("testnode: "), HasSubstr("printed more than 8.0 MiB")));
    login("exec yes >&2");
    EXPECT_THAT(factsProblem(), AllOf(HasSubstr("testnode: "), HasSubstr("printed more than 8.0 MiB")));
}

TEST_F(HostileHost, ThatAnswersWithBytesOfNoMeaningIsRefused)
{
    login(kBeginsAnswer + "head -c 1000000 /dev/urandom");
    EXPECT_THAT(factsProblem(), AllOf(HasSubstr("testnode: "), HasSubstr("incomplete")));
    login("head -c 1000000 /dev/urandom | tr -d '\\036'");
    EXPECT_THAT(factsProblem(), AllOf(HasSubstr("testnode: "), HasSubstr("no POSIX shell that answers")));
    EXPECT_TRUE(isShownPlainly(factsProblem()));
}

TEST_F(HostileHost, ThatListsMoreThanAnyMachineHasIsRefused)
{
    login(kBeginsAnswer + "yes gpu=GPU-a,0,1,1,1,1,1,1,card | head -n 20000 | tr '\\n' '\\000'; printf 'end=\\000'");
    EXPECT_THAT(factsProblem(), AllOf(HasSubstr("testnode: "), HasSubstr("more than 10000 entries of one kind")));
}

TEST_F(HostileHost, ThatDoesNotAnswerIsGivenUpAfterTheTimeLimit)
{
    login("exec sleep 1000");
    const auto shell = SshShell::to("testnode");
    ASSERT_TRUE(shell);
    const auto said = (*shell)->run("echo", {}, 300ms);
    ASSERT_FALSE(said);
    EXPECT_THAT(said.error().message(), AllOf(HasSubstr("testnode: "), HasSubstr("gave no answer within 300.0 ms")));
    std::filesystem::create_directory(m_folder.path() / "to");
    const auto fetched = (*shell)->fetch("/from/", (m_folder.path() / "to").string() + "/", {}, 300ms);
    ASSERT_FALSE(fetched);
    EXPECT_THAT(fetched.error().message(), AllOf(HasSubstr("testnode:/from/: "), HasSubstr("gave no answer within")));
}

TEST_F(HostileHost, SendsEscapeSequencesThatReachNobodyRaw)
{
    login("printf '\\033]0;owned\\007\\033[2J\\302\\2331mred\\342\\200\\256txt' >&2; exit 255");
    EXPECT_THAT(
        factsProblem(), AllOf(HasSubstr("testnode: "), HasSubstr("\\u001b]0;owned\\u0007"), HasSubstr("\\u202e")));
    EXPECT_TRUE(isShownPlainly(factsProblem()));
    login(kBeginsAnswer + "printf 'host=\\033[31mnode\\000cores=99999999999\\000memory_kib=9223372036854775807\\000"
                          "disk_free=9223372036854775807 9223372036854775807\\000time=inf\\000time_end=nan\\000"
                          "gpu=a,-5,1e300,nan,1,1,1,\\0332J,\\033c\\000end=\\000'");
    const auto facts = host()->facts();
    ASSERT_TRUE(facts) << facts.error().message();
    EXPECT_EQ(facts->hostName, "\\u001b[31mnode");
    EXPECT_EQ(facts->gpus.at(0).name, "\\u001bc");
    EXPECT_EQ(facts->gpus.at(0).index, 0);
    EXPECT_EQ(facts->cores, 0);
    EXPECT_EQ(facts->memory, 0);
    EXPECT_EQ(facts->diskFree, 0);
    EXPECT_EQ(facts->clockSkew, 0);
}

TEST_F(HostileHost, CannotNameAFolderThatIsAnOptionOrHoldsControlCharacters)
{
    for (const char *home : {"-oProxyCommand=id", "relative", "/a\\nb", "/a\\033[2J"}) {
        login(kBeginsAnswer + "printf 'home=" + home + "\\000end=\\000'");
        EXPECT_THAT(factsProblem(), AllOf(HasSubstr("testnode: "), HasSubstr("folder for Slipway")));
        EXPECT_TRUE(isShownPlainly(factsProblem()));
    }
    trainer("exit 0");
    // Only the question that makes the directory is answered with a lie.
    login("script=$(mktemp); cat > \"$script\"; if grep -q 'until mkdir' \"$script\"; then " + kBeginsAnswer +
          "printf -- '-rf\\000'; else /bin/sh \"$script\"; fi; rm -f \"$script\"\n");
    const auto run = launchRun(m_order, *host(), m_registry);
    ASSERT_FALSE(run);
    EXPECT_THAT(run.error().message(), AllOf(HasSubstr("testnode:"), HasSubstr("created the directory '-rf'")));
}

TEST_F(HostileHost, HasOnlyRegularFilesOfKnownNamesFetchedAndForTheirOwnerAlone)
{
    const LaunchedRun run = endedRun();
    const auto node = host();
    const std::filesystem::path from = there(run), precious = m_folder.path() / "precious";
    writeText(precious, "mine");
    const auto before = namesIn(run.directory);
    for (const char *name : {"standing.json", "remote.json", "labels.json", "copy.lock", "fetch.lock", "link.csv"})
        std::filesystem::create_symlink(precious, from / name);
    std::filesystem::create_directory_symlink(m_folder.path(), from / "folder.csv");
    std::filesystem::create_hard_link(precious, from / "hard.txt");
    ASSERT_EQ(::mkfifo((from / "pipe.csv").c_str(), 0666), 0);
    (void)::mknod((from / "device.csv").c_str(), S_IFCHR | 0666, makedev(1, 5)); // of root only
    std::filesystem::create_directories(from / "deep.csv" / "er");
    writeText(from / "deep.csv" / "er" / "x.csv", "deep");
    for (const char *name : {"-rf.csv", ".hidden.csv", "new\nline.csv", "\033[2J.csv", "other.json", "rc.txt.sh",
             "index.sqlite", "imported.json"})
        writeText(from / name, "from there");
    writeText(from / "report.csv", "a,b\n");
    ::chmod((from / "report.csv").c_str(), 04777);
    (void)!::chown((from / "hard.txt").c_str(), 12345, 12345); // of root only
    const auto fetched = node->fetch({run.directory}, FetchScope::SmallFiles);
    EXPECT_EQ(text(precious), "mine");
    auto expected = before;
    expected.insert(expected.end(), {"report.csv", "hard.txt", "fetch.lock"});
    ASSERT_TRUE(fetched) << fetched.error().message();
    EXPECT_THAT(namesIn(run.directory), UnorderedElementsAreArray(expected));
    for (const auto &entry : std::filesystem::directory_iterator(run.directory)) {
        const auto status = entry.symlink_status();
        EXPECT_TRUE(std::filesystem::is_regular_file(status) || std::filesystem::is_directory(status)) << entry.path();
    }
    for (const char *name : {"report.csv", "hard.txt"}) {
        struct stat status{};
        ASSERT_EQ(::lstat((run.directory / name).c_str(), &status), 0) << name;
        EXPECT_EQ(status.st_mode & 07777, 0600U) << name;
    }
    EXPECT_TRUE(readRemoteRun({run.directory}));
}

TEST_F(HostileHost, SignalsNoRunWhoseFolderBelongsToAnotherUser)
{
    if (::geteuid() != 0)
        GTEST_SKIP() << "only root can give a folder to another user";
    waitingTrainer();
    const LaunchedRun run = launch();
    const auto node = host();
    ASSERT_TRUE(waitForFile(there(run) / "ready"));
    ASSERT_EQ(::chown(there(run).c_str(), 12345, 12345), 0);
    const auto refused = node->signalGroup({run.directory}, SIGKILL);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message(), AllOf(HasSubstr("testnode:"), HasSubstr("belongs to another user")));
    EXPECT_EQ(stateOf(run, *node), RunState::Running);
    ASSERT_EQ(::chown(there(run).c_str(), 0, 0), 0);
    writeText(there(run) / "boot_id", "another-boot\n");
    const auto rebooted = node->signalGroup({run.directory}, SIGKILL);
    ASSERT_FALSE(rebooted);
    EXPECT_THAT(rebooted.error().message(), HasSubstr("restarted"));
    writeText(there(run) / "boot_id", LocalMachine::current().bootId + "\n");
    ASSERT_TRUE(node->signalGroup({run.directory}, SIGKILL));
    EXPECT_TRUE(waitForState(run, *node, RunState::Failed));
}

TEST_F(HostileHost, CannotSendMoreReportsThanTheLimit)
{
    const LaunchedRun run = endedRun();
    const auto node = host();
    for (int i = 0; i < 201; ++i)
        writeText(there(run) / (std::to_string(i) + ".csv"), "x");
    const auto fetched = node->fetch({run.directory}, FetchScope::SmallFiles);
    ASSERT_FALSE(fetched);
    EXPECT_THAT(fetched.error().message(), AllOf(HasSubstr("testnode:"), HasSubstr("more than 200 files")));
    EXPECT_FALSE(std::filesystem::exists(run.directory / "0.csv"));
    EXPECT_FALSE(std::filesystem::exists(run.directory / ".fetch"));
}

TEST_F(HostileHost, ThatGivesWrongSizesOfACheckpointHasItRefusedAndTheOldOneStays)
{
    const LaunchedRun run = endedRun("mkdir -p checkpoints/step-00000005; head -c 5000 /dev/urandom > "
                                     "checkpoints/step-00000005/model.safetensors; echo step-00000005 > "
                                     "checkpoints/latest");
    const auto node = host();
    ASSERT_TRUE(node->fetch({run.directory}, FetchScope::WithCheckpoint));
    const std::filesystem::path model = run.directory / "checkpoints/step-00000005/model.safetensors";
    const std::string before = text(model);
    EXPECT_EQ(before.size(), 5000U);
    writeText(there(run) / "checkpoints/step-00000005/model.safetensors", std::string(20'000'000, 'x'));
    program("find", "printf '7 model.safetensors\\000'");
    const auto small = node->fetch({run.directory}, FetchScope::WithCheckpoint);
    ASSERT_FALSE(small);
    EXPECT_THAT(small.error().message(), AllOf(HasSubstr("testnode:"), HasSubstr("a different size")));
    program("find", "printf '1000000000000000 model.safetensors\\000'");
    const auto large = node->fetch({run.directory}, FetchScope::WithCheckpoint);
    ASSERT_FALSE(large);
    EXPECT_THAT(large.error().message(), HasSubstr("the checkpoint takes 909.5 TiB"));
    program("find", "for i in $(seq 16384); do printf '1125899906842624 part%s\\000' \"$i\"; done"); // 2^64 in all
    const auto beyond = node->fetch({run.directory}, FetchScope::WithCheckpoint);
    ASSERT_FALSE(beyond);
    EXPECT_THAT(beyond.error().message(), HasSubstr("the checkpoint takes 1.0 PiB"));
    for (const char *lie : {"-5 model.safetensors", "5 ../../rc", "5 -rf", "5 a b", "x y", "5 .hidden",
             "99999999999999999999 a", "5 a\\nb"}) {
        program("find", "printf '%b\\000' '"s + lie + "'");
        const auto fetched = node->fetch({run.directory}, FetchScope::WithCheckpoint);
        ASSERT_FALSE(fetched) << lie;
        EXPECT_THAT(fetched.error().message(), AllOf(HasSubstr("testnode:"), HasSubstr("plain names"))) << lie;
    }
    EXPECT_EQ(text(model), before);
}

TEST_F(HostileHost, ThatNamesItsLatestCheckpointElsewhereIsRefused)
{
    const LaunchedRun run = endedRun("mkdir -p checkpoints/step-00000005; echo x > checkpoints/step-00000005/a");
    const auto node = host();
    for (const char *latest : {"", "../..", "/etc", "-rf", ".hidden", "a/b", "..", "no\033[2Jsuch"}) {
        writeText(there(run) / "checkpoints/latest", latest);
        const auto fetched = node->fetch({run.directory}, FetchScope::WithCheckpoint);
        ASSERT_FALSE(fetched) << latest;
        EXPECT_THAT(fetched.error().message(), HasSubstr("testnode:"));
        EXPECT_TRUE(isShownPlainly(fetched.error().message()));
    }
    EXPECT_FALSE(std::filesystem::exists(run.directory / "checkpoints"));
}

TEST_F(HostileHost, ThatAnnouncesMoreForAScriptsCheckpointThanTheDiskHoldsIsNotFetchedFrom)
{
    const LaunchedRun run = endedRun("mkdir -p out; echo x > out/model");
    const auto node = host();
    for (const char *lie : {"printf '1 1000000000000000 model\\000'",
             "for i in $(seq 16384); do printf '1 1125899906842624 step/part%s\\000' \"$i\"; done"}) {
        program("find", lie);
        const auto fetched = node->fetchFolder({run.directory}, there(run).string(), "out");
        ASSERT_FALSE(fetched) << lie;
        EXPECT_THAT(fetched.error().message(), HasSubstr(" free, and the checkpoint takes ")) << lie;
    }
    EXPECT_FALSE(std::filesystem::exists(run.directory / ".fetch"));
}

// A copy named "latest" would stand where the file of that name is, and no later checkpoint could be named in it.
TEST_F(HostileHost, CannotNameItsCheckpointLikeTheFileThatNamesIt)
{
    const LaunchedRun run = endedRun("mkdir -p checkpoints/latest; echo x > checkpoints/latest/a");
    const auto node = host();
    program("head", "echo latest");
    const auto fetched = node->fetch({run.directory}, FetchScope::WithCheckpoint);
    ASSERT_FALSE(fetched);
    EXPECT_THAT(fetched.error().message(), AllOf(HasSubstr("testnode:"), HasSubstr("plain names")));
    EXPECT_FALSE(std::filesystem::exists(run.directory / "checkpoints"));
}

TEST_F(HostileHost, ThatAnnouncesBytesAndSendsNoneDoesNotHoldARefreshUp)
{
    const LaunchedRun run = endedRun();
    (void)writeKnownStatus({run.directory}, {.status = {.state = RunState::Running}, .seen = utcNow()});
    login(kBeginsAnswer + "printf 'run=/x\\000there=yes\\000file=1152921504606846976 0 0 out.log\\000\\000end=\\000'");
    EXPECT_TRUE(host()->refresh({run.directory}));
    login(kBeginsAnswer + "printf 'run=/x\\000there=yes\\000file=-5 0 0 ../../x\\000\\000file=9 0 1 "
                          "/etc/passwd\\000x\\000end=\\000'");
    EXPECT_TRUE(host()->refresh({run.directory}));
    EXPECT_FALSE(std::filesystem::exists(m_folder.path() / "x"));
}

TEST_F(HostileHost, CannotPutAnythingButAMarkIntoTheMarkOfARun)
{
    const LaunchedRun run = endedRun();
    (void)writeKnownStatus({run.directory}, {.status = {.state = RunState::Running}, .seen = utcNow()});
    login(kBeginsAnswer + "printf 'run=/x\\000there=yes\\000pgid=12\\000starttime=\\0331\\000boot_id=-rf\\000host=a b"
                          "\\000rc=99999999999\\000job=-rf\\000end=\\000'");
    EXPECT_TRUE(host()->refresh({run.directory}));
    EXPECT_EQ(text(run.directory / "starttime"), "\n");
    EXPECT_EQ(text(run.directory / "host"), "\n");
    EXPECT_EQ(text(run.directory / "boot_id"), "\n");
    EXPECT_FALSE(std::filesystem::exists(run.directory / "rc"));
}

TEST_F(HostileHost, WhoseRsyncSpeaksNonsenseIsRefusedAndNothingIsTaken)
{
    const LaunchedRun run = endedRun();
    writeText(there(run) / "report.csv", "a,b\n");
    for (const char *nonsense :
        {"exec yes", "exec head -c 100000 /dev/urandom", "exit 0", "echo '\\033[2J' >&2; exit 3"}) {
        program("rsync", nonsense);
        const auto fetched = host()->fetch({run.directory}, FetchScope::SmallFiles);
        ASSERT_FALSE(fetched) << nonsense;
        EXPECT_THAT(fetched.error().message(), HasSubstr("testnode:"));
        EXPECT_TRUE(isShownPlainly(fetched.error().message())) << fetched.error().message();
        EXPECT_FALSE(std::filesystem::exists(run.directory / "report.csv"));
    }
}

TEST_F(HostileHost, ThatChangesItsKeyIsNotFetchedFrom)
{
    const LaunchedRun run = endedRun();
    writeText(there(run) / "report.csv", "a,b\n");
    m_server.changeHostKey();
    const auto fetched = host()->fetch({run.directory}, FetchScope::SmallFiles);
    ASSERT_FALSE(fetched);
    EXPECT_THAT(fetched.error().message(), AllOf(HasSubstr("testnode"), HasSubstr("host key has changed")));
    EXPECT_FALSE(std::filesystem::exists(run.directory / "report.csv"));
}

TEST(CopiesOfRuns, EndAtALimitSoThatAHostCannotFillTheDisk)
{
    const TemporaryDirectory folder;
    const std::filesystem::path log = folder.path() / "err.log";
    writeText(log, "");
    std::filesystem::resize_file(log, 256 * kMiB - 10); // with holes: it takes no room
    const FilePart part{.name = "err.log",
        .size = 1'000'000'000,
        .from = 256 * kMiB - 10 - 64,
        .bytes = std::string(64, '\0') + std::string(100, 'x')};
    for (int again = 0; again < 2; ++again) {
        const auto taken = takeParts({folder.path()}, {part});
        ASSERT_TRUE(taken) << taken.error().message();
        EXPECT_FALSE(taken->more);
        EXPECT_EQ(taken->left, "the copy of err.log ends at 256.0 MiB");
        EXPECT_EQ(std::filesystem::file_size(log), static_cast<std::uintmax_t>(256 * kMiB));
        std::filesystem::resize_file(log, 256 * kMiB - 10);
    }
}

TEST(CopiesOfRuns, AreNotWrittenThroughALinkOrIntoAPipe)
{
    const TemporaryDirectory folder;
    writeText(folder.path() / "precious", "mine");
    std::filesystem::create_symlink(folder.path() / "precious", folder.path() / "out.log");
    ASSERT_EQ(::mkfifo((folder.path() / "err.log").c_str(), 0600), 0);
    for (const char *name : {"out.log", "err.log"})
        EXPECT_FALSE(takeParts({folder.path()}, {{.name = name, .size = 4, .from = 0, .bytes = "evil"}})) << name;
    std::filesystem::create_symlink(folder.path() / "precious", folder.path() / "copy.lock");
    EXPECT_FALSE(CopyLock::acquire({folder.path()}));
    std::filesystem::create_symlink(folder.path() / "precious", folder.path() / "starttime");
    RunFacts facts;
    facts.process = ProcessIdentity{.processGroup = 7, .startTime = "1", .bootId = "b", .hostName = "h"};
    EXPECT_TRUE(copyLaunchFiles({folder.path()}, facts));
    EXPECT_EQ(readFile(folder.path() / "precious").valueOr(""), "mine");
    EXPECT_FALSE(std::filesystem::is_symlink(folder.path() / "starttime"));
}

TEST(FetchFolders, CountWhatArrivesWhileItArrives)
{
    const TemporaryDirectory folder;
    auto made = FetchFolder::make({folder.path()}, "reports", false);
    ASSERT_TRUE(made);
    const FetchRules rules{.patterns = {"*"}, .largestFile = 2 * kMiB, .most = 4 * kMiB, .files = 3};
    EXPECT_FALSE(FetchFolder::excess(rules, made->content()));
    writeText(made->path() / "a", std::string(6 * kMiB, 'x'));
    EXPECT_FALSE(FetchFolder::excess(rules, made->content())); // a part of a file and the whole one
    writeText(made->path() / "b", std::string(2 * kMiB, 'x'));
    EXPECT_THAT(FetchFolder::excess(rules, made->content()).value_or(""), HasSubstr("more than 4.0 MiB"));
    EXPECT_FALSE(made->applyRules(rules));
}

TEST(TransferPaces, EndATransferThatAHostKeepsOpenWithOneByteAtATime)
{
    const auto start = TransferPace::Clock::now();
    TransferPace pace(start);
    for (int minute = 1; minute < 15; ++minute)
        EXPECT_FALSE(pace.tooSlow(minute, start + std::chrono::minutes(minute))) << minute;
    EXPECT_THAT(
        pace.tooSlow(15, start + std::chrono::minutes(15)).value_or(""), HasSubstr("less than 1.0 MiB in 15 minutes"));
}

TEST(TransferPaces, LeaveASlowButUsefulTransferAlone)
{
    const auto start = TransferPace::Clock::now();
    TransferPace pace(start);
    Bytes arrived = 0;
    for (int minute = 1; minute < 24 * 60; ++minute)
        EXPECT_FALSE(pace.tooSlow(arrived += kMiB / 10, start + std::chrono::minutes(minute))) << minute;
    // rsync replaces the earlier part of a file, and what arrives after that counts.
    EXPECT_FALSE(pace.tooSlow(0, start + std::chrono::minutes(24 * 60 + 2)));
    EXPECT_FALSE(pace.tooSlow(kMiB, start + std::chrono::minutes(24 * 60 + 3)));
    EXPECT_FALSE(pace.tooSlow(kMiB, start + std::chrono::minutes(24 * 60 + 17)));
    EXPECT_TRUE(pace.tooSlow(kMiB, start + std::chrono::minutes(24 * 60 + 18)));
}

TEST(FetchFolders, AreNeverALinkThatSomebodyElseLeft)
{
    const TemporaryDirectory folder;
    std::filesystem::create_directory(folder.path() / "elsewhere");
    writeText(folder.path() / "elsewhere" / "precious", "mine");
    std::filesystem::create_directory_symlink(folder.path() / "elsewhere", folder.path() / ".fetch");
    EXPECT_FALSE(FetchFolder::make({folder.path()}, "precious", false));
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "elsewhere" / "precious"));
}

TEST(HostTexts, ShowWhatATerminalWouldObeyAndCutWhatIsLong)
{
    EXPECT_EQ(shownText("plain größe\n\tx"), "plain größe\n\tx");
    EXPECT_EQ(shownLine("a\nb\r"), "a\\u000ab\\u000d");
    EXPECT_EQ(shownText("\x1b[31m\x7f\xc2\x9b \xff\xc0\xaf\xed\xa0\x80 \xe2\x80\xae\xef\xbb\xbf"),
        "\\u001b[31m\\u007f\\u009b \\xff\\xc0\\xaf\\xed\\xa0\\x80 \\u202e\\ufeff");
    EXPECT_EQ(shownText("0123456789", 4), "0123... (6 bytes more)");
    EXPECT_EQ(shownText("ääää", 5), "ää... (4 bytes more)");
    EXPECT_EQ(shownText("\xc3"), "\\xc3");
}

TEST(HostTexts, TellJobsPathsAndNamesFromOptions)
{
    for (const char *job : {"1", "123", "123_4"})
        EXPECT_TRUE(isJobId(job)) << job;
    for (const char *job :
        {"", "-1", "1_", "_1", "1_2_3", "1 2", "1\n", "0x1", "all", "--yes", "123456789012345678901"})
        EXPECT_FALSE(isJobId(job)) << job;
    EXPECT_TRUE(isRemotePath("/data/it's ä"));
    for (const char *path : {"", "-x", "a", "~", "/a\nb", "/a\x1b", "/a\x7f"})
        EXPECT_FALSE(isRemotePath(path)) << path;
    EXPECT_FALSE(isRemotePath("/" + std::string(5000, 'x')));
    for (const char *name : {"", ".", "..", ".x", "-x", "a/b", "a b", "a\nb", "ä"})
        EXPECT_FALSE(isPlainFileName(name)) << name;
    EXPECT_TRUE(isPlainFileName("model-00001-of-00002.safetensors"));
}

} // namespace
} // namespace slipway
