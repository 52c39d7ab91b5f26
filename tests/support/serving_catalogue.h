// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The shipped catalogue and the profiles of serving software, read once for all tests of a program.
#pragma once

#include "serve/serving.h"
#include "serve/serving_software.h"

namespace slipway {

inline const Catalogue &catalogue()
{
    static const Catalogue loaded = loadCatalogue().value();
    return loaded;
}

inline const Frameworks &frameworks()
{
    static const Frameworks loaded = loadServingFrameworks().value();
    return loaded;
}

} // namespace slipway
