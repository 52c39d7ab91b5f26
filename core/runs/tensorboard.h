// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A run's scalars as a TensorBoard event file: TFRecord frames (length, masked CRC-32C, bytes, masked CRC-32C) of Event
// messages (tensorflow/core/util/event.proto: wall_time = 1, step = 2, file_version = 3, summary = 5; summary.proto:
// value = 1 with tag = 1, simple_value = 2).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "runs/run_reader.h"

namespace slipway {

std::uint32_t crc32c(std::string_view bytes);
std::uint32_t maskedCrc32c(std::string_view bytes);
std::string tensorboardRecord(std::string_view event);
// The contents of the file: the record of the version, then one record per step.
std::string tensorboardEvents(const RunData &run);
// Writes FOLDER/events.out.tfevents.SECONDS.slipway, creates the folder if it is missing, and returns the path.
Result<std::filesystem::path> writeTensorboard(const RunData &run, const std::filesystem::path &folder);

} // namespace slipway
