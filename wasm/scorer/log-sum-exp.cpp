#include "log-sum-exp.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace optio {

namespace {

constexpr size_t kLanes = 8;
constexpr size_t kBlock = 256; // terms that are added in single precision before they go into the double

// exp(x) for x <= 0, written so that a compiler can do several at once. exp(x) = 2^n * exp(r) with |r| <= ln(2)/2, the second
// factor by its Taylor polynomial. Below -87 the result is that of -87 (1e-38), too small to count.
inline float exp_of_nonpositive(float x) {
    x = x < -87.0f ? -87.0f : x;
    constexpr float kRound = 12582912.0f; // 1.5 * 2^23: adding it rounds to a whole number, kept in the low bits
    const float shifted = x * 1.44269504f + kRound;
    const float n = shifted - kRound;
    const float r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
    float p = 1.0f / 720;
    p = p * r + 1.0f / 120;
    p = p * r + 1.0f / 24;
    p = p * r + 1.0f / 6;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    uint32_t bits;
    std::memcpy(&bits, &shifted, sizeof(bits));
    bits = (bits + 127) << 23;
    float power;
    std::memcpy(&power, &bits, sizeof(power));
    return p * power;
}

} // namespace

double log_sum_exp(const float * values, size_t count) {
    float lanes[kLanes];
    std::fill(lanes, lanes + kLanes, -std::numeric_limits<float>::infinity());
    size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        for (size_t k = 0; k < kLanes; k++) { lanes[k] = values[i + k] > lanes[k] ? values[i + k] : lanes[k]; }
    }
    float peak = *std::max_element(lanes, lanes + kLanes);
    for (; i < count; i++) { peak = std::max(peak, values[i]); }

    double sum = 0;
    for (size_t start = 0; start < count; start += kBlock) {
        const size_t end = std::min(start + kBlock, count);
        float sums[kLanes] = {};
        for (i = start; i + kLanes <= end; i += kLanes) {
            for (size_t k = 0; k < kLanes; k++) { sums[k] += exp_of_nonpositive(values[i + k] - peak); }
        }
        for (size_t k = 0; k < kLanes; k++) { sum += sums[k]; }
        for (; i < end; i++) { sum += exp_of_nonpositive(values[i] - peak); }
    }
    return static_cast<double>(peak) + std::log(sum);
}

} // namespace optio
