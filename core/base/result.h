// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Expected failures are returned as values. Exceptions are reserved for bugs and for calls into LibTorch.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace slipway {

// Determines the exit status of a program (docs/guide/README.md and docs/guide/trainer.md).
enum class Fault {
    Input,   // wrong usage or bad user input: exit 2
    Outside, // disk full, host unreachable, permission denied: exit 3
    Peer,    // another rank failed: exit 4 (trainer)
    Damaged, // data or checkpoint damaged: exit 5 (trainer)
};

// What is wrong, where, and what would be accepted; an error message should state all three.
struct Error {
    std::string what;
    std::string where = {};    // "run.yaml:12", "--micro-batch", a path; empty if there is no location
    std::string accepted = {}; // what would have been accepted; empty if that does not help
    Fault fault = Fault::Input;

    // "where: what (accepted: ...)", the format in which all errors are shown.
    [[nodiscard]] std::string message() const
    {
        std::string text = where.empty() ? what : where + ": " + what;
        if (!accepted.empty())
            text += " (accepted: " + accepted + ")";
        return text;
    }
};

// A value or an Error. `if (!result) return result.error();` propagates a failure.
template<typename T>
class [[nodiscard]] Result {
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    explicit operator bool() const { return m_state.index() == 0; }
    T &value() &
    {
        assert(*this);
        return std::get<0>(m_state);
    }
    const T &value() const &
    {
        assert(*this);
        return std::get<0>(m_state);
    }
    T &&value() &&
    {
        assert(*this);
        return std::get<0>(std::move(m_state));
    }
    T &operator*() & { return value(); }
    const T &operator*() const & { return value(); }
    T &&operator*() && { return std::move(*this).value(); }
    T *operator->() { return &value(); }
    const T *operator->() const { return &value(); }
    const Error &error() const
    {
        assert(!*this);
        return std::get<1>(m_state);
    }
    // For callers that have a default value.
    T valueOr(T other) const &
    {
        if (*this)
            return value();
        return other;
    }
    T valueOr(T other) &&
    {
        if (*this)
            return std::move(*this).value();
        return other;
    }

private:
    std::variant<T, Error> m_state;
};

template<>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : m_error(std::move(error)) {}

    explicit operator bool() const { return !m_error; }
    const Error &error() const
    {
        assert(m_error);
        return *m_error;
    }

private:
    std::optional<Error> m_error;
};

} // namespace slipway
