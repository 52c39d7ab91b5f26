// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The store that ranks meet at: what it does for them, and what strangers get who reach its port.
#include <cstdlib>
#include <future>
#include <memory>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <sys/time.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/secure_channel.h"
#include "comm/sockets.h"
#include "comm/store_client.h"
#include "comm/store_rendezvous.h"
#include "comm/store_server.h"
#include "trainer_run/scratch_folder.h"

namespace slipway::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SocketClock::time_point soon() { return SocketClock::now() + std::chrono::seconds(20); }

class RendezvousStore : public ::testing::Test {
protected:
    void SetUp() override { serve({}); }
    void serve(UnauthenticatedLimits limits)
    {
        server.reset();
        Result<FileDescriptor> socket = listenAt("127.0.0.1", 0);
        ASSERT_TRUE(socket);
        address = boundAddress(socket->get());
        server = std::move(*StoreServer::start(std::move(*socket), secret, "run/0", limits));
    }
    [[nodiscard]] Result<std::unique_ptr<StoreClient>> join(
        const RendezvousSecret &known, const std::string &generation, std::chrono::seconds timeout) const
    {
        return StoreClient::join({.addresses = [this] { return std::vector{address}; },
            .secret = [known]() -> Result<RendezvousSecret> { return known; },
            .generation = generation,
            .deadline = SocketClock::now() + timeout});
    }
    [[nodiscard]] std::unique_ptr<StoreClient> rank() const
    {
        Result<std::unique_ptr<StoreClient>> joined = join(secret, "run/0", std::chrono::seconds(20));
        EXPECT_TRUE(joined) << messageOf(joined);
        return joined ? std::move(*joined) : nullptr;
    }
    [[nodiscard]] FileDescriptor stranger() const
    {
        std::optional<FileDescriptor> socket = connectTo(address, soon());
        EXPECT_TRUE(socket);
        return socket ? std::move(*socket) : FileDescriptor();
    }
    // What a connection is told until the store closes it.
    static std::string answerTo(const FileDescriptor &socket, std::string_view bytes)
    {
        (void)sendAll(socket.get(), bytes, soon());
        return receiveExactly(socket.get(), 1000, soon());
    }
    static bool isClosed(const FileDescriptor &socket)
    {
        char byte = 0;
        const ssize_t count = ::recv(socket.get(), &byte, 1, MSG_DONTWAIT);
        return count == 0 || (count < 0 && errno != EAGAIN);
    }
    void expectServes() const
    {
        const std::unique_ptr<StoreClient> one = rank();
        ASSERT_TRUE(one);
        EXPECT_TRUE(one->ask({.op = StoreOp::Write, .keys = {"expected"}, .value = "yes"}));
        EXPECT_THAT(one->ask({.op = StoreOp::Read, .keys = {"expected"}})->values, ElementsAre("yes"));
    }

    RendezvousSecret secret = *newSecret();
    SocketAddress address;
    std::unique_ptr<StoreServer> server;
};

TEST_F(RendezvousStore, KeepsWhatRanksWriteForEachOther)
{
    const std::unique_ptr<StoreClient> one = rank(), other = rank();
    EXPECT_TRUE(one->ask({.op = StoreOp::Write, .keys = {"a"}, .value = std::string("\0x", 2)})->found);
    EXPECT_TRUE(one->ask({.op = StoreOp::Write, .keys = {"b"}, .value = ""})->found);
    EXPECT_EQ(*other->ask({.op = StoreOp::Read, .keys = {"b", "a"}}),
        (StoreAnswer{.found = true, .values = {"", std::string("\0x", 2)}}));
    EXPECT_EQ(*other->ask({.op = StoreOp::Read, .keys = {"a", "c"}}), StoreAnswer{});
    EXPECT_TRUE(other->ask({.op = StoreOp::Remove, .keys = {"a"}})->found);
    EXPECT_FALSE(one->ask({.op = StoreOp::Remove, .keys = {"a"}})->found);
    EXPECT_FALSE(one->ask({.op = StoreOp::Read, .keys = {"a"}})->found);
}

TEST_F(RendezvousStore, AddsToNumbersAndReplacesWhatIsAsExpected)
{
    const std::unique_ptr<StoreClient> one = rank();
    EXPECT_THAT(one->ask({.op = StoreOp::Add, .keys = {"n"}, .number = 5})->values, ElementsAre("5"));
    EXPECT_THAT(one->ask({.op = StoreOp::Add, .keys = {"n"}, .number = -7})->values, ElementsAre("-2"));
    const auto compareSet = [&](const std::string &expected, const std::string &value) {
        return one->ask({.op = StoreOp::CompareSet, .keys = {"word"}, .value = value, .expected = expected})->values;
    };
    EXPECT_THAT(compareSet("x", "y"), ElementsAre("x")) << "there is none";
    EXPECT_THAT(compareSet("", "first"), ElementsAre("first"));
    EXPECT_THAT(compareSet("", "second"), ElementsAre("first"));
    EXPECT_THAT(compareSet("first", "third"), ElementsAre("third"));
}

TEST_F(RendezvousStore, LetsARankWaitForWhatAnotherWrites)
{
    const std::unique_ptr<StoreClient> one = rank(), other = rank();
    std::future<Result<StoreAnswer>> waits = std::async(
        std::launch::async, [&] { return one->ask({.op = StoreOp::Read, .keys = {"a", "b"}, .number = 20'000}); });
    EXPECT_TRUE(other->ask({.op = StoreOp::Write, .keys = {"a"}, .value = "1"}));
    EXPECT_TRUE(other->ask({.op = StoreOp::Write, .keys = {"b"}, .value = "2"}));
    EXPECT_THAT(waits.get()->values, ElementsAre("1", "2"));
    EXPECT_FALSE(one->ask({.op = StoreOp::Read, .keys = {"c"}, .number = 1})->found) << "nobody writes it";
}

TEST_F(RendezvousStore, TellsARankThatWhoKeptItIsGone)
{
    const std::unique_ptr<StoreClient> one = rank();
    server.reset();
    EXPECT_THAT(messageOf(one->ask({.op = StoreOp::Read, .keys = {"a"}})),
        HasSubstr("the connection to the rendezvous store of rank 0 broke"));
    EXPECT_FALSE(one->ask({.op = StoreOp::Read, .keys = {"a"}}));
}

TEST_F(RendezvousStore, IsNotJoinedWithAnotherSecretOrFromAnotherStart)
{
    RendezvousSecret other = secret;
    other.bytes[0] ^= 1U;
    for (const auto &[known, generation] : {std::pair(other, "run/0"), std::pair(secret, "run/1")})
        EXPECT_THAT(messageOf(join(known, generation, std::chrono::seconds(1))),
            HasSubstr("does not know the secret of this run"));
    expectServes();
}

// LibTorch's TCPStore begins with a number that is no secret, and lists its keys to whoever knows it.
TEST_F(RendezvousStore, TellsStrangersNothing)
{
    const std::unique_ptr<StoreClient> one = rank();
    ASSERT_TRUE(one->ask({.op = StoreOp::Write, .keys = {"a"}, .value = "kept"}));
    const std::string tcpStore("\x00\xce\xf7\x85\x3c\x07\x10", 7); // it validates, counts and lists keys
    for (const std::string &bytes : {tcpStore, std::string("GET / HTTP/1.1\r\n\r\n"), std::string(1, '\0'),
             std::string(100'000, '\xff'), std::string(kGreeting.substr(0, 5)) + "?",
             encoded({.op = StoreOp::Remove, .keys = {"a"}}), MessageSealer({}).seal("x")}) {
        EXPECT_THAT(answerTo(stranger(), bytes), IsEmpty()) << bytes.substr(0, 20);
    }
    EXPECT_THAT(one->ask({.op = StoreOp::Read, .keys = {"a"}})->values, ElementsAre("kept"));
}

// Who greets rightly learns one random number, and has to authenticate the rest.
TEST_F(RendezvousStore, TellsWhoProvesNothingOnlyARandomNumber)
{
    const std::string greeting = std::string(kGreeting) + std::string(32, 'n');
    for (const std::string &proof : {std::string(32, 'p'), std::string(33, 'p'), std::string(5000, '\0')}) {
        const std::string answer = answerTo(stranger(), greeting + proof);
        EXPECT_LE(answer.size(), 32U);
    }
    expectServes();
}

TEST_F(RendezvousStore, TakesNoProofASecondTime)
{
    Nonce own{}, theirs{};
    const std::string greeting = std::string(kGreeting) + std::string(own.begin(), own.end());
    const FileDescriptor first = stranger(), second = stranger();
    for (const FileDescriptor *const socket : {&first, &second}) {
        ASSERT_TRUE(sendAll(socket->get(), greeting, soon()));
        const std::string nonce = receiveExactly(socket->get(), theirs.size(), soon());
        ASSERT_EQ(nonce.size(), theirs.size());
        if (socket == &first)
            std::copy(nonce.begin(), nonce.end(), theirs.begin());
    }
    const ChannelSession session = channelSession(secret, "run/0", own, theirs);
    const std::string proof(session.clientProof.begin(), session.clientProof.end());
    ASSERT_TRUE(sendAll(first.get(), proof, soon()));
    EXPECT_TRUE(isSameProof(session.serverProof, receiveExactly(first.get(), 32, soon())));
    EXPECT_THAT(answerTo(second, proof), IsEmpty());
}

TEST_F(RendezvousStore, EndsARanksConnectionWhereSomebodyChangedItsBytes)
{
    Nonce own{}, theirs{};
    const FileDescriptor socket = stranger();
    ASSERT_TRUE(sendAll(socket.get(), std::string(kGreeting) + std::string(own.begin(), own.end()), soon()));
    const std::string nonce = receiveExactly(socket.get(), theirs.size(), soon());
    std::copy(nonce.begin(), nonce.end(), theirs.begin());
    const ChannelSession session = channelSession(secret, "run/0", own, theirs);
    ASSERT_TRUE(sendAll(socket.get(), {reinterpret_cast<const char *>(session.clientProof.data()), 32}, soon()));
    EXPECT_EQ(receiveExactly(socket.get(), 32, soon()).size(), 32U);
    std::string sealed = MessageSealer(session.clientKey).seal(encoded({.op = StoreOp::Remove, .keys = {"a"}}));
    sealed.back() = static_cast<char>(sealed.back() ^ 1);
    EXPECT_THAT(answerTo(socket, sealed), IsEmpty());
    expectServes();
}

// Port scanners, half-open connections and those that send a byte a minute.
TEST_F(RendezvousStore, DropsWhoDoesNotProveItselfInTime)
{
    serve({.timeout = 0.05});
    const FileDescriptor silent = stranger(), slow = stranger();
    ASSERT_TRUE(sendAll(slow.get(), kGreeting.substr(0, 3), soon()));
    EXPECT_THAT(receiveExactly(silent.get(), 1, soon()), IsEmpty());
    EXPECT_THAT(receiveExactly(slow.get(), 1, soon()), IsEmpty());
    EXPECT_TRUE(isClosed(silent) && isClosed(slow));
    expectServes();
}

TEST_F(RendezvousStore, MakesRoomForTheNextByDroppingTheOldestStranger)
{
    serve({.timeout = 3600, .atMost = 2});
    const std::unique_ptr<StoreClient> early = rank();
    const FileDescriptor first = stranger(), second = stranger(), third = stranger();
    EXPECT_THAT(receiveExactly(first.get(), 1, soon()), IsEmpty());
    EXPECT_TRUE(isClosed(first));
    EXPECT_FALSE(isClosed(second) || isClosed(third));
    expectServes();
    EXPECT_TRUE(early->ask({.op = StoreOp::Write, .keys = {"a"}, .value = "1"})) << "no stranger any more";
}

TEST_F(RendezvousStore, ServesRanksBesideTenThousandStrangers)
{
    const std::unique_ptr<StoreClient> early = rank();
    std::vector<FileDescriptor> held;
    for (int i = 0; i < 10'000; ++i) {
        FileDescriptor socket = stranger();
        if (i % 3 == 0)
            (void)sendAll(socket.get(), i % 2 == 0 ? std::string_view("GET /") : kGreeting, soon());
        if (held.size() < 300)
            held.push_back(std::move(socket));
        if (i % 1000 == 0) {
            EXPECT_TRUE(early->ask({.op = StoreOp::Add, .keys = {"n"}, .number = 1}));
            expectServes();
        }
    }
    EXPECT_THAT(early->ask({.op = StoreOp::Read, .keys = {"n"}})->values, ElementsAre("10"));
}

TEST(StoreProtocol, ReadsBackWhatItWroteAndNothingElse)
{
    const StoreRequest request{
        .op = StoreOp::CompareSet, .keys = {"key"}, .value = "value", .expected = "", .number = -1};
    EXPECT_EQ(*decodedRequest(encoded(request)), request);
    const StoreAnswer answer{.found = true, .values = {"", "x"}};
    EXPECT_EQ(*decodedAnswer(encoded(answer)), answer);
    const std::string bytes = encoded(request);
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_FALSE(decodedRequest(bytes.substr(0, size))) << size;
    EXPECT_FALSE(decodedRequest(bytes + "x"));
    EXPECT_FALSE(decodedRequest(encoded({.op = static_cast<StoreOp>(6), .keys = {"key"}})));
    EXPECT_FALSE(decodedRequest(encoded({.op = StoreOp::Write, .keys = {}}))) << "which key";
    EXPECT_FALSE(decodedRequest("\1" + std::string(8, '\xff') + std::string(40, '\0'))) << "more keys than bytes";
}

class StoreMeetingOfRanks : public ::testing::Test {
protected:
    [[nodiscard]] Rendezvous rank(int number, bool oneMachine = true) const
    {
        return {.rank = number,
            .worldSize = 2,
            .oneMachine = oneMachine,
            .port = port,
            .secretFolder = folder / "run",
            .joinTimeout = 20};
    }
    [[nodiscard]] std::size_t filesInFolder() const
    {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(folder / "run"), std::filesystem::directory_iterator()));
    }

    ScratchFolder folder;
    int port = portOf(listenAt("127.0.0.1", 0)->get()); // free a moment ago
};

TEST_F(StoreMeetingOfRanks, TakesPlaceByASecretThatTheFirstRankLeavesInTheFolder)
{
    const Result<std::unique_ptr<StoreRendezvous>> second = StoreRendezvous::open(rank(1));
    std::future<bool> joined = std::async(std::launch::async, [&] { return static_cast<bool>((*second)->connect()); });
    const Result<std::unique_ptr<StoreRendezvous>> first = StoreRendezvous::open(rank(0));
    ASSERT_TRUE(first) << messageOf(first);
    EXPECT_TRUE((*first)->connect());
    EXPECT_TRUE(joined.get());
    EXPECT_EQ(filesInFolder(), 1U);
    (*first)->finish();
    EXPECT_EQ(filesInFolder(), 0U) << "nobody else is to come";
}

TEST_F(StoreMeetingOfRanks, SaysWhyOneWithoutTheFolderDoesNotCome)
{
    const Result<std::unique_ptr<StoreRendezvous>> first = StoreRendezvous::open(rank(0));
    Rendezvous elsewhere = rank(1);
    elsewhere.secretFolder = folder / "another";
    elsewhere.joinTimeout = 0.2;
    const Result<std::unique_ptr<StoreRendezvous>> second = StoreRendezvous::open(elsewhere);
    EXPECT_THAT(
        messageOf((*second)->connect()), HasSubstr("rank 0 has left no secret in " + (folder / "another").string()));
}

TEST_F(StoreMeetingOfRanks, TakesPlaceByASecretThatTheUserGaveEachNode)
{
    ASSERT_TRUE(writeSecretFile(folder / "secret", *newSecret()));
    Rendezvous one = rank(0), other = rank(1);
    one.secretFile = other.secretFile = folder / "secret";
    one.secretFolder = other.secretFolder = "/nowhere";
    const Result<std::unique_ptr<StoreRendezvous>> first = StoreRendezvous::open(one),
                                                   second = StoreRendezvous::open(other);
    ASSERT_TRUE(first && second);
    EXPECT_TRUE((*second)->connect());
    other.secretFile = folder / "none";
    EXPECT_THAT(messageOf(StoreRendezvous::open(other)), HasSubstr((folder / "none").string()));
}

TEST_F(StoreMeetingOfRanks, ListensAtOneAddressOnly)
{
    for (const bool oneMachine : {true, false}) {
        const Rendezvous one = rank(0, oneMachine);
        const Result<std::string> own = addressOfRank(one);
        if (!own)
            GTEST_SKIP() << "this machine has no network: " << messageOf(own);
        const Result<std::unique_ptr<StoreRendezvous>> first = StoreRendezvous::open(one);
        ASSERT_TRUE(first) << messageOf(first);
        EXPECT_TRUE(connectTo(resolved(*own, port).front(), soon()));
        EXPECT_EQ(oneMachine, connectTo(resolved("127.0.0.1", port).front(), soon()).has_value());
        EXPECT_FALSE(connectTo(resolved("127.0.0.2", port).front(), soon()));
        EXPECT_TRUE((*first)->connect());
        const Result<std::unique_ptr<StoreRendezvous>> second = StoreRendezvous::open(rank(1, oneMachine));
        EXPECT_TRUE((*second)->connect()) << "by a name that means this machine itself";
    }
}

TEST_F(StoreMeetingOfRanks, SaysThatItsPortIsInUse)
{
    const FileDescriptor other = std::move(*listenAt("127.0.0.1", 0));
    Rendezvous one = rank(0);
    one.port = portOf(other.get());
    EXPECT_THAT(messageOf(StoreRendezvous::open(one)),
        HasSubstr("MASTER_PORT: port " + std::to_string(one.port) + " is in use on this machine"));
}

} // namespace
} // namespace slipway::testing
