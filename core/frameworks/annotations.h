// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Annotations add to the columns of measurement tables: the software of a source, and the meaning of phrases in notes.
// They are data (resources/annotations/*.yaml), each with its reason.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "frameworks/framework_profile.h"

namespace slipway {

// The text of a row in lower case.
struct RowText {
    std::string id;
    std::string source; // repository, and the file or page in it
    std::string notes;
    std::string model;
    std::function<bool(std::string_view column)> states; // whether that cell holds something
};

// Holds for the rows that have one of each list that is not empty. One without any list holds for all.
struct Annotation {
    std::vector<std::string> ids, sources, notes, models;
    std::vector<std::string> anywhere;     // in source, notes or the model's name
    std::vector<std::string> emptyColumns; // all of them
    std::vector<FieldCondition> when;
    std::string framework;        // NAME[@VERSION], @{date} for the row's own date; empty: says nothing of it
    std::string reason;           // of the framework, or of how the memory was read
    std::string memoryKind;       // of peaks whose column mem_kind is empty: "allocated", "reserved", "device"
    bool firstNodeMemory = false; // peaks were read on the first node, where the last pipeline stage may not be
    std::vector<FrameworkField> fields;
    std::string where; // file:line
    bool operator==(const Annotation &) const = default;

    [[nodiscard]] bool matches(const RowText &row) const;
    // Whether it explains phrases in the notes of any source.
    [[nodiscard]] bool isOfNotes() const;
};

// Every *.yaml of the folder, in the order of their names; a damaged one is named with its line.
Result<std::vector<Annotation>> readAnnotations(const std::filesystem::path &folder);

} // namespace slipway
