// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/predict.h"

#include "memory/memory_walk.h"
#include "plan/build_plan.h"
#include "predict/assess.h"
#include "predict/expert_notes.h"
#include "predict/predict_memory.h"
#include "predict/suggest.h"
#include "predict/where.h"

namespace slipway {

namespace {

std::vector<std::string> notesFor(const Subject &s)
{
    std::vector<std::string> notes = expertNotes(s);
    if (!s.config.calibration.empty() && s.calibration.constants.empty() && s.calibration.products.empty())
        notes.push_back("The calibration '" + s.config.calibration + "' says nothing of the " + s.gpu.name + " under " + std::string(enumName(s.config.framework)) + ".");
    if (s.calibration.fitsSpeed())
        notes.push_back("Speed is calibrated by '" + s.config.calibration + "': " + std::to_string(s.calibration.rows.size()) + " of your own runs, " + std::to_string(s.calibration.products.size()) + " measured products.");
    else if (s.gpu.isCpu)
        notes.push_back("Rates of this processor are estimated from its kind and clock. A short run tells how fast it is.");
    else
        notes.push_back("Speed comes from the data sheet of the " + s.gpu.name + "; no run on it is known to this version.");
    if (!s.gpu.isCpu && s.config.parallel.nodes() > 1)
        notes.push_back("Across nodes the network of the first catalogued node with this card counts, or one 100 Gbit/s card.");
    if (s.gpu.isCpu && s.config.parallel.gpus > 1)
        notes.push_back("Ranks on one processor share its cores and its memory.");
    return notes;
}

} // namespace

Result<Prediction> predict(const RunConfig &config, const Catalogue &catalogue, const PredictOptions &options)
{
    Result<Subject> subject = resolveSubject(config, catalogue);
    if (!subject)
        return subject.error();
    const Result<SharedPlan> shared = sharedPlan(subject->config, subject->model);
    if (!shared)
        return shared.error();
    const Result<Assessment> assessment = assess(*subject, *shared, catalogue);
    if (!assessment)
        return assessment.error();

    Prediction p{.config = config, .model = subject->model, .gpu = subject->gpu, .memory = assessment->memory, .speed = assessment->speed, .cost = assessment->cost};
    if (options.maxMicroBatch || options.suggestions)
        p.memory.maxMicroBatch = largestMicroBatch(*subject);
    if (options.suggestions)
        p.suggestions = suggest(*subject, *shared, *assessment, p.memory.maxMicroBatch, catalogue);
    if (subject->calibration.fitsSpeed())
        p.speedOrigin = Origin::Calibrated;
    if (subject->calibration.fitsMemory())
        p.memoryOrigin = Origin::Calibrated;
    p.notes = notesFor(*subject);
    return p;
}

Result<RunPlan> planOf(const RunConfig &config, const Catalogue &catalogue)
{
    const Result<Subject> subject = resolveSubject(config, catalogue);
    if (!subject)
        return subject.error();
    return buildPlan(subject->config, subject->model);
}

Result<MemoryOverStep> memoryOverStep(const RunConfig &config, const Catalogue &catalogue, std::size_t stageNumber)
{
    const Result<RunPlan> plan = planOf(config, catalogue);
    if (!plan)
        return plan.error();
    const StepPlan &stage = stageOf(*plan, stageNumber);
    MemoryOverStep over;
    for (const MemoryInstant &instant : memoryInstants(stage)) {
        Instant at = whereIs(stage, instant.at);
        over.points.push_back({.op = std::move(at.op), .layer = at.layer, .phase = at.phase, .bytes = instant.byRole});
    }
    return over;
}

} // namespace slipway
