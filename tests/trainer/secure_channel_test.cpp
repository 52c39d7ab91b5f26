// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/secure_channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace slipway::testing {
namespace {

RendezvousSecret countedSecret()
{
    RendezvousSecret secret;
    std::iota(secret.bytes.begin(), secret.bytes.end(), static_cast<unsigned char>(0));
    return secret;
}

Nonce filled(unsigned char byte)
{
    Nonce nonce{};
    nonce.fill(byte);
    return nonce;
}

const ChannelSession kSession = channelSession(countedSecret(), "run/1", filled(1), filled(2));

std::string hexOf(const Proof &bytes)
{
    std::string text;
    for (const unsigned char byte : bytes) {
        text += "0123456789abcdef"[byte >> 4U];
        text += "0123456789abcdef"[byte & 15U];
    }
    return text;
}

// Computed by Python's hmac.
TEST(SecureChannel, ProvesByHmacSha256OfLabelsGenerationAndBothNonces)
{
    EXPECT_EQ(hexOf(kSession.clientProof), "1e865c245e444aadc6ed2f26ca0d3acc5a670e8c094815ae1aaaa6ff2b9879a5");
    EXPECT_EQ(hexOf(kSession.serverProof), "a6187aeedf058f40bfd3fa2266ca70ec1875280ab240a21fa34d481e522a17f0");
    EXPECT_EQ(hexOf(kSession.clientKey), "7ca73c8f2e2248d11f451a124be6169738265e1e64e4de4ad28dd8203358702f");
    EXPECT_EQ(hexOf(kSession.serverKey), "bd89fbb89f7a98f4563ff597aaa54fdb50b0b4380130dc89128e9e2991a8a86c");
}

TEST(SecureChannel, ProvesSomethingElseForAnotherSecretStartOrNonce)
{
    RendezvousSecret other = countedSecret();
    other.bytes[31] ^= 1U;
    EXPECT_NE(channelSession(other, "run/1", filled(1), filled(2)).clientProof, kSession.clientProof);
    EXPECT_NE(channelSession(countedSecret(), "run/2", filled(1), filled(2)).clientProof, kSession.clientProof);
    EXPECT_NE(channelSession(countedSecret(), "run/1", filled(3), filled(2)).clientProof, kSession.clientProof);
    EXPECT_NE(channelSession(countedSecret(), "run/1", filled(1), filled(3)).clientProof, kSession.clientProof);
    EXPECT_NE(*newNonce(), *newNonce());
}

TEST(SecureChannel, TakesNoProofThatIsShorterLongerOrAnother)
{
    const std::string right(kSession.clientProof.begin(), kSession.clientProof.end());
    EXPECT_TRUE(isSameProof(kSession.clientProof, right));
    EXPECT_FALSE(isSameProof(kSession.clientProof, right + "x"));
    EXPECT_FALSE(isSameProof(kSession.clientProof, right.substr(1)));
    EXPECT_FALSE(isSameProof(kSession.serverProof, right));
    EXPECT_FALSE(isSameProof(kSession.clientProof, ""));
}

TEST(SecureChannel, OpensMessagesInTheirOrderHoweverTheBytesAreCut)
{
    MessageSealer sealer(kSession.clientKey);
    std::string bytes = sealer.seal("first");
    bytes += sealer.seal("");
    bytes += sealer.seal(std::string(kLongestMessage, 'x'));
    MessageOpener opener(kSession.clientKey);
    std::vector<std::string> opened;
    for (std::size_t at = 0, piece = 1; at < bytes.size(); at += piece, piece = at < 100 ? 1 : 65536) {
        opener.take(std::string_view(bytes).substr(at, piece));
        for (auto message = opener.next(); *message; message = opener.next())
            opened.push_back(**message);
    }
    EXPECT_THAT(opened, ::testing::ElementsAre("first", "", std::string(kLongestMessage, 'x')));
}

TEST(SecureChannel, OpensNothingThatWasChangedLeftOutRepeatedOrSentBack)
{
    MessageSealer sealer(kSession.clientKey);
    const std::string first = sealer.seal("first"), second = sealer.seal("second");
    const auto opens = [](std::string_view bytes, const ChannelKey &key = kSession.clientKey) {
        MessageOpener opener(key);
        opener.take(bytes);
        return static_cast<bool>(opener.next());
    };
    EXPECT_TRUE(opens(first));
    EXPECT_FALSE(opens(second)) << "the first was left out";
    EXPECT_FALSE(opens(first, kSession.serverKey)) << "sent back to who sealed it";
    for (std::size_t i = 4; i < first.size(); ++i) {
        std::string changed = first;
        changed[i] = static_cast<char>(changed[i] ^ 1);
        EXPECT_FALSE(opens(changed)) << i;
    }
    MessageOpener opener(kSession.clientKey);
    opener.take(first + first);
    EXPECT_TRUE(opener.next());
    EXPECT_FALSE(opener.next()) << "repeated";
}

TEST(SecureChannel, TakesNoRoomForALengthThatNobodyNeeds)
{
    for (const char *length : {"\xff\xff\xff\xff", "\x00\x00\x20\x00", "\x0f\x00\x00\x00", "GET "}) {
        MessageOpener opener(kSession.clientKey);
        opener.take({length, 4});
        EXPECT_FALSE(opener.next());
    }
}

} // namespace
} // namespace slipway::testing
