// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A planned server: a model on a GPU with its software, the memory of its sequences, and the time of its steps. Memory
// and time follow from the plans of plan/inference/inference_step.h.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "hardware/catalogue.h"
#include "memory/outside_allocator.h"
#include "model/model_spec.h"
#include "plan/inference/inference_step.h"
#include "serve/serve_config.h"
#include "serve/serving_software.h"
#include "speed/device_rates.h"

namespace slipway {

// The largest tensor-parallel group that is suggested: the GPUs of a node.
inline constexpr int kMostServingRanks = 8;

// A configuration with its names resolved and its settings checked against one another.
struct Serving {
    ServeConfig config;
    ModelSpec model;
    Gpu gpu;
    ServingSoftware software;
    InferenceLayout layout;
    std::int64_t block = 0; // tokens of a cache block; 0: the cache of a sequence is contiguous
    DeviceRates rates;      // of one rank, outside a CUDA graph
    Seconds graphLaunch = 0;
    OutsideAllocatorMemory outside;
    Bytes capacity = 0; // of one GPU
    [[nodiscard]] int ranks() const { return layout.tp; }
};
// Whether sequences longer than the context length are an error. Measured runs may exceed it with RoPE. A learned table
// of positions never allows more.
enum class Lengths { WithinContext, AsMeasured };
// Errors name the flag and the accepted values.
Result<Serving> resolveServing(const ServeConfig &config, const Catalogue &catalogue, const Frameworks &frameworks,
    Lengths lengths = Lengths::WithinContext);

// An error if prompt and output are longer than the model's positions. It names the given flags.
struct LengthFlags {
    const char *prompt = "--prompt", *generate = "--generate";
};
Result<void> checkPositions(
    const ModelSpec &model, std::int64_t prompt, std::int64_t generate, const LengthFlags &flags = {});

// Bytes of the KV cache of one sequence of `length` tokens, on one rank. Layers with sliding-window attention store
// only the window.
Bytes sequenceCache(const Serving &serving, std::int64_t length);     // allocated: whole blocks, or reserved
Bytes sequenceCacheUsed(const Serving &serving, std::int64_t length); // used by tokens
// Keys and values of one more token in all layers, on one rank.
Bytes cachePerToken(const Serving &serving);

// One rank's memory with `batch` sequences at their full length.
struct ServingMemory {
    Bytes weights = 0;
    Bytes cache = 0;          // allocated for `batch` sequences at their full length
    Bytes cacheUsed = 0;      // used by their tokens
    Bytes wasteMean = 0;      // allocated but not used, mean from the prompt to the last token
    double wasteFraction = 0; // wasteMean as a fraction of the allocated cache
    Bytes activations = 0;    // peak of a step, with logits and workspaces
    Bytes outside = 0;        // outside the allocator
    Bytes peak = 0;           // sum of all
    Bytes usable = 0;         // limit that the software sets itself
    Bytes pool = 0;           // left for the cache; negative if the weights do not fit
    [[nodiscard]] bool fits() const { return peak <= usable; }
};
ServingMemory memoryOf(const Serving &serving, std::int64_t batch);

// The largest number of full-length sequences that fit at once. `contiguous`: if each reserves its whole cache.
std::int64_t maxSequences(const Serving &serving, bool contiguous);

// The time of a plan's step, with the software's host time. A step without prefill runs as a CUDA graph if the software
// records them.
Seconds stepTime(const Serving &serving, const InferenceStep &step);
// Prefill time of one prompt, in chunks of the software's size; of `sequences` prompts if the software prefills a
// batch at once.
Seconds prefillTime(const Serving &serving, std::int64_t sequences);
// Time of a decode step: one token for each of `sequences`, which have half of their output.
Seconds decodeTime(const Serving &serving, std::int64_t batch);
// The sum of GEMMs, attention over the cache and all-reduces of a decode step, for comparison with tables of measured
// kernels.
Seconds decodeKernelTime(const Serving &serving, std::int64_t batch);
// Output tokens per second at a constant number of sequences. The time of a sequence is its prefill and its share of
// the decode steps.
double throughput(const Serving &serving, std::int64_t batch);

// The smallest number of sequences at which the GEMMs of a decode step are compute-bound, so that further sequences
// cost time. 0: more than 65,536.
std::int64_t computeBoundBatch(const Serving &serving);

} // namespace slipway
