// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/probe_command.h"

#include <algorithm>
#include <array>

#include "measure/propose_probe.h"

namespace slipway {

namespace {

using Rules = std::vector<ArgumentRule>;

struct Wanted {
    std::string set, value;
};

// The ways in which a command says the micro-batches of a step.
std::array<Wanted, 4> batchOf(const RunConfig &probe)
{
    const std::int64_t ranks = probe.parallel.dataParallel(), all = probe.gradAccum * ranks;
    return {{{"grad_accum", std::to_string(probe.gradAccum)},
        {std::string(enumName(ScriptQuantity::AllGradAccum)), std::to_string(all)},
        {std::string(enumName(ScriptQuantity::GlobalBatch)), std::to_string(all * probe.microBatch)},
        {std::string(enumName(ScriptQuantity::GlobalTokens)), std::to_string(all * probe.microBatch * probe.seqLen)}}};
}

// Whatever of them the command has is set. If it has none, a batch of all ranks is added where the rules know how,
// since its default does not follow from the micro-batch. Otherwise one is added if the probe's step has fewer
// micro-batches.
Result<void> rewriteBatch(
    RewrittenCommand &command, const RunConfig &planned, const RunConfig &probe, const Rules &rules)
{
    const std::array<Wanted, 4> batch = batchOf(probe);
    bool found = false;
    for (const Wanted &one : batch) {
        if (!hasArgument(command.words, rules, one.set))
            continue;
        found = true;
        if (const Result<void> done = rewriteArgument(command, rules, one.set, one.value); !done)
            return done;
    }
    if (found)
        return {};
    for (auto one = batch.begin() + 1; one != batch.end(); ++one) {
        if (rewriteArgument(command, rules, one->set, one->value))
            return {};
    }
    return probe.gradAccum == planned.gradAccum ? Result<void>()
                                                : rewriteArgument(command, rules, batch[0].set, batch[0].value);
}

// Steps and tokens of the run, whichever the command has.
Result<void> rewriteLength(RewrittenCommand &command, const RunConfig &probe, const Rules &rules)
{
    const std::string tokens(enumName(ScriptQuantity::RunTokens));
    const bool hasTokens = hasArgument(command.words, rules, tokens);
    if (hasTokens) {
        if (const Result<void> done =
                rewriteArgument(command, rules, tokens, std::to_string(kProbeSteps * probe.tokensPerStep()));
            !done)
            return done;
    }
    return hasTokens && !hasArgument(command.words, rules, "steps")
               ? Result<void>()
               : rewriteArgument(command, rules, "steps", std::to_string(kProbeSteps));
}

// What the command has is set, so that it is as in the plan. What it has not is added if the probe changes it.
Result<void> rewriteSetting(RewrittenCommand &command, const Rules &rules, const Wanted &wanted, bool isChanged)
{
    if (!isChanged && !hasArgument(command.words, rules, wanted.set))
        return {};
    return rewriteArgument(command, rules, wanted.set, wanted.value);
}

Result<void> rewriteSettings(
    RewrittenCommand &command, const RunConfig &planned, const RunConfig &probe, const Rules &rules)
{
    if (probe.seqLen > planned.seqLen)
        return Error{.what = "a script may cut longer sequences than planned without a message",
            .where = "--probe",
            .accepted = "seq_len " + std::to_string(probe.seqLen) + ", changed by hand in a run of your own"};
    const std::array<std::pair<Wanted, bool>, 2> settings{
        {{{"micro_batch", std::to_string(probe.microBatch)}, probe.microBatch != planned.microBatch},
            {{"seq_len", std::to_string(probe.seqLen)}, probe.seqLen != planned.seqLen}}};
    for (const auto &[wanted, isChanged] : settings) {
        if (const Result<void> done = rewriteSetting(command, rules, wanted, isChanged); !done)
            return done;
    }
    if (probe.recompute != planned.recompute) {
        if (const Result<void> done =
                rewriteArgument(command, rules, "recompute", std::string(enumName(probe.recomputeOrNone())));
            !done)
            return done;
    }
    if (const Result<void> done = rewriteLength(command, probe, rules); !done)
        return done;
    return rewriteBatch(command, planned, probe, rules);
}

// The checkpoints of a probe must not be taken for those of the run. A script that resumes would end at once.
std::string outputFolder(const std::vector<std::string> &words, const Rules &rules, const std::string &name)
{
    for (const ReadArgument &argument : readArguments(words, rules)) {
        if (argument.set != enumName(ScriptQuantity::OutputFolder))
            continue;
        std::string folder = argument.value;
        while (folder.size() > 1 && folder.ends_with('/'))
            folder.pop_back();
        return folder + "-" + name;
    }
    return name + "-output";
}

// Sets what is known of the script. What is not known stays as the script has it.
void rewriteOutput(RewrittenCommand &command, const Rules &rules, const std::string &name)
{
    const std::array<Wanted, 2> output{{{std::string(enumName(ScriptQuantity::LogInterval)), "1"},
        {std::string(enumName(ScriptQuantity::OutputFolder)), outputFolder(command.words, rules, name)}}};
    for (const Wanted &one : output) {
        RewrittenCommand changed = command;
        if (rewriteArgument(changed, rules, one.set, one.value))
            command = std::move(changed);
    }
}

} // namespace

Result<RewrittenCommand> probeCommand(
    const RunConfig &planned, const RunConfig &probe, const Rules &rules, const std::string &name)
{
    Result<std::vector<std::string>> words = wordsOfCommand(planned.training.command);
    if (!words)
        return words.error();
    RewrittenCommand command{.words = *std::move(words), .changes = {}};
    if (const Result<void> done = rewriteSettings(command, planned, probe, rules); !done)
        return done.error();
    rewriteOutput(command, rules, name);
    return command;
}

bool canShortenSteps(const RunConfig &planned, const Rules &rules)
{
    const Result<std::vector<std::string>> words = wordsOfCommand(planned.training.command);
    if (!words)
        return false;
    RewrittenCommand command{.words = *words, .changes = {}};
    RunConfig probe = planned;
    probe.gradAccum = probeGradAccum(planned);
    return bool(rewriteBatch(command, planned, probe, rules));
}

RunConfig withCommand(RunConfig probe, const RewrittenCommand &command)
{
    std::string &log = probe.training.log;
    for (const ChangedArgument &change : command.changes) {
        if (change.set != enumName(ScriptQuantity::OutputFolder) || change.before.empty())
            continue;
        if (log == change.before || log.starts_with(change.before + "/"))
            log = change.after + log.substr(change.before.size());
    }
    probe.training.command = command.words;
    return probe;
}

} // namespace slipway
