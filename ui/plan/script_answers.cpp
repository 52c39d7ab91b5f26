// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/script_answers.h"

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "plan/data_parallel.h"
#include "ui/language/local_text.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

const QString kTrue = QStringLiteral("true"), kFalse = QStringLiteral("false");
const QString kSdpa = QStringLiteral("sdpa"), kPackage = QStringLiteral("package"),
              kWritten = QStringLiteral("written");
constexpr const char *kPackageKernel = "flash-2";

// The options of a framework, KEY=VALUE each.
class ScriptOptions {
public:
    explicit ScriptOptions(std::vector<std::string> options) : m_options(std::move(options)) {}

    [[nodiscard]] std::string value(const std::string &key) const
    {
        const auto found = std::find_if(m_options.begin(), m_options.end(), isOf(key));
        return found == m_options.end() ? std::string()
                                        : std::string(trimmed(std::string_view(*found).substr(found->find('=') + 1)));
    }
    // An empty value removes the option.
    void set(const std::string &key, const std::string &value)
    {
        std::erase_if(m_options, isOf(key));
        if (!value.empty())
            m_options.push_back(key + "=" + value);
    }
    [[nodiscard]] std::string text() const
    {
        std::string all;
        for (const std::string &option : m_options)
            all += (all.empty() ? "" : ",") + option;
        return all;
    }

private:
    static std::function<bool(const std::string &)> isOf(const std::string &key)
    {
        return [key](const std::string &option) { return trimmed(option.substr(0, option.find('='))) == key; };
    }
    std::vector<std::string> m_options;
};

Choice dontKnow() { return {QString(), tr("I don't know"), {}}; }

std::vector<Choice> torchVersions(const Frameworks &frameworks)
{
    std::vector<Choice> choices{dontKnow()};
    if (const FrameworkProfile *torch = frameworks.find("pytorch")) {
        for (auto release = torch->releases.rbegin(); release != torch->releases.rend(); ++release)
            choices.push_back({qs(release->version), qs(release->version), {}});
    }
    return choices;
}

bool isPytorch(const std::string &profile) { return profile == "pytorch" || profile == "pytorch-compile"; }

QString shardingOf(const RunConfig &config, const ScriptOptions &options, const std::string &profile)
{
    const ParallelKind kind = config.parallel.kind;
    std::string sharder = options.value("sharder");
    if (sharder.empty() && config.simulated.sharder != Sharder::Auto)
        sharder = enumName(config.simulated.sharder);
    if (sharder == "deepspeed" || profile == "deepspeed")
        return kind == ParallelKind::Zero1        ? QStringLiteral("zero1")
               : kind == ParallelKind::FsdpGradOp ? QStringLiteral("zero2")
               : runsFsdp(kind)                   ? QStringLiteral("zero3")
               : kind == ParallelKind::Ddp        ? QStringLiteral("ddp")
                                                  : QString();
    if (runsFsdp(kind))
        return sharder == "fsdp1" || sharder == "fsdp2" ? qs(sharder) : QString();
    return kind == ParallelKind::Ddp                                           ? QStringLiteral("ddp")
           : kind == ParallelKind::None && config.parallel.dataParallel() <= 1 ? QStringLiteral("none")
                                                                               : QString();
}

QString lossOf(const RunConfig &config, const ScriptOptions &options, const std::vector<Choice> &choices)
{
    const QString path = qs(options.value("loss_path").empty() ? std::string(enumName(config.simulated.lossPath))
                                                               : options.value("loss_path"));
    const auto isPath = [&path](const Choice &choice) { return choice.value == path; };
    return std::any_of(choices.begin(), choices.end(), isPath) ? path : QString();
}

QString attentionOf(const RunConfig &config, const ScriptOptions &options)
{
    if (!config.attention)
        return {};
    if (*config.attention == Attention::Vanilla)
        return kWritten;
    return options.value("attention_kernel") == kPackageKernel ? kPackage : kSdpa;
}

// The profile that fits the answers, with the version of PyTorch if it is known. The engine alone, which has the name
// of a profile, stands for no version.
std::string frameworkFor(const ScriptAnswers &answers, ScriptOptions &options)
{
    const std::string torch = answers.torch.trimmed().toStdString();
    if (answers.sharding.startsWith(QStringLiteral("zero"))) {
        options.set("compile", answers.compiled.toStdString());
        options.set("torch", torch);
        return "deepspeed";
    }
    options.set("torch", {});
    options.set("compile", torch.empty() ? answers.compiled.toStdString() : "");
    if (torch.empty())
        return "pytorch";
    return (answers.compiled == kTrue       ? "pytorch-compile@"
               : answers.compiled == kFalse ? "pytorch-eager@"
                                            : "pytorch@") +
           torch;
}

void addSharding(SettingTexts &changes, ScriptOptions &options, const RunConfig &config, const QString &answer)
{
    const Parallelism &mesh = config.parallel;
    const bool isZero = answer.startsWith(QStringLiteral("zero"));
    options.set("sharder", answer.startsWith(QStringLiteral("fsdp")) ? answer.toStdString() : "");
    const std::string kind = answer == QStringLiteral("zero1")   ? "zero1"
                             : answer == QStringLiteral("zero2") ? "fsdp-grad-op"
                             : isZero                            ? "fsdp-full"
                             : answer.startsWith(QStringLiteral("fsdp"))
                                 ? std::string(runsFsdp(mesh.kind) ? enumName(mesh.kind) : "fsdp-full")
                                 : answer.toStdString();
    if (kind.empty())
        return;
    changes.emplace_back("parallel", kind);
    if (kind == "none" && mesh.dataParallel() > 1)
        changes.emplace_back("gpus", std::to_string(mesh.modelParallel()));
}

void addAttention(SettingTexts &changes, ScriptOptions &options, const QString &answer)
{
    options.set("attention_kernel", answer == kPackage ? kPackageKernel : "");
    changes.emplace_back("attention", answer.isEmpty() ? "" : answer == kWritten ? "vanilla" : "flash");
}

} // namespace

std::vector<ScriptQuestion> scriptQuestions(const Frameworks &frameworks)
{
    const auto choice = [](const char *value, const QString &shown) {
        return Choice{qs(std::string(value)), shown, {}};
    };
    return {
        {tr("Does torch.compile compile the model?"), &ScriptAnswers::compiled,
            {dontKnow(), {kFalse, tr("No"), {}}, {kTrue, tr("Yes"), {}}}},
        {tr("How are the weights kept and cast?"), &ScriptAnswers::weights,
            {dontKnow(), choice("bf16-mixed", tr("fp32 weights, autocast to bf16")),
                choice("fp16-mixed", tr("fp32 weights, autocast to fp16")), choice("bf16", tr("bf16 weights")),
                choice("fp32", tr("fp32 throughout"))}},
        {tr("What replicates or shards the model?"), &ScriptAnswers::sharding,
            {dontKnow(), choice("none", tr("Nothing, it runs on one GPU")),
                choice("ddp", QStringLiteral("DDP (DistributedDataParallel)")),
                choice("fsdp1", QStringLiteral("FSDP1 (FullyShardedDataParallel)")),
                choice("fsdp2", QStringLiteral("FSDP2 (fully_shard)")),
                choice("zero1", QStringLiteral("DeepSpeed ZeRO-1")),
                choice("zero2", QStringLiteral("DeepSpeed ZeRO-2")),
                choice("zero3", QStringLiteral("DeepSpeed ZeRO-3"))}},
        {tr("How is the loss computed?"), &ScriptAnswers::loss,
            {dontKnow(), choice("bf16", tr("Cross-entropy of 16-bit logits")),
                choice("upcast", tr("Cross-entropy of logits converted to fp32")),
                choice("chunked", tr("In chunks of the sequence")),
                choice("fused", tr("Fused with the LM head, as in Liger"))}},
        {tr("Which attention does it call?"), &ScriptAnswers::attention,
            {dontKnow(), {kSdpa, QStringLiteral("scaled_dot_product_attention"), {}},
                {kPackage, tr("The package flash-attn"), {}},
                {kWritten, tr("Written out, with a softmax of all scores"), {}}}},
        {tr("PyTorch version"), &ScriptAnswers::torch, torchVersions(frameworks), true},
    };
}

ScriptAnswers scriptAnswersOf(const RunConfig &config, const Frameworks &frameworks)
{
    const ScriptOptions options(config.frameworkOptions);
    const Result<FrameworkVersion> version = frameworks.resolve(config.software);
    const bool named = !config.software.empty() && version;
    const std::string profile = named ? version->id : std::string();
    ScriptAnswers answers;
    answers.compiled = qs(options.value("compile"));
    if (profile == "pytorch-compile" || (config.software.empty() && config.framework == Framework::PytorchCompile))
        answers.compiled = kTrue;
    else if (config.software.starts_with("pytorch-eager") ||
             (config.software.empty() && config.framework == Framework::PytorchEager))
        answers.compiled = kFalse;
    answers.torch = qs(isPytorch(profile) ? version->version : options.value("torch"));
    answers.weights = config.precision ? qs(enumName(*config.precision)) : QString();
    answers.sharding = shardingOf(config, options, profile);
    answers.loss = lossOf(config, options, scriptQuestions(frameworks)[3].choices);
    answers.attention = attentionOf(config, options);
    return answers;
}

SettingTexts scriptChanges(const RunConfig &config, const ScriptAnswers &answers, const Frameworks &frameworks)
{
    const ScriptAnswers before = scriptAnswersOf(config, frameworks);
    ScriptOptions options(config.frameworkOptions);
    SettingTexts changes{{"framework", frameworkFor(answers, options)}};
    if (answers.weights != before.weights)
        changes.emplace_back("precision", answers.weights.toStdString());
    if (answers.sharding != before.sharding)
        addSharding(changes, options, config, answers.sharding);
    if (answers.loss != before.loss) {
        options.set("loss_path", answers.loss.toStdString());
        changes.emplace_back("loss_path", "auto"); // the field of the form
    }
    if (answers.attention != before.attention)
        addAttention(changes, options, answers.attention);
    changes.emplace_back("framework_option", options.text());
    std::erase_if(changes, [&config](const auto &change) {
        const Result<RunConfig> same = applySetting(config, change.first, change.second);
        return same && *same == config;
    });
    return changes;
}

} // namespace slipway::ui
