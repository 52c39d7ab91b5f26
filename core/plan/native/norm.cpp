// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/native/norm.h"

namespace slipway::native {

namespace {

void addWeights(const OpWriter &writer, const Norm &norm, std::vector<Use> &reads)
{
    for (const std::string &tensor : {norm.name, norm.name + "_bias"}) {
        if (writer.w.has(tensor))
            reads.push_back(writer.w.at(tensor).weight);
    }
}

} // namespace

std::vector<BufferId> Norm::buffers() const { return mean ? std::vector{rstd, *mean} : std::vector{rstd}; }

Norm declareNorm(
    const BufferMaker &make, const ModelSpec &model, std::string name, const std::string &prefix, bool perLayer)
{
    Norm norm{.name = std::move(name), .rstd = make.streamStatistics(prefix + "_rstd", perLayer), .mean = {}};
    if (model.norm.kind == NormKind::LayerNorm)
        norm.mean = make.streamStatistics(prefix + "_mean", perLayer);
    return norm;
}

void normForward(OpWriter &writer, const Norm &norm, BufferId x, BufferId y)
{
    std::vector<Use> reads{at(x)}, writes{at(y)};
    addWeights(writer, norm, reads);
    if (norm.mean)
        writes.push_back(at(*norm.mean));
    writes.push_back(at(norm.rstd));
    writer.add(norm.name, writer.streamRows(norm.mean ? OpKind::LayerNorm : OpKind::RmsNorm), std::move(reads),
        std::move(writes));
}

bool addsBeforeNorm(const ModelSpec &model) { return model.norm.kind == NormKind::RmsNorm; }

void addNormForward(OpWriter &writer, const Norm &norm, BufferId x, BufferId delta, BufferId sum, BufferId y)
{
    writer.add(norm.name, writer.streamRows(OpKind::AddRmsNorm), {at(x), at(delta), writer.w.at(norm.name).weight},
        {at(sum), at(y), at(norm.rstd)});
}

void normBackward(
    OpWriter &writer, const Norm &norm, BufferId dy, BufferId x, BufferId dx, std::optional<BufferId> residual)
{
    std::vector<Use> reads{at(dy), at(x)}, writes{at(dx)};
    if (norm.mean)
        reads.push_back(at(*norm.mean));
    reads.push_back(at(norm.rstd));
    if (writer.w.has(norm.name)) {
        reads.push_back(writer.w.at(norm.name).weight);
        writes.push_back(writer.w.at(norm.name).gradient);
    }
    if (residual)
        reads.push_back(at(*residual));
    if (writer.w.has(norm.name + "_bias"))
        writes.push_back(writer.w.at(norm.name + "_bias").gradient);
    writer.addGradient(norm.name + "_backward",
        writer.streamRows(norm.mean ? OpKind::LayerNormBackward : OpKind::RmsNormBackward), std::move(reads),
        std::move(writes));
}

} // namespace slipway::native
