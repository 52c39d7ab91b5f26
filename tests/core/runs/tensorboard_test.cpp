// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/tensorboard.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "run_examples.h"
#include "support/edit_steps.h"
#include "support/temporary_directory.h"

namespace slipway {
namespace {

// A decoder written from the format's description, apart from the writer.
struct Reader {
    std::string_view bytes;
    template<typename T>
    T fixed()
    {
        T value{};
        if (bytes.size() < sizeof value)
            throw std::runtime_error("cut");
        std::memcpy(&value, bytes.data(), sizeof value);
        bytes.remove_prefix(sizeof value);
        return value;
    }
    std::uint64_t varint()
    {
        std::uint64_t value = 0;
        for (int shift = 0;; shift += 7) {
            const auto byte = fixed<std::uint8_t>();
            value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80)
                return value;
        }
    }
    std::string_view span(std::size_t size)
    {
        if (bytes.size() < size)
            throw std::runtime_error("cut");
        const std::string_view part = bytes.substr(0, size);
        bytes.remove_prefix(size);
        return part;
    }
};

struct Event {
    double wallTime = 0;
    std::int64_t step = 0;
    std::string version;
    std::map<std::string, float> scalars;
};

void readScalars(std::string_view summary, Event &event)
{
    for (Reader reader{summary}; !reader.bytes.empty();) {
        EXPECT_EQ(reader.varint(), 1U << 3 | 2U);
        Reader value{reader.span(reader.varint())};
        EXPECT_EQ(value.varint(), 1U << 3 | 2U);
        const std::string tag(value.span(value.varint()));
        EXPECT_EQ(value.varint(), 2U << 3 | 5U);
        event.scalars[tag] = value.fixed<float>();
        EXPECT_TRUE(value.bytes.empty());
    }
}

std::vector<Event> eventsOf(std::string_view file)
{
    std::vector<Event> events;
    for (Reader frames{file}; !frames.bytes.empty();) {
        const std::string_view head = frames.bytes.substr(0, 8);
        const auto length = frames.fixed<std::uint64_t>();
        EXPECT_EQ(frames.fixed<std::uint32_t>(), maskedCrc32c(head));
        const std::string_view body = frames.span(length);
        EXPECT_EQ(frames.fixed<std::uint32_t>(), maskedCrc32c(body));
        Event event;
        for (Reader reader{body}; !reader.bytes.empty();) {
            switch (reader.varint()) {
            case 1 << 3 | 1:
                event.wallTime = reader.fixed<double>();
                break;
            case 2 << 3:
                event.step = static_cast<std::int64_t>(reader.varint());
                break;
            case 3 << 3 | 2:
                event.version = reader.span(reader.varint());
                break;
            case 5 << 3 | 2:
                readScalars(reader.span(reader.varint()), event);
                break;
            default:
                ADD_FAILURE() << "a field that is none";
            }
        }
        events.push_back(std::move(event));
    }
    return events;
}

TEST(Crc32c, HasTheValuesOfTheStandard)
{
    EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
    EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU); // RFC 3720, B.4
    EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43U);
    EXPECT_EQ(crc32c(""), 0U);
}

TEST(Tensorboard, RecordsAreFramedAsTfRecordHasThem)
{
    const std::string record = tensorboardRecord("abc");
    ASSERT_EQ(record.size(), 8U + 4 + 3 + 4);
    EXPECT_EQ(record.substr(0, 8), std::string("\x03\0\0\0\0\0\0\0", 8));
    EXPECT_EQ(record.substr(12, 3), "abc");
}

TEST(Tensorboard, AStepIsAnEventWithItsScalars)
{
    RunData run = exampleRun(3);
    editSteps(run.metrics, [&](auto &rows) { rows[1].loss = std::nan(""); });
    editSteps(run.metrics, [&](auto &rows) { rows[1].evalLoss = 2.5; });
    editSteps(run.metrics, [&](auto &rows) { rows[2].step = 300; }); // two bytes of varint
    editSteps(run.metrics, [&](auto &rows) { rows[2].gpus = {{.powerWatts = 390, .clockMhz = 1410}}; });
    const std::vector<Event> events = eventsOf(tensorboardEvents(run));
    ASSERT_EQ(events.size(), 4U);
    EXPECT_EQ(events[0].version, "brain.Event:2");
    EXPECT_EQ(events[1].step, 1);
    EXPECT_DOUBLE_EQ(events[1].wallTime,
        std::chrono::duration<double>((exampleStart + std::chrono::seconds(1)).time_since_epoch()).count());
    EXPECT_FLOAT_EQ(events[1].scalars.at("loss/train"), 10.0F);
    EXPECT_FALSE(events[1].scalars.contains("loss/eval"));
    EXPECT_TRUE(std::isnan(events[2].scalars.at("loss/train")));
    EXPECT_FLOAT_EQ(events[2].scalars.at("loss/eval"), 2.5F);
    EXPECT_EQ(events[3].step, 300);
    EXPECT_FLOAT_EQ(events[3].scalars.at("gpu0/power_w"), 390.0F);
    EXPECT_FLOAT_EQ(events[3].scalars.at("gpu0/clock_mhz"), 1410.0F);
}

TEST(Tensorboard, LeavesOutWhatARunOfAnotherToolDidNotMeasure)
{
    RunData run = exampleRun(2);
    editSteps(run.metrics, [&](auto &rows) {
        for (StepMetrics &row : rows)
            row.stepSeconds = row.tokensPerSecond = row.learningRate = row.gradNorm = 0;
    });
    for (const Event &event : eventsOf(tensorboardEvents(run))) {
        for (const char *tag : {"speed/tokens_per_s", "speed/step_s", "optimizer/lr", "optimizer/grad_norm"})
            EXPECT_FALSE(event.scalars.contains(tag)) << tag;
        EXPECT_TRUE(!event.version.empty() || event.scalars.contains("loss/train"));
    }
}

TEST(Tensorboard, IsWrittenUnderANameThatTensorboardFinds)
{
    const TemporaryDirectory folder;
    const auto file = writeTensorboard(exampleRun(2), folder.path() / "tb");
    ASSERT_TRUE(file) << file.error().message();
    EXPECT_THAT(file->filename().string(), ::testing::HasSubstr("tfevents"));
    EXPECT_EQ(eventsOf(*readFile(*file)).size(), 3U);
    EXPECT_FALSE(writeTensorboard(exampleRun(0), folder.path() / "none"));
}

// TensorBoard's own reader, where Python has it: SLIPWAY_PYTHON, else python3.
TEST(Tensorboard, IsReadBackByTensorboardItself)
{
    const char *const named = std::getenv("SLIPWAY_PYTHON");
    const std::string python = named && *named ? named : "python3";
    if (std::system((python + " -c 'import tensorboard' > /dev/null 2>&1").c_str()) != 0)
        GTEST_SKIP() << python << " has no package tensorboard";
    const TemporaryDirectory folder;
    RunData run{.paths = {folder.path()}};
    for (int step = 1; step <= 300; ++step)
        run.metrics.push_back(exampleStep(step));
    ASSERT_TRUE(writeTensorboard(run, folder.path() / "events"));
    writeText(folder.path() / "read.py",
        "import sys\nfrom tensorboard.backend.event_processing.event_accumulator import EventAccumulator\na = "
        "EventAccumulator(sys.argv[1], {'scalars': 0})\na.Reload()\n"
        "print(len(a.Scalars('loss/train')), a.Scalars('loss/train')[-1].step, '%.6f' % "
        "a.Scalars('loss/train')[0].value, file=open(sys.argv[2], 'w'))\n");
    const std::string command = python + " " + (folder.path() / "read.py").string() + " " +
                                (folder.path() / "events").string() + " " + (folder.path() / "said").string() +
                                " > /dev/null 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(readFile(folder.path() / "said").value(), "300 300 10.000000\n");
}

} // namespace
} // namespace slipway
