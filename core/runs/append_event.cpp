// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/append_event.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"

namespace slipway {

void appendEvent(const RunPaths &paths, const RunEvent &event)
{
    const std::string line = toJsonLine(event) + '\n';
    if (const Result<FileDescriptor> events = openPrivateFile(paths.events(), O_WRONLY | O_CREAT | O_APPEND); events)
        (void)!::write(events->get(), line.data(), line.size());
}

} // namespace slipway
