// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <gtest/gtest.h>

#include "hardware/catalogue.h"
#include "scratch_folder.h"

namespace slipway::testing {

// Read once for all tests of a program.
inline const Catalogue &shippedCatalogue()
{
    static const Result<Catalogue> catalogue = loadCatalogue();
    EXPECT_TRUE(catalogue) << messageOf(catalogue);
    return *catalogue;
}

} // namespace slipway::testing
