// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Nothing of its own: a precompiled header needs a target with a source (Precompiled.cmake).
