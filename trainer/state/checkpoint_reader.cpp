// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "state/checkpoint_reader.h"

#include <algorithm>
#include <vector>

namespace slipway {

namespace {

constexpr Bytes kElement = 4;

std::span<float> valuesOf(const SharedPiece &piece, std::span<float> into)
{
    return into.subspan(static_cast<std::size_t>(piece.to), static_cast<std::size_t>(piece.length));
}

} // namespace

void forEachRead(
    const SliceRun &from, const SliceRun &to, const std::function<void(std::span<const SharedPiece> pieces)> &visit)
{
    std::vector<SharedPiece> together;
    forEachShared(from, to, [&](std::int64_t inFrom, std::int64_t inTo, std::int64_t length) {
        if (!together.empty()) {
            const std::int64_t gap = inFrom - (together.back().from + together.back().length);
            const std::int64_t all = inFrom + length - together.front().from;
            if (gap * kElement > kLongestGapRead || all * kElement > kReadBuffer) {
                visit(together);
                together.clear();
            }
        }
        together.push_back({.from = inFrom, .to = inTo, .length = length});
    });
    if (!together.empty())
        visit(together);
}

Result<void> readShared(const SafetensorsFile &file, const TensorEntry &stored, const SliceRun &from,
    const SliceRun &to, std::span<float> into)
{
    std::vector<float> buffer;
    Result<void> done;
    forEachRead(from, to, [&](std::span<const SharedPiece> pieces) {
        if (!done)
            return;
        const std::int64_t begin = pieces.front().from, end = pieces.back().from + pieces.back().length;
        std::span<float> target = valuesOf(pieces.front(), into);
        if (pieces.size() > 1) {
            buffer.resize(static_cast<std::size_t>(end - begin));
            target = buffer;
        }
        done = file.read(stored, begin * kElement, std::as_writable_bytes(target));
        for (const SharedPiece &piece : pieces) {
            if (done && pieces.size() > 1)
                std::copy_n(buffer.begin() + (piece.from - begin), piece.length, valuesOf(piece, into).begin());
        }
    });
    return done;
}

} // namespace slipway
