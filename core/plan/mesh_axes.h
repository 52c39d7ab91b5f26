// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The axes of the device mesh. Tensor-parallel ranks are adjacent, then come context-parallel ranks, the two axes of
// data parallelism, and pipeline stages (Megatron-LM's order tp-cp-dp-pp).
#pragma once

namespace slipway {

// A rank's place on an axis is rank / stride % size.
struct MeshAxis {
    int size = 1, stride = 1;
    bool operator==(const MeshAxis &) const = default;

    [[nodiscard]] constexpr int placeOf(int rank) const { return rank / stride % size; }
};

// From the outermost axis to the innermost. A rank is the sum of its places on the first five times their strides.
struct Mesh {
    MeshAxis pipeline;
    MeshAxis replicate; // data parallelism: ranks with the same weights
    MeshAxis shard;     // data parallelism: ranks that shard the weights, or only gradients or optimizer states
    MeshAxis context;
    MeshAxis tensor;
    MeshAxis expert; // within data and context parallelism
    // Weights are sharded over data and context parallelism together: `shards` has the ranks of `shard` and `context`,
    // and `replicas` the ranks with the same shard.
    MeshAxis shards, replicas;
    bool operator==(const Mesh &) const = default;

    [[nodiscard]] constexpr int dataRanks() const { return replicate.size * shard.size; }
    [[nodiscard]] constexpr MeshAxis data() const { return {dataRanks(), shard.stride}; } // both axes together
    // Whether both axes of data parallelism have several ranks, as with hsdp.
    [[nodiscard]] constexpr bool splitsData() const { return replicate.size > 1 && shard.size > 1; }
    // Ranks with the same weights, unless these are sharded.
    [[nodiscard]] constexpr MeshAxis copies() const { return {dataRanks() * context.size, tensor.size}; }
    [[nodiscard]] constexpr int ranks() const { return pipeline.size * copies().size * tensor.size; }
};

} // namespace slipway
