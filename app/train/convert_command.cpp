// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <filesystem>
#include <fmt/format.h>
#include <memory>

#include "command.h"
#include "hardware/catalogue.h"
#include "run/convert.h"

namespace slipway::train_app {

namespace {

struct Folders {
    std::filesystem::path from, to;
    std::string type = "fp32";
    bool average = false;
};

int runImport(const Folders &folders)
{
    const Result<Catalogue> catalogue = loadCatalogue();
    if (!catalogue)
        return report(catalogue.error());
    if (const Result<void> done = importHf(folders.from, folders.to, *catalogue); !done)
        return report(done.error());
    fmt::print("{}: imported {} as the checkpoint of step 0. Set data in run.yaml, then start it: slipway-train run {} "
               "--resume\n",
        folders.to.string(), folders.from.string(), folders.to.string());
    return 0;
}

int runExport(const Folders &folders)
{
    const Result<Catalogue> catalogue = loadCatalogue();
    if (!catalogue)
        return report(catalogue.error());
    const Result<std::filesystem::path> run = runCalled(folders.from.string());
    if (!run)
        return report(run.error());
    const Result<std::int64_t> step = exportHf(*run, folders.to, *enumFromName<ExportType>(folders.type), *catalogue,
        folders.average ? WeightsOf::Average : WeightsOf::Newest);
    if (!step)
        return report(step.error());
    fmt::print("{}: exported step {}; AutoModelForCausalLM.from_pretrained loads it\n", folders.to.string(), *step);
    return 0;
}

} // namespace

void addConvertCommands(CLI::App &app, int &status)
{
    const auto in = std::make_shared<Folders>(), out = std::make_shared<Folders>();
    CLI::App *const import =
        addCommand(app, "import-hf", "Create a run that starts from the weights of a Hugging Face model",
            "slipway-train import-hf SmolLM --out my-run");
    import->add_option("DIR", in->from, "Folder with config.json and model.safetensors")->required();
    import->add_option("--out", in->to, "Run directory to create")->required();
    import->callback([in, &status] { status = runImport(*in); });

    CLI::App *const toHf =
        addCommand(app, "export-hf", "Export the latest checkpoint of a run in the Hugging Face format",
            "slipway-train export-hf my-run --out my-model");
    toHf->add_option("RUN", out->from, "Name or directory of a run that has a checkpoint")->required();
    toHf->add_option("--out", out->to, "Folder to create")->required();
    toHf->add_option("--dtype", out->type, "Data type of the weights")
        ->check(CLI::IsMember({"fp32", "bf16"}))
        ->capture_default_str();
    toHf->add_flag(
        "--ema", out->average, "Export the moving average of the weights; the run must have the setting ema");
    toHf->callback([out, &status] { status = runExport(*out); });
}

} // namespace slipway::train_app
