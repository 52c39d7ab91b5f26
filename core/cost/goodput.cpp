// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cost/goodput.h"

#include <cmath>

namespace slipway {

double goodput(const GoodputAssumptions &a)
{
    const Seconds segment = a.checkpointInterval + a.checkpoint;
    if (segment <= 0)
        return 1;
    const double perSecond = a.failuresPerHour / 3600;
    if (perSecond <= 0)
        return a.checkpointInterval / segment;
    return a.checkpointInterval / ((1 / perSecond + a.restart) * std::expm1(perSecond * segment));
}

Seconds optimalCheckpointInterval(const GoodputAssumptions &a)
{
    return a.failuresPerHour > 0 ? std::sqrt(2 * a.checkpoint * 3600 / a.failuresPerHour) : 0;
}

} // namespace slipway
