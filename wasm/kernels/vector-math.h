// Four 32-bit floats at a time: exponential, half precision, multiply and add. In C, since ggml's own files include it
// (patches/0003).

#pragma once

#include <stddef.h>
#include <stdint.h>
#include <wasm_simd128.h>

/** a * b + c: rounded once where the build has relaxed SIMD and the processor can. */
static inline v128_t optio_f32x4_multiply_add(v128_t a, v128_t b, v128_t c) {
#if defined(__wasm_relaxed_simd__)
    return wasm_f32x4_relaxed_madd(a, b, c);
#else
    return wasm_f32x4_add(wasm_f32x4_mul(a, b), c);
#endif
}

/** e^x, within 2 units in the last place of the true value; subnormal results, 0, infinity and NaN as expf gives them. */
static inline v128_t optio_f32x4_exp(v128_t x) {
    // Beyond these the result is 0 or infinity all the same, and within them n fits the exponents below.
    x = wasm_f32x4_max(wasm_f32x4_splat(-106.0f), wasm_f32x4_min(wasm_f32x4_splat(90.0f), x));
    // x = n ln 2 + r with |r| <= ln 2 / 2; ln 2 in two parts, the first of few bits, so that n times it is exact.
    const v128_t n = wasm_f32x4_nearest(wasm_f32x4_mul(x, wasm_f32x4_splat(1.44269504f)));
    v128_t r = wasm_f32x4_sub(x, wasm_f32x4_mul(n, wasm_f32x4_splat(0.693359375f)));
    r = wasm_f32x4_add(r, wasm_f32x4_mul(n, wasm_f32x4_splat(2.12194440e-4f)));
    // e^r = 1 + r + r^2 p(r), with the minimax coefficients of the Cephes library's expf.
    v128_t p = wasm_f32x4_splat(1.9875691500e-4f);
    p = optio_f32x4_multiply_add(p, r, wasm_f32x4_splat(1.3981999507e-3f));
    p = optio_f32x4_multiply_add(p, r, wasm_f32x4_splat(8.3334519073e-3f));
    p = optio_f32x4_multiply_add(p, r, wasm_f32x4_splat(4.1665795894e-2f));
    p = optio_f32x4_multiply_add(p, r, wasm_f32x4_splat(1.6666665459e-1f));
    p = optio_f32x4_multiply_add(p, r, wasm_f32x4_splat(5.0000001201e-1f));
    p = optio_f32x4_multiply_add(p, wasm_f32x4_mul(r, r), wasm_f32x4_add(r, wasm_f32x4_splat(1.0f)));
    // 2^n as a product of two powers, each of which a float can hold.
    const v128_t whole = wasm_i32x4_trunc_sat_f32x4(n);
    const v128_t first = wasm_i32x4_shr(whole, 1), second = wasm_i32x4_sub(whole, first);
    const v128_t bias = wasm_i32x4_splat(127);
    p = wasm_f32x4_mul(p, wasm_i32x4_shl(wasm_i32x4_add(first, bias), 23));
    return wasm_f32x4_mul(p, wasm_i32x4_shl(wasm_i32x4_add(second, bias), 23));
}

/** x / (1 + e^-x). */
static inline v128_t optio_f32x4_silu(v128_t x) {
    const v128_t one = wasm_f32x4_splat(1.0f);
    return wasm_f32x4_div(x, wasm_f32x4_add(one, optio_f32x4_exp(wasm_f32x4_neg(x))));
}

/** Half precision in the low 16 bits of four 32-bit numbers, widened exactly. */
static inline v128_t optio_f32x4_from_halves(v128_t h) {
    const v128_t magnitude = wasm_v128_and(h, wasm_i32x4_splat(0x7fff));
    const v128_t sign = wasm_i32x4_shl(wasm_v128_and(h, wasm_i32x4_splat(0x8000)), 16);
    // The exponent counts from 15 in a half and from 127 in a float: times 2^112, which makes subnormals normal as well.
    const v128_t finite = wasm_f32x4_mul(wasm_i32x4_shl(magnitude, 13), wasm_f32x4_splat(0x1p112f));
    const v128_t special = wasm_v128_and(wasm_i32x4_ge(magnitude, wasm_i32x4_splat(0x7c00)), wasm_i32x4_splat(0x7f800000));
    return wasm_v128_or(wasm_v128_or(finite, special), sign);
}

static inline v128_t optio_f32x4_load_halves(const uint16_t * p) { return optio_f32x4_from_halves(wasm_u32x4_load16x4(p)); }

/** Rounded to the nearest half, ties to even, in the low 16 bits of each lane; NaNs become 0x7e00. */
static inline v128_t optio_halves_from_f32x4(v128_t x) {
    const v128_t sign = wasm_v128_and(x, wasm_i32x4_splat((int32_t) 0x80000000u));
    const v128_t magnitude = wasm_v128_xor(x, sign);
    const v128_t odd = wasm_v128_and(wasm_i32x4_shr(magnitude, 13), wasm_i32x4_splat(1));
    const v128_t rounded = wasm_i32x4_add(magnitude, wasm_i32x4_add(odd, wasm_i32x4_splat(((15 - 127) << 23) + 0xfff)));
    const v128_t normal = wasm_u32x4_shr(rounded, 13);
    // Added to 0.5, a number below 2^-14 has its last bits where a subnormal half has them.
    const v128_t half = wasm_f32x4_splat(0.5f);
    const v128_t subnormal = wasm_i32x4_sub(wasm_f32x4_add(magnitude, half), half);
    const v128_t infinite = wasm_i32x4_splat(0x7c00), nan = wasm_i32x4_splat(0x7e00);
    v128_t h = wasm_v128_bitselect(subnormal, normal, wasm_i32x4_lt(magnitude, wasm_i32x4_splat(113 << 23)));
    h = wasm_v128_bitselect(infinite, h, wasm_i32x4_ge(magnitude, wasm_i32x4_splat(143 << 23)));
    h = wasm_v128_bitselect(nan, h, wasm_i32x4_gt(magnitude, wasm_i32x4_splat(0x7f800000)));
    return wasm_v128_or(h, wasm_u32x4_shr(sign, 16));
}

static inline void optio_store_halves(uint16_t * p, v128_t x) {
    const v128_t h = optio_halves_from_f32x4(x);
    wasm_v128_store64_lane(p, wasm_u16x8_narrow_i32x4(h, h), 0);
}

/**
 * Rows of halves as columns of floats: out[d * stride + row] for `dims` halves of each of `rows` rows.
 *
 * @param row_bytes from one row to the next
 */
static inline void optio_transpose_halves(float * out, int stride, const void * first, size_t row_bytes, int rows, int dims) {
    int row = 0;
    for (; row + 4 <= rows; row += 4) {
        const uint16_t * p[4];
        for (int i = 0; i < 4; i++) { p[i] = (const uint16_t *) ((const char *) first + (size_t) (row + i) * row_bytes); }
        int d = 0;
        for (; d + 4 <= dims; d += 4) {
            const v128_t a = optio_f32x4_load_halves(p[0] + d), b = optio_f32x4_load_halves(p[1] + d);
            const v128_t c = optio_f32x4_load_halves(p[2] + d), e = optio_f32x4_load_halves(p[3] + d);
            const v128_t ab0 = wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), ab1 = wasm_i32x4_shuffle(a, b, 2, 6, 3, 7);
            const v128_t ce0 = wasm_i32x4_shuffle(c, e, 0, 4, 1, 5), ce1 = wasm_i32x4_shuffle(c, e, 2, 6, 3, 7);
            float * o = out + d * stride + row;
            wasm_v128_store(o, wasm_i64x2_shuffle(ab0, ce0, 0, 2));
            wasm_v128_store(o + stride, wasm_i64x2_shuffle(ab0, ce0, 1, 3));
            wasm_v128_store(o + 2 * stride, wasm_i64x2_shuffle(ab1, ce1, 0, 2));
            wasm_v128_store(o + 3 * stride, wasm_i64x2_shuffle(ab1, ce1, 1, 3));
        }
        for (; d < dims; d++) {
            for (int i = 0; i < 4; i++) {
                out[d * stride + row + i] = wasm_f32x4_extract_lane(optio_f32x4_from_halves(wasm_i32x4_splat(p[i][d])), 0);
            }
        }
    }
    for (; row < rows; row++) {
        const uint16_t * p = (const uint16_t *) ((const char *) first + (size_t) row * row_bytes);
        for (int d = 0; d < dims; d++) {
            out[d * stride + row] = wasm_f32x4_extract_lane(optio_f32x4_from_halves(wasm_i32x4_splat(p[d])), 0);
        }
    }
}
