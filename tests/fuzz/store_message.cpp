// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Messages between ranks and the rendezvous store, after they were unsealed. One that is accepted is written as the
// same bytes again, and no request leaves the table in a state that a later request cannot read.
#include "comm/store_protocol.h"

#include "fuzz_input.h"

using namespace slipway;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view bytes = textOf(data, size);
    if (const std::optional<StoreAnswer> answer = decodedAnswer(bytes))
        require(decodedAnswer(encoded(*answer)) == answer, "an answer is read back as it was written");
    const std::optional<StoreRequest> request = decodedRequest(bytes);
    if (!request)
        return 0;
    require(encoded(*request) == bytes, "a request is written back as it was read");
    StoreTable table;
    for (int i = 0; i < 2; ++i) { // the second meets what the first left
        const std::optional<StoreAnswer> answer = table.answer(*request);
        require(answer || request->op == StoreOp::Read, "only a read waits");
    }
    return 0;
}
