// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/model_yaml.h"

#include "model/validate_model.h"

namespace slipway {

ModelSpec modelFromRow(YamlRow &row)
{
    ModelSpec model;
    model.name = row.text("name");
    model.layers = row.requiredInteger("layers");
    model.hidden = row.requiredInteger("hidden");
    model.heads = row.requiredInteger("heads");
    model.kvHeads = row.integer("kv_heads").value_or(model.heads);
    model.headDim = row.integer("head_dim").value_or(0);
    model.ffn = row.requiredInteger("ffn");
    model.vocab = row.requiredInteger("vocab");
    model.tied = row.truth("tied", model.tied);
    model.mlp = row.choice("mlp", model.mlp);
    model.norm = row.choice("norm", model.norm);
    model.position = row.choice("position", model.position);
    model.partialRope = row.truth("partial_rope", false);
    model.maxPositions = row.integer("max_positions").value_or(0);
    model.ropeTheta = row.number("rope_theta").value_or(model.ropeTheta);
    model.normEps = row.number("norm_eps").value_or(model.normEps);
    model.qkvBias = row.truth("qkv_bias", false);
    model.attentionOutBias = row.truth("attention_out_bias", false);
    model.mlpBias = row.truth("mlp_bias", false);
    model.headBias = row.truth("head_bias", false);
    model.normBias = row.truth("norm_bias", false);
    model.normWeight = row.truth("norm_weight", true);
    model.unfusedGelu = row.truth("gelu_by_parts", false);
    model.relu = row.truth("relu", false);
    model.splitQkv = row.truth("split_qkv", false);
    model.parallelBlock = row.truth("parallel_block", false);
    model.fp32NormWeight = row.truth("wide_norm", false);
    model.dropout = row.truth("dropout", false);
    model.blockNorms = row.integer("block_norms").value_or(model.blockNorms);
    model.qkNorm = row.choice("qk_norm", model.qkNorm);
    model.experts = row.integer("experts").value_or(0);
    model.expertsPerToken = row.integer("experts_per_token").value_or(0);
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
    if (model.headDim == 0) {
        const Result<int> headDim = headDimOf(model.hidden, model.heads);
        if (!headDim)
            return Error{.what = headDim.error().what, .where = path.string(), .accepted = headDim.error().accepted};
        model.headDim = *headDim;
    }
    if (const Result<void> valid = validateModel(model); !valid)
        return Error{.what = valid.error().where + ": " + valid.error().what,
            .where = path.string(),
            .accepted = valid.error().accepted};
    return model;
}

} // namespace slipway
