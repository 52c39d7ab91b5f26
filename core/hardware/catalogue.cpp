// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hardware/catalogue.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "base/ascii.h"
#include "base/unknown_name.h"
#include "frameworks/read_torch_changes.h"
#include "hardware/gpu_name.h"
#include "hardware/processor.h"
#include "hardware/tables.h"

namespace slipway {

namespace {

// Reads one file into `target`, with one of the functions of tables.h and speed_rates.h.
template<typename Table>
Result<void> load(
    const std::filesystem::path &path, Result<Table> (*read)(const YamlNode &, const std::string &), Table &target)
{
    const Result<YamlNode> file = readYaml(path);
    if (!file)
        return file.error();
    Result<Table> table = read(*file, path.string());
    if (!table)
        return table.error();
    if constexpr (requires { table->empty(); }) {
        if (table->empty())
            return Error{.what = "has no records", .where = path.string()};
    }
    target = *std::move(table);
    return {};
}

bool sameName(std::string_view a, std::string_view b)
{
    return std::equal(
        a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lowerChar(x) == lowerChar(y); });
}

// Removes the maker or the product line that a driver adds to the name: "NVIDIA H100 80GB HBM3", "Tesla
// V100-SXM2-32GB".
std::string_view withoutMaker(std::string_view name)
{
    for (const std::string_view maker : {"NVIDIA ", "Tesla ", "GeForce "}) {
        if (name.size() > maker.size() && sameName(name.substr(0, maker.size()), maker))
            name.remove_prefix(maker.size());
    }
    return name;
}

// "RTX 4090", "rtx-4090" and "RTX4090" are the same name. "Llama 3.1 8B" is llama-3.1-8b.
bool sameWithoutSeparators(std::string_view a, std::string_view b)
{
    const auto separates = [](char c) { return c == ' ' || c == '-' || c == '_'; };
    const auto skip = [&](std::string_view &text) {
        while (!text.empty() && separates(text.front()))
            text.remove_prefix(1);
    };
    for (skip(a), skip(b); !a.empty() && !b.empty(); skip(a), skip(b)) {
        if (!sameName(a.substr(0, 1), b.substr(0, 1)))
            return false;
        a.remove_prefix(1);
        b.remove_prefix(1);
    }
    return a.empty() && b.empty();
}

// Whether the characters of the chip, which are in lower case, occur in the name in this order. Without them, reading
// the name would be in vain, and that takes much longer.
bool mayNameChip(std::string_view name, std::string_view chip)
{
    for (std::size_t i = 0; i < name.size() && !chip.empty(); ++i) {
        if (lowerChar(name[i]) == chip.front())
            chip.remove_prefix(1);
    }
    return chip.empty();
}

// How closely a name of the catalogue matches the given name.
enum class Likeness { Same, OfItsMemory, OfAnyForm };

// Whether a name of the GPU has the chip, the memory and the form that were given. A name without memory has the GPU's.
bool means(const Gpu &gpu, const GpuName &written, Likeness likeness)
{
    const auto alike = [&](std::string_view name) {
        if (!mayNameChip(name, written.chip))
            return false;
        const GpuName known = readGpuName(name);
        if (likeness == Likeness::Same)
            return known == written;
        return known.chip == written.chip && (!written.gb || written.gb == known.gb || *written.gb == gpu.nominalGb) &&
               (known.form == written.form || (likeness == Likeness::OfAnyForm && written.form.empty()));
    };
    return alike(gpu.id) || alike(gpu.name) || std::any_of(gpu.aliases.begin(), gpu.aliases.end(), alike);
}

template<typename Records, typename Name>
std::string listed(const Records &records, Name name)
{
    std::string text;
    for (const auto &record : records)
        text += (text.empty() ? "" : ", ") + name(record);
    return text;
}

// The chip in a GPU's id: "h100" of "h100-sxm-80gb".
std::string_view chipOf(std::string_view id) { return id.substr(0, id.find('-')); }

// Three GPUs: those with the names nearest to an unknown one, and others of the nearest one's chip. The whole catalogue
// is too long for a message.
std::string nearestGpus(const std::vector<Gpu> &gpus, std::string_view name, std::span<const std::string> names)
{
    constexpr std::size_t kMost = 3;
    std::vector<std::string_view> found; // ids
    const auto add = [&](const Gpu &gpu) {
        if (found.size() < kMost && std::ranges::find(found, gpu.id) == found.end())
            found.push_back(gpu.id);
    };
    for (const std::string &near : nearestNames(name, names))
        add(*std::ranges::find_if(gpus, [&](const Gpu &gpu) {
            return gpu.id == near || std::ranges::find(gpu.aliases, near) != gpu.aliases.end();
        }));
    for (const Gpu &gpu : gpus) {
        if (!found.empty() && chipOf(gpu.id) == chipOf(found.front()))
            add(gpu);
    }
    return found.empty() ? "a GPU that slipway catalog gpus lists"
                         : fmt::format("{}, or another GPU that slipway catalog gpus lists", fmt::join(found, ", "));
}

} // namespace

// Exact names cost only the comparison, because a sweep looks up thousands of names. Only other names are parsed.
const Gpu *Catalogue::findGpu(std::string_view name) const
{
    const std::string_view shortName = withoutMaker(name);
    for (const Gpu &candidate : gpus) {
        if (sameWithoutSeparators(candidate.id, shortName) || sameWithoutSeparators(candidate.name, name))
            return &candidate;
    }
    for (const Gpu &candidate : gpus) {
        if (std::any_of(candidate.aliases.begin(), candidate.aliases.end(),
                [shortName](const std::string &alias) { return sameWithoutSeparators(alias, shortName); }))
            return &candidate;
    }
    if (const GpuName written = readGpuName(name); !written.chip.empty()) {
        for (const Likeness likeness : {Likeness::Same, Likeness::OfItsMemory, Likeness::OfAnyForm}) {
            for (const Gpu &candidate : gpus) {
                if (means(candidate, written, likeness))
                    return &candidate;
            }
        }
    }
    return nullptr;
}

Result<Gpu> Catalogue::gpu(std::string_view name) const
{
    if (const Gpu *found = findGpu(name))
        return *found;
    std::vector<std::string> names;
    for (const Gpu &candidate : gpus) {
        names.push_back(candidate.id);
        names.insert(names.end(), candidate.aliases.begin(), candidate.aliases.end());
    }
    return unknownName("GPU", name, names, "--gpu", nearestGpus(gpus, name, names));
}

Result<CatalogueModel> Catalogue::model(std::string_view name) const
{
    for (const CatalogueModel &candidate : models) {
        if (sameName(candidate.spec.name, name) || (!name.empty() && sameName(candidate.huggingFaceId, name)))
            return candidate;
    }
    for (const CatalogueModel &candidate : models) {
        const std::string_view repository = candidate.huggingFaceId,
                               own = repository.substr(repository.rfind('/') + 1); // "gpt2-xl"
        if (sameWithoutSeparators(candidate.spec.name, name) || (!own.empty() && sameWithoutSeparators(own, name)))
            return candidate;
    }
    std::vector<std::string> names;
    for (const CatalogueModel &candidate : models)
        names.push_back(candidate.spec.name);
    return unknownName(
        "model", name, names, "--model", listed(models, [](const CatalogueModel &record) { return record.spec.name; }));
}

Result<PriceBook> Catalogue::priceBook(std::string_view id) const
{
    if (id.empty() && !priceBooks.empty())
        return priceBooks.front();
    for (const PriceBook &candidate : priceBooks) {
        if (sameName(candidate.id, id))
            return candidate;
    }
    std::vector<std::string> names;
    for (const PriceBook &candidate : priceBooks)
        names.push_back(candidate.id);
    return unknownName(
        "price book", id, names, "--prices", listed(priceBooks, [](const PriceBook &record) { return record.id; }));
}

Result<ScalingLaw> Catalogue::scalingLaw(std::string_view id) const
{
    if (id.empty() && !scalingLaws.empty())
        return scalingLaws.front();
    for (const ScalingLaw &candidate : scalingLaws) {
        if (sameName(candidate.id, id))
            return candidate;
    }
    std::vector<std::string> names;
    for (const ScalingLaw &candidate : scalingLaws)
        names.push_back(candidate.id);
    return unknownName("scaling law", id, names, "--scaling-law",
        listed(scalingLaws, [](const ScalingLaw &record) { return record.id; }));
}

Result<Calibration> Catalogue::calibration(std::string_view id) const
{
    if (id.empty())
        return Calibration{};
    for (const Calibration &candidate : calibrations) {
        if (candidate.id == id)
            return candidate;
    }
    std::vector<std::string> names;
    for (const Calibration &candidate : calibrations)
        names.push_back(candidate.id);
    if (names.empty())
        return Error{
            .what = "unknown calibration '" + std::string(id.substr(0, 60)) + "'; there are no calibrations yet",
            .where = "--calibration",
            .accepted = "the name of a calibration saved by slipway calibrate"};
    return unknownName("calibration", id, names, "--calibration",
        listed(calibrations, [](const Calibration &record) { return record.id; }));
}

Result<Catalogue> loadCatalogue(const std::filesystem::path &directory)
{
    const std::filesystem::path folder = directory / "catalogue";
    Catalogue catalogue;
    for (const Result<void> &loaded :
        {load(folder / "gpus.yaml", gpusOf, catalogue.gpus), load(folder / "nodes.yaml", nodesOf, catalogue.nodes),
            load(folder / "models.yaml", modelsOf, catalogue.models),
            load(folder / "prices.yaml", priceBooksOf, catalogue.priceBooks),
            load(folder / "scaling_laws.yaml", scalingLawsOf, catalogue.scalingLaws),
            load(folder / "scaling_laws.yaml", batchLawsOf, catalogue.batchLaws),
            load(folder / "rates.yaml", speedRatesOf, catalogue.rates)}) {
        if (!loaded)
            return loaded.error();
    }
    Result<Frameworks> frameworks = readFrameworks(directory / "frameworks");
    if (!frameworks)
        return frameworks.error();
    if (const Result<void> complete = checkTorchChanges(*frameworks, (directory / "frameworks/engines").string());
        !complete)
        return complete.error();
    catalogue.frameworks = *std::move(frameworks);
    if (const Result<void> own = addFrameworks(catalogue.frameworks, userFrameworkFolder()); !own)
        return own.error();
    catalogue.gpus.push_back(processorDevice(processorFacts(), catalogue.rates));
    return catalogue;
}

} // namespace slipway
