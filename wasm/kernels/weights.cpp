#include "weights.h"

#define GGML_COMMON_DECL_C // members without a name in between
#include "ggml-common.h"
#include "ggml-impl.h"
#include "ggml-cpu/simd-mappings.h"

#include <wasm_simd128.h>

#include <cstring>

namespace optio::kernels {

namespace {

inline float half(ggml_half value) { return GGML_CPU_FP16_TO_FP32(value); }

inline v128_t low_nibbles(v128_t v) { return wasm_v128_and(v, wasm_i8x16_splat(0x0F)); }
inline v128_t high_nibbles(v128_t v) { return wasm_u8x16_shr(v, 4); }

/** 16 bytes, each `value` where its bit of `bits` is set and 0 elsewhere. */
inline v128_t spread_bits(uint32_t bits, uint8_t value) {
    const v128_t both = wasm_i8x16_shuffle(wasm_i32x4_splat(static_cast<int32_t>(bits)), wasm_i32x4_splat(0), 0, 0, 0, 0, 0, 0,
                                           0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
    const v128_t mask = wasm_i64x2_splat(static_cast<int64_t>(0x8040201008040201ULL));
    return wasm_v128_and(wasm_i8x16_eq(wasm_v128_and(both, mask), mask), wasm_i8x16_splat(static_cast<int8_t>(value)));
}

/** Bits `shift` and up of each byte, `count` of them. */
template <int shift, int count> inline v128_t field(v128_t v) {
    return wasm_v128_and(wasm_u8x16_shr(v, shift), wasm_i8x16_splat((1 << count) - 1));
}

void unpack_q4_0(const void * blocks, int count, uint8_t * codes, float * scales, float *, int stride) {
    const auto * x = static_cast<const block_q4_0 *>(blocks);
    for (int i = 0; i < count / QK4_0; i++, codes += QK4_0) {
        const v128_t q = wasm_v128_load(x[i].qs);
        wasm_v128_store(codes, low_nibbles(q));
        wasm_v128_store(codes + 16, high_nibbles(q));
        scales[i * stride] = half(x[i].d);
    }
}

void unpack_q4_1(const void * blocks, int count, uint8_t * codes, float * scales, float * mins, int stride) {
    const auto * x = static_cast<const block_q4_1 *>(blocks);
    for (int i = 0; i < count / QK4_1; i++, codes += QK4_1) {
        const v128_t q = wasm_v128_load(x[i].qs);
        wasm_v128_store(codes, low_nibbles(q));
        wasm_v128_store(codes + 16, high_nibbles(q));
        scales[i * stride] = half(x[i].d);
        mins[i * stride]   = half(x[i].m);
    }
}

template <typename Block> inline void unpack_q5(const Block & x, uint8_t * codes) {
    uint32_t high;
    memcpy(&high, x.qh, sizeof(high));
    const v128_t q = wasm_v128_load(x.qs);
    wasm_v128_store(codes, wasm_v128_or(low_nibbles(q), spread_bits(high, 16)));
    wasm_v128_store(codes + 16, wasm_v128_or(high_nibbles(q), spread_bits(high >> 16, 16)));
}

void unpack_q5_0(const void * blocks, int count, uint8_t * codes, float * scales, float *, int stride) {
    const auto * x = static_cast<const block_q5_0 *>(blocks);
    for (int i = 0; i < count / QK5_0; i++, codes += QK5_0) {
        unpack_q5(x[i], codes);
        scales[i * stride] = half(x[i].d);
    }
}

void unpack_q5_1(const void * blocks, int count, uint8_t * codes, float * scales, float * mins, int stride) {
    const auto * x = static_cast<const block_q5_1 *>(blocks);
    for (int i = 0; i < count / QK5_1; i++, codes += QK5_1) {
        unpack_q5(x[i], codes);
        scales[i * stride] = half(x[i].d);
        mins[i * stride]   = half(x[i].m);
    }
}

void unpack_q8_0(const void * blocks, int count, uint8_t * codes, float * scales, float *, int stride) {
    const auto * x = static_cast<const block_q8_0 *>(blocks);
    for (int i = 0; i < count / QK8_0; i++, codes += QK8_0) {
        wasm_v128_store(codes, wasm_v128_load(x[i].qs));
        wasm_v128_store(codes + 16, wasm_v128_load(x[i].qs + 16));
        scales[i * stride] = half(x[i].d);
    }
}

void unpack_q2_K(const void * blocks, int count, uint8_t * codes, float * scales, float * mins, int stride) {
    const auto * x = static_cast<const block_q2_K *>(blocks);
    for (int i = 0; i < count / QK_K; i++) {
        for (int part = 0; part < 2; part++, codes += 128) {
            const v128_t a = wasm_v128_load(x[i].qs + 32 * part), b = wasm_v128_load(x[i].qs + 32 * part + 16);
            wasm_v128_store(codes, field<0, 2>(a));
            wasm_v128_store(codes + 16, field<0, 2>(b));
            wasm_v128_store(codes + 32, field<2, 2>(a));
            wasm_v128_store(codes + 48, field<2, 2>(b));
            wasm_v128_store(codes + 64, field<4, 2>(a));
            wasm_v128_store(codes + 80, field<4, 2>(b));
            wasm_v128_store(codes + 96, field<6, 2>(a));
            wasm_v128_store(codes + 112, field<6, 2>(b));
        }
        const float d = half(x[i].d), dmin = half(x[i].dmin);
        for (int g = 0; g < QK_K / 16; g++, scales += stride, mins += stride) {
            *scales = d * (x[i].scales[g] & 15);
            *mins   = -dmin * (x[i].scales[g] >> 4);
        }
    }
}

void unpack_q3_K(const void * blocks, int count, uint8_t * codes, float * scales, float *, int stride) {
    const auto * x = static_cast<const block_q3_K *>(blocks);
    for (int i = 0; i < count / QK_K; i++) {
        v128_t high[2] = { wasm_v128_load(x[i].hmask), wasm_v128_load(x[i].hmask + 16) };
        const v128_t four = wasm_i8x16_splat(4);
        for (int part = 0; part < 2; part++) {
            v128_t low[2] = { wasm_v128_load(x[i].qs + 32 * part), wasm_v128_load(x[i].qs + 32 * part + 16) };
            for (int j = 0; j < 4; j++, codes += 32) {
                for (int k = 0; k < 2; k++) {
                    const v128_t third = wasm_v128_and(wasm_i8x16_shl(high[k], 2), four);
                    wasm_v128_store(codes + 16 * k, wasm_v128_or(field<0, 2>(low[k]), third));
                    low[k]  = wasm_u8x16_shr(low[k], 2);
                    high[k] = wasm_u8x16_shr(high[k], 1);
                }
            }
        }
        const float d = half(x[i].d);
        for (int g = 0; g < QK_K / 16; g++, scales += stride) {
            // Six bits of each scale: four in the first eight bytes, two in the last four.
            const int low4  = g < 8 ? x[i].scales[g] & 15 : x[i].scales[g - 8] >> 4;
            const int high2 = (x[i].scales[8 + g % 4] >> (2 * (g / 4))) & 3;
            *scales = d * ((low4 | high2 << 4) - 32);
        }
    }
}

/** The 6-bit scales and mins of Q4_K and Q5_K, eight of each in twelve bytes. */
inline void unpack_scales(const uint8_t * packed, float d, float dmin, float * scales, float * mins, int stride) {
    for (int g = 0; g < 8; g++) {
        const int scale = g < 4 ? packed[g] & 63 : (packed[g + 4] & 15) | (packed[g - 4] >> 6) << 4;
        const int min   = g < 4 ? packed[g + 4] & 63 : (packed[g + 4] >> 4) | (packed[g] >> 6) << 4;
        scales[g * stride] = d * scale;
        mins[g * stride]   = -dmin * min;
    }
}

void unpack_q4_K(const void * blocks, int count, uint8_t * codes, float * scales, float * mins, int stride) {
    const auto * x = static_cast<const block_q4_K *>(blocks);
    for (int i = 0; i < count / QK_K; i++, scales += 8 * stride, mins += 8 * stride) {
        for (int j = 0; j < 4; j++, codes += 64) {
            const v128_t a = wasm_v128_load(x[i].qs + 32 * j), b = wasm_v128_load(x[i].qs + 32 * j + 16);
            wasm_v128_store(codes, low_nibbles(a));
            wasm_v128_store(codes + 16, low_nibbles(b));
            wasm_v128_store(codes + 32, high_nibbles(a));
            wasm_v128_store(codes + 48, high_nibbles(b));
        }
        unpack_scales(x[i].scales, half(x[i].d), half(x[i].dmin), scales, mins, stride);
    }
}

void unpack_q5_K(const void * blocks, int count, uint8_t * codes, float * scales, float * mins, int stride) {
    const auto * x = static_cast<const block_q5_K *>(blocks);
    const v128_t sixteen = wasm_i8x16_splat(16);
    for (int i = 0; i < count / QK_K; i++, scales += 8 * stride, mins += 8 * stride) {
        v128_t high[2] = { wasm_v128_load(x[i].qh), wasm_v128_load(x[i].qh + 16) };
        for (int j = 0; j < 4; j++, codes += 64) {
            for (int k = 0; k < 2; k++) {
                const v128_t q = wasm_v128_load(x[i].qs + 32 * j + 16 * k);
                const v128_t first = wasm_v128_and(wasm_i8x16_shl(high[k], 4), sixteen);
                const v128_t second = wasm_v128_and(wasm_i8x16_shl(high[k], 3), sixteen);
                wasm_v128_store(codes + 16 * k, wasm_v128_or(low_nibbles(q), first));
                wasm_v128_store(codes + 32 + 16 * k, wasm_v128_or(high_nibbles(q), second));
                high[k] = wasm_u8x16_shr(high[k], 2);
            }
        }
        unpack_scales(x[i].scales, half(x[i].d), half(x[i].dmin), scales, mins, stride);
    }
}

void unpack_q6_K(const void * blocks, int count, uint8_t * codes, float * scales, float *, int stride) {
    const auto * x = static_cast<const block_q6_K *>(blocks);
    const v128_t mask = wasm_i8x16_splat(0x30);
    for (int i = 0; i < count / QK_K; i++) {
        for (int part = 0; part < 2; part++, codes += 128) {
            for (int k = 0; k < 32; k += 16) {
                const v128_t a = wasm_v128_load(x[i].ql + 64 * part + k), b = wasm_v128_load(x[i].ql + 64 * part + 32 + k);
                const v128_t high = wasm_v128_load(x[i].qh + 32 * part + k);
                wasm_v128_store(codes + k, wasm_v128_or(low_nibbles(a), wasm_v128_and(wasm_i8x16_shl(high, 4), mask)));
                wasm_v128_store(codes + 32 + k, wasm_v128_or(low_nibbles(b), wasm_v128_and(wasm_i8x16_shl(high, 2), mask)));
                wasm_v128_store(codes + 64 + k, wasm_v128_or(high_nibbles(a), wasm_v128_and(high, mask)));
                wasm_v128_store(codes + 96 + k, wasm_v128_or(high_nibbles(b), wasm_v128_and(wasm_u8x16_shr(high, 2), mask)));
            }
        }
        const float d = half(x[i].d);
        for (int g = 0; g < QK_K / 16; g++, scales += stride) { *scales = d * x[i].scales[g]; }
    }
}

/** The values of the 4-bit codes of IQ4_NL and IQ4_XS. */
inline v128_t nonlinear(v128_t nibbles) {
    return wasm_i8x16_swizzle(wasm_i8x16_make(-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113), nibbles);
}

void unpack_iq4_nl(const void * blocks, int count, uint8_t * codes, float * scales, float *, int stride) {
    const auto * x = static_cast<const block_iq4_nl *>(blocks);
    for (int i = 0; i < count / QK4_NL; i++, codes += QK4_NL) {
        const v128_t q = wasm_v128_load(x[i].qs);
        wasm_v128_store(codes, nonlinear(low_nibbles(q)));
        wasm_v128_store(codes + 16, nonlinear(high_nibbles(q)));
        scales[i * stride] = half(x[i].d);
    }
}

void unpack_iq4_xs(const void * blocks, int count, uint8_t * codes, float * scales, float *, int stride) {
    const auto * x = static_cast<const block_iq4_xs *>(blocks);
    for (int i = 0; i < count / QK_K; i++) {
        const float d = half(x[i].d);
        for (int g = 0; g < QK_K / 32; g++, codes += 32, scales += stride) {
            const v128_t q = wasm_v128_load(x[i].qs + 16 * g);
            wasm_v128_store(codes, nonlinear(low_nibbles(q)));
            wasm_v128_store(codes + 16, nonlinear(high_nibbles(q)));
            const int low4 = (x[i].scales_l[g / 2] >> (4 * (g % 2))) & 15, high2 = (x[i].scales_h >> (2 * g)) & 3;
            *scales = d * ((low4 | high2 << 4) - 32);
        }
    }
}

constexpr WeightFormat Q4_0   = { { 32, 4, 8, false }, QK4_0, sizeof(block_q4_0), unpack_q4_0 };
constexpr WeightFormat Q4_1   = { { 32, 4, 0, true }, QK4_1, sizeof(block_q4_1), unpack_q4_1 };
constexpr WeightFormat Q5_0   = { { 32, 5, 16, false }, QK5_0, sizeof(block_q5_0), unpack_q5_0 };
constexpr WeightFormat Q5_1   = { { 32, 5, 0, true }, QK5_1, sizeof(block_q5_1), unpack_q5_1 };
constexpr WeightFormat Q8_0   = { { 32, 8, 0, false }, QK8_0, sizeof(block_q8_0), unpack_q8_0 };
constexpr WeightFormat Q2_K   = { { 16, 2, 0, true }, QK_K, sizeof(block_q2_K), unpack_q2_K };
constexpr WeightFormat Q3_K   = { { 16, 3, 4, false }, QK_K, sizeof(block_q3_K), unpack_q3_K };
constexpr WeightFormat Q4_K   = { { 32, 4, 0, true }, QK_K, sizeof(block_q4_K), unpack_q4_K };
constexpr WeightFormat Q5_K   = { { 32, 5, 0, true }, QK_K, sizeof(block_q5_K), unpack_q5_K };
constexpr WeightFormat Q6_K   = { { 16, 6, 32, false }, QK_K, sizeof(block_q6_K), unpack_q6_K };
constexpr WeightFormat IQ4_NL = { { 32, 8, 0, false }, QK4_NL, sizeof(block_iq4_nl), unpack_iq4_nl };
constexpr WeightFormat IQ4_XS = { { 32, 8, 0, false }, QK_K, sizeof(block_iq4_xs), unpack_iq4_xs };

} // namespace

const WeightFormat * weight_format(ggml_type type) {
    switch (type) {
        case GGML_TYPE_Q4_0: return &Q4_0;
        case GGML_TYPE_Q4_1: return &Q4_1;
        case GGML_TYPE_Q5_0: return &Q5_0;
        case GGML_TYPE_Q5_1: return &Q5_1;
        case GGML_TYPE_Q8_0: return &Q8_0;
        case GGML_TYPE_Q2_K: return &Q2_K;
        case GGML_TYPE_Q3_K: return &Q3_K;
        case GGML_TYPE_Q4_K: return &Q4_K;
        case GGML_TYPE_Q5_K: return &Q5_K;
        case GGML_TYPE_Q6_K: return &Q6_K;
        case GGML_TYPE_IQ4_NL: return &IQ4_NL;
        case GGML_TYPE_IQ4_XS: return &IQ4_XS;
        default: return nullptr;
    }
}

} // namespace optio::kernels
