// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Who reaches the port where the ranks of a run meet, and is none of them.
#include <gmock/gmock.h>

#include <arpa/inet.h>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <netinet/in.h>
#include <sstream>
#include <string>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <vector>

#include "child.h"
#include "rank_processes.h"
#include "scratch_folder.h"
#include "tiny_run.h"

namespace slipway {
namespace {

using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using namespace testing;

std::string variableOf(pid_t process, const std::string &name)
{
    const std::string all = std::string(1, '\0') + readBytes("/proc/" + std::to_string(process) + "/environ");
    const std::string key = std::string(1, '\0') + name + "=";
    const std::size_t at = all.find(key);
    return at == std::string::npos ? "" : all.substr(at + key.size(), all.find('\0', at + 1) - at - key.size());
}

// One connection to 127.0.0.1, which is sent `bytes` and read until it is closed or silent for a second.
std::string answerAt(int port, const std::string &bytes)
{
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    const timeval second{.tv_sec = 1, .tv_usec = 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
    EXPECT_EQ(::connect(socket, reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
    EXPECT_EQ(::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL), std::ssize(bytes));
    std::string answer;
    char byte = 0;
    while (::recv(socket, &byte, 1, 0) == 1)
        answer += byte;
    ::close(socket);
    return answer;
}

std::string bytesOf(std::uint64_t number) { return {reinterpret_cast<const char *>(&number), sizeof number}; }
std::string sized(const std::string &text) { return bytesOf(text.size()) + text; }

// Requests as LibTorch's TCPStore takes them: a number that is no secret, then a byte for what is asked.
const std::string kValidate = std::string(1, '\0') + "\xce\xf7\x85\x3c";
const std::string kCountKeys = kValidate + "\7";
std::string setRequest(const std::string &key, const std::string &value)
{
    return kValidate + "\1" + sized(key) + sized(value);
}
std::string deleteRequest(const std::string &key) { return kValidate + "\10" + sized(key); }

TEST(Strangers, NeitherReadNorChangeWhatRanksTellEachOther)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", {"gpus: 2", "parallel: ddp", "steps: 1000000"});
    RunningProgram program(runCommand(run, {"-n", "2"}), folder / "err");
    ASSERT_TRUE(program.waitForLine("step 1/"));
    const auto port = static_cast<int>(std::strtol(variableOf(pidOfRank(run, 1), "MASTER_PORT").c_str(), nullptr, 10));
    ASSERT_GT(port, 0);
    EXPECT_THAT(answerAt(port, kCountKeys), IsEmpty());
    for (const std::string &bytes : {setRequest("/slipway//0/slipway/failure", "rank 1 failed: so a stranger says"),
             deleteRequest("/slipway//0/slipway/beat/1"), std::string("GET / HTTP/1.1\r\n\r\n"),
             std::string(10'000, '\xff')})
        EXPECT_THAT(answerAt(port, bytes), IsEmpty());
    for (int step = 0; step < 3; ++step)
        ASSERT_TRUE(program.waitForLine("step ")) << readBytes(folder / "err");
    program.signal(SIGTERM);
    EXPECT_EQ(program.wait(), 143) << readBytes(folder / "err");
    EXPECT_EQ(kindsOf(run), "started stopping checkpoint");
}

// Addresses at which anybody listens for `port`, of IPv4 and of IPv6, as proc(5) has them.
std::vector<std::string> listenersAt(int port)
{
    std::ostringstream suffix;
    suffix << std::hex << std::uppercase;
    suffix.width(4);
    suffix.fill('0');
    suffix << port;
    std::vector<std::string> addresses;
    for (const char *table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
        std::istringstream lines(readBytes(table));
        std::string number, local, remote, state, rest;
        std::getline(lines, rest);
        while (lines >> number >> local >> remote >> state && std::getline(lines, rest)) {
            if (state == "0A" && local.ends_with(":" + suffix.str()))
                addresses.push_back(local.substr(0, local.find(':')));
        }
    }
    return addresses;
}

TEST(Ranks, ListenAtTheOneAddressThatTheOthersUse)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", kEndless);
    const int port = 21000 + ::getpid() % 8000 + 20;
    std::vector<std::unique_ptr<RunningProgram>> ranks;
    for (const int rank : {0, 1})
        ranks.push_back(std::make_unique<RunningProgram>(runCommand(run, {}), folder / ("err" + std::to_string(rank)),
            [rank, port] { setRank(rank, 2, "127.0.0.1", port); }));
    ASSERT_TRUE(ranks[0]->waitForLine("step 1/")) << readBytes(folder / "err0");
    EXPECT_THAT(listenersAt(port), ::testing::ElementsAre("0100007F"));
}

// Of a run whose ranks were started by hand: what they share is gone when they have met.
TEST(Ranks, LeaveNoSecretBehind)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", {"gpus: 2", "parallel: ddp"});
    const int port = 21000 + ::getpid() % 8000 + 21;
    RunningProgram second(runCommand(run, {}), folder / "err", [port] { setRank(1, 2, "127.0.0.1", port); });
    const Ended first = runProgram(runCommand(run, {}), [port] { setRank(0, 2, "127.0.0.1", port); });
    EXPECT_EQ(first.status, 0) << first.err;
    EXPECT_EQ(second.wait(), 0) << readBytes(folder / "err");
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(run.directory))
        names.push_back(entry.path().filename());
    EXPECT_THAT(names, Each(Not(StartsWith("rendezvous"))));
}

TEST(Ranks, KeepTheirSecretOutOfCommandLinesAndEnvironments)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", kEndless);
    RunningProgram program(runCommand(run, {"-n", "2"}), folder / "err");
    ASSERT_TRUE(program.waitForLine("step 1/"));
    for (const int rank : {0, 1}) {
        const pid_t process = pidOfRank(run, rank);
        const std::string descriptor = variableOf(process, "SLIPWAY_SECRET_FD");
        ASSERT_FALSE(descriptor.empty());
        const std::string secret = readBytes("/proc/" + std::to_string(process) + "/fd/" + descriptor);
        ASSERT_EQ(secret.size(), 32U);
        for (const char *file : {"cmdline", "environ"})
            EXPECT_EQ(readBytes("/proc/" + std::to_string(process) + "/" + file).find(secret), std::string::npos);
    }
}

} // namespace
} // namespace slipway
