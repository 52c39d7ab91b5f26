// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The trainer for nodes, as packaging/node-bundle makes it, copied by a launch over a real sshd to a host that has
// none.
#include <gmock/gmock.h>

#include "hosts/launch.h"
#include "hosts/preflight.h"
#include "config/config_io.h"
#include "scratch_folder.h"
#include "support/ssh_server.h"
#include "tiny_run.h"

namespace slipway {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace testing;
namespace fs = std::filesystem;

// One for all tests of the program: it is never written to.
const fs::path &bundle()
{
    static const ScratchFolder folder;
    static const fs::path made = [] {
        const auto done =
            runChild({SLIPWAY_NODE_BUNDLE_SCRIPT, "--program", SLIPWAY_TRAIN, (folder / "bundle").string()},
                std::chrono::minutes(2));
        EXPECT_TRUE(done && done->exitStatus == 0) << (done ? done->err : done.error().message());
        return folder / "bundle";
    }();
    return made;
}

class NodeBundleThere : public ::testing::Test {
protected:
    NodeBundleThere()
    {
        const RunPaths tiny = makeTinyRun(m_folder / "tiny", {"steps: 2"});
        m_order.config = *readRunConfig(tiny.config());
        useBundle(bundle());
    }
    ~NodeBundleThere() override { ::unsetenv("SLIPWAY_NODE_BUNDLE"); }
    // A host whose sessions have this environment, and that nobody has seen before.
    Host &host(const std::string &environment)
    {
        m_host.reset();
        m_server.reset();
        m_server = std::make_unique<SshServer>(environment + " OMP_NUM_THREADS=1");
        return hostAgain();
    }
    Host &hostAgain()
    {
        m_host = *makeHost("testnode:" + m_home.string());
        return *m_host;
    }
    static void useBundle(const fs::path &folder) { ::setenv("SLIPWAY_NODE_BUNDLE", folder.c_str(), 1); }
    std::string launchError(Host &node)
    {
        const auto run = launchRun(m_order, node, m_registry);
        return run ? "" : run.error().message();
    }
    void expectTrains(Host &node)
    {
        const auto run = launchRun(m_order, node, m_registry);
        ASSERT_TRUE(run) << run.error().message();
        RunStatus last;
        EXPECT_TRUE(
            waitUntil(run->directory, [&] { return isTerminal((last = node.status({run->directory})).state); }));
        EXPECT_EQ(last.state, RunState::Succeeded) << last.detail << readBytes(run->directory / "err.log");
        EXPECT_EQ(metricsOf({run->directory}).size(), 2U);
    }
    std::string trainerLine(Host &node)
    {
        for (const PreflightCheck &check : node.preflight(m_order.config, m_folder.path(), 0).checks) {
            if (check.what == "trainer")
                return check.detail;
        }
        return "";
    }
    bool skipped() const { return m_server && !m_server->problem().empty(); }

    ScratchFolder m_folder;
    fs::path m_home = m_folder / "there", m_place = bundlePlace((m_folder / "there").string());
    Registry m_registry{m_folder / "runs"};
    RunLaunchRequest m_order;
    std::unique_ptr<SshServer> m_server;
    std::unique_ptr<Host> m_host;
};

const std::string kNoTorch = "PATH=/usr/bin:/bin PYTHONNOUSERSITE=1";

TEST_F(NodeBundleThere, IsCopiedOnceAndTrainsWithALibTorchThatIsNamed)
{
    Host &node = host(kNoTorch + " SLIPWAY_LIBTORCH=" SLIPWAY_LIBTORCH);
    if (skipped())
        GTEST_SKIP() << m_server->problem();
    EXPECT_THAT(trainerLine(node), HasSubstr("will be copied from " + bundle().string()));
    expectTrains(node);
    EXPECT_FALSE(fs::exists(m_place.string() + ".part"));
    EXPECT_THAT(trainerLine(hostAgain()), HasSubstr(m_place.string() + "/bin/slipway-train, version " + ownVersion()));
    writeBytes(m_place / "untouched", "");
    expectTrains(hostAgain());
    EXPECT_TRUE(fs::exists(m_place / "untouched")); // nothing was copied again
}

TEST_F(NodeBundleThere, FindsTheLibTorchOfPythonsPackage)
{
    Host &node = host(kNoTorch + " PYTHONPATH=" + fs::path(SLIPWAY_LIBTORCH).parent_path().string());
    if (skipped())
        GTEST_SKIP() << m_server->problem();
    expectTrains(node);
}

TEST_F(NodeBundleThere, SaysPlainlyThatTheHostHasNoLibTorchAndWhatWouldGiveItOne)
{
    Host &node = host(kNoTorch);
    if (skipped())
        GTEST_SKIP() << m_server->problem();
    const std::string program = (m_place / "bin/slipway-train").string();
    for (int again = 0; again < 2; ++again) { // found missing before anything is copied the second time
        const std::string message = launchError(again == 0 ? node : hostAgain());
        EXPECT_THAT(message, HasSubstr("LibTorch 2.11.0 was not found on this node: there is none; pip install "
                                       "torch==2.11.0, set SLIPWAY_LIBTORCH to its folder torch/, or start " +
                                       program + " --fetch-libtorch"));
        EXPECT_THAT(message, HasSubstr(again == 0 ? "the copied trainer: " : "not started.\ntrainer: "));
    }
    EXPECT_FALSE(fs::exists(m_home / "runs"));
}

TEST_F(NodeBundleThere, NamesALibTorchOfAnotherVersion)
{
    fs::create_directories(m_folder / "torch/lib");
    writeBytes(m_folder / "torch/lib/libtorch_cpu.so", "");
    writeBytes(m_folder / "torch/version.py", "__version__ = '2.9.1+cu128'\n");
    Host &node = host(kNoTorch + " SLIPWAY_LIBTORCH=" + (m_folder / "torch").string());
    if (skipped())
        GTEST_SKIP() << m_server->problem();
    EXPECT_THAT(launchError(node),
        HasSubstr("LibTorch 2.11.0 was not found on this node: " + (m_folder / "torch").string() + " is 2.9.1;"));
}

TEST_F(NodeBundleThere, NamesAPlaceWhereNoLibTorchIs)
{
    Host &node = host(kNoTorch + " SLIPWAY_LIBTORCH=" + (m_folder / "nothing").string());
    if (skipped())
        GTEST_SKIP() << m_server->problem();
    EXPECT_THAT(launchError(node), HasSubstr("LibTorch 2.11.0 was not found on this node: SLIPWAY_LIBTORCH is " +
                                             (m_folder / "nothing").string() + ", which has no lib/libtorch_cpu.so;"));
}

TEST_F(NodeBundleThere, GoesOnWithACopyThatWasBrokenOffAndIsNoTrainerUntilItIsWhole)
{
    Host &node = host(kNoTorch + " SLIPWAY_LIBTORCH=" SLIPWAY_LIBTORCH);
    if (skipped())
        GTEST_SKIP() << m_server->problem();
    // The line breaks when the program itself is over and the libraries are not.
    fs::create_directory(m_folder / "bin");
    writeBytes(m_folder / "bin/rsync", "#!/bin/sh\n/usr/bin/rsync --exclude=/lib/ \"$@\"\necho 'rsync: connection "
                                       "unexpectedly closed' >&2\nexit 12\n");
    fs::permissions(m_folder / "bin/rsync", fs::perms::owner_all);
    const std::string path = ::getenv("PATH");
    ::setenv("PATH", ((m_folder / "bin").string() + ":" + path).c_str(), 1);
    const std::string message = launchError(node);
    ::setenv("PATH", path.c_str(), 1);
    EXPECT_THAT(message, HasSubstr("connection unexpectedly closed"));
    EXPECT_FALSE(fs::exists(m_place));
    const fs::path part = m_place.string() + ".part";
    ASSERT_TRUE(fs::exists(part / "libexec/slipway-train"));
    EXPECT_FALSE(fs::exists(part / "lib"));
    fs::create_hard_link(part / "libexec/slipway-train", m_folder / "first");
    EXPECT_THAT(trainerLine(hostAgain()), HasSubstr("will be copied"));
    expectTrains(hostAgain());
    EXPECT_TRUE(
        fs::equivalent(m_place / "libexec/slipway-train", m_folder / "first")); // what was over was not sent again
    EXPECT_FALSE(fs::exists(part));
}

TEST_F(NodeBundleThere, OfAnotherVersionThanThisProgramIsNotCopied)
{
    fs::create_directories(m_folder / "old/bin");
    writeBytes(m_folder / "old/bin/slipway-train", "#!/bin/sh\n");
    Host &node = host(kNoTorch);
    if (skipped())
        GTEST_SKIP() << m_server->problem();
    useBundle(m_folder / "old");
    EXPECT_THAT(launchError(node), HasSubstr("reports no version, this program is " + ownVersion()));
    writeBytes(m_folder / "old/version", "0.0.9\n");
    EXPECT_THAT(
        launchError(hostAgain()), HasSubstr((m_folder / "old").string() + " is version 0.0.9, this program is " +
                                            ownVersion() + "; build it again with packaging/node-bundle"));
    EXPECT_FALSE(fs::exists(m_home));
}

TEST_F(NodeBundleThere, ComesBesideATrainerOfAnotherVersionThatIsThere)
{
    fs::create_directories(m_home / "bundle/bin");
    writeBytes(m_home / "bundle/bin/slipway-train", "#!/bin/sh\necho slipway-train 0.0.9\n");
    fs::permissions(m_home / "bundle/bin/slipway-train", fs::perms::owner_all);
    Host &node = host(kNoTorch + " SLIPWAY_LIBTORCH=" SLIPWAY_LIBTORCH);
    if (skipped())
        GTEST_SKIP() << m_server->problem();
    expectTrains(node);
    EXPECT_EQ(readBytes(m_home / "bundle/bin/slipway-train"),
        "#!/bin/sh\necho slipway-train 0.0.9\n"); // runs of its own may use it
}

TEST(NodeBundles, TakeNoLibTorchFromTheFolderThatTheyAreStartedIn)
{
    const ScratchFolder folder;
    fs::create_directories(folder / "torch/lib");
    writeBytes(folder / "torch/__init__.py", "");
    writeBytes(folder / "torch/lib/libtorch_cpu.so", "somebody else's");
    for (const char *cache : {"cache/slipway/torch-2.11.0", ".cache/slipway/torch-2.11.0"}) { // of relative folders
        fs::create_directories(folder / cache);
        fs::copy(folder / "torch", folder / cache / "torch", fs::copy_options::recursive);
    }
    const auto done = runChild({"env", "-i", "PATH=/usr/bin:/bin", "PYTHONNOUSERSITE=1", "PYTHONPATH=.", "HOME=.",
                                   "XDG_CACHE_HOME=cache", "sh", "-c", "cd \"$0\" && \"$1\" --version",
                                   folder.path().string(), (bundle() / "bin/slipway-train").string()},
        std::chrono::minutes(1));
    ASSERT_TRUE(done);
    EXPECT_THAT(done->err, HasSubstr("was not found on this node: there is none;"));
}

TEST(NodeBundles, FetchLibTorchByHashesWithAPythonThatReadsNothingElse)
{
    const ScratchFolder folder;
    writeBytes(folder / "python3", "#!/bin/sh\necho \"$@\" >> \"" + (folder / "said").string() + "\"\n");
    fs::permissions(folder / "python3", fs::perms::owner_all);
    const std::string path = "PATH=" + folder.path().string() + ":/usr/bin:/bin";
    const std::string program = (bundle() / "bin/slipway-train").string();
    const auto without = runChild({"env", "-i", path, program, "--fetch-libtorch"}, std::chrono::minutes(1));
    ASSERT_TRUE(without);
    EXPECT_EQ(without->exitStatus, 3);
    EXPECT_THAT(without->err, HasSubstr("neither XDG_CACHE_HOME nor HOME is set"));
    EXPECT_FALSE(fs::exists(folder / "said"));
    (void)runChild(
        {"env", "-i", path, "HOME=" + folder.path().string(), program, "--fetch-libtorch"}, std::chrono::minutes(1));
    const std::string said = readBytes(folder / "said");
    EXPECT_THAT(said, HasSubstr("-I -m pip install "));
    EXPECT_THAT(said, HasSubstr(" --require-hashes -r " + (bundle() / "libtorch-cpu.txt").string()));
    EXPECT_THAT(said, Not(HasSubstr("torch==")));
    EXPECT_THAT(readBytes(bundle() / "libtorch-cpu.txt"), HasSubstr("torch==2.11.0"));
}

TEST(NodeBundles, AreNotMadeOverWhatIsNoBundle)
{
    const ScratchFolder folder;
    fs::create_directory(folder / "bin");
    writeBytes(folder / "bin/mine", "precious");
    const auto done = runChild(
        {SLIPWAY_NODE_BUNDLE_SCRIPT, "--program", SLIPWAY_TRAIN, folder.path().string()}, std::chrono::minutes(1));
    ASSERT_TRUE(done);
    EXPECT_NE(done->exitStatus, 0);
    EXPECT_THAT(done->err, HasSubstr("exists and is not a node bundle"));
    EXPECT_EQ(readBytes(folder / "bin/mine"), "precious");
}

} // namespace
} // namespace slipway
