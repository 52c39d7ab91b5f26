// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The software of a row by its source and notes, which the annotations explain. Measured figures in notes are never
// read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/run_config.h"
#include "frameworks/annotations.h"
#include "measure/measurement.h"
#include "model/model_spec.h"

namespace slipway {

// The annotations that hold for a row, and its date.
class SoftwareNotes {
public:
    // With a framework of its own (`named`) only what notes mean counts, not who wrote them.
    SoftwareNotes(const std::vector<Annotation> &annotations, RowText row, bool named, AnnotationUse use,
        const RunConfig &config, const ModelSpec &model);

    // What the row's software is known to be: a profile with its date, an engine, or nothing.
    [[nodiscard]] std::string framework() const;

    // How peaks were read: a mem_kind, empty where nothing is known; and whether on the first node alone.
    [[nodiscard]] std::string memoryKind() const;
    [[nodiscard]] bool readsFirstNode() const;
    // Whether an annotation says something of the software of this source.
    [[nodiscard]] bool knowsSource() const;

    // Changes the configuration to what they say, and returns what was taken for what: "sharder deepspeed (note)".
    Result<std::vector<std::string>> apply(const Frameworks &frameworks, RunConfig &config, ModelSpec &model) const;

private:
    [[nodiscard]] bool contradicts(const FrameworkField &field) const;

    std::vector<const Annotation *> m_annotations, m_readings; // of the software, and of the memory; in their order
    RowText m_row;
    bool m_named;
    AnnotationUse m_use;
    int m_day; // of the source, else of its notes; 0: no date
};

// Whether the row's tokens/s follow from the hours or days of a whole run ("derived from 4830 A100 hours"), which took
// more than its steps.
bool fromWholeRun(std::string_view notes);

// Whether the row's time ends with backward: "forward and backward alone".
bool timesOnlyPasses(std::string_view notes);

} // namespace slipway
