// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <string>

#include "base/result.h"
#include "base/yaml_row.h"
#include "frameworks/script_interface.h"

namespace slipway {

// `log`, `stop`, `resume_arguments` and `arguments` of a profile. Each block has an origin and a reference.
Result<ScriptInterface> readScriptInterface(YamlRow &profile, const std::string &where);

} // namespace slipway
