#pragma once

#include "frames.h"

#include <cstdint>
#include <vector>

namespace optio {

struct PlanRead {
    int32_t at = 0; // index into the run's tokens
    std::vector<int32_t> ids;
    uint32_t top = 0; // how many of the most probable tokens are wanted as well
    size_t slot = 0; // index among the reads of the whole plan, in the plan's order
};

// A stretch of the tree without a fork: a node, or a chain of nodes that are each other's only child. Run 0 is the plan's root
// alone, because it is what stays in the cache.
struct Run {
    int32_t parent = -1;
    std::vector<int32_t> tokens;
    std::vector<PlanRead> reads; // in the order of `at`
    std::vector<int32_t> children;
    uint32_t start = 0;  // tokens before the run
    uint32_t need = 0;   // tokens of the longest path from here down, this run's included
    uint32_t levels = 1; // runs on the path with the most of them, this one included
};

struct Plan {
    bool reuse = true;
    bool step = false;
    double deadline_ms = 0;
    std::vector<Run> runs;
    size_t reads = 0;
    uint32_t tokens = 0;

    // Throws Failure "protocol_mismatch" for a payload that is no plan, "invalid_plan" for one that makes no sense.
    static Plan parse(FrameReader & in, int32_t vocab_size);
};

} // namespace optio
