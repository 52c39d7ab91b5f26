// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Sentences of core with numbers and names in them, in German.
#include <QLocale>

#include <fstream>
#include <functional>
#include <sstream>

#include "config/resolve_model.h"
#include "config/settings.h"
#include "core/runs/run_examples.h"
#include "hosts/host.h"
#include "hosts/ssh_shell.h"
#include "hosts/stop_run.h"
#include "measure/training_log.h"
#include "runs/alerts.h"
#include "serve/serve_figures.h"
#include "serve/serving_software.h"
#include "support/edit_steps.h"
#include "support/temporary_directory.h"
#include "ui/language/core_texts.h"
#include "ui/language/language.h"
#include "ui/plan/display_names.h"
#include "ui/window_fixture.h"

namespace slipway::ui {
namespace {

class GermanSentences : public ::testing::Test {
protected:
    GermanSentences()
    {
        useLanguage("de");
        QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
    }
    ~GermanSentences() override { useLanguage("en"); }

    static std::string german(std::string_view text) { return coreText(text).toStdString(); }
};

TEST_F(GermanSentences, KeepTheNumbersInTheirPlacesAndInTheFormOfTheCountry)
{
    EXPECT_EQ(german("a step takes 1.25 s; the prediction is 980 ms, at most 1.10 s"),
        "ein Schritt dauert 1,25 s; vorhergesagt sind 980 ms, höchstens 1,10 s");
    EXPECT_EQ(german("$12.50 spent, $1,340.00 expected in total; the limit is $20.00"),
        "12,50 $ ausgegeben, 1.340,00 $ insgesamt erwartet; die Grenze ist 20,00 $");
    EXPECT_EQ(german("72.4 GiB of 80.0 GiB in use"), "72,4 GiB von 80,0 GiB belegt");
}

TEST_F(GermanSentences, EveryTextOfTheComparisonsOfAServerIsTranslated)
{
    const Catalogue catalogue = loadCatalogue().value();
    const Frameworks frameworks = loadServingFrameworks().value();
    const auto expectTranslated = [](const std::string &text) {
        EXPECT_NE(german(text), text);
        EXPECT_EQ(german(text).find('%'), std::string::npos) << german(text);
    };
    for (const char *model : {"llama-3.1-8b", "mixtral-8x7b"}) {
        ServeConfig config;
        config.run.model = {.name = model};
        config.run.gpu = "h200-sxm-141gb";
        config.run.parallel.tp = 4;
        for (std::size_t i = 0; i < EnumNames<ServeChart>::names.size(); ++i) {
            const Result<ServeFigure> figure =
                serveFigure(static_cast<ServeChart>(i), config, catalogue, frameworks, [] { return true; });
            ASSERT_TRUE(figure) << figure.error().message();
            expectTranslated(figure->title);
            expectTranslated(figure->question);
            for (const ServePanel &panel : figure->panels) {
                for (const ServeLine &line : panel.lines) {
                    if (line.name != "P50" && line.name != "P99" && !line.name.starts_with("Batch "))
                        expectTranslated(line.name);
                    if (!panel.title.empty())
                        expectTranslated(panel.title + ", " + line.name);
                }
            }
        }
    }
}

TEST_F(GermanSentences, TheNotesOfPlansAreTranslated)
{
    EXPECT_EQ(
        german("Speed is estimated from the data sheet of the H100 80GB SXM5: no published runs on it with slipway are "
               "known."),
        "Die Geschwindigkeit kommt aus dem Datenblatt der H100 80GB SXM5; diese Version kennt keine veröffentlichten "
        "Läufe darauf mit slipway.");
    EXPECT_EQ(german("Speed is estimated from the data sheet of the H100 80GB SXM5: few published runs on it with "
                     "pytorch-compile are known."),
        "Die Geschwindigkeit kommt aus dem Datenblatt der H100 80GB SXM5; diese Version kennt wenige veröffentlichte "
        "Läufe darauf mit pytorch-compile.");
    EXPECT_EQ(german("the price is for 2 of 8 GPUs, but big.8 has 8 GPUs and is rented as a whole: $32.00/h"),
        "der Preis gilt für 2 von 8 GPUs, aber big.8 hat 8 GPUs und wird als Ganzes gemietet: 32,00 $/h");
    const Catalogue catalogue = loadCatalogue().value();
    for (const char *framework : {"hf-trainer", "nanogpt", "deepspeed", "slipway"}) {
        for (const char *gpu : {"h100-sxm-80gb", "cpu"}) {
            RunConfig config;
            config.gpu = gpu;
            ASSERT_TRUE(setSettingText(*findSetting("framework"), config, framework));
            const Result<Prediction> prediction = predict(config, catalogue);
            if (!prediction) // the framework does not run on a processor
                continue;
            for (const std::string &note : prediction->notes)
                EXPECT_NE(german(note), note);
        }
    }
}

TEST_F(GermanSentences, WhyAConstantIsNotFittedIsTranslated)
{
    EXPECT_EQ(german("is not needed: without it, predictions are within 0.4 % of the measurements"),
        "ist nicht nötig: ohne sie liegen die Vorhersagen innerhalb von 0,4 % der Messungen");
    EXPECT_EQ(german("1.067 ± 0.042 times the catalogue's value"), "das 1,067 ± 0,042-Fache des Katalogwerts");
    EXPECT_EQ(german("typo: mine.csv:3: gpu 'H9000' is not in the catalogue; 2 further rows cannot be used either"),
        "typo: mine.csv:3: die GPU „H9000“ ist nicht im Katalog; 2 weitere Zeilen sind ebenfalls unbrauchbar");
}

TEST_F(GermanSentences, WhatAServersPlanComesFromIsTranslated)
{
    EXPECT_EQ(german("vLLM 0.9: 19 fields of its profile apply; not verified: block, sequences, step_s, int8_bits."),
        "vLLM 0.9: 19 Felder seines Profils gelten; nicht geprüft: block, sequences, step_s, int8_bits.");
    EXPECT_EQ(german("vLLM: 19 fields of its profile apply."), "vLLM: 19 Felder seines Profils gelten.");
}

TEST_F(GermanSentences, WhatALogLacksIsTranslated)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const char *log : {"", "tokens/s: nan\ntokens/s: inf\n", "iter 0: loss 10.9, time 5000.00ms\n"}) {
        std::istringstream stream(log);
        const Result<TrainingLog> read = readTrainingLog(stream, "log", catalogue.frameworks.scriptInterfaceOf({}).log);
        ASSERT_FALSE(read) << log;
        EXPECT_NE(german(read.error().what), read.error().what);
        EXPECT_NE(german(read.error().accepted), read.error().accepted);
    }
}

TEST_F(GermanSentences, AreFoundWithACapitalAtTheirBeginning)
{
    EXPECT_EQ(
        german("a step takes 6.1 s; the prediction is 112.8 ms, at most 180.5 ms. The cause is not known: the run "
               "has no measurements of its GPUs by nvidia-smi. Memory peaks at 2.0 GiB instead of 1.0 GiB: batch, "
               "sequence length, precision or attention kernel may differ from the plan"),
        "ein Schritt dauert 6,1 s; vorhergesagt sind 112,8 ms, höchstens 180,5 ms. Die Ursache ist nicht bekannt: der "
        "Lauf hat keine Messwerte seiner GPUs von nvidia-smi. Die Speicherspitze ist 2,0 GiB statt 1,0 GiB: Batch, "
        "Sequenzlänge, Genauigkeit oder Attention-Kernel sind vielleicht nicht die des Plans");
}

TEST_F(GermanSentences, WhyARunOnAProcessorIsSlowIsTranslated)
{
    EXPECT_EQ(german("a step takes 6.1 s; the prediction is 112.8 ms, at most 180.5 ms. The cause is not known: other "
                     "programs may use the processor, or it is slower than estimated"),
        "ein Schritt dauert 6,1 s; vorhergesagt sind 112,8 ms, höchstens 180,5 ms. Die Ursache ist nicht bekannt: "
        "andere Programme nutzen vielleicht den Prozessor, oder er ist langsamer als geschätzt");
}

TEST_F(GermanSentences, AreFoundWithinOtherSentences)
{
    EXPECT_EQ(german("is predicted not to fit: 90.0 GiB of 80.0 GiB on H100 80GB SXM5; a micro_batch of up to 4 fits. "
                     "--force starts it anyway"),
        "passt nach der Vorhersage nicht: 90,0 GiB von 80,0 GiB auf H100 80GB SXM5; ein micro_batch bis 4 passt. "
        "--force startet trotzdem");
    EXPECT_EQ(german("the loss has not been finite since step 12"), "Loss: nicht endlich seit Schritt 12");
}

TEST_F(GermanSentences, ThatAreTextsWithAFullStopAreTranslatedOneByOne)
{
    EXPECT_EQ(german("Keys and values take one byte per number. Answers change slightly."),
        german("Keys and values take one byte per number.") + " Antworten ändern sich leicht.");
    EXPECT_NE(german("Keys and values take one byte per number."), "Keys and values take one byte per number.");
}

TEST_F(GermanSentences, OfARunThatIsSlowTellWhichPartDiffers)
{
    RunData run = exampleRun(20);
    run.config->training.command = {"train"};
    run.prediction = slipway::examplePrediction();
    const auto message = [&](const std::function<void(StepMetrics &)> &change) {
        editSteps(run.metrics, [&](auto &rows) {
            for (StepMetrics &step : rows) {
                step = {.step = step.step, .time = step.time, .stepSeconds = 10, .loss = step.loss};
                change(step);
            }
        });
        return alertsOf(run, exampleStart + std::chrono::seconds(21)).at(0).message;
    };
    const std::vector<std::pair<std::function<void(StepMetrics &)>, const char *>> slow{
        {[](auto &) {}, "Die Ursache ist nicht bekannt: der Lauf hat keine Messwerte seiner GPUs von nvidia-smi"},
        {[](auto &step) { step.dataWait = 4, step.communicationExposed = 2; },
            "Ein Schritt wartet 4,0 s auf Daten, 40 % seiner Zeit: mehr Ladeprozesse oder ein schnellerer Datenträger "
            "würden helfen. Ein Schritt wartet 2,0 s auf Kommunikation, 20 % seiner Zeit: die Verbindungen zwischen "
            "GPUs oder Knoten sind vielleicht langsamer als geplant"},
        {[](auto &step) {
             step.gpus = {{.utilisation = 97, .clockMhz = 990, .clockMaxMhz = 1980, .throttleReasons = 4}};
         },
            "GPU 0 läuft mit 990 von höchstens 1980 MHz: ihre Leistungsgrenze senkt den Takt"},
        {[](auto &step) {
             step.gpus = {{.utilisation = 97, .temperatureC = 90, .clockMhz = 990, .clockMaxMhz = 1980}};
         },
            "GPU 0 läuft mit 990 von höchstens 1980 MHz bei 90 °C: der Treiber nennt keinen Grund"},
        {[](auto &step) { step.gpus = {{.utilisation = 99, .temperatureC = 90}}; },
            "GPU 0 hat 90 °C: so heiß senkt eine GPU ihren Takt"},
        {[](auto &step) { step.gpus = {{.utilisation = 99}, {.utilisation = 50}, {.utilisation = 99}}; },
            "Ein Rank weicht ab: GPU 1 ist 50 % der Zeit ausgelastet, die anderen 99 %"},
        {[](auto &step) { step.gpus = {{.utilisation = 50}}; },
            "GPU-Auslastung 50 %: Die GPUs warten auf Daten, auf den Prozessor oder auf die Arbeit des "
            "Skripts"},
        {[](auto &step) { step.gpus = {{.utilisation = 99}}; },
            "GPU-Auslastung 99 %: Die Kernel sind langsamer als geplant, wie bei niedrigerem Takt "
            "oder einem anderen Attention-Kernel"},
    };
    for (const auto &[change, words] : slow)
        EXPECT_EQ(german(message(change)),
            "ein Schritt dauert 10,0 s; vorhergesagt sind 900,0 ms, höchstens 1,2 s. " + std::string(words));
}

TEST_F(GermanSentences, WhatIsNotKnownOrHoldsAPercentSignStaysAsItIs)
{
    EXPECT_EQ(german("libfoo.so: cannot open shared object file"), "libfoo.so: cannot open shared object file");
    EXPECT_EQ(german("/data/%1 %2 is empty"), "/data/%1 %2 ist leer");
    EXPECT_EQ(german("either this or that"), "either this or that") << "no sentence of core is this loose";
}

TEST_F(GermanSentences, EveryRefusalOfAMeshOrATrainingIsTranslatedWithWhatWouldBeAccepted)
{
    ModelSpec dense;
    dense.name = "model";
    dense.layers = 4;
    dense.hidden = 64;
    dense.vocab = 128;
    dense.attention.heads = 4;
    dense.attention.kvHeads = 2;
    dense.attention.headDim = 16;
    dense.mlp.width = 128;
    const auto refusal = [&](const std::function<void(RunConfig &)> &change) {
        RunConfig config;
        config.seqLen = 96;
        change(config);
        const Result<void> checked = validate(config, dense);
        EXPECT_FALSE(checked);
        return checked ? Error{} : checked.error();
    };
    const std::vector<std::function<void(RunConfig &)>> wrong{
        [](RunConfig &c) { c.parallel.gpus = 0; },
        [](RunConfig &c) { c.parallel.gpus = 6, c.parallel.tp = 4; },
        [](RunConfig &c) { c.parallel.gpus = 2; },
        [](RunConfig &c) { c.parallel.gpus = c.parallel.tp = 3; },
        [](RunConfig &c) { c.parallel.gpus = c.parallel.pp = 8; },
        [](RunConfig &c) { c.parallel.gpus = c.parallel.cp = 5; },
        [](RunConfig &c) { c.parallel.schedule = PipelineSchedule::GPipe; },
        [](RunConfig &c) { c.parallel.ep = 2; },
        [](RunConfig &c) { c.recomputeOps = {"nothing"}; },
        [](RunConfig &c) { c.training.noDecay = {"nothing"}; },
        [](RunConfig &c) { c.training.minLearningRate = 2 * c.training.learningRate; },
        [](RunConfig &c) { c.loraRank = 65; },
        [](RunConfig &c) { c.balanceLoss = true; },
    };
    for (std::size_t i = 0; i < wrong.size(); ++i) {
        const Error error = refusal(wrong[i]);
        EXPECT_NE(german(error.what), error.what) << i;
        const bool words = error.accepted.find(" or ") != std::string::npos ||
                           error.accepted.find(" to ") != std::string::npos ||
                           error.accepted.find(" a ") != std::string::npos;
        EXPECT_TRUE(!words || german(error.accepted) != error.accepted) << error.message();
        EXPECT_NE(problemText(error).toStdString(), error.message());
    }
    const Error error = refusal(wrong[3]);
    EXPECT_EQ(fieldMessage(error).toStdString(),
        "Tensor-Parallel: die Tensor-Parallel-Größe 3 teilt die 4 Attention-Heads nicht. Zulässig: 1 mit "
        "Parallelisierung 'DDP' oder 2 mit GPUs 2.");
}

TEST_F(GermanSentences, EveryCommandOfALaunchIsTranslatedOnEveryKindOfHost)
{
    const TemporaryDirectory folder;
    const std::filesystem::path tokens = folder.path() / "tokens.bin";
    std::ofstream(tokens) << "tokens";
    PlannedRun trainer{.directory = folder.path() / "run"}, script = trainer;
    trainer.config.training.data = {{.path = tokens.string()}};
    script.config.training.command = {"python3", "train.py"};
    for (const char *name : {"local", "node7", "slurm:node7", "node7,node8"}) {
        const Result<std::unique_ptr<Host>> host = makeHost(name);
        ASSERT_TRUE(host) << name;
        for (const PlannedRun &run : {trainer, script}) {
            for (const PlannedCommand &planned : (*host)->plannedCommands({run}))
                EXPECT_NE(german(planned.what), planned.what) << name;
        }
    }
}

TEST_F(GermanSentences, EveryAnswerOfSshIsTranslatedWithWhatWouldBeAccepted)
{
    for (const char *said : {"@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nsent by the remote host is\n"
                             "SHA256:abc.\nOffending ED25519 key in known_hosts:3",
             "Host key verification failed.", "ada@node7: Permission denied (publickey).",
             "ada@node7: Permission denied (publickey,password).",
             "ssh: Could not resolve hostname node7: Name or service not known",
             "ssh: connect to host node7 port 22: Connection refused"}) {
        const Error error = sshError("node7", said);
        EXPECT_NE(german(error.what), error.what) << said;
        EXPECT_TRUE(error.accepted.empty() || german(error.accepted) != error.accepted) << error.accepted;
    }
}

TEST_F(GermanSentences, ARefusalToStopIsTranslated)
{
    const TemporaryDirectory folder;
    const Result<std::unique_ptr<Host>> host = makeHost("local");
    const Result<RunStatus> stopped = stopRun(folder.path(), **host);
    ASSERT_FALSE(stopped);
    EXPECT_NE(german(stopped.error().what), stopped.error().what);
}

TEST(EnglishSentences, AreThoseOfCore)
{
    const Error error{.what = "72.4 GiB of 80.0 GiB in use", .where = "here", .accepted = "2 or 4"};
    EXPECT_EQ(problemText(error).toStdString(), error.message());
    EXPECT_EQ(coreText("the loss has not been finite since step 12").toStdString(),
        "the loss has not been finite since step 12");
}

} // namespace
} // namespace slipway::ui
