// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/rendezvous_secret.h"

#include <cerrno>
#include <fcntl.h>
#include <sodium/crypto_generichash.h>
#include <sodium/utils.h>
#include <string>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

namespace slipway {

namespace {

constexpr const char *kAccepted =
    "a file of mode 0600 that is yours, with 64 hexadecimal digits (openssl rand -hex 32)";

std::string hexOf(const unsigned char *bytes, std::size_t count)
{
    std::string text(2 * count + 1, '\0');
    sodium_bin2hex(text.data(), text.size(), bytes, count);
    text.pop_back();
    return text;
}

// Other users could have created the file, or could read it.
Result<void> checkPrivate(int descriptor, const std::filesystem::path &path)
{
    struct stat status{};
    const auto refuse = [&path](const std::string &what) {
        return Error{.what = what, .where = path.string(), .accepted = kAccepted};
    };
    if (::fstat(descriptor, &status) != 0)
        return refuse("cannot be examined: " + systemMessage(errno));
    if (status.st_uid != ::geteuid() && ::geteuid() != 0)
        return refuse("belongs to another user");
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        return refuse("other users may read or change it");
    return {};
}

} // namespace

Result<RendezvousSecret> newSecret()
{
    RendezvousSecret secret;
    if (::getrandom(secret.bytes.data(), secret.bytes.size(), 0) != static_cast<ssize_t>(secret.bytes.size()))
        return Error{.what = "the system provided no random bytes: " + systemMessage(errno), .fault = Fault::Outside};
    return secret;
}

Result<FileDescriptor> secretDescriptor(const RendezvousSecret &secret)
{
    FileDescriptor memory(::memfd_create("slipway-rendezvous-secret", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!memory || ::write(memory.get(), secret.bytes.data(), secret.bytes.size()) != std::ssize(secret.bytes) ||
        ::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return Error{.what = "no memory for the secret of the ranks: " + systemMessage(errno), .fault = Fault::Outside};
    return memory;
}

Result<RendezvousSecret> readSecret(int descriptor)
{
    RendezvousSecret secret;
    if (::pread(descriptor, secret.bytes.data(), secret.bytes.size(), 0) != std::ssize(secret.bytes))
        return Error{.what = "descriptor " + std::to_string(descriptor) + " holds no secret of ranks",
            .where = "SLIPWAY_SECRET_FD",
            .accepted = "the value that the launcher of slipway-train sets"};
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return secret;
}

Result<void> writeSecretFile(const std::filesystem::path &path, const RendezvousSecret &secret)
{
    return writePrivateFile(path, hexOf(secret.bytes.data(), secret.bytes.size()) + "\n");
}

Result<RendezvousSecret> readSecretFile(const std::filesystem::path &path)
{
    // Opening the folder first makes NFS check again whether the file exists.
    const FileDescriptor folder(::open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const Result<FileDescriptor> file = openPrivateFile(path, O_RDONLY);
    if (!file)
        return file.error();
    if (const Result<void> checked = checkPrivate(file->get(), path); !checked)
        return checked.error();
    std::array<char, 80> text{};
    const ssize_t count = ::pread(file->get(), text.data(), text.size(), 0);
    const std::string_view digits = trimmed({text.data(), static_cast<std::size_t>(count < 0 ? 0 : count)});
    RendezvousSecret secret;
    std::size_t size = 0;
    if (digits.size() != 2 * secret.bytes.size() ||
        sodium_hex2bin(
            secret.bytes.data(), secret.bytes.size(), digits.data(), digits.size(), nullptr, &size, nullptr) != 0 ||
        size != secret.bytes.size())
        return Error{.what = "holds no secret of ranks", .where = path.string(), .accepted = kAccepted};
    return secret;
}

std::filesystem::path secretFileIn(const std::filesystem::path &folder, std::string_view generation)
{
    std::array<unsigned char, 16> digest{};
    crypto_generichash(digest.data(), digest.size(), reinterpret_cast<const unsigned char *>(generation.data()),
        generation.size(), nullptr, 0);
    return folder / ("rendezvous-" + hexOf(digest.data(), 8) + ".key");
}

} // namespace slipway
