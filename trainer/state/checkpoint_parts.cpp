// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "state/checkpoint_parts.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace slipway {

namespace {

constexpr std::int64_t kMostElements = std::numeric_limits<std::int64_t>::max() / 8;

struct Interval {
    std::int64_t begin = 0, end = 0;
};

std::int64_t rowOf(const SliceRun &run, std::int64_t element)
{
    return run.slice.firstRow + (run.first + element) / run.slice.columns;
}

// The columns of the whole weight that the run covers in one of its rows.
Interval columnsIn(const SliceRun &run, std::int64_t row)
{
    const std::int64_t rowBegin = (row - run.slice.firstRow) * run.slice.columns - run.first;
    return {.begin = run.slice.firstColumn + std::max<std::int64_t>(0, -rowBegin),
        .end = run.slice.firstColumn + std::min(run.slice.columns, run.count - rowBegin)};
}

std::int64_t placeIn(const SliceRun &run, std::int64_t row, std::int64_t column)
{
    return (row - run.slice.firstRow) * run.slice.columns + column - run.slice.firstColumn - run.first;
}

struct Rectangle {
    Interval rows, columns;
    int shard = 0;
};

// A run consists of the rest of its first row, whole rows, and the beginning of its last row.
void addRectangles(const SliceRun &run, int shard, std::vector<Rectangle> &rectangles)
{
    for (std::int64_t done = 0; done < run.count;) {
        const std::int64_t width = run.slice.columns, left = run.count - done;
        const std::int64_t row = rowOf(run, done), column = (run.first + done) % width;
        const std::int64_t wholeRows = column == 0 ? left / width : 0;
        const std::int64_t length = wholeRows > 0 ? wholeRows * width : std::min(width - column, left);
        const std::int64_t firstColumn = run.slice.firstColumn + column;
        rectangles.push_back({.rows = {row, row + std::max<std::int64_t>(wholeRows, 1)},
            .columns = {firstColumn, wholeRows > 0 ? firstColumn + width : firstColumn + length},
            .shard = shard});
        done += length;
    }
}

struct Gap {
    Interval rows, columns;
};
struct Overlap {
    int shard = 0, other = 0;
};

// The rectangles that intersect a row of the weight, sorted by their columns.
class RowsOfRectangles {
public:
    void remove(const Rectangle &rectangle)
    {
        m_crossing.erase(rectangle.columns.begin);
        m_width -= rectangle.columns.end - rectangle.columns.begin;
    }
    std::optional<Overlap> add(const Rectangle &rectangle)
    {
        const auto after = m_crossing.lower_bound(rectangle.columns.begin);
        if (after != m_crossing.end() && after->first < rectangle.columns.end)
            return Overlap{.shard = after->second->shard, .other = rectangle.shard};
        if (after != m_crossing.begin()) {
            const Rectangle &before = *std::prev(after)->second;
            if (before.columns.end > rectangle.columns.begin)
                return Overlap{.shard = before.shard, .other = rectangle.shard};
        }
        m_crossing.emplace_hint(after, rectangle.columns.begin, &rectangle);
        m_width += rectangle.columns.end - rectangle.columns.begin;
        return std::nullopt;
    }
    // The first columns that no rectangle covers.
    [[nodiscard]] std::optional<Interval> gap(std::int64_t columns) const
    {
        if (m_width == columns)
            return std::nullopt;
        std::int64_t next = 0;
        for (const auto &[begin, rectangle] : m_crossing) {
            if (begin > next)
                return Interval{.begin = next, .end = begin};
            next = rectangle->columns.end;
        }
        return Interval{.begin = next, .end = columns};
    }

private:
    std::map<std::int64_t, const Rectangle *> m_crossing;
    std::int64_t m_width = 0;
};

// Goes through the rows at which rectangles begin or end, and finds elements that are in two rectangles or in none.
std::pair<std::optional<Gap>, std::optional<Overlap>> firstFault(
    std::vector<Rectangle> rectangles, const WeightSlice &whole)
{
    std::sort(rectangles.begin(), rectangles.end(),
        [](const Rectangle &a, const Rectangle &b) { return a.rows.begin < b.rows.begin; });
    std::vector<const Rectangle *> byEnd;
    for (const Rectangle &rectangle : rectangles)
        byEnd.push_back(&rectangle);
    std::sort(
        byEnd.begin(), byEnd.end(), [](const Rectangle *a, const Rectangle *b) { return a->rows.end < b->rows.end; });

    RowsOfRectangles crossing;
    auto begins = rectangles.begin();
    auto ends = byEnd.begin();
    for (std::int64_t row = 0; row < whole.rows;) {
        for (; ends != byEnd.end() && (*ends)->rows.end == row; ++ends)
            crossing.remove(**ends);
        for (; begins != rectangles.end() && begins->rows.begin == row; ++begins) {
            if (const auto overlap = crossing.add(*begins))
                return {std::nullopt, overlap};
        }
        std::int64_t next = whole.rows;
        if (begins != rectangles.end())
            next = std::min(next, begins->rows.begin);
        if (ends != byEnd.end())
            next = std::min(next, (*ends)->rows.end);
        if (const auto columns = crossing.gap(whole.columns))
            return {Gap{.rows = {row, next}, .columns = *columns}, std::nullopt};
        row = next;
    }
    return {};
}

std::string shown(const Interval &interval)
{
    return std::to_string(interval.begin) + " to " + std::to_string(interval.end);
}

// The end of the last part, which is the size of a weight whose shape is not recorded. The numbers are untrusted.
std::optional<WeightSlice> wholeOfRuns(std::span<const TensorPart> parts)
{
    std::int64_t most = 0;
    for (const TensorPart &part : parts) {
        std::int64_t end = 0;
        if (part.slice || __builtin_add_overflow(part.first, part.count, &end) || end > kMostElements)
            return std::nullopt;
        most = std::max(most, end);
    }
    return WeightSlice{.rows = most, .columns = 1};
}

} // namespace

bool liesWithin(const SliceRun &run, const WeightSlice &whole)
{
    return liesWithin(run.slice, whole) && run.first >= 0 && run.count > 0 && run.count <= run.slice.elements() &&
           run.first <= run.slice.elements() - run.count;
}

void forEachShared(const SliceRun &a, const SliceRun &b,
    const std::function<void(std::int64_t firstOfA, std::int64_t firstOfB, std::int64_t length)> &visit)
{
    std::int64_t firstOfA = 0, firstOfB = 0, length = 0;
    const std::int64_t last = std::min(rowOf(a, a.count - 1), rowOf(b, b.count - 1));
    for (std::int64_t row = std::max(rowOf(a, 0), rowOf(b, 0)); row <= last; ++row) {
        const Interval ofA = columnsIn(a, row), ofB = columnsIn(b, row);
        const Interval shared{.begin = std::max(ofA.begin, ofB.begin), .end = std::min(ofA.end, ofB.end)};
        if (shared.begin >= shared.end)
            continue;
        const std::int64_t inA = placeIn(a, row, shared.begin), inB = placeIn(b, row, shared.begin);
        if (length > 0 && (inA != firstOfA + length || inB != firstOfB + length)) {
            visit(firstOfA, firstOfB, length);
            length = 0;
        }
        if (length == 0) {
            firstOfA = inA;
            firstOfB = inB;
        }
        length += shared.end - shared.begin;
    }
    if (length > 0)
        visit(firstOfA, firstOfB, length);
}

std::optional<WeightSlice> checkedWholeSlice(std::span<const std::int64_t> shape)
{
    std::int64_t elements = 1;
    for (const std::int64_t extent : shape) {
        if (extent < 1 || __builtin_mul_overflow(elements, extent, &elements) || elements > kMostElements)
            return std::nullopt;
    }
    return wholeSlice(shape);
}

Result<WeightSlice> checkParts(const PartsOfWeight &weight, int shards, const std::filesystem::path &manifest,
    const std::function<std::filesystem::path(int shard)> &fileOf)
{
    const auto damaged = [&](const std::filesystem::path &where, std::string what) {
        return Error{.what = std::move(what), .where = where.string(), .fault = Fault::Damaged};
    };
    const std::optional<WeightSlice> whole =
        weight.shape ? checkedWholeSlice(*weight.shape) : wholeOfRuns(weight.parts);
    if (!whole)
        return damaged(manifest, "gives no valid shape of " + weight.name);
    const bool sliced = std::any_of(
        weight.parts.begin(), weight.parts.end(), [](const TensorPart &part) { return part.slice.has_value(); });
    // If all parts are runs of the whole weight, its rows do not matter, and a gap is best described by its elements.
    const WeightSlice seen = sliced ? *whole : WeightSlice{.rows = whole->elements(), .columns = 1};
    std::vector<Rectangle> rectangles;
    for (const TensorPart &part : weight.parts) {
        const SliceRun run{.slice = part.slice.value_or(seen), .first = part.first, .count = part.count};
        if (part.shard < 0 || part.shard >= shards || !liesWithin(run, seen))
            return damaged(manifest, "places elements of " + weight.name + " outside of it or in no file");
        addRectangles(run, part.shard, rectangles);
    }
    const auto [gap, overlap] = firstFault(std::move(rectangles), seen);
    if (overlap)
        return damaged(fileOf(overlap->shard),
            "holds elements of " + weight.name + " that " + fileOf(overlap->other).filename().string() + " holds, too");
    if (gap && sliced)
        return damaged(
            manifest, "lacks columns " + shown(gap->columns) + " of rows " + shown(gap->rows) + " of " + weight.name);
    if (gap)
        return damaged(manifest, "lacks elements " + shown(gap->rows) + " of " + weight.name);
    return *whole;
}

} // namespace slipway
