#pragma once

#include "model.h"

namespace optio {

// The last layer's hidden states (after the final normalisation) of one token sequence at the given positions, in their order.
// Throws Failure "context_too_long", "invalid_plan", "model_unsupported", "non_finite_scores" and what an evaluation throws.
std::vector<std::vector<float>> hidden_states(Session & session, const std::vector<int32_t> & tokens,
                                              const std::vector<int32_t> & positions, Stop & stop);

} // namespace optio
