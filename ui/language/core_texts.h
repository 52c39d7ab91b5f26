// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <string>
#include <string_view>

#include "base/result.h"

namespace slipway::ui {

// Translates a text that core writes: the description of a setting, the reason of a suggestion, an alert, a check or an
// error. A text without a translation is returned unchanged.
QString coreText(std::string_view text);

// Formats an error as "where: what (accepted: ...)", like Error::message().
QString problemText(const Error &error);

} // namespace slipway::ui
