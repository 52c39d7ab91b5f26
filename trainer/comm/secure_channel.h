// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The cryptography of connections between ranks, without sockets. Each side proves that it knows the run's secret by
// HMAC-SHA256 over fresh nonces of both sides (challenge and response), with a label for its role. Messages are then
// sealed with ChaCha20-Poly1305, with keys per connection and direction and a counter as the nonce. So recorded
// messages cannot be replayed, changed or left out.
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
// Bytes of one message. The longest holds a rank's addresses for all others.
inline constexpr std::size_t kLongestMessage = 1 << 20;

using Nonce = std::array<unsigned char, 32>;
using Proof = std::array<unsigned char, 32>;
using ChannelKey = std::array<unsigned char, 32>;

struct ChannelSession {
    Proof clientProof, serverProof;
    ChannelKey clientKey, serverKey; // for messages of the client, of the server
};

Result<Nonce> newNonce();
// `generation` is part of the proofs, so that those of ranks of an earlier start are not accepted.
ChannelSession channelSession(
    const RendezvousSecret &secret, std::string_view generation, const Nonce &client, const Nonce &server);
// Compares in constant time.
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
    // The next complete message; empty: more bytes are needed. After an error the connection must be closed: the bytes
    // were not sealed by the peer, or are out of order.
    Result<std::optional<std::string>> next();

private:
    ChannelKey m_key;
    std::uint64_t m_count = 0;
    std::string m_bytes;
};

} // namespace slipway
