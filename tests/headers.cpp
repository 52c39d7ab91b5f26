// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Nothing of its own: the precompiled header of the tests needs a target with a source.
