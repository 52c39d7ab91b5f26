// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <string>
#include <string_view>

namespace slipway::ui {

// The translation of a fixed text that core writes: the description of a setting, the reason of a suggestion. Texts
// that hold numbers or names, and those without a translation, stay as they are.
QString coreText(std::string_view text);

} // namespace slipway::ui
