#include "microkernels.h"

#include "vector-math.h"

#include <wasm_simd128.h>

namespace optio::kernels {

namespace {

constexpr int VECTORS = PANEL_ROWS / 4;

inline v128_t multiply_add(v128_t a, v128_t b, v128_t sum) { return optio_f32x4_multiply_add(a, b, sum); }

// The loops over units stay rolled: unrolled, LLVM moves their loads together, and the engine's registers no longer suffice.
#define OPTIO_ROLLED _Pragma("clang loop unroll(disable)")
#define OPTIO_INLINE inline __attribute__((always_inline))

/** A unit of k: two vectors of weights, and the row's activations in all lanes. */
struct Weights {
    v128_t v[VECTORS];
    OPTIO_INLINE explicit Weights(const uint8_t * w) : v{ wasm_v128_load(w), wasm_v128_load(w + 16) } {}
};

/**
 * One group's sums of products, in 32 bits.
 *
 * @tparam rows  of the tile
 * @tparam units of four bytes in the group
 * @tparam depth for Arithmetic::saturated: how many products of pairs a 16-bit sum holds: 8 for codes of 4 bits, 4 for 5, 2 for 6.
 *   The largest is depth * 2 * (2^bits - 1) * 127 <= 32512.
 */
template <Arithmetic arithmetic, int rows, int units, int depth>
OPTIO_INLINE void add_group(const uint8_t * a, const uint8_t * w, v128_t (&sums)[rows][VECTORS]) {
    if constexpr (arithmetic == Arithmetic::int16) {
        OPTIO_ROLLED
        for (const uint8_t * end = w + units * 4 * PANEL_ROWS; w != end; a += 4 * rows, w += 4 * PANEL_ROWS) {
            const Weights weights(w);
            for (int r = 0; r < rows; r++) {
                const v128_t x = wasm_v128_load32_splat(a + 4 * r);
                for (int i = 0; i < VECTORS; i++) { sums[r][i] = wasm_i32x4_add(sums[r][i], wasm_i32x4_dot_i16x8(weights.v[i], x)); }
            }
        }
    }
#if defined(__wasm_relaxed_simd__)
    if constexpr (arithmetic == Arithmetic::dot8) {
        OPTIO_ROLLED
        for (const uint8_t * end = w + units * 4 * PANEL_ROWS; w != end; a += 4 * rows, w += 4 * PANEL_ROWS) {
            const Weights weights(w);
            for (int r = 0; r < rows; r++) {
                const v128_t x = wasm_v128_load32_splat(a + 4 * r);
                for (int i = 0; i < VECTORS; i++) {
                    sums[r][i] = wasm_i32x4_relaxed_dot_i8x16_i7x16_add(x, weights.v[i], sums[r][i]);
                }
            }
        }
    }
    if constexpr (arithmetic == Arithmetic::saturated) {
        const v128_t ones = wasm_i16x8_splat(1);
        for (int part = 0; part < units / depth; part++) {
            v128_t pairs[rows][VECTORS];
            for (int r = 0; r < rows; r++) { pairs[r][0] = pairs[r][1] = wasm_i16x8_splat(0); }
            OPTIO_ROLLED
            for (const uint8_t * end = w + depth * 4 * PANEL_ROWS; w != end; a += 4 * rows, w += 4 * PANEL_ROWS) {
                const Weights weights(w);
                for (int r = 0; r < rows; r++) {
                    const v128_t x = wasm_v128_load32_splat(a + 4 * r);
                    for (int i = 0; i < VECTORS; i++) {
                        pairs[r][i] = wasm_i16x8_add(pairs[r][i], wasm_i16x8_relaxed_dot_i8x16_i7x16(x, weights.v[i]));
                    }
                }
            }
            for (int r = 0; r < rows; r++) {
                for (int i = 0; i < VECTORS; i++) { sums[r][i] = wasm_i32x4_add(sums[r][i], wasm_i32x4_dot_i16x8(pairs[r][i], ones)); }
            }
        }
    }
#endif
}

// `out` may alias what is read, for all that the compiler knows: the sums stay in memory, and the registers free for a group's sums.
template <Arithmetic arithmetic, int rows, int group, int depth, bool starts_negative>
void multiply(const Product & product, float * out) {
    constexpr int units = group * operand_bytes(arithmetic) / 4;
    const uint8_t * a = product.tile_codes;
    const uint8_t * w = product.panel_codes;
    const float * scales = product.panel_scales;
    const auto *  starts = static_cast<const int32_t *>(product.tile_sums);
    for (int g = 0; g < product.groups; g++) {
        v128_t sums[rows][VECTORS];
        for (int r = 0; r < rows; r++) {
            sums[r][0] = sums[r][1] = starts_negative ? wasm_v128_load32_splat(starts + r) : wasm_i32x4_splat(0);
        }
        add_group<arithmetic, rows, units, depth>(a, w, sums);
        const v128_t s0 = wasm_v128_load(scales), s1 = wasm_v128_load(scales + 4);
        const float * tile_scales = product.tile_scales + g * group / SCALE_GROUP * rows;
        for (int r = 0; r < rows; r++) {
            const v128_t scale = wasm_v128_load32_splat(tile_scales + r);
            float * o = out + PANEL_ROWS * r;
            wasm_v128_store(o, multiply_add(wasm_f32x4_convert_i32x4(sums[r][0]), wasm_f32x4_mul(s0, scale), wasm_v128_load(o)));
            wasm_v128_store(o + 4, multiply_add(wasm_f32x4_convert_i32x4(sums[r][1]), wasm_f32x4_mul(s1, scale), wasm_v128_load(o + 4)));
        }
        a += units * 4 * rows;
        w += units * 4 * PANEL_ROWS;
        scales += PANEL_ROWS;
        if (starts_negative) { starts += rows; }
    }
    if (product.panel_mins == nullptr) { return; }

    v128_t sums[rows][VECTORS];
    for (int r = 0; r < rows; r++) {
        sums[r][0] = wasm_v128_load(out + PANEL_ROWS * r);
        sums[r][1] = wasm_v128_load(out + PANEL_ROWS * r + 4);
    }
    const float * mins = product.panel_mins;
    const float * values = static_cast<const float *>(product.tile_sums);
    for (int g = 0; g < product.groups; g++, mins += PANEL_ROWS, values += rows) {
        const v128_t m0 = wasm_v128_load(mins), m1 = wasm_v128_load(mins + 4);
        for (int r = 0; r < rows; r++) {
            const v128_t value = wasm_v128_load32_splat(values + r);
            sums[r][0] = multiply_add(m0, value, sums[r][0]);
            sums[r][1] = multiply_add(m1, value, sums[r][1]);
        }
    }
    for (int r = 0; r < rows; r++) {
        wasm_v128_store(out + PANEL_ROWS * r, sums[r][0]);
        wasm_v128_store(out + PANEL_ROWS * r + 4, sums[r][1]);
    }
}

template <Arithmetic arithmetic, int group, int depth, bool starts_negative> Microkernel of_rows(int rows) {
    constexpr Microkernel kernels[TILE_ROWS] = {
        multiply<arithmetic, 1, group, depth, starts_negative>, multiply<arithmetic, 2, group, depth, starts_negative>,
        multiply<arithmetic, 3, group, depth, starts_negative>, multiply<arithmetic, 4, group, depth, starts_negative>,
    };
    return kernels[rows - 1];
}

template <Arithmetic arithmetic, int group, int depth> Microkernel of_sums(Sums sums, int rows) {
    return sums == Sums::negated_codes ? of_rows<arithmetic, group, depth, true>(rows) : of_rows<arithmetic, group, depth, false>(rows);
}

} // namespace

Microkernel find_microkernel(const TileLayout & layout, const Coding & coding, int rows) {
    const bool small = coding.group == 16;
#if defined(__wasm_relaxed_simd__)
    if (layout.arithmetic == Arithmetic::dot8) {
        return small ? of_sums<Arithmetic::dot8, 16, 1>(layout.sums, rows) : of_sums<Arithmetic::dot8, 32, 1>(layout.sums, rows);
    }
    if (layout.arithmetic == Arithmetic::saturated) {
        if (small) { return of_sums<Arithmetic::saturated, 16, 2>(layout.sums, rows); }
        if (coding.bits <= 4) { return of_sums<Arithmetic::saturated, 32, 8>(layout.sums, rows); }
        return of_sums<Arithmetic::saturated, 32, 4>(layout.sums, rows);
    }
#endif
    return small ? of_rows<Arithmetic::int16, 16, 1, false>(rows) : of_rows<Arithmetic::int16, 32, 1, false>(rows);
}

} // namespace optio::kernels
