// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hardware/catalogue.h"

#include <algorithm>

#include "base/text.h"
#include "hardware/processor.h"
#include "hardware/tables.h"

namespace slipway {

namespace {

// Reads one file by one of the functions of tables.h into `target`.
template<typename Record>
Result<void> load(const std::filesystem::path &path, Result<std::vector<Record>> (*read)(const YamlNode &, const std::string &),
                  std::vector<Record> &target)
{
    const Result<YamlNode> file = readYaml(path);
    if (!file)
        return file.error();
    Result<std::vector<Record>> records = read(*file, path.string());
    if (!records)
        return records.error();
    if (records->empty())
        return Error{.what = "holds no record", .where = path.string()};
    target = *std::move(records);
    return {};
}

Error notFound(std::string_view kind, std::string_view flag, std::string_view name, const std::vector<std::string> &names, const std::string &all)
{
    const auto near = nearestName(name, names);
    return {.what = "unknown " + std::string(kind) + " '" + std::string(name.substr(0, 60)) + "'", .where = std::string(flag),
            .accepted = near ? *near + "; all: " + all : all};
}

bool sameName(std::string_view a, std::string_view b)
{
    return a.size() == b.size() && toLower(a) == toLower(b);
}

template<typename Records, typename Name>
std::string listed(const Records &records, Name name)
{
    std::string text;
    for (const auto &record : records)
        text += (text.empty() ? "" : ", ") + name(record);
    return text;
}

} // namespace

Result<Gpu> Catalogue::gpu(std::string_view name) const
{
    std::vector<std::string> names;
    for (const Gpu &candidate : gpus) {
        if (sameName(candidate.id, name) || sameName(candidate.name, name))
            return candidate;
        names.push_back(candidate.id);
    }
    for (const Gpu &candidate : gpus) {
        for (const std::string &alias : candidate.aliases) {
            if (sameName(alias, name))
                return candidate;
            names.push_back(alias);
        }
    }
    return notFound("GPU", "--gpu", name, names, listed(gpus, [](const Gpu &record) { return record.id; }));
}

Result<CatalogueModel> Catalogue::model(std::string_view name) const
{
    std::vector<std::string> names;
    for (const CatalogueModel &candidate : models) {
        if (sameName(candidate.spec.name, name) || (!name.empty() && sameName(candidate.huggingFaceId, name)))
            return candidate;
        names.push_back(candidate.spec.name);
    }
    return notFound("model", "--model", name, names, listed(models, [](const CatalogueModel &record) { return record.spec.name; }));
}

Result<PriceBook> Catalogue::priceBook(std::string_view id) const
{
    if (id.empty() && !priceBooks.empty())
        return priceBooks.front();
    std::vector<std::string> names;
    for (const PriceBook &candidate : priceBooks) {
        if (sameName(candidate.id, id))
            return candidate;
        names.push_back(candidate.id);
    }
    return notFound("price book", "--prices", id, names, listed(priceBooks, [](const PriceBook &record) { return record.id; }));
}

Result<Catalogue> loadCatalogue(const std::filesystem::path &directory)
{
    const std::filesystem::path folder = directory / "catalogue";
    Catalogue catalogue;
    for (const Result<void> &loaded : {load(folder / "gpus.yaml", gpusOf, catalogue.gpus), load(folder / "nodes.yaml", nodesOf, catalogue.nodes),
                                       load(folder / "models.yaml", modelsOf, catalogue.models),
                                       load(folder / "prices.yaml", priceBooksOf, catalogue.priceBooks),
                                       load(folder / "scaling_laws.yaml", scalingLawsOf, catalogue.scalingLaws)}) {
        if (!loaded)
            return loaded.error();
    }
    catalogue.gpus.push_back(processorDevice(processorFacts()));
    return catalogue;
}

} // namespace slipway
