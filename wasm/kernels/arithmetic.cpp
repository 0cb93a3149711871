#include "arithmetic.h"

#include <wasm_simd128.h>

namespace optio::kernels {

DotProduct find_dot_product() {
#if defined(__wasm_relaxed_simd__)
    // Volatile, so that the engine's instruction is run, and not the compiler's idea of it.
    volatile int8_t a = 127, b = -1;
    const v128_t sum = wasm_i32x4_relaxed_dot_i8x16_i7x16_add(wasm_i8x16_splat(a), wasm_i8x16_splat(b), wasm_i32x4_splat(0));
    switch (wasm_i32x4_extract_lane(sum, 0)) {
        case 4 * 127 * 255: return DotProduct::unsigned8;
        case 4 * 127 * -1: return DotProduct::signed8;
        default: return DotProduct::saturating;
    }
#else
    return DotProduct::absent;
#endif
}

Arithmetic choose_arithmetic(DotProduct dot, int bits) {
    switch (dot) {
        case DotProduct::unsigned8:
        case DotProduct::signed8: return Arithmetic::dot8;
        case DotProduct::saturating: return bits <= 6 ? Arithmetic::saturated : Arithmetic::int16;
        case DotProduct::absent: break;
    }
    return Arithmetic::int16;
}

} // namespace optio::kernels
