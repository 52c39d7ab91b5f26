// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What hosts answer, read as values: also cut short, damaged, or with a login's greeting before it.
#include <gtest/gtest.h>

#include "hosts/host_probe.h"
#include "hosts/preflight.h"
#include "hosts/run_look.h"
#include "hosts/slurm_script.h"
#include "hosts/slurm_state.h"
#include "hosts/ssh_shell.h"

namespace slipway {
namespace {

using namespace std::string_literals;

TEST(ClockSkew, IsNothingAsLongAsBothClocksMayAgree)
{
    EXPECT_EQ(clockSkew(99.5, 99.9, 100, 1), 0);
    EXPECT_EQ(clockSkew(99.5, 3699.9, 100, 1), 3599.9);
    EXPECT_EQ(clockSkew(89, 90, 100, 1), -10);
}

TEST(ProbeAnswers, AreReadBehindAGreetingAndRefusedWhereTheyAreCutShort)
{
    const std::string records = "\0host=node7\0user=ada\0cores=8\0memory_kib=1024\0trainer=/opt/a b\0trainer_status=0\0trainer_says=slipway-train 1.2.3\0partition=gpu*|gpu:a100:4|2|mixed|1-12:00:00\0file=12\0file=-\0"s;
    const auto answer = parseProbe("Welcome!\nhost=liar\n" + records + "end=\0"s, 0, 0);
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer->facts.hostName, "node7");
    EXPECT_EQ(answer->facts.memory, kMiB);
    EXPECT_EQ(answer->facts.trainerVersion, "1.2.3");
    ASSERT_EQ(answer->facts.partitions.size(), 1U);
    EXPECT_EQ(answer->facts.partitions[0], (SlurmPartition{.name = "gpu", .isDefault = true, .gres = "gpu:a100:4", .nodes = 2, .state = "mixed", .timeLimit = 129'600}));
    EXPECT_EQ(answer->fileSizes, (std::vector<std::optional<Bytes>>{12, std::nullopt}));
    EXPECT_FALSE(parseProbe(records, 0, 0));
    EXPECT_FALSE(parseProbe("", 0, 0));
    EXPECT_FALSE(parseProbe("fish: Unknown command", 0, 0));
}

TEST(LookAnswers, HoldFilesOfAnyBytesAndAreRefusedWholeWhereTheyAreCutShort)
{
    const std::string bytes = "a\0end=\0rc=0\0"s;
    const std::string answer = "\0there=yes\0rc=5\0file=20 8 "s + std::to_string(bytes.size()) + " out.log\0"s + bytes + "\0end=\0"s;
    const auto look = parseLook(answer, 0, 0);
    ASSERT_TRUE(look) << look.error().message();
    EXPECT_EQ(look->traces.exitStatus, 5);
    ASSERT_EQ(look->files.size(), 1U);
    EXPECT_EQ(look->files[0].bytes, bytes);
    EXPECT_EQ(look->files[0].from, 8);
    EXPECT_EQ(look->files[0].size, 20);
    for (std::size_t length = 0; length + 1 < answer.size(); ++length) {
        const auto cut = parseLook(answer.substr(0, length), 0, 0);
        EXPECT_TRUE(!cut || cut->files.empty() || cut->files[0].bytes == bytes) << length;
    }
    EXPECT_FALSE(parseLook("\0there=yes\0file=1 2 -7 x\0end=\0"s, 0, 0));
    EXPECT_FALSE(parseLook("\0there=yes\0file=1 2 999999999999 x\0abc\0end=\0"s, 0, 0));
}

TEST(SshErrors, SayWhatIsWrongAndWhatWouldHelp)
{
    const Error changed = sshError("node7", "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nThe fingerprint for the ED25519 key sent by the remote host is\nSHA256:abc.\nOffending ED25519 key in /etc/known:3\nHost key verification failed.\n");
    EXPECT_NE(changed.message().find("SHA256:abc;"), std::string::npos) << changed.message();
    EXPECT_NE(changed.message().find("/etc/known:3"), std::string::npos);
    EXPECT_NE(changed.message().find("ssh-keygen -R"), std::string::npos);
    const Error unknown = sshError("node7", "No ED25519 host key is known for node7 and you have requested strict checking.\nHost key verification failed.\n");
    EXPECT_NE(unknown.message().find("not known"), std::string::npos);
    EXPECT_NE(sshError("node7", "ada@node7: Permission denied (publickey).\n").message().find("publickey"), std::string::npos);
    const Error refused = sshError("node7", "ssh: connect to host node7 port 22: Connection refused\n");
    EXPECT_NE(refused.message().find("Connection refused"), std::string::npos);
    for (const Error &error : {changed, unknown, refused})
        EXPECT_EQ(error.fault, Fault::Outside);
}

RunLook lookWith(std::optional<int> exitStatus, bool asked = true)
{
    RunLook look{.directoryThere = true, .job = "7"};
    look.traces.exitStatus = exitStatus;
    look.traces.startAsked = asked;
    return look;
}

TEST(SlurmStandings, FollowTheExitStatusThenTheControllerThenWhatWasKnown)
{
    const KnownStanding running{.standing = {.state = RunState::Running, .exitStatus = {}, .detail = "job 7"}};
    const auto state = [&](const RunLook &look, const SlurmJob &job) { return slurmStanding(look, job, running).state; };
    EXPECT_EQ(state(lookWith({}), {.state = "PENDING"}), RunState::Queued);
    EXPECT_EQ(state(lookWith({}), {.state = "RUNNING"}), RunState::Running);
    EXPECT_EQ(state(lookWith({}), {.state = "COMPLETING"}), RunState::Running);
    EXPECT_EQ(state(lookWith({}), {.state = "TIMEOUT"}), RunState::TimedOut);
    EXPECT_EQ(state(lookWith({}), {.state = "PREEMPTED"}), RunState::Preempted);
    EXPECT_EQ(state(lookWith({}), {.state = "NODE_FAIL"}), RunState::Lost);
    EXPECT_EQ(state(lookWith({}), {.state = "OUT_OF_MEMORY"}), RunState::Failed);
    EXPECT_EQ(state(lookWith({}), {.state = "COMPLETED"}), RunState::Lost); // without an exit status
    EXPECT_EQ(state(lookWith({}), {.forgotten = true}), RunState::Lost);
    EXPECT_EQ(state(lookWith({}), {.problem = "Unable to contact slurm controller"}), RunState::Unknown);
    EXPECT_EQ(state(lookWith({}), {}), RunState::Running);                 // not asked this time
    EXPECT_EQ(state(lookWith(0), {.problem = "Unable to contact slurm controller"}), RunState::Succeeded);
    EXPECT_EQ(state(lookWith(137), {.state = "TIMEOUT"}), RunState::TimedOut);
    EXPECT_EQ(state(lookWith(143), {.state = "PENDING"}), RunState::Queued); // requeued
    EXPECT_EQ(state(lookWith({}, false), {}), RunState::Draft);
    EXPECT_EQ(slurmStanding({}, {}, running).state, RunState::Unknown);    // its directory is away
}

TEST(SlurmJobs, AreReadFromALineOfFieldsWhoseValuesMayHoldAnything)
{
    const SlurmJob job = parseSlurmJob("JobId=7 JobName=a JobState=PENDING Reason=Resources Dependency=(null) StartTime=2026-01-02T03:04:05 Comment=JobState=RUNNING", "");
    EXPECT_EQ(job, (SlurmJob{.state = "PENDING", .reason = "Resources", .estimate = "2026-01-02T03:04:05"}));
    EXPECT_TRUE(parseSlurmJob("", "slurm_load_jobs error: Invalid job id specified").forgotten);
    EXPECT_FALSE(parseSlurmJob("", "Unable to contact slurm controller").forgotten);
    EXPECT_EQ(plainReason("Resources"), "waits until nodes are free");
    EXPECT_NE(plainReason("PartitionTimeLimit").find("never starts"), std::string::npos);
    EXPECT_EQ(plainReason("QOSMaxJobs"), "waits: QOSMaxJobs");
}

TEST(SbatchOptions, LetTheUsersOwnWinAndAreFoundInEitherSpelling)
{
    RunConfig config;
    config.parallel.gpus = 4;
    const auto options = sbatchOptions(config, 90, 3, {"--time=5", "-p", "gpu"});
    EXPECT_EQ(optionValue(options, "time", 't'), "5");
    EXPECT_EQ(optionValue(options, "partition", 'p'), "gpu");
    EXPECT_EQ(optionValue({"-pgpu"}, "partition", 'p'), "gpu");
    EXPECT_EQ(optionValue({"--partition=a,b"}, "partition", 'p'), "a,b");
    EXPECT_EQ(optionValue({}, "partition", 'p'), "");
    EXPECT_EQ(optionValue(options, "gpus-per-node", '\0'), "4");
    EXPECT_EQ(optionValue(options, "array", 'a'), "0-2");
    EXPECT_EQ(optionValue(options, "export", '\0'), "NONE");
}

TEST(PartitionChecks, KnowLimitsDefaultsAndGpusOfANode)
{
    RunConfig config;
    config.parallel.gpus = 4;
    HostFacts facts;
    EXPECT_FALSE(partitionCheck(facts, config, "").passed);
    facts.partitions = {{.name = "cpu", .isDefault = true, .gres = "", .nodes = 9, .state = "idle", .timeLimit = {}}, {.name = "gpu", .isDefault = false, .gres = "gpu:a100:4(S:0-1)", .nodes = 2, .state = "mixed", .timeLimit = 3600}};
    EXPECT_NE(partitionCheck(facts, config, "").detail.find("--partition=NAME"), std::string::npos);
    EXPECT_TRUE(partitionCheck(facts, config, "gpu").passed);
    config.training.timeLimit = 3601;
    EXPECT_NE(partitionCheck(facts, config, "gpu").detail.find("waits for ever"), std::string::npos);
    config.training.timeLimit.reset();
    config.parallel.gpus = 5;
    EXPECT_FALSE(partitionCheck(facts, config, "gpu").passed);
    config.training.device = DeviceKind::Cpu;
    EXPECT_TRUE(partitionCheck(facts, config, "").passed);
}

} // namespace
} // namespace slipway
