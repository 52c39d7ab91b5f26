// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// YAML as a tree. A scalar that was written is read as the same text, also within a list.
#include "base/yaml.h"

#include "fuzz_input.h"

using namespace slipway;

namespace {

void writeScalars(const YamlNode &node)
{
    if (node.kind == YamlNode::Kind::Scalar) {
        const Result<YamlNode> again = parseYaml("key: " + yamlScalar(node.scalar) + "\n", "again.yaml");
        require(again && again->find("key") != nullptr && again->find("key")->scalar == node.scalar,
            "a scalar that was written is read again");
        const Result<YamlNode> list = parseYaml("key: [" + yamlScalar(node.scalar) + "]\n", "again.yaml");
        require(list && list->find("key") != nullptr && list->find("key")->items.size() == 1 &&
                    list->find("key")->items[0].scalar == node.scalar,
            "a scalar that was written into a list is read again");
    }
    for (const YamlNode &item : node.items)
        writeScalars(item);
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const Result<YamlNode> yaml = parseYaml(textOf(data, size), "input.yaml", {.bytes = 64 * kKiB});
    if (yaml)
        writeScalars(*yaml);
    return 0;
}
