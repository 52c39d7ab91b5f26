// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/language/core_sentences.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <vector>

#include "ui/language/core_texts.h"
#include "ui/language/local_text.h"

namespace slipway::ui {

namespace {

constexpr const char *kContext = "CoreSentences";

// As core writes them, with %1, %2 where it puts names, numbers or further sentences.
constexpr std::array kSentences{
    // Alerts
    QT_TRANSLATE_NOOP("CoreSentences", "the %1 is not finite since step %2"),
    QT_TRANSLATE_NOOP("CoreSentences", "loss"),
    QT_TRANSLATE_NOOP("CoreSentences", "gradient norm"),
    QT_TRANSLATE_NOOP("CoreSentences", "no step for %1; a step takes %2"),
    QT_TRANSLATE_NOOP("CoreSentences", "a step takes %1; the prediction is %2, at most %3"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 of %2 in use"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 spent, %2 expected in total; the limit is %3"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 expected in total; the limit is %2"),
    QT_TRANSLATE_NOOP("CoreSentences", "a step takes %1 since step %2; before, it took %3"),
    QT_TRANSLATE_NOOP("CoreSentences", "the node has been idle for %1 at %2 per hour: %3 wasted"),
    QT_TRANSLATE_NOOP("CoreSentences", "no checkpoint since step %1; one is due every %2 steps"),
    // How runs ended
    QT_TRANSLATE_NOOP("CoreSentences", "memory or disk ran out, or something was not permitted"),
    QT_TRANSLATE_NOOP("CoreSentences", "another rank failed"),
    QT_TRANSLATE_NOOP("CoreSentences", "data or a checkpoint is damaged"),
    QT_TRANSLATE_NOOP("CoreSentences", "diverged: the loss or the gradient norm was not finite"),
    QT_TRANSLATE_NOOP("CoreSentences", "killed by signal %1; the system does this when memory runs out"),
    QT_TRANSLATE_NOOP("CoreSentences", "killed by signal %1"),
    QT_TRANSLATE_NOOP("CoreSentences", "the program could not be started; err.log or out.log says why"),
    QT_TRANSLATE_NOOP("CoreSentences", "its start was interrupted: none of its processes has reported"),
    QT_TRANSLATE_NOOP("CoreSentences", "the start was requested, and no process has reported yet"),
    QT_TRANSLATE_NOOP("CoreSentences", "the start was requested; it has no job number yet"),
    QT_TRANSLATE_NOOP("CoreSentences", "the start was requested"),
    QT_TRANSLATE_NOOP("CoreSentences", "its start was interrupted"),
    QT_TRANSLATE_NOOP("CoreSentences", "it was started outside Slipway, so its process is not known"),
    QT_TRANSLATE_NOOP("CoreSentences", "the run folder does not name its process"),
    QT_TRANSLATE_NOOP("CoreSentences", "it was started on %1, which cannot be reached from here"),
    QT_TRANSLATE_NOOP("CoreSentences", "its machine was restarted while it ran"),
    QT_TRANSLATE_NOOP("CoreSentences", "its processes are gone and there is no exit status"),
    QT_TRANSLATE_NOOP("CoreSentences", "attached to its log"),
    QT_TRANSLATE_NOOP("CoreSentences", "its log is not there, or cannot be read"),
    QT_TRANSLATE_NOOP("CoreSentences", "the training script was started"),
    QT_TRANSLATE_NOOP("CoreSentences", "no line of the first %1 of the log has a step and a loss; --framework or "
                                       "log_pattern says how they are printed"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1; the other nodes were ended"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1; the other nodes are being ended"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 cannot be asked: %2"),
    // Slurm
    QT_TRANSLATE_NOOP("CoreSentences", "Slurm's controller does not answer: %1"),
    QT_TRANSLATE_NOOP("CoreSentences", "Slurm ended the job at its time limit"),
    QT_TRANSLATE_NOOP("CoreSentences", "Slurm gave its nodes to another job"),
    QT_TRANSLATE_NOOP("CoreSentences", "Slurm ended the job: it used more memory than it had requested"),
    QT_TRANSLATE_NOOP("CoreSentences", "its node failed"),
    QT_TRANSLATE_NOOP("CoreSentences", "its job was cancelled"),
    QT_TRANSLATE_NOOP("CoreSentences", "waits until nodes are free"),
    QT_TRANSLATE_NOOP("CoreSentences", "waits for jobs of higher priority"),
    QT_TRANSLATE_NOOP("CoreSentences", "was just submitted"),
    QT_TRANSLATE_NOOP("CoreSentences", "waits for its start time"),
    QT_TRANSLATE_NOOP("CoreSentences", "waits for another job"),
    QT_TRANSLATE_NOOP("CoreSentences", "is held; scontrol release continues it"),
    QT_TRANSLATE_NOOP("CoreSentences", "is held by the cluster's administrator"),
    QT_TRANSLATE_NOOP("CoreSentences",
        "requests more time than its partition allows, so it never starts: stop it, and lower time_limit"),
    QT_TRANSLATE_NOOP(
        "CoreSentences", "requests more than its partition allows, so it never starts: stop it, and request less"),
    QT_TRANSLATE_NOOP("CoreSentences", "waits for its partition, which is down"),
    QT_TRANSLATE_NOOP("CoreSentences", "waits for nodes that are down or reserved"),
    QT_TRANSLATE_NOOP(
        "CoreSentences", "could not be started by its node and is held; scontrol release lets it try again"),
    QT_TRANSLATE_NOOP("CoreSentences", "waits for a node that is down"),
    QT_TRANSLATE_NOOP("CoreSentences", "its submission was interrupted: Slurm has no job of this run"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1; Slurm's estimated start: %2"),
    QT_TRANSLATE_NOOP("CoreSentences", "Slurm refused the job: %1"),
    QT_TRANSLATE_NOOP("CoreSentences", "what the partitions allow (see sinfo); --sbatch OPTION changes the request"),
    // Checks before a launch
    QT_TRANSLATE_NOOP(
        "CoreSentences", "no token file is given. Set --data to a file that slipway-train tokenize wrote"),
    QT_TRANSLATE_NOOP("CoreSentences",
        "slipway-train is neither beside this program nor on PATH. Build it, or install the trainer's package"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 is not an executable program"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 cannot be read: %2"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 cannot be written: %2"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 is empty"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 is not a folder"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 cannot hold the %2 of checkpoints: %3"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 has %2 free, and the checkpoints need %3"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 free, %2 needed for checkpoints, %3 for data"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 free, %2 needed for checkpoints"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 has %2 free. Checkpoints need %3 and data %4"),
    QT_TRANSLATE_NOOP("CoreSentences", "device is cuda, and this machine has no NVIDIA driver"),
    QT_TRANSLATE_NOOP(
        "CoreSentences", "the plan is for %1, and this machine has no NVIDIA driver: it would train on the CPU"),
    QT_TRANSLATE_NOOP("CoreSentences", "the run could not be started: %1"),
    QT_TRANSLATE_NOOP("CoreSentences", "cannot be computed for the GPUs or the CPU of the host: %1"),
    QT_TRANSLATE_NOOP("CoreSentences", "is predicted not to fit: %1; %2. --force starts it anyway"),
    QT_TRANSLATE_NOOP("CoreSentences", "a micro_batch of up to %1 fits"),
    QT_TRANSLATE_NOOP("CoreSentences", "not even a micro_batch of 1 fits"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 of %2 on %3, planned for %4"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 of %2 on %3"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1, version %2"),
    QT_TRANSLATE_NOOP("CoreSentences", "will be copied from %1"),
    QT_TRANSLATE_NOOP("CoreSentences",
        "slipway-train is neither in %1/bundle/bin nor on PATH there; copy the node bundle to %2/bundle"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 is version %2, this program is %3; install the same there"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 does not run there: %2"),
    QT_TRANSLATE_NOOP("CoreSentences", "is not installed on the host, and is needed to copy data"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 (%2), already on the host"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 (%2), will be copied"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 is found neither on this machine nor on the host, or is empty"),
    QT_TRANSLATE_NOOP("CoreSentences", "is %1 ahead of this machine's. The times in the run's files are the host's"),
    QT_TRANSLATE_NOOP("CoreSentences", "is %1 behind this machine's. The times in the run's files are the host's"),
    QT_TRANSLATE_NOOP("CoreSentences", "cpu, %1 cores"),
    QT_TRANSLATE_NOOP("CoreSentences", "no NVIDIA driver answers there"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 needed, %2 found; %3"),
    QT_TRANSLATE_NOOP("CoreSentences",
        "runs on several nodes need all of them (--on node1,node2), Slurm (--on slurm:) or a file of `slipway export`"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 needed, %2 found"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 x %2, driver %3"),
    QT_TRANSLATE_NOOP("CoreSentences", "made for %1. The host has no GPU to compare it with"),
    QT_TRANSLATE_NOOP("CoreSentences",
        "%1 is too old: the trainer's LibTorch %2 needs driver %3 or newer, or NVIDIA's package cuda-compat-%4. %5"),
    QT_TRANSLATE_NOOP("CoreSentences", "The last LibTorch that runs on it is %1."),
    QT_TRANSLATE_NOOP("CoreSentences",
        "%1 with %2 ranks each. All of them must find the run directory and the data at the same path"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1, with %2 ranks each"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 of %2 free on %3 nodes"),
    QT_TRANSLATE_NOOP("CoreSentences", "it cannot be determined whether the run is still running: %1"),
    QT_TRANSLATE_NOOP("CoreSentences", "there is no price per hour for '%1' to compare the budget with"),
    // Commands of a launch
    QT_TRANSLATE_NOOP("CoreSentences", "start the trainer, in a process group of its own that outlives this program"),
    QT_TRANSLATE_NOOP("CoreSentences", "start the command, in a process group of its own that outlives this program"),
    QT_TRANSLATE_NOOP("CoreSentences", "make a folder for the trainer"),
    QT_TRANSLATE_NOOP("CoreSentences", "copy the trainer"),
    QT_TRANSLATE_NOOP("CoreSentences", "rename it into place"),
    QT_TRANSLATE_NOOP("CoreSentences", "make its folder, unless it exists"),
    QT_TRANSLATE_NOOP("CoreSentences", "copy %1, unless it exists"),
    QT_TRANSLATE_NOOP("CoreSentences", "copy its index"),
    QT_TRANSLATE_NOOP(
        "CoreSentences", "make the run directory, with a number added to its name where the name is taken"),
    QT_TRANSLATE_NOOP("CoreSentences", "write run.yaml and prediction.json"),
    QT_TRANSLATE_NOOP("CoreSentences", "submit this batch script"),
    // Hosts
    QT_TRANSLATE_NOOP("CoreSentences", "its host key is not known here, so nothing was sent to it"),
    QT_TRANSLATE_NOOP("CoreSentences", "a known key: connect once with ssh %1, compare the fingerprint that it shows "
                                       "with the host's own, and confirm"),
    QT_TRANSLATE_NOOP("CoreSentences", "refuses the login: %1"),
    QT_TRANSLATE_NOOP("CoreSentences", "a key or an agent with which ssh %1 asks for nothing"),
    QT_TRANSLATE_NOOP("CoreSentences", "is not a host that this machine knows: %1"),
    QT_TRANSLATE_NOOP("CoreSentences", "local, an alias of your ssh configuration, slurm:ALIAS"),
    QT_TRANSLATE_NOOP("CoreSentences", "local, an alias of your ssh configuration, user@host, slurm:, slurm:ALIAS"),
    QT_TRANSLATE_NOOP("CoreSentences", "cannot be reached: %1"),
    QT_TRANSLATE_NOOP("CoreSentences", "cannot be reached"),
    QT_TRANSLATE_NOOP("CoreSentences", "is not a valid host name"),
    QT_TRANSLATE_NOOP("CoreSentences", "has no POSIX shell that answers: %1"),
    QT_TRANSLATE_NOOP("CoreSentences", "the run directory cannot be found on the host now"),
    // Settings
    QT_TRANSLATE_NOOP("CoreSentences", "'%1' is not a duration"),
    QT_TRANSLATE_NOOP("CoreSentences", "'%1' is not a number"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 is out of range"),
    QT_TRANSLATE_NOOP("CoreSentences", "'%1' is not an integer in range"),
    QT_TRANSLATE_NOOP("CoreSentences", "'%1' is not an integer"),
    QT_TRANSLATE_NOOP("CoreSentences", "'%1' is neither true nor false"),
    QT_TRANSLATE_NOOP("CoreSentences", "'%1' is not the name of a framework"),
    QT_TRANSLATE_NOOP("CoreSentences", "'%1' is not a valid value"),
    QT_TRANSLATE_NOOP("CoreSentences", "seconds, or a time such as 30m, 12h, 2d"),
    QT_TRANSLATE_NOOP("CoreSentences", "texts separated by commas"),
    QT_TRANSLATE_NOOP("CoreSentences", "items separated by commas"),
    QT_TRANSLATE_NOOP("CoreSentences", "the list has an empty item"),
    QT_TRANSLATE_NOOP("CoreSentences", "paths separated by commas, each optionally with a weight: a.bin=0.7"),
    QT_TRANSLATE_NOOP("CoreSentences", "the path of a data source is missing"),
    QT_TRANSLATE_NOOP("CoreSentences", "a number above 0"),
    QT_TRANSLATE_NOOP("CoreSentences", "custom, %1"),
    QT_TRANSLATE_NOOP("CoreSentences", "no model is given"),
    QT_TRANSLATE_NOOP("CoreSentences", "a preset such as 1B, a public model, a size such as 700M, or a file"),
    QT_TRANSLATE_NOOP("CoreSentences", "unknown calibration '%1'; there are no calibrations yet"),
    // Meshes
    QT_TRANSLATE_NOOP("CoreSentences", "the mesh has an axis of %1 ranks"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 ranks are not a multiple of tp x pp x cp = %2"),
    QT_TRANSLATE_NOOP("CoreSentences", "none needs a single data-parallel rank; this mesh has %1"),
    QT_TRANSLATE_NOOP("CoreSentences", "ddp, fsdp-full, fsdp-grad-op, hsdp or zero1; or --gpus %1"),
    QT_TRANSLATE_NOOP("CoreSentences", "the tensor-parallel size %1 does not divide the %2 attention heads"),
    QT_TRANSLATE_NOOP(
        "CoreSentences", "the tensor-parallel size %1 neither divides nor is a multiple of the %2 key-value heads"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 pipeline stages exceed the %2 layers"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 model chunks on each of %2 stages do not divide the %3 layers"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 model chunks on each of %2 stages leave one without a layer"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 orders the micro-batches of a pipeline; this mesh has one stage"),
    QT_TRANSLATE_NOOP("CoreSentences", "an interleaved pipeline has several model chunks per stage, not 1"),
    QT_TRANSLATE_NOOP("CoreSentences", "a pipeline with the schedule %1 has one model chunk per stage, not %2"),
    QT_TRANSLATE_NOOP("CoreSentences", "expert-parallel size %1 is given for a model without experts"),
    QT_TRANSLATE_NOOP("CoreSentences", "the expert-parallel size %1 does not divide the %2 experts"),
    QT_TRANSLATE_NOOP(
        "CoreSentences", "the expert-parallel size %1 does not divide the %2 data- and context-parallel ranks"),
    QT_TRANSLATE_NOOP("CoreSentences", "the expert-parallel size %1 does not divide the %2 ranks of a sharding group"),
    QT_TRANSLATE_NOOP("CoreSentences", "a divisor of the sharding group's size, or --parallel fsdp-full"),
    QT_TRANSLATE_NOOP("CoreSentences", "the context-parallel size %1 does not divide the sequence length %2"),
    QT_TRANSLATE_NOOP("CoreSentences", "gathered keys are planned for Slipway's trainer only"),
    QT_TRANSLATE_NOOP("CoreSentences", "auto, ring or all-to-all; or --framework slipway"),
    QT_TRANSLATE_NOOP("CoreSentences", "sequence length %1 exceeds the %2 positions of the model"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 ranks do not fill whole nodes of %2"),
    QT_TRANSLATE_NOOP(
        "CoreSentences", "%1 data- and context-parallel ranks are not a multiple of the %2 that share a node"),
    QT_TRANSLATE_NOOP("CoreSentences", "a multiple of --gpus-per-node, or --parallel fsdp-full"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 or %2"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 (%2)"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 to %2"),
    QT_TRANSLATE_NOOP("CoreSentences", "1, or a model with experts (--experts)"),
    QT_TRANSLATE_NOOP("CoreSentences", "1, or --pp 2 or more"),
    QT_TRANSLATE_NOOP("CoreSentences", "auto, or --pp 2 or more"),
    QT_TRANSLATE_NOOP("CoreSentences", "2 or more, or --pipeline-schedule 1f1b"),
    QT_TRANSLATE_NOOP("CoreSentences", "1, or --pipeline-schedule interleaved"),
    QT_TRANSLATE_NOOP("CoreSentences", "1, or a number of layers that %1 divides"),
    // Training
    QT_TRANSLATE_NOOP("CoreSentences", "'%1' is not an op that can be recomputed selectively"),
    QT_TRANSLATE_NOOP("CoreSentences", "a list of ops has no effect with --recompute %1"),
    QT_TRANSLATE_NOOP("CoreSentences", "a micro-batch of %1 tokens is too large to plan for this model"),
    QT_TRANSLATE_NOOP("CoreSentences", "fewer or shorter sequences"),
    QT_TRANSLATE_NOOP("CoreSentences", "a global batch of %1 tokens is too large to plan"),
    QT_TRANSLATE_NOOP("CoreSentences", "fewer micro-batches or ranks"),
    QT_TRANSLATE_NOOP("CoreSentences", "a model of %1 parameters is too large to plan"),
    QT_TRANSLATE_NOOP("CoreSentences", "a smaller model"),
    QT_TRANSLATE_NOOP("CoreSentences", "'%1' is not a kind of weights"),
    QT_TRANSLATE_NOOP("CoreSentences", "the head of %1 shares the weights of the embedding"),
    QT_TRANSLATE_NOOP("CoreSentences", "training data have a name"),
    QT_TRANSLATE_NOOP("CoreSentences", "names in --eval-data alone"),
    QT_TRANSLATE_NOOP("CoreSentences", "there are %1 evaluation sets"),
    QT_TRANSLATE_NOOP("CoreSentences", "at most %1"),
    QT_TRANSLATE_NOOP("CoreSentences", "at most the peak learning rate"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 exceeds the peak learning rate %2"),
    QT_TRANSLATE_NOOP("CoreSentences", "rates of the embeddings and the head follow a learning rate, which is 0"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 has no experts"),
    QT_TRANSLATE_NOOP("CoreSentences", "false, or a model with experts"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 has no factors for these losses"),
    QT_TRANSLATE_NOOP("CoreSentences", "no weights are frozen"),
    QT_TRANSLATE_NOOP("CoreSentences", "whole, or --lora-rank above 0"),
    QT_TRANSLATE_NOOP("CoreSentences", "rank %1 exceeds the hidden size %2 of %3"),
    QT_TRANSLATE_NOOP("CoreSentences", "a rank of at most the hidden size"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 has experts, whose adapters cannot be planned"),
    QT_TRANSLATE_NOOP("CoreSentences", "0, or a dense model"),
    QT_TRANSLATE_NOOP("CoreSentences", "adapters cannot be planned for tensor or pipeline parallelism"),
    QT_TRANSLATE_NOOP("CoreSentences", "0, or --tp 1 --pp 1"),
    QT_TRANSLATE_NOOP("CoreSentences", "adapters cannot be planned in fp8-mixed"),
    QT_TRANSLATE_NOOP("CoreSentences", "adapters cannot be planned for Megatron"),
    QT_TRANSLATE_NOOP("CoreSentences", "'%1' is not a version"),
    QT_TRANSLATE_NOOP("CoreSentences", "a version such as 1.12 or 2.5"),
    // What Slipway's trainer runs
    QT_TRANSLATE_NOOP("CoreSentences", "Slipway's trainer does not support %1: it has %2"),
    QT_TRANSLATE_NOOP(
        "CoreSentences", "Slipway's trainer does not support balance_loss with pipeline or context parallelism"),
    QT_TRANSLATE_NOOP("CoreSentences", "Slipway's trainer does not support '%1'"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1; --framework pytorch-eager, pytorch-compile or megatron plans more"),
    QT_TRANSLATE_NOOP("CoreSentences", "RMSNorm without weights, or with biases"),
    QT_TRANSLATE_NOOP("CoreSentences", "LayerNorm of queries and keys"),
    QT_TRANSLATE_NOOP("CoreSentences", "LayerNorm whose weights are stored less 1"),
    QT_TRANSLATE_NOOP("CoreSentences", "attention sinks"),
    QT_TRANSLATE_NOOP("CoreSentences", "parallel branches with norms behind them"),
    QT_TRANSLATE_NOOP("CoreSentences", "experts with a capacity"),
    QT_TRANSLATE_NOOP("CoreSentences", "experts with biases"),
    QT_TRANSLATE_NOOP("CoreSentences", "experts in bf16"),
    QT_TRANSLATE_NOOP("CoreSentences", "--precision fp32, on the CPU; %1"),
    QT_TRANSLATE_NOOP("CoreSentences", "megatron, pytorch-eager or pytorch-compile, which plan it; or another model"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1 has learned positions for %2 tokens; the sequence has %3"),
    QT_TRANSLATE_NOOP("CoreSentences",
        "Slipway's trainer does not run tensor-parallel size %1 with Muon, which needs whole matrices"),
    QT_TRANSLATE_NOOP("CoreSentences", "Slipway's trainer does not run tensor-parallel size %1 with %2"),
    QT_TRANSLATE_NOOP("CoreSentences", "1, or --optimizer adamw"),
    QT_TRANSLATE_NOOP("CoreSentences", "1, or balance_loss: false"),
    QT_TRANSLATE_NOOP("CoreSentences", "a norm over all heads"),
    QT_TRANSLATE_NOOP("CoreSentences", "Slipway's trainer does not split %1 tokens into 2 x %2 equal chunks"),
    QT_TRANSLATE_NOOP("CoreSentences", "%1, or another --seq-len"),
    QT_TRANSLATE_NOOP(
        "CoreSentences", "Slipway's trainer does not run context parallelism as an all-to-all over heads"),
    QT_TRANSLATE_NOOP("CoreSentences", "auto, gather or ring"),
    QT_TRANSLATE_NOOP("CoreSentences", "ring attention is a flash attention: no rank has a row's scores together"),
    QT_TRANSLATE_NOOP("CoreSentences", "auto or gather, or --attention flash"),
    QT_TRANSLATE_NOOP("CoreSentences", "gpipe holds all %1 micro-batches of a step"),
    QT_TRANSLATE_NOOP("CoreSentences", "an interleaved pipeline of %1 stages does not run a step of %2 micro-batches"),
    QT_TRANSLATE_NOOP(
        "CoreSentences", "Slipway's trainer runs tensor, context, pipeline and expert parallelism on the CPU only"),
    QT_TRANSLATE_NOOP("CoreSentences", "1; or --precision fp32 --gpu cpu"),
    QT_TRANSLATE_NOOP("CoreSentences", "Slipway's trainer does not run Muon with expert parallelism"),
    QT_TRANSLATE_NOOP("CoreSentences", "fp8 GEMMs need multiples of %1; %2 is %3"),
    QT_TRANSLATE_NOOP("CoreSentences", "a multiple of %1, or --precision bf16-mixed"),
    QT_TRANSLATE_NOOP("CoreSentences", "the hidden size"),
    QT_TRANSLATE_NOOP("CoreSentences", "the width of all query heads"),
    QT_TRANSLATE_NOOP("CoreSentences", "the width of all key-value heads"),
    QT_TRANSLATE_NOOP("CoreSentences", "muon needs whole matrices, which %1 shards"),
    QT_TRANSLATE_NOOP("CoreSentences", "--parallel ddp, or adamw"),
    QT_TRANSLATE_NOOP("CoreSentences", "training on a CPU needs fp32, not %1"),
    // Notes of a prediction
    QT_TRANSLATE_NOOP("CoreSentences", "mean error %1 over %2 published runs on the %3 with %4"),
    QT_TRANSLATE_NOOP("CoreSentences", "Speed: %1."),
    QT_TRANSLATE_NOOP("CoreSentences", "Memory: %1."),
    QT_TRANSLATE_NOOP(
        "CoreSentences", "Assumed: %1 Gbit/s of network bandwidth per node (%2); --network-gbps sets another value."),
    QT_TRANSLATE_NOOP("CoreSentences", "usual for nodes with this GPU"),
    QT_TRANSLATE_NOOP("CoreSentences", "The calibration '%1' has no constants for the %2."),
    QT_TRANSLATE_NOOP("CoreSentences", "no"),
    QT_TRANSLATE_NOOP("CoreSentences",
        "Speed comes from the data sheet of the %1; this version knows %2 published runs on it with %3."),
    QT_TRANSLATE_NOOP("CoreSentences",
        "'%1' is read as the %2. Machines with up to %3 of these GPUs often have the slower PCIe version: --gpu %4."),
    QT_TRANSLATE_NOOP("CoreSentences",
        "The %1 does not support bf16 GEMMs. The predicted time is that of fp16; use --precision fp16-mixed."),
    QT_TRANSLATE_NOOP("CoreSentences", "All ranks share the cores and the memory of this CPU."),
    QT_TRANSLATE_NOOP("CoreSentences", "Hours and cost cover training steps only. In long published runs, steps took "
                                       "%1 % of the time; evaluation, restarts and idle nodes took the rest."),
    QT_TRANSLATE_NOOP("CoreSentences",
        "Assumed: routing is even; each of the %1 experts of a rank processes %2 tokens, and %3. Load "
        "imbalance is not modelled; --expert-capacity above 1 plans for it."),
    QT_TRANSLATE_NOOP("CoreSentences", "further tokens are dropped"),
    QT_TRANSLATE_NOOP("CoreSentences", "no token is dropped"),
    QT_TRANSLATE_NOOP("CoreSentences",
        "Assumed: all-to-all communication does not overlap with computation and uses the links of the ranks' nodes."),
    QT_TRANSLATE_NOOP("CoreSentences", "Assumed: experts run one after another, as in Transformers before version 5; "
                                       "--expert-gemm grouped or --torch 2.9 plans grouped GEMMs."),
    QT_TRANSLATE_NOOP(
        "CoreSentences", "Assumed: experts run one after another; --expert-gemm grouped plans one grouped GEMM."),
};

struct Sentence {
    const char *written;
    qsizetype letters; // outside the places
    QRegularExpression form;
};

// A sentence of few fixed words would be found in any other one: its places hold a number with its unit, or a word.
constexpr qsizetype kFewLetters = 6;

Sentence sentenceOf(const char *written)
{
    static const QRegularExpression kPlace(QStringLiteral("%\\d"));
    const QString text = QString::fromUtf8(written);
    const QStringList fixed = text.split(kPlace);
    const QString words = fixed.join(QString());
    const qsizetype letters = std::count_if(words.begin(), words.end(), [](QChar c) { return c.isLetter(); });
    const QString place =
        letters < kFewLetters ? QStringLiteral("([\\d.,]+ [A-Za-z/%]+|\\S+)") : QStringLiteral("(.+?)");
    QString form;
    for (qsizetype i = 0; i < fixed.size(); ++i)
        form += (i == 0                    ? QString()
                    : i + 1 < fixed.size() ? place
                                           : QStringLiteral("(.+)")) +
                QRegularExpression::escape(fixed[i]);
    return {written, letters,
        QRegularExpression(QRegularExpression::anchoredPattern(form), QRegularExpression::DotMatchesEverythingOption)};
}

// The one with the most fixed words first: it says most of what the text is.
const std::vector<Sentence> &sentences()
{
    static const std::vector<Sentence> all = [] {
        std::vector<Sentence> made;
        std::transform(kSentences.begin(), kSentences.end(), std::back_inserter(made), sentenceOf);
        std::stable_sort(
            made.begin(), made.end(), [](const Sentence &a, const Sentence &b) { return a.letters > b.letters; });
        return made;
    }();
    return all;
}

QString placeText(const QString &captured)
{
    const QString text = coreText(captured.toStdString());
    const bool figure = !captured.isEmpty() && (captured[0].isDigit() || captured[0] == u'$');
    return text == captured && figure ? localText(captured) : text;
}

} // namespace

std::optional<QString> coreSentence(const QString &text)
{
    for (const Sentence &sentence : sentences()) {
        const QRegularExpressionMatch match = sentence.form.match(text);
        if (!match.hasMatch())
            continue;
        QString translation = QCoreApplication::translate(kContext, sentence.written);
        QString filled; // in one pass: what is put in may itself hold a per cent sign and a digit
        for (qsizetype i = 0; i < translation.size(); ++i) {
            const bool place = translation[i] == u'%' && i + 1 < translation.size() && translation[i + 1].isDigit();
            filled += place ? placeText(match.captured(translation[i + 1].digitValue())) : QString(translation[i]);
            i += place ? 1 : 0;
        }
        return filled;
    }
    return std::nullopt;
}

} // namespace slipway::ui
