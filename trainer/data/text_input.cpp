// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/text_input.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

namespace slipway {

namespace {

namespace fs = std::filesystem;

constexpr std::array kCompressed{".gz", ".zst", ".xz"};
constexpr std::array kJsonLines{".jsonl", ".ndjson"};
constexpr std::size_t kMostFiles = 10'000'000;

bool holdsJsonLines(std::string_view name, bool hasField)
{
    for (const std::string_view ending : kCompressed) {
        if (name.ends_with(ending))
            name.remove_suffix(ending.size());
    }
    return (hasField && name.ends_with(".json")) ||
           std::any_of(kJsonLines.begin(), kJsonLines.end(), [&](auto ending) { return name.ends_with(ending); });
}

Result<std::vector<fs::path>> filesIn(const fs::path &folder)
{
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        if (std::error_code ignored; entry->is_regular_file(ignored))
            files.push_back(entry->path());
        if (files.size() > kMostFiles)
            return Error{.what = "holds more than " + std::to_string(kMostFiles) + " files", .where = folder.string()};
    }
    if (error)
        return Error{.what = "cannot list: " + error.message(), .where = folder.string(), .fault = Fault::Outside};
    std::sort(files.begin(), files.end());
    return files;
}

TextInput inputOf(const fs::path &file, bool hasField)
{
    TextInput input{.name = file.string(), .jsonLines = holdsJsonLines(file.string(), hasField)};
    // If the size cannot be determined, opening the file reports the error.
    std::error_code error;
    if (const std::uintmax_t size = fs::file_size(file, error); !error)
        input.size = static_cast<Bytes>(size);
    if (const fs::file_time_type time = fs::last_write_time(file, error); !error)
        input.modified = time.time_since_epoch().count();
    return input;
}

} // namespace

Result<std::vector<TextInput>> listInputs(const std::vector<fs::path> &texts, const std::string &field)
{
    std::vector<TextInput> inputs;
    bool standardInput = false;
    for (const fs::path &text : texts) {
        std::error_code error;
        if (text == "-") {
            if (std::exchange(standardInput, true))
                return Error{.what = "is named twice", .where = "-", .accepted = "standard input once"};
            inputs.push_back({.name = "standard input", .standardInput = true, .jsonLines = !field.empty()});
        } else if (fs::is_directory(text, error)) {
            const Result<std::vector<fs::path>> files = filesIn(text);
            if (!files)
                return files.error();
            for (const fs::path &file : *files)
                inputs.push_back(inputOf(file, !field.empty()));
        } else {
            inputs.push_back(inputOf(text, !field.empty()));
        }
    }
    if (inputs.empty())
        return Error{
            .what = "names no text file", .where = "TEXT", .accepted = "text files, or folders with text files"};
    return inputs;
}

} // namespace slipway
