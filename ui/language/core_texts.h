// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <string>
#include <string_view>

#include "base/result.h"

namespace slipway::ui {

// The translation of what core writes: the description of a setting, the reason of a suggestion, an alert, a check, an
// error. What has no translation stays as it is.
QString coreText(std::string_view text);

// "where: what (accepted: ...)", as Error::message().
QString problemText(const Error &error);

} // namespace slipway::ui
