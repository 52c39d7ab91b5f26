// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Recognizes the kind of a file or folder that the user opens or drops on the window.
#pragma once

#include <filesystem>

#include "base/result.h"

namespace slipway::ui {

enum class FileKind {
    Configuration, // run configuration, YAML
    Grid,          // grid to explore, YAML
    Model,         // config.json of a Hugging Face model
    Run,           // run directory
    Metrics,       // metrics exported from W&B or TensorBoard
    PriceList,     // CSV in the format of SkyPilot's catalogue
    Measurements,  // measurement table, CSV
    Log            // log of a training program
};

struct RecognizedFile {
    FileKind kind = FileKind::Configuration;
    // The run directory for a file inside one, or the config.json for the folder of a model.
    std::filesystem::path path;
};

// Decides by the file's name and the beginning of its content. The error message lists what can be opened.
Result<RecognizedFile> recognizeFile(const std::filesystem::path &path);

} // namespace slipway::ui
