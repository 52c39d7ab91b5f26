// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "explore/sequence_memory.h"

#include "predict/assess.h"

namespace slipway {

SequenceMemory sequenceMemory(const RunConfig &base, const Catalogue &catalogue)
{
    SequenceMemory result;
    for (const char *model : {"1B", "llama-3-8b"}) {
        for (const Recompute recompute : {Recompute::None, Recompute::Selective, Recompute::Full}) {
            SequenceMemory::Panel panel{.model = model, .recompute = recompute};
            for (const std::int64_t seqLen : {1024, 2048, 4096, 8192}) {
                SequenceMemory::Bar bar{.seqLen = seqLen, .config = base};
                bar.config.model = {.name = model};
                bar.config.recompute = recompute;
                bar.config.seqLen = seqLen;
                const Result<ResolvedConfig> resolved = resolveConfig(bar.config, catalogue);
                const Result<Assessment> answer =
                    resolved ? assess(*resolved, catalogue) : Result<Assessment>(resolved.error());
                if (answer) {
                    bar.verdict = answer->memory.verdict;
                    bar.peak = answer->memory.peak;
                    bar.parts = answer->memory.atPeak;
                    result.capacity = answer->memory.capacity;
                } else {
                    bar.skipped = answer.error().message();
                }
                panel.bars.push_back(std::move(bar));
            }
            result.panels.push_back(std::move(panel));
        }
    }
    return result;
}

} // namespace slipway
