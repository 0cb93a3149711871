#include "activations.h"

#include <wasm_simd128.h>

namespace optio::kernels {

namespace {

/** 32 codes, four to a vector, as 32-bit numbers. */
struct Codes {
    v128_t v[8];
    float  scale;
};

inline Codes quantize(const float * x) {
    Codes codes;
    v128_t largest = wasm_f32x4_splat(0);
    for (int j = 0; j < 8; j++) {
        codes.v[j] = wasm_v128_load(x + 4 * j);
        // max and not pmax: a NaN stays one, and makes the scale one.
        largest = wasm_f32x4_max(largest, wasm_f32x4_abs(codes.v[j]));
    }
    largest = wasm_f32x4_max(largest, wasm_i32x4_shuffle(largest, largest, 2, 3, 0, 1));
    largest = wasm_f32x4_max(largest, wasm_i32x4_shuffle(largest, largest, 1, 0, 3, 2));
    const float max = wasm_f32x4_extract_lane(largest, 0);
    codes.scale = max / 127;
    const v128_t inverse = wasm_f32x4_splat(codes.scale == 0 ? 0 : 1 / codes.scale);
    for (int j = 0; j < 8; j++) {
        codes.v[j] = wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_nearest(wasm_f32x4_mul(codes.v[j], inverse)));
    }
    return codes;
}

inline int32_t add_lanes(v128_t v) {
    v = wasm_i32x4_add(v, wasm_i32x4_shuffle(v, v, 2, 3, 0, 1));
    v = wasm_i32x4_add(v, wasm_i32x4_shuffle(v, v, 1, 0, 3, 2));
    return wasm_i32x4_extract_lane(v, 0);
}

inline void store_units(uint8_t * out, size_t step, v128_t v) {
    wasm_v128_store32_lane(out, v, 0);
    wasm_v128_store32_lane(out + step, v, 1);
    wasm_v128_store32_lane(out + 2 * step, v, 2);
    wasm_v128_store32_lane(out + 3 * step, v, 3);
}

inline void store_sum(const TileLayout & layout, uint8_t * sums, int index, int32_t sum, float scale) {
    if (layout.sums == Sums::values) {
        reinterpret_cast<float *>(sums)[index] = scale * static_cast<float>(sum);
    } else {
        reinterpret_cast<int32_t *>(sums)[index] = -layout.offset * sum;
    }
}

} // namespace

void pack_tile(const TileLayout & layout, const float * first, size_t stride, int rows, uint8_t * tile) {
    uint8_t * scales = tile + rows * layout.codes_bytes();
    uint8_t * sums   = scales + rows * layout.scales_bytes();
    const size_t step = 4 * static_cast<size_t>(rows); // from a row's unit to its next one
    const bool wide = layout.arithmetic == Arithmetic::int16;

    for (int r = 0; r < rows; r++) {
        const float * x = reinterpret_cast<const float *>(reinterpret_cast<const uint8_t *>(first) + r * stride);
        uint8_t * out = tile + 4 * r;
        for (int g = 0; g < layout.k / SCALE_GROUP; g++, x += SCALE_GROUP) {
            const Codes codes = quantize(x);
            v128_t pairs[4];
            for (int j = 0; j < 4; j++) { pairs[j] = wasm_i16x8_narrow_i32x4(codes.v[2 * j], codes.v[2 * j + 1]); }
            if (wide) {
                for (int j = 0; j < 4; j++, out += 4 * step) { store_units(out, step, pairs[j]); }
            } else {
                for (int j = 0; j < 4; j += 2, out += 4 * step) {
                    store_units(out, step, wasm_i8x16_narrow_i16x8(pairs[j], pairs[j + 1]));
                }
            }
            reinterpret_cast<float *>(scales)[g * rows + r] = codes.scale;
            if (layout.sums == Sums::none) { continue; }
            const v128_t ones = wasm_i16x8_splat(1);
            const v128_t low  = wasm_i32x4_add(wasm_i32x4_dot_i16x8(pairs[0], ones), wasm_i32x4_dot_i16x8(pairs[1], ones));
            const v128_t high = wasm_i32x4_add(wasm_i32x4_dot_i16x8(pairs[2], ones), wasm_i32x4_dot_i16x8(pairs[3], ones));
            if (layout.group == 16) {
                store_sum(layout, sums, 2 * g * rows + r, add_lanes(low), codes.scale);
                store_sum(layout, sums, (2 * g + 1) * rows + r, add_lanes(high), codes.scale);
            } else {
                store_sum(layout, sums, g * rows + r, add_lanes(wasm_i32x4_add(low, high)), codes.scale);
            }
        }
    }
}

} // namespace optio::kernels
