#pragma once

#include <cstddef>

namespace optio {

// log(sum(exp(values))), stable for any range; NaN when a value is NaN or +infinity. Relative error of a term about 1e-7.
double log_sum_exp(const float * values, size_t count);

} // namespace optio
