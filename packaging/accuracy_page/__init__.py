# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""The parts of packaging/accuracy.py, one module per section of docs/accuracy.md."""
