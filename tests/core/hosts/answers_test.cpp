// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What hosts answer, read as values: also cut short, damaged, or with a login's greeting before it.
#include <gtest/gtest.h>

#include "hosts/host_probe.h"
#include "hosts/preflight.h"
#include "hosts/run_query.h"
#include "hosts/slurm_gres.h"
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
    const std::string records =
        "\0host=node7\0user=ada\0cores=8\0memory_kib=1024\0trainer=/opt/a b\0trainer_status=0"
        "\0trainer_says=slipway-train 1.2.3\0partition=gpu*|gpu:a100:4|2|mixed|1-12:00:00\0file=12\0file=-\0"s;
    const auto answer = parseProbe("Welcome!\nhost=liar\n" + records + "end=\0"s, 0, 0);
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer->facts.hostName, "node7");
    EXPECT_EQ(answer->facts.memory, kMiB);
    EXPECT_EQ(answer->facts.trainerVersion, "1.2.3");
    ASSERT_EQ(answer->facts.partitions.size(), 1U);
    EXPECT_EQ(answer->facts.partitions[0], (SlurmPartition{.name = "gpu",
                                               .isDefault = true,
                                               .gres = "gpu:a100:4",
                                               .nodes = 2,
                                               .state = "mixed",
                                               .timeLimit = 129'600}));
    EXPECT_EQ(answer->fileSizes, (std::vector<std::optional<Bytes>>{12, std::nullopt}));
    EXPECT_FALSE(parseProbe(records, 0, 0));
    EXPECT_FALSE(parseProbe("", 0, 0));
    EXPECT_FALSE(parseProbe("fish: Unknown command", 0, 0));
}

TEST(ProbeAnswers, OfNumbersThatNoMachineHasCountAsNone)
{
    const auto answer = parseProbe("\0memory_kib=9223372036854775807\0disk_free=9223372036854775807 4096"
                                   "\0node=n|p|idle|gpu:9223372036854775807,gpu:a100:2147483647,gpu:-3|\0end=\0"s,
        0, 0);
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer->facts.memory, 0);
    EXPECT_EQ(answer->facts.diskFree, 0);
    ASSERT_EQ(answer->facts.nodes.size(), 1U);
    EXPECT_EQ(answer->facts.nodes[0].gpus, 1000);
    EXPECT_EQ(gresCount("gpu:-3"), 0);
}

TEST(RunQueries, HoldFilesOfAnyBytesAndAreRefusedWholeWhereTheyAreCutShort)
{
    const std::string bytes = "a\0end=\0rc=0\0"s;
    const std::string answer =
        "\0run=/x\0there=yes\0rc=5\0file=20 8 "s + std::to_string(bytes.size()) + " out.log\0"s + bytes + "\0end=\0"s;
    const auto results = parseRunQueries(answer, 0, 0);
    ASSERT_TRUE(results) << results.error().message();
    ASSERT_EQ(results->size(), 1U);
    const RunQueryResult *result = &results->front();
    EXPECT_EQ(result->facts.exitStatus, 5);
    ASSERT_EQ(result->files.size(), 1U);
    EXPECT_EQ(result->files[0].bytes, bytes);
    EXPECT_EQ(result->files[0].from, 8);
    EXPECT_EQ(result->files[0].size, 20);
    for (std::size_t length = 0; length + 1 < answer.size(); ++length) {
        const auto cut = parseRunQueries(answer.substr(0, length), 0, 0);
        EXPECT_TRUE(!cut || cut->empty() || cut->front().files.empty() || cut->front().files[0].bytes == bytes)
            << length;
    }
    EXPECT_FALSE(parseRunQueries("\0run=/x\0there=yes\0file=1 2 -7 x\0end=\0"s, 0, 0));
    EXPECT_FALSE(parseRunQueries("\0run=/x\0there=yes\0file=1 2 999999999999 x\0abc\0end=\0"s, 0, 0));
}

TEST(SshErrors, SayWhatIsWrongAndWhatWouldHelp)
{
    const Error changed = sshError("node7",
        "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nThe fingerprint for the ED25519 key sent by the remote "
        "host is\nSHA256:abc.\nOffending ED25519 key in /etc/known:3\nHost key verification failed.\n");
    EXPECT_NE(changed.message().find("SHA256:abc;"), std::string::npos) << changed.message();
    EXPECT_NE(changed.message().find("/etc/known:3"), std::string::npos);
    EXPECT_NE(changed.message().find("ssh-keygen -R"), std::string::npos);
    const Error unknown = sshError("node7", "No ED25519 host key is known for node7 and you have requested strict "
                                            "checking.\nHost key verification failed.\n");
    EXPECT_NE(unknown.message().find("not known"), std::string::npos);
    EXPECT_NE(sshError("node7", "ada@node7: Permission denied (publickey).\n").message().find("publickey"),
        std::string::npos);
    const Error refused = sshError("node7", "ssh: connect to host node7 port 22: Connection refused\n");
    EXPECT_NE(refused.message().find("Connection refused"), std::string::npos);
    for (const Error &error : {changed, unknown, refused})
        EXPECT_EQ(error.fault, Fault::Outside);
}

RunQueryResult resultWith(std::optional<int> exitStatus, bool asked = true)
{
    RunQueryResult result{.directoryExists = true, .job = "7"};
    result.facts.exitStatus = exitStatus;
    if (asked)
        result.facts.attemptAge = 10;
    return result;
}

TEST(SlurmStatuss, FollowTheExitStatusThenTheControllerThenWhatWasKnown)
{
    const KnownStatus running{.status = {.state = RunState::Running, .exitStatus = {}, .detail = "job 7"}};
    const auto state = [&](const RunQueryResult &result, const SlurmJob &job) {
        return slurmStatus(result, job, running).state;
    };
    EXPECT_EQ(state(resultWith({}), {.state = "PENDING"}), RunState::Queued);
    EXPECT_EQ(state(resultWith({}), {.state = "RUNNING"}), RunState::Running);
    EXPECT_EQ(state(resultWith({}), {.state = "COMPLETING"}), RunState::Running);
    EXPECT_EQ(state(resultWith({}), {.state = "TIMEOUT"}), RunState::TimedOut);
    EXPECT_EQ(state(resultWith({}), {.state = "PREEMPTED"}), RunState::Preempted);
    EXPECT_EQ(state(resultWith({}), {.state = "NODE_FAIL"}), RunState::Lost);
    EXPECT_EQ(state(resultWith({}), {.state = "OUT_OF_MEMORY"}), RunState::Failed);
    EXPECT_EQ(state(resultWith({}), {.state = "COMPLETED"}), RunState::Lost); // without an exit status
    EXPECT_EQ(state(resultWith({}), {.forgotten = true}), RunState::Lost);
    EXPECT_EQ(state(resultWith({}), {.problem = "Unable to contact slurm controller"}), RunState::Unknown);
    EXPECT_EQ(state(resultWith({}), {}), RunState::Running); // not asked this time
    EXPECT_EQ(state(resultWith(0), {.problem = "Unable to contact slurm controller"}), RunState::Succeeded);
    EXPECT_EQ(state(resultWith(137), {.state = "TIMEOUT"}), RunState::TimedOut);
    EXPECT_EQ(state(resultWith(143), {.state = "PENDING"}), RunState::Queued); // requeued
    EXPECT_EQ(state(resultWith({}, false), {}), RunState::Draft);
    EXPECT_EQ(slurmStatus({}, {}, running).state, RunState::Unknown); // its directory is away
    RunQueryResult broken = resultWith({});
    broken.job.clear();
    EXPECT_EQ(state(broken, {}), RunState::Queued);
    broken.facts.attemptAge = 181;
    EXPECT_EQ(state(broken, {}), RunState::Queued); // the controller was not asked this time
    EXPECT_EQ(state(broken, {.problem = "Unable to contact slurm controller"}), RunState::Unknown);
    broken.jobNotFound = true;
    EXPECT_EQ(state(broken, {}), RunState::Lost);
    broken.facts.attemptAge = 180;
    EXPECT_EQ(state(broken, {}), RunState::Queued); // squeue and sbatch may still be at work
}

TEST(SlurmStatuss, StayUnknownUntilAControllerThatWasSilentIsAskedAgain)
{
    KnownStatus known{.status = {.state = RunState::Running}};
    known.unreachable = slurmStatus(resultWith({}), {.problem = "Unable to contact slurm controller"}, known).detail;
    const RunStatus between = slurmStatus(resultWith({}), {}, known);
    EXPECT_EQ(between.state, RunState::Unknown);
    EXPECT_EQ(between.detail, known.unreachable);
    EXPECT_EQ(slurmStatus(resultWith({}), {.state = "RUNNING"}, known).state, RunState::Running);
    EXPECT_EQ(slurmStatus(resultWith(0), {}, known).state, RunState::Succeeded);
    known.unreachable = "node7: cannot be reached"; // and now it was
    EXPECT_EQ(slurmStatus(resultWith({}), {}, known).state, RunState::Running);
}

TEST(SlurmJobs, AreReadFromALineOfFieldsWhoseValuesMayHoldAnything)
{
    const SlurmJob job = parseSlurmJob("JobId=7 JobName=a JobState=PENDING Reason=Resources Dependency=(null) "
                                       "StartTime=2026-01-02T03:04:05 Comment=JobState=RUNNING",
        "");
    EXPECT_EQ(job, (SlurmJob{.state = "PENDING", .reason = "Resources", .estimate = "2026-01-02T03:04:05"}));
    EXPECT_TRUE(parseSlurmJob("", "slurm_load_jobs error: Invalid job id specified").forgotten);
    EXPECT_FALSE(parseSlurmJob("", "Unable to contact slurm controller").forgotten);
    EXPECT_EQ(plainReason("Resources"), "waits until nodes are free");
    EXPECT_NE(plainReason("PartitionTimeLimit").find("never starts"), std::string::npos);
    EXPECT_EQ(plainReason("QOSMaxJobs"), "waits: QOSMaxJobs");
}

TEST(SlurmJobs, OfTheWholeQueueAreReadInTheSameForm)
{
    const SlurmJob job =
        parseSlurmJob("JobId=3_1 JobState=PENDING StartTime=N/A Reason=ReqNodeNotAvail, UnavailableNodes:vm", "");
    EXPECT_EQ(job, (SlurmJob{.state = "PENDING", .reason = "ReqNodeNotAvail,"}));
    EXPECT_EQ(plainReason(job.reason), "waits for nodes that are down or reserved");
}

TEST(RunQueries, AreOneForEachRun)
{
    const auto results =
        parseRunQueries("\0here_host=node7\0run=/a\0there=yes\0rc=0\0run=/b\0run=/c\0there=yes\0job=7\0end=\0"s, 0, 0);
    ASSERT_TRUE(results) << results.error().message();
    ASSERT_EQ(results->size(), 3U);
    EXPECT_EQ((*results)[0].facts.exitStatus, 0);
    EXPECT_FALSE((*results)[1].directoryExists);
    EXPECT_EQ((*results)[2].job, "7");
    EXPECT_EQ((*results)[2].facts.exitStatus, std::nullopt);
    EXPECT_EQ((*results)[1].facts.machine.hostName, "node7");
}

TEST(SlurmGres, IsCountedAndNamedInEveryForm)
{
    EXPECT_EQ(gresCount("gpu:a100:4(S:0-1)"), 4);
    EXPECT_EQ(gresCount("gpu:a100:2(IDX:0,3),gpu:v100:1(IDX:4),tmpdisk:9"), 3);
    EXPECT_EQ(gresCount("gpu:4"), 4);
    EXPECT_EQ(gresCount("gpu"), 1);
    EXPECT_EQ(gresCount("(null)"), 0);
    EXPECT_EQ(gresCount("gpu:a100:0(IDX:N/A)"), 0);
    EXPECT_EQ(gresType("gpu:a100:4(S:0-1)"), "a100");
    EXPECT_EQ(gresType("gpu:a100"), "a100");
    EXPECT_EQ(gresType("gpu:4"), "");
    EXPECT_EQ(gresType("mps:100,gpu:h100:8"), "h100");
}

TEST(SlurmGpuChecks, TellWhatIsFreeNowAndWhoHasTheRest)
{
    RunConfig config;
    config.gpu = "a100-sxm-80gb";
    config.parallel.gpus = 2;
    HostFacts facts{.user = "ada"};
    facts.partitions = {{.name = "gpu", .isDefault = true}};
    facts.nodes = {
        {.name = "n1", .partitions = "debug,gpu", .state = "MIXED", .gpuType = "a100", .gpus = 4, .gpusUsed = 3},
        {.name = "n2", .partitions = "gpu", .state = "IDLE+DRAIN", .gpuType = "a100", .gpus = 4},
        {.name = "n3", .partitions = "other", .state = "IDLE", .gpus = 8}};
    facts.uses = {{.user = "bob", .nodes = "n1", .gpus = 2}, {.user = "ada", .nodes = "n1", .gpus = 1}};
    const PreflightCheck waits = slurmGpuCheck(facts, config, "");
    EXPECT_TRUE(waits.passed && waits.warning);
    for (const char *words :
        {"1 of 4 free on 2 nodes, 1 of them down", "so the job waits", "bob has 2 on n1", "a job of yours has 1 on n1"})
        EXPECT_NE(waits.detail.find(words), std::string::npos) << words << " is not in " << waits.detail;
    config.parallel.gpus = 1;
    EXPECT_FALSE(slurmGpuCheck(facts, config, "gpu").warning);
}

TEST(SlurmGpuChecks, CountTheNodesThatAreFreeForARunOnSeveral)
{
    RunConfig config;
    config.gpu = "a100-sxm-80gb";
    config.parallel.gpus = 8;
    config.parallel.gpusPerNode = 4;
    HostFacts facts;
    facts.partitions = {
        {.name = "gpu", .isDefault = true, .gres = "gpu:a100:4", .nodes = 2, .state = "mixed", .timeLimit = {}}};
    facts.nodes = {{.name = "n1", .partitions = "gpu", .state = "IDLE", .gpuType = "a100", .gpus = 4},
        {.name = "n2", .partitions = "gpu", .state = "MIXED", .gpuType = "a100", .gpus = 4, .gpusUsed = 1}};
    const PreflightCheck waits = slurmGpuCheck(facts, config, "");
    EXPECT_TRUE(waits.warning);
    EXPECT_NE(waits.detail.find("1 of the 2 needed nodes have 4 free now, so the job waits"), std::string::npos)
        << waits.detail;
    facts.nodes[1].gpusUsed = 0;
    EXPECT_FALSE(slurmGpuCheck(facts, config, "").warning);
    EXPECT_TRUE(partitionCheck(facts, config, "").passed);
    ASSERT_TRUE(nodesCheck(config));
    EXPECT_NE(nodesCheck(config)->detail.find("2 with 4 ranks each"), std::string::npos);
    config.parallel.gpus = 9;
    EXPECT_TRUE(nodesCheck(config) && nodesCheck(config)->passed); // three of three
    config.parallel.gpus = 10;
    EXPECT_FALSE(nodesCheck(config)->passed);
    config.parallel.gpus = 4;
    EXPECT_FALSE(nodesCheck(config));
}

TEST(SlurmPlanChecks, HoldThePlanAgainstTheCardThatTheClusterNames)
{
    const auto catalogue = loadCatalogue();
    ASSERT_TRUE(catalogue);
    RunConfig config;
    config.gpu = "h100-sxm-80gb";
    config.model.name = "1B";
    config.microBatch = 8;
    HostFacts facts;
    facts.partitions = {{.name = "gpu", .isDefault = true}};
    facts.nodes = {{.name = "n1", .partitions = "gpu", .state = "IDLE", .gpuType = "h100", .gpus = 4}};
    EXPECT_TRUE(slurmPlanCheck(facts, config, "", *catalogue).passed);
    facts.nodes[0].gpuType = "nvidia_a100-sxm4-40gb"; // less memory than was planned for
    config.microBatch = 24;
    const PreflightCheck refused = slurmPlanCheck(facts, config, "", *catalogue);
    EXPECT_FALSE(refused.passed);
    EXPECT_TRUE(refused.prediction);
    EXPECT_NE(refused.detail.find("A100 40GB"), std::string::npos) << refused.detail;
    EXPECT_NE(refused.detail.find("micro_batch of up to"), std::string::npos) << refused.detail;
    const Preflight preflight{.checks = {refused}};
    EXPECT_FALSE(preflight.passed());
    EXPECT_TRUE(preflight.passed(PreflightPolicy::IgnorePredictions));
    facts.nodes[0].gpuType = "";
    EXPECT_TRUE(slurmPlanCheck(facts, config, "", *catalogue).warning);
}

TEST(SbatchOptions, LetTheUsersOwnWinAndAreFoundInEitherSpelling)
{
    RunConfig config;
    config.gpu = "a100-sxm-80gb";
    config.parallel.gpus = 4;
    JobResources resources;
    resources.add(config, 90);
    const auto options = sbatchOptions(resources, 3, {"--time=5", "-p", "gpu"});
    EXPECT_EQ(optionValue(options, "time", 't'), "5");
    EXPECT_EQ(optionValue(options, "partition", 'p'), "gpu");
    EXPECT_EQ(optionValue({"-pgpu"}, "partition", 'p'), "gpu");
    EXPECT_EQ(optionValue({"--partition=a,b"}, "partition", 'p'), "a,b");
    EXPECT_EQ(optionValue({}, "partition", 'p'), "");
    EXPECT_EQ(optionValue(options, "gpus-per-node", '\0'), "4");
    EXPECT_EQ(optionValue(options, "array", 'a'), "0-2");
    EXPECT_EQ(optionValue(options, "export", '\0'), "NONE");
    EXPECT_EQ(optionValue(options, "nodes", 'N'), "1");
    EXPECT_EQ(optionValue(options, "ntasks-per-node", '\0'), "1"); // one process runs all ranks of a node
}

TEST(SbatchOptions, AskForAsManyNodesAndTasksAsTheLargestRunNeeds)
{
    JobResources resources;
    for (const auto &[gpus, perNode, minutes] : {std::tuple{16, 8, 20}, {12, 4, 30}, {1, 8, 10}}) {
        RunConfig config;
        config.gpu = "h100-sxm-80gb";
        config.parallel.gpus = gpus;
        config.parallel.gpusPerNode = perNode;
        resources.add(config, minutes);
    }
    const auto options = sbatchOptions(resources, 3, {});
    EXPECT_EQ(optionValue(options, "nodes", 'N'), "3");
    EXPECT_EQ(optionValue(options, "ntasks-per-node", '\0'), "8");
    EXPECT_EQ(optionValue(options, "gpus-per-node", '\0'), "8");
    EXPECT_EQ(optionValue(options, "time", 't'), "30");
}

TEST(NodeShapes, DivideTheRanksOrSayWhatWouldDivide)
{
    const auto shape = [](int gpus, int perNode) {
        Parallelism parallel;
        parallel.gpus = gpus;
        parallel.gpusPerNode = perNode;
        return nodeShape(parallel);
    };
    EXPECT_EQ(shape(4, 8)->nodes, 1);
    EXPECT_EQ(shape(4, 8)->perNode, 4);
    EXPECT_EQ(shape(64, 8)->nodes, 8);
    EXPECT_EQ(shape(12, 8)->perNode, 6);
    ASSERT_FALSE(shape(17, 8));
    EXPECT_NE(shape(17, 8).error().message().find("17 ranks cannot be divided equally over 3 nodes"), std::string::npos)
        << shape(17, 8).error().message();
}

TEST(PartitionChecks, KnowLimitsDefaultsAndGpusOfANode)
{
    RunConfig config;
    config.parallel.gpus = 4;
    HostFacts facts;
    EXPECT_FALSE(partitionCheck(facts, config, "").passed);
    facts.partitions = {{.name = "cpu", .isDefault = true, .gres = "", .nodes = 9, .state = "idle", .timeLimit = {}},
        {.name = "gpu",
            .isDefault = false,
            .gres = "gpu:a100:4(S:0-1)",
            .nodes = 2,
            .state = "mixed",
            .timeLimit = 3600}};
    EXPECT_NE(partitionCheck(facts, config, "").detail.find("--partition=NAME"), std::string::npos);
    EXPECT_TRUE(partitionCheck(facts, config, "gpu").passed);
    config.training.timeLimit = 3601;
    EXPECT_NE(partitionCheck(facts, config, "gpu").detail.find("never starts"), std::string::npos);
    config.training.timeLimit.reset();
    config.parallel.gpus = 5;
    EXPECT_FALSE(partitionCheck(facts, config, "gpu").passed);
    config.training.device = DeviceKind::Cpu;
    EXPECT_TRUE(partitionCheck(facts, config, "").passed);
}

} // namespace
} // namespace slipway
