// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Sentences of core with numbers and names in them, in German.
#include <QLocale>

#include <functional>

#include "config/resolve_model.h"
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

TEST_F(GermanSentences, AreFoundWithinOtherSentences)
{
    EXPECT_EQ(german("is predicted not to fit: 90.0 GiB of 80.0 GiB on H100 80GB SXM5; a micro_batch of up to 4 fits. "
                     "--force starts it anyway"),
        "passt nach der Vorhersage nicht: 90,0 GiB von 80,0 GiB auf H100 80GB SXM5; ein micro_batch bis 4 passt. "
        "--force startet trotzdem");
    EXPECT_EQ(german("the loss is not finite since step 12"), "Loss: nicht endlich seit Schritt 12");
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
        "Tensor-Parallel: die Tensor-Parallel-Größe 3 teilt die 4 Attention-Heads nicht. Zulässig: 2 oder 4.");
}

TEST(EnglishSentences, AreThoseOfCore)
{
    const Error error{.what = "72.4 GiB of 80.0 GiB in use", .where = "here", .accepted = "2 or 4"};
    EXPECT_EQ(problemText(error).toStdString(), error.message());
    EXPECT_EQ(coreText("the loss is not finite since step 12").toStdString(), "the loss is not finite since step 12");
}

} // namespace
} // namespace slipway::ui
