// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A file with metrics that grows: TensorBoard's, W&B's or Hugging Face's.
#include "runs/log_records.h"

#include "fuzz_input.h"

using namespace slipway;

namespace {

void check(const LogRecords &records, std::string_view bytes)
{
    require(records.taken <= bytes.size(), "no more is taken than there is");
    require(records.behind >= 0, "what is passed over is counted forwards");
    for (const LoggedValues &record : records.list)
        require(record.step >= 0 && !record.values.empty(), "a record has a step and a value");
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view bytes = textOf(data, size);
    (void)logFormatOf(bytes.substr(0, 256));
    check(tensorBoardRecords(bytes), bytes);
    check(wandbRecords(bytes, 0, false), bytes);
    check(wandbRecords(bytes, 32761, true), bytes); // a block ends in it
    const LogRecords whole = wandbRecords(bytes, 0, false), half = wandbRecords(bytes.substr(0, size / 2), 0, false);
    require(half.list.size() <= whole.list.size() && half.taken <= whole.taken, "more bytes tell no less");
    (void)trainerStateRecords(bytes);
    return 0;
}
