// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What makes a connection between ranks safe, apart from sockets. Each side proves that it knows the run's secret by
// HMAC-SHA256 over fresh random numbers of both sides (challenge and response), each under a label of its own role.
// What follows is sealed by ChaCha20-Poly1305 under keys of this connection and direction, with a counter as the
// nonce: nothing that was recorded on this or on another connection is accepted again, changed or left out.
//
//     client -> server   kGreeting, client's nonce
//     server -> client   server's nonce
//     client -> server   client's proof
//     server -> client   server's proof
//     both               sealed messages: length (4 bytes, little-endian), ciphertext with its tag
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "comm/rendezvous_secret.h"

namespace slipway {

inline constexpr std::string_view kGreeting = "slipway-store-1\n";
// Of one message. The largest is a rank's addresses for all others.
inline constexpr std::size_t kLongestMessage = 1 << 20;

using Nonce = std::array<unsigned char, 32>;
using Proof = std::array<unsigned char, 32>;
using ChannelKey = std::array<unsigned char, 32>;

struct ChannelSession {
    Proof clientProof, serverProof;
    ChannelKey clientKey, serverKey; // of what the client, the server sends
};

Result<Nonce> newNonce();
// `generation` names the meeting: ranks of an earlier start prove something else.
ChannelSession channelSession(
    const RendezvousSecret &secret, std::string_view generation, const Nonce &client, const Nonce &server);
// Takes the same time whatever differs.
bool isSameProof(const Proof &proof, std::string_view received);

class MessageSealer {
public:
    explicit MessageSealer(const ChannelKey &key) : m_key(key) {}
    // At most kLongestMessage bytes.
    [[nodiscard]] std::string seal(std::string_view message);

private:
    ChannelKey m_key;
    std::uint64_t m_count = 0;
};

class MessageOpener {
public:
    explicit MessageOpener(const ChannelKey &key) : m_key(key) {}
    void take(std::string_view bytes) { m_bytes.append(bytes); }
    // The next whole message; empty: more bytes must come first. An error ends the connection: what came was not sealed
    // by the peer, or not in this order.
    Result<std::optional<std::string>> next();

private:
    ChannelKey m_key;
    std::uint64_t m_count = 0;
    std::string m_bytes;
};

} // namespace slipway
