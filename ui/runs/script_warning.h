// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <optional>

#include "config/run_config.h"
#include "frameworks/framework_profile.h"
#include "ui/widgets/banner.h"

namespace slipway::ui {

// Warns if the command of another training script sets a size that differs from the plan.
class ScriptWarning : public Banner {
    Q_OBJECT
public:
    explicit ScriptWarning(QWidget *parent = nullptr) : Banner(Pill::Tone::Warn, parent) {}
    void check(const RunConfig &config);

private:
    std::optional<Frameworks> m_frameworks; // loaded together with the first command
};

} // namespace slipway::ui
