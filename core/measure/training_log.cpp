// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/training_log.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>

#include "base/file.h"
#include "base/text.h"

namespace slipway {

namespace {

constexpr std::size_t kLongestLine = 4096; // of a longer one the begin counts
constexpr std::size_t kWarmUpLines = 2, kEnoughLines = 5;
constexpr int kFirstStep = 1; // where programs that do not count from 0 begin
constexpr double kMib = double(kMiB), kGib = double(kGiB);

struct SpeedForm {
    std::string_view words; // lower case
    LogUnit unit;
    double scale = 1; // of a number without a unit of time behind it
};

// The first form that a log has counts. A number stands behind the words, or right before them.
constexpr std::array kSpeedForms{
    SpeedForm{"tokens_per_second_per_gpu", LogUnit::TokensPerGpu},           // torchtune
    SpeedForm{"tokens_per_sec_per_gpu", LogUnit::TokensPerGpu},              // nanotron
    SpeedForm{"throughput/device/tokens_per_sec", LogUnit::TokensPerGpu},    // llm-foundry
    SpeedForm{"throughput/device/tokens_per_second", LogUnit::TokensPerGpu}, // OLMo
    SpeedForm{"tokens/s/gpu", LogUnit::TokensPerGpu},
    SpeedForm{"tokens/sec/gpu", LogUnit::TokensPerGpu},
    SpeedForm{"tok/s/gpu", LogUnit::TokensPerGpu},
    SpeedForm{"tps", LogUnit::TokensPerGpu}, // torchtitan
    SpeedForm{"wps", LogUnit::TokensPerGpu}, // torchtitan until 2024
    SpeedForm{"tgs", LogUnit::TokensPerGpu},
    SpeedForm{"tok/sec", LogUnit::AllTokens},
    SpeedForm{"tok/s", LogUnit::AllTokens},
    SpeedForm{"tokens/sec", LogUnit::AllTokens},
    SpeedForm{"tokens/second", LogUnit::AllTokens},
    SpeedForm{"tokens/s", LogUnit::AllTokens},
    SpeedForm{"tokens per second", LogUnit::AllTokens},
    SpeedForm{"tokens per sec", LogUnit::AllTokens},
    SpeedForm{"train_tokens_per_second", LogUnit::AllTokens}, // Hugging Face
    SpeedForm{"throughput/tokens_per_sec", LogUnit::AllTokens},
    SpeedForm{"tokens_per_second", LogUnit::AllTokens},
    SpeedForm{"tokens_per_sec", LogUnit::AllTokens},
    SpeedForm{"tokens_per_s", LogUnit::AllTokens},
    SpeedForm{"elapsed time per iteration (ms)", LogUnit::StepSeconds, 1e-3}, // Megatron-LM
    SpeedForm{"elapsed_time_per_iteration_ms", LogUnit::StepSeconds, 1e-3},   // nanotron
    SpeedForm{"train_step_timing in s", LogUnit::StepSeconds},                // NeMo
    SpeedForm{"iter time", LogUnit::StepSeconds},
    SpeedForm{"iter_time", LogUnit::StepSeconds},
    SpeedForm{"iteration time", LogUnit::StepSeconds},
    SpeedForm{"step time", LogUnit::StepSeconds},
    SpeedForm{"step_time", LogUnit::StepSeconds},
    SpeedForm{"time per step", LogUnit::StepSeconds},
    SpeedForm{"step_ms", LogUnit::StepSeconds, 1e-3},
    SpeedForm{"step_s", LogUnit::StepSeconds},
    SpeedForm{"dt", LogUnit::StepSeconds},
    SpeedForm{", time", LogUnit::StepSeconds}, // nanoGPT
    SpeedForm{"s/it", LogUnit::StepSeconds},   // tqdm
    SpeedForm{"s/step", LogUnit::StepSeconds},
    SpeedForm{"s/iter", LogUnit::StepSeconds},
    SpeedForm{"ms/step", LogUnit::StepSeconds, 1e-3},
    SpeedForm{"ms/iter", LogUnit::StepSeconds, 1e-3},
    SpeedForm{"ms/it", LogUnit::StepSeconds, 1e-3},
    SpeedForm{"train_steps_per_second", LogUnit::StepsPerSecond}, // Hugging Face
    SpeedForm{"it/s", LogUnit::StepsPerSecond},                   // tqdm
    SpeedForm{"steps/s", LogUnit::StepsPerSecond},
    SpeedForm{"runningavgsamplespersec", LogUnit::Sequences}, // DeepSpeed
    SpeedForm{"train_samples_per_second", LogUnit::Sequences},
    SpeedForm{"throughput/samples_per_sec", LogUnit::Sequences},
    SpeedForm{"samples/sec", LogUnit::Sequences},
    SpeedForm{"samples/s", LogUnit::Sequences},
    SpeedForm{"throughput per gpu (tflop/s/gpu)", LogUnit::TflopsPerGpu}, // Megatron-LM
};

struct MemoryForm {
    std::string_view words;
    std::optional<Bytes> TrainingLog::*peak;
    double scale = 0; // bytes of what the program prints, whether it writes GB or nothing behind; 0: a unit must stand
                      // there, or bytes
    std::string_view beside = {}; // words that the line must have too
};

constexpr std::array kMemoryForms{
    MemoryForm{"max allocated", &TrainingLog::allocated, kMib, "memory (mb)"}, // Megatron-LM, which divides by 2^20
    MemoryForm{"max reserved", &TrainingLog::reserved, kMib, "memory (mb)"},
    MemoryForm{"memory", &TrainingLog::reserved, 0, "tps:"}, // torchtitan
    MemoryForm{"memory", &TrainingLog::reserved, 0, "wps:"},
    MemoryForm{"peak_memory_alloc", &TrainingLog::allocated, kGib}, // torchtune
    MemoryForm{"peak_memory_reserved", &TrainingLog::reserved, kGib},
    MemoryForm{"memory/peak_allocated_mem", &TrainingLog::allocated, 1e9}, // llm-foundry
    MemoryForm{"memory/peak_reserved_mem", &TrainingLog::reserved, 1e9},
    MemoryForm{"maxmemallocated", &TrainingLog::allocated,
        kGib}, // DeepSpeed, which divides by 2^30 and writes GB (0.7.2 and 0.19.8, utils/timer.py)
    MemoryForm{"max_mem_allocated", &TrainingLog::allocated, kGib},          // the same
    MemoryForm{"system/peak gpu memory (mb)", &TrainingLog::allocated, 1e6}, // OLMo
    MemoryForm{"max_mem_allocated(gib)", &TrainingLog::allocated, kGib},     // axolotl
    MemoryForm{"memory/max_mem_allocated(gib)", &TrainingLog::allocated, kGib},
    MemoryForm{"memory/device_mem_reserved(gib)", &TrainingLog::reserved, kGib},
    MemoryForm{"memory usage", &TrainingLog::reserved, 1e9, "tokens/s/gpu"}, // picotron
    MemoryForm{"max_memory_allocated", &TrainingLog::allocated},
    MemoryForm{"max memory allocated", &TrainingLog::allocated},
    MemoryForm{"peak memory allocated", &TrainingLog::allocated},
    MemoryForm{"peak allocated memory", &TrainingLog::allocated},
    MemoryForm{"peak allocated", &TrainingLog::allocated},
    MemoryForm{"peak memory usage", &TrainingLog::allocated},
    MemoryForm{"peak memory consumption", &TrainingLog::allocated},
    MemoryForm{"peak memory", &TrainingLog::allocated},
    MemoryForm{"peak mem", &TrainingLog::allocated},
    MemoryForm{"max mem", &TrainingLog::allocated},
    MemoryForm{"peak_mem", &TrainingLog::allocated},
    MemoryForm{"max_mem", &TrainingLog::allocated},
    MemoryForm{"memory used", &TrainingLog::allocated}, // lit-gpt: max_memory_allocated
    MemoryForm{"allocated_peak", &TrainingLog::allocated},
    MemoryForm{"max_memory_reserved", &TrainingLog::reserved},
    MemoryForm{"cuda_max_memory_reserved", &TrainingLog::reserved}, // nanotron
    MemoryForm{"max memory reserved", &TrainingLog::reserved},
    MemoryForm{"peak memory reserved", &TrainingLog::reserved},
    MemoryForm{"peak reserved memory", &TrainingLog::reserved},
    MemoryForm{"peak reserved", &TrainingLog::reserved},
    MemoryForm{"reserved_peak", &TrainingLog::reserved},
    MemoryForm{"device_used", &TrainingLog::device},
    MemoryForm{"nvidia-smi", &TrainingLog::device},
};

bool isWordPart(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

// Where `words` stand alone in the line; npos where they do not.
std::size_t findForm(std::string_view line, std::string_view words)
{
    for (std::size_t at = line.find(words); at != std::string_view::npos; at = line.find(words, at + 1)) {
        const char before = at > 0 ? line[at - 1] : ' ';
        const char after = at + words.size() < line.size() ? line[at + words.size()] : ' ';
        // A number may touch a unit: "1.23s/it", "338ms".
        const bool begins =
            !isWordPart(words.front()) || !(isWordPart(before) || before == '/') || (before >= '0' && before <= '9');
        if (begins && !isWordPart(after) && after != '/')
            return at;
    }
    return std::string_view::npos;
}

struct Figure {
    double value = 0;
    std::string_view unit; // letters right behind the number, a space between at most
};

// "1,234.5 MiB". `nan` and `inf` are figures too, which nobody can use. Empty: no number begins here.
std::optional<Figure> figureAt(std::string_view text)
{
    std::string digits;
    std::size_t end = 0;
    for (; end < text.size() && digits.size() < 40; ++end) {
        const char c = text[end];
        const bool exponent =
            c == 'e' && end + 1 < text.size() &&
            (std::isdigit(static_cast<unsigned char>(text[end + 1])) || text[end + 1] == '+' || text[end + 1] == '-');
        const bool grouped = c == ',' && end > 0 && end + 3 < text.size() &&
                             std::isdigit(static_cast<unsigned char>(text[end + 1])) &&
                             std::isdigit(static_cast<unsigned char>(text[end + 3]));
        const bool sign = (c == '-' || c == '+') && (end == 0 || text[end - 1] == 'e');
        if (grouped)
            continue;
        if (!std::isdigit(static_cast<unsigned char>(c)) && c != '.' && !exponent && !sign)
            break;
        digits += c;
    }
    if (digits.empty())
        return text.starts_with("nan") || text.starts_with("inf") ? std::optional(Figure{.value = std::nan("")})
                                                                  : std::nullopt;
    Figure figure;
    const auto [rest, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), figure.value);
    if (failure == std::errc::result_out_of_range)
        return Figure{.value = std::nan("")}; // no number that anybody means, but the one that stands there
    if (failure != std::errc() || (*rest != '\0' && *rest != '.'))
        return std::nullopt;
    std::size_t unit = end < text.size() && text[end] == ' ' ? end + 1 : end;
    const std::size_t begin = unit;
    while (unit < text.size() && text[unit] >= 'a' && text[unit] <= 'z')
        ++unit;
    figure.unit = text.substr(begin, unit - begin);
    return figure;
}

// Behind the words, past "(): ='\""; where none is, or only a percentage, the number that ends right before them.
std::optional<Figure> figureNear(std::string_view line, std::size_t at, std::size_t length)
{
    const std::size_t behind = line.find_first_not_of(" :=\t'\"()", at + length);
    if (behind != std::string_view::npos) {
        const std::string_view rest = line.substr(behind);
        const std::size_t end = rest.find_first_not_of("0123456789.");
        const std::optional<Figure> figure = figureAt(rest);
        if (figure && (end == std::string_view::npos || rest[end] != '%'))
            return figure;
    }
    std::size_t end = at;
    while (end > 0 && line[end - 1] == ' ')
        --end;
    std::size_t begin = end;
    if (begin > 1 && (line[begin - 1] == 'k' || line[begin - 1] == 'm') &&
        std::isdigit(static_cast<unsigned char>(line[begin - 2])))
        --begin; // "131.1k tok/s"
    while (begin > 0 && (std::isdigit(static_cast<unsigned char>(line[begin - 1])) || line[begin - 1] == '.' ||
                            line[begin - 1] == ','))
        --begin;
    return begin < end ? figureAt(line.substr(begin, end - begin)) : std::nullopt;
}

// "iter 10:", "step=10", "iteration 10/ 100": the step that a line tells of.
std::optional<int> stepOf(std::string_view line)
{
    for (const std::string_view word : {"global_step", "iteration", "iter", "step"}) {
        const std::size_t at = findForm(line, word);
        const std::size_t begin =
            at == std::string_view::npos ? at : line.find_first_not_of(" :=\t'\"", at + word.size());
        if (begin == std::string_view::npos)
            continue;
        const std::size_t end = std::min(line.find_first_not_of("0123456789", begin), line.size());
        const auto step = parseInteger(line.substr(begin, end - begin));
        const bool whole =
            end == line.size() ||
            !(isWordPart(line[end]) || (line[end] == '.' && end + 1 < line.size() && isWordPart(line[end + 1])));
        if (step && whole && *step < std::numeric_limits<int>::max())
            return static_cast<int>(*step);
    }
    return std::nullopt;
}

bool usable(double value) { return std::isfinite(value) && value > 0; }

std::optional<double> timeScale(std::string_view unit)
{
    if (unit == "ms" || unit == "milliseconds")
        return 1e-3;
    if (unit == "us")
        return 1e-6;
    return unit == "s" || unit == "sec" || unit == "seconds" ? std::optional(1.0) : std::nullopt;
}

// "163.8k" of tokens or samples.
double countScale(std::string_view unit) { return unit == "k" ? 1e3 : unit == "m" ? 1e6 : 1; }

std::optional<double> memoryScale(std::string_view unit)
{
    constexpr std::array<std::pair<std::string_view, double>, 8> units{
        {{"gib", kGib}, {"mib", kMib}, {"gb", 1e9}, {"mb", 1e6}, {"g", 1e9}, {"m", 1e6}, {"bytes", 1.0}, {"b", 1.0}}};
    const auto found =
        std::find_if(units.begin(), units.end(), [unit](const auto &known) { return known.first == unit; });
    return found == units.end() ? std::nullopt : std::optional(found->second);
}

// Colours of a terminal: ESC [ ... m.
void dropColours(std::string &line)
{
    for (std::size_t at = line.find('\x1b'); at != std::string::npos; at = line.find('\x1b', at)) {
        const std::size_t end = line.find('m', at);
        line.erase(at, end == std::string::npos ? end : end - at + 1);
    }
}

class LogReader {
public:
    void take(std::string &line)
    {
        dropColours(line);
        std::transform(line.begin(), line.end(), line.begin(),
            [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
        const std::optional<int> step = stepOf(line);
        if (step)
            m_firstStep = std::min(m_firstStep, *step);
        takeSpeed(line, step.value_or(-1));
        takeMemory(line);
    }

    Result<TrainingLog> finish(const std::string &where)
    {
        bool warmUpOnly = false;
        for (std::size_t i = 0; i < kSpeedForms.size() && !m_log.speed; ++i) {
            if (!m_values[i].empty())
                warmUpOnly |= !settle(i);
        }
        if (warmUpOnly && !m_log.speed)
            return Error{
                .what = "reports only step " + std::to_string(m_firstStep) +
                        ", the first one; its time includes compilation and allocation and is not representative",
                .where = where,
                .accepted = "a log with five or more later steps"};
        if (!m_log.speed && !m_log.allocated && !m_log.reserved && !m_log.device)
            return Error{.what = m_log.unusable > 0 ? "no line has a usable number, although " +
                                                          std::to_string(m_log.unusable) + " lines mention one"
                                                    : "no line reports the speed or the memory of the training",
                .where = where,
                .accepted = "lines with tokens/s, tok/sec, tps:, elapsed time per iteration (ms):, dt: 135 ms, 1.2 "
                            "s/it, max_memory_allocated: 12.3 GiB"};
        return std::move(m_log);
    }

private:
    struct Value {
        float speed = 0;
        int step = -1; // -1: the line does not say
    };

    void takeSpeed(std::string_view line, int step)
    {
        for (std::size_t i = 0; i < kSpeedForms.size(); ++i) {
            const SpeedForm &form = kSpeedForms[i];
            const std::size_t at = findForm(line, form.words);
            const std::optional<Figure> figure =
                at == std::string_view::npos ? std::nullopt : figureNear(line, at, form.words.size());
            if (!figure)
                continue;
            const double scale = form.unit == LogUnit::StepSeconds ? timeScale(figure->unit).value_or(form.scale)
                                                                   : form.scale * countScale(figure->unit);
            if (usable(figure->value * scale))
                m_values[i].push_back({static_cast<float>(figure->value * scale), step});
            else
                ++m_log.unusable;
        }
    }

    void takeMemory(std::string_view line)
    {
        std::vector<std::optional<Bytes> TrainingLog::*> taken; // the first form of a peak counts in its line
        for (const MemoryForm &form : kMemoryForms) {
            const std::size_t at = std::find(taken.begin(), taken.end(), form.peak) == taken.end()
                                       ? findForm(line, form.words)
                                       : std::string_view::npos;
            if (at == std::string_view::npos ||
                (!form.beside.empty() && line.find(form.beside) == std::string_view::npos))
                continue;
            const std::optional<Figure> figure = figureNear(line, at, form.words.size());
            if (!figure)
                continue;
            constexpr double kSurelyBytes = 1e7;
            const bool saysBinary = figure->unit.ends_with("ib");
            const double scale = form.scale > 0 && !saysBinary
                                     ? form.scale
                                     : memoryScale(figure->unit).value_or(figure->value >= kSurelyBytes ? 1 : 0);
            const double bytes = figure->value * scale;
            if (usable(bytes) && bytes < 1e15) {
                std::optional<Bytes> &peak = m_log.*form.peak;
                peak = std::max(peak.value_or(0), static_cast<Bytes>(bytes));
            } else {
                ++m_log.unusable;
            }
            taken.push_back(form.peak);
        }
    }

    // Whether anything is left without the first step.
    bool settle(std::size_t form)
    {
        std::vector<Value> values = std::move(m_values[form]);
        const std::size_t all = values.size();
        if (m_firstStep <= kFirstStep)
            std::erase_if(values, [this](const Value &value) { return value.step == m_firstStep; });
        if (values.empty())
            return false;
        const std::size_t gone = all - values.size(), wanted = all >= kEnoughLines ? kWarmUpLines : 0;
        if (gone < wanted)
            values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(wanted - gone));
        m_log.form = kSpeedForms[form].words;
        m_log.unit = kSpeedForms[form].unit;
        m_log.used = values.size();
        m_log.leftOut = all - values.size();
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::nth_element(
            values.begin(), middle, values.end(), [](const Value &a, const Value &b) { return a.speed < b.speed; });
        m_log.speed = middle->speed;
        return true;
    }

    TrainingLog m_log;
    std::array<std::vector<Value>, kSpeedForms.size()> m_values;
    int m_firstStep = std::numeric_limits<int>::max();
};

// Colours, bells and what moves a terminal's cursor are printed; of other control characters no log has any, but a file
// that is none.
bool isPrinted(char c) { return static_cast<unsigned char>(c) >= 0x20 || (c >= '\a' && c <= '\r') || c == '\x1b'; }

} // namespace

Result<TrainingLog> readTrainingLog(std::istream &stream, const std::string &where)
{
    LogReader reader;
    std::array<char, 65536> chunk{};
    std::string line;
    while (stream.read(chunk.data(), chunk.size()), stream.gcount() > 0) {
        for (std::streamsize i = 0; i < stream.gcount(); ++i) {
            const char c = chunk[static_cast<std::size_t>(i)];
            if (c == '\0')
                continue; // every second byte of what a shell of Windows redirects
            if (c == '\n' || c == '\r') {
                if (std::all_of(line.begin(), line.end(), isPrinted))
                    reader.take(line);
                line.clear();
            } else if (line.size() < kLongestLine) {
                line += c;
            }
        }
    }
    if (std::all_of(line.begin(), line.end(), isPrinted))
        reader.take(line);
    if (stream.bad())
        return Error{.what = "cannot be read", .where = where, .fault = Fault::Outside};
    return reader.finish(where);
}

Result<TrainingLog> readTrainingLog(const std::filesystem::path &file)
{
    std::error_code failure;
    if (std::filesystem::is_directory(file, failure))
        return Error{.what = "is a folder", .where = file.string(), .accepted = "a log file, or - for standard input"};
    std::ifstream stream(file, std::ios::binary);
    if (!stream)
        return Error{.what = "cannot be read: " + systemMessage(errno),
            .where = file.string(),
            .accepted = "a log file, or - for standard input"};
    return readTrainingLog(stream, file.string());
}

} // namespace slipway
