// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// manifest.json of a checkpoint, and the record of a shard.
#include "state/manifest.h"

#include "fuzz_input.h"

using namespace slipway;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view text = textOf(data, size);
    if (const Result<CheckpointManifest> manifest = manifestFromJson(text, "manifest.json")) {
        const Result<CheckpointManifest> again = manifestFromJson(toJson(*manifest), "again.json");
        require(again && *again == *manifest, "a manifest that was written is read again");
    }
    if (const Result<ShardRecord> record = shardRecordFromJson(text, "shard.json")) {
        const Result<ShardRecord> again = shardRecordFromJson(toJson(*record), "again.json");
        require(again && *again == *record, "a shard's record that was written is read again");
    }
    return 0;
}
