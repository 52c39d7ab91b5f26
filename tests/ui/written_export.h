// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/widgets/file_export.h"

namespace slipway::ui {

// Writes an export of a page in the test's own thread.
inline Result<void> written(const Result<FileExport::Write> &write, const QString &path)
{
    return write ? (*write)(path, [](std::size_t, std::size_t) { return true; }) : Result<void>(write.error());
}

} // namespace slipway::ui
