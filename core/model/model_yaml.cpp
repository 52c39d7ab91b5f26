// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/model_yaml.h"

#include <algorithm>
#include <fmt/format.h>

#include "model/families.h"
#include "model/model_fields.h"
#include "model/validate_model.h"

namespace slipway {

namespace {

// A field that the row has; where it has none, the place stays as it is.
struct ReadField {
    YamlRow &row;
    std::string_view key;

    void operator()(int *place) const { *place = row.integer(key).value_or(*place); }
    void operator()(double *place) const { *place = row.number(key).value_or(*place); }
    void operator()(bool *place) const { *place = row.boolean(key, *place); }
    void operator()(const TextAccessor &place) const
    {
        const YamlNode *node = row.child(key);
        if (node && (node->kind != YamlNode::Kind::Scalar || !place.set(node->scalar)))
            row.fail(node->line, "'" + std::string(key) + "' is '" + node->scalar.substr(0, 60) + "'", place.accepted);
    }
};

// An error of validateModel(), which names a flag: the row has the same setting under the key of that name.
Error placedInRow(const Error &error, const YamlNode &row, const std::filesystem::path &path)
{
    std::string key = error.where.substr(error.where.starts_with("--") ? 2 : 0);
    std::replace(key.begin(), key.end(), '-', '_');
    const YamlNode *const node = row.find(key);
    return {.what = key + ": " + error.what,
        .where = node ? fmt::format("{}:{}", path.string(), node->line) : path.string(),
        .accepted = error.accepted};
}

} // namespace

ModelSpec modelFromRow(YamlRow &row)
{
    ModelSpec model;
    if (const YamlNode *node = row.child("architecture")) {
        if (const ModelFamily *family = familyOfType(node->scalar))
            model = familyDefaults(*family);
        else
            row.fail(node->line, "unknown architecture '" + node->scalar.substr(0, 60) + "'", familyNames());
    }
    model.name = row.text("name");
    for (const char *key : {"layers", "hidden", "heads", "ffn", "vocab"})
        row.requiredInteger(key);
    for (const ModelField &field : modelFields())
        std::visit(ReadField{row, field.key}, field.at(model));
    if (model.attention.kvHeads == 0)
        model.attention.kvHeads = model.attention.heads;
    return model;
}

Result<ModelSpec> readModelYaml(const std::filesystem::path &path)
{
    const Result<YamlNode> file = readYaml(path);
    if (!file)
        return file.error();
    YamlRow row(*file, path.string());
    ModelSpec model = modelFromRow(row);
    if (const Result<void> read = row.finish(); !read)
        return read.error();
    if (model.name.empty())
        model.name = path.stem().string();
    if (model.attention.headDim == 0) {
        const Result<int> headDim = headDimOf(model.hidden, model.attention.heads);
        if (!headDim)
            return placedInRow(headDim.error(), *file, path);
        model.attention.headDim = *headDim;
    }
    if (const Result<void> valid = validateModel(model); !valid)
        return placedInRow(valid.error(), *file, path);
    return model;
}

} // namespace slipway
