// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A server as it is planned: a model on a GPU under some software, the memory that its sequences take, and how long its
// steps are. Both walk the plans of plan/inference/inference_step.h.
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

// Names resolved, settings checked against one another.
struct Serving {
    ServeConfig config;
    ModelSpec model;
    Gpu gpu;
    ServingSoftware software;
    InferenceLayout layout;
    std::int64_t block = 0; // tokens; 0: each sequence has its cache in one piece
    DeviceRates rates;      // of one rank, outside a CUDA graph
    Seconds graphLaunch = 0;
    OutsideAllocator outside;
    Bytes capacity = 0; // of one GPU
    [[nodiscard]] int ranks() const { return layout.tp; }
};
// Whether sequences longer than the context length are an error, or may have been measured: RoPE has no end. A learned
// table of positions always has one.
enum class Lengths { WithinContext, AsMeasured };
// Errors name the flag, and what would be accepted.
Result<Serving> resolveServing(const ServeConfig &config, const Catalogue &catalogue, const Frameworks &frameworks,
    Lengths lengths = Lengths::WithinContext);

// An error where a prompt and its answer are longer than the model's positions, under the flags that name their
// lengths.
struct LengthFlags {
    const char *prompt = "--prompt", *generate = "--generate";
};
Result<void> checkPositions(
    const ModelSpec &model, std::int64_t prompt, std::int64_t generate, const LengthFlags &flags = {});

// The cache of one sequence of so many tokens, on one rank, in bytes. A window's layers keep what it sees.
Bytes sequenceCache(const Serving &serving, std::int64_t length);     // as it is held: whole blocks, or reserved
Bytes sequenceCacheUsed(const Serving &serving, std::int64_t length); // of the tokens themselves
// Keys and values of one more token in all layers, on one rank.
Bytes cachePerToken(const Serving &serving);

// One rank's memory with so many sequences of their whole length.
struct ServingMemory {
    Bytes weights = 0;
    Bytes cache = 0;          // of `batch` sequences, as held in the end
    Bytes cacheUsed = 0;      // of their tokens
    Bytes wasteMean = 0;      // held but not used, over a sequence's life from its prompt to its end
    double wasteFraction = 0; // of what is held on that mean
    Bytes activations = 0;    // the most that a step needs beside: logits and workspaces included
    Bytes outside = 0;        // the allocator
    Bytes peak = 0;           // all of it
    Bytes usable = 0;         // that the software lets itself have
    Bytes pool = 0;           // that is left for the cache; negative where weights do not fit
    [[nodiscard]] bool fits() const { return peak <= usable; }
};
ServingMemory memoryOf(const Serving &serving, std::int64_t batch);

// The most sequences of whole length that fit at once; 0: none. `contiguous`: as if each reserved its whole cache.
std::int64_t mostSequences(const Serving &serving, bool contiguous);

// A plan's time, with what the software does on the host for each step. A step without a part of a prompt runs as a
// CUDA graph where the software records them.
Seconds stepTime(const Serving &serving, const InferenceStep &step);
// Of one prompt, in parts of the software's size; of `sequences` at once where the software takes whole batches.
Seconds prefillTime(const Serving &serving, std::int64_t sequences);
// Of one more token for each of so many sequences, in the middle of their answers.
Seconds decodeTime(const Serving &serving, std::int64_t batch);
// Of such a step the GEMMs, attention over the cache and all-reduces alone, one after another: what tables of measured
// kernels add up to.
Seconds decodeKernelTime(const Serving &serving, std::int64_t batch);
// Output tokens per second with so many sequences at once, one after another: each costs its own prefill and its part
// of the decode steps.
double throughput(const Serving &serving, std::int64_t batch);

// The fewest sequences at which the GEMMs of a decode step take longer for their arithmetic than for their bytes:
// beyond it, more sequences cost time. 0: more than 65,536.
std::int64_t computeBoundBatch(const Serving &serving);

} // namespace slipway
