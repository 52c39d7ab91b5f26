// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/secure_channel.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <sodium/crypto_aead_chacha20poly1305.h>
#include <sodium/crypto_auth_hmacsha256.h>
#include <sodium/core.h>
#include <sodium/utils.h>
#include <sys/random.h>

#include "base/file.h"

namespace slipway {

namespace {

constexpr std::size_t kLengthBytes = 4, kTagBytes = crypto_aead_chacha20poly1305_ietf_ABYTES;
static_assert(crypto_auth_hmacsha256_BYTES == std::tuple_size_v<Proof> &&
              crypto_aead_chacha20poly1305_ietf_KEYBYTES == std::tuple_size_v<ChannelKey>);

using SealNonce = std::array<unsigned char, crypto_aead_chacha20poly1305_ietf_NPUBBYTES>;

const unsigned char *bytesOf(std::string_view text) { return reinterpret_cast<const unsigned char *>(text.data()); }

std::array<unsigned char, 8> littleEndian(std::uint64_t value)
{
    std::array<unsigned char, 8> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<unsigned char>(value >> (8 * i));
    return bytes;
}

// A separate value per purpose, which the label names. Lengths are hashed too, so that different inputs never have the
// same encoding.
Proof keyedHash(const RendezvousSecret &secret, std::string_view label, std::string_view generation,
    const Nonce &client, const Nonce &server)
{
    crypto_auth_hmacsha256_state state;
    crypto_auth_hmacsha256_init(&state, secret.bytes.data(), secret.bytes.size());
    for (const std::string_view text : {kGreeting, label, generation}) {
        crypto_auth_hmacsha256_update(&state, littleEndian(text.size()).data(), 8);
        crypto_auth_hmacsha256_update(&state, bytesOf(text), text.size());
    }
    crypto_auth_hmacsha256_update(&state, client.data(), client.size());
    crypto_auth_hmacsha256_update(&state, server.data(), server.size());
    Proof hash{};
    crypto_auth_hmacsha256_final(&state, hash.data());
    return hash;
}

// A key seals one direction of one connection, so a counter never repeats.
SealNonce nonceOf(std::uint64_t count)
{
    SealNonce nonce{};
    const std::array<unsigned char, 8> bytes = littleEndian(count);
    std::copy(bytes.begin(), bytes.end(), nonce.begin());
    return nonce;
}

} // namespace

Result<Nonce> newNonce()
{
    Nonce nonce{};
    if (::getrandom(nonce.data(), nonce.size(), 0) != std::ssize(nonce))
        return Error{.what = "the system provided no random bytes: " + systemMessage(errno), .fault = Fault::Outside};
    return nonce;
}

ChannelSession channelSession(
    const RendezvousSecret &secret, std::string_view generation, const Nonce &client, const Nonce &server)
{
    [[maybe_unused]] const int ready = ::sodium_init(); // selects the fastest implementation for this CPU
    const auto hash = [&](std::string_view label) { return keyedHash(secret, label, generation, client, server); };
    return {.clientProof = hash("proof of the client"),
        .serverProof = hash("proof of the server"),
        .clientKey = hash("key of the client's messages"),
        .serverKey = hash("key of the server's messages")};
}

bool isSameProof(const Proof &proof, std::string_view received)
{
    return received.size() == proof.size() && sodium_memcmp(proof.data(), received.data(), proof.size()) == 0;
}

std::string MessageSealer::seal(std::string_view message)
{
    assert(message.size() <= kLongestMessage);
    std::string frame(kLengthBytes + message.size() + kTagBytes, '\0');
    auto *const bytes = reinterpret_cast<unsigned char *>(frame.data());
    const std::array<unsigned char, 8> length = littleEndian(message.size() + kTagBytes);
    std::copy_n(length.begin(), kLengthBytes, bytes);
    crypto_aead_chacha20poly1305_ietf_encrypt(bytes + kLengthBytes, nullptr, bytesOf(message), message.size(), bytes,
        kLengthBytes, nullptr, nonceOf(m_count++).data(), m_key.data());
    return frame;
}

Result<std::optional<std::string>> MessageOpener::next()
{
    if (m_bytes.size() < kLengthBytes)
        return std::optional<std::string>();
    const auto *const bytes = bytesOf(m_bytes);
    const std::size_t length = bytes[0] | bytes[1] << 8U | bytes[2] << 16U | static_cast<std::size_t>(bytes[3]) << 24U;
    if (length < kTagBytes || length > kLongestMessage + kTagBytes)
        return Error{.what = "a message of " + std::to_string(length) + " bytes came", .fault = Fault::Peer};
    if (m_bytes.size() < kLengthBytes + length)
        return std::optional<std::string>();
    std::string message(length - kTagBytes, '\0');
    if (crypto_aead_chacha20poly1305_ietf_decrypt(reinterpret_cast<unsigned char *>(message.data()), nullptr, nullptr,
            bytes + kLengthBytes, length, bytes, kLengthBytes, nonceOf(m_count++).data(), m_key.data()) != 0)
        return Error{.what = "a message was received that the peer did not encrypt", .fault = Fault::Peer};
    m_bytes.erase(0, kLengthBytes + length);
    return std::optional(std::move(message));
}

} // namespace slipway
