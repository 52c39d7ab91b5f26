// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Backward recomputes what forward dropped (plan/recompute.h): the cheap parts of attention, or a whole layer except
// its input. Messages within a layer are repeated as well.
#include "plan/passes/strategies.h"
#include "plan/recompute.h"

namespace slipway::native {

namespace {

class Recomputation : public Strategy {
public:
    explicit Recomputation(std::vector<BufferId> dropped) : m_dropped(std::move(dropped)) {}

    void changeSavedBuffers(Block &forward, Block &backward) const override { recompute(forward, backward, m_dropped); }

private:
    std::vector<BufferId> m_dropped;
};

} // namespace

StrategyPointer recomputation(const StrategyParts &parts)
{
    const Layout &l = parts.layout;
    switch (parts.config.recomputeOrNone()) {
    case Recompute::None:
        break;
    case Recompute::Selective:
        return std::make_unique<Recomputation>(l.layer.attention.selectivelyRecomputed(l.sizes));
    case Recompute::Full:
        return std::make_unique<Recomputation>(l.layer.saved());
    }
    return nullptr;
}

} // namespace slipway::native
