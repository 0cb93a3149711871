#include "matmul.h"

#include "microkernels.h"

#include <wasm_simd128.h>

#include <algorithm>
#include <cstring>

namespace optio::kernels {

namespace {

// Weights of a strip are unpacked this far at a time: with a tile of activations they stay in the first two levels of cache.
constexpr int DEPTH = 512;
constexpr int PANELS = Matmul::STRIP / PANEL_ROWS;

/** Unpacked weights of one strip. */
struct Strip {
    alignas(16) uint8_t panels[PANELS][DEPTH * PANEL_ROWS * 2];
    alignas(16) float   scales[PANELS][DEPTH / 16 * PANEL_ROWS];
    alignas(16) float   mins[PANELS][DEPTH / 16 * PANEL_ROWS];
    alignas(16) uint8_t codes[4][DEPTH];
};

/** Four vectors with units of 32 bits, transposed: unit i of all vectors to out + i * step. */
inline void store_transposed(uint8_t * out, v128_t a, v128_t b, v128_t c, v128_t d) {
    constexpr int step = 4 * PANEL_ROWS;
    const v128_t ab0 = wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), ab1 = wasm_i32x4_shuffle(a, b, 2, 6, 3, 7);
    const v128_t cd0 = wasm_i32x4_shuffle(c, d, 0, 4, 1, 5), cd1 = wasm_i32x4_shuffle(c, d, 2, 6, 3, 7);
    wasm_v128_store(out, wasm_i64x2_shuffle(ab0, cd0, 0, 2));
    wasm_v128_store(out + step, wasm_i64x2_shuffle(ab0, cd0, 1, 3));
    wasm_v128_store(out + 2 * step, wasm_i64x2_shuffle(ab1, cd1, 0, 2));
    wasm_v128_store(out + 3 * step, wasm_i64x2_shuffle(ab1, cd1, 1, 3));
}

/** Codes of four rows, interleaved as the microkernels read them; `out` is at the first of the four in the panel. */
void interleave(const uint8_t (&codes)[4][DEPTH], int count, const Matmul & matmul, uint8_t * out) {
    if (matmul.layout.arithmetic == Arithmetic::int16) {
        const v128_t offset = wasm_i16x8_splat(static_cast<int16_t>(matmul.format->coding.offset));
        for (int k = 0; k < count; k += 8, out += 16 * PANEL_ROWS) {
            v128_t v[4];
            for (int r = 0; r < 4; r++) { v[r] = wasm_i16x8_sub(wasm_i16x8_load8x8(codes[r] + k), offset); }
            store_transposed(out, v[0], v[1], v[2], v[3]);
        }
        return;
    }
    const v128_t flip = wasm_i8x16_splat(matmul.flip ? -128 : 0);
    for (int k = 0; k < count; k += 16, out += 16 * PANEL_ROWS) {
        v128_t v[4];
        for (int r = 0; r < 4; r++) { v[r] = wasm_v128_xor(wasm_v128_load(codes[r] + k), flip); }
        store_transposed(out, v[0], v[1], v[2], v[3]);
    }
}

/** Unpacks `count` weights of each row of a strip, from weight `start` on. Rows beyond the last count as zeros. */
void unpack(const Matmul & matmul, int first, int columns, int start, int count, Strip & strip) {
    const WeightFormat & format = *matmul.format;
    const size_t position = static_cast<size_t>(start / format.block) * format.block_bytes;
    const int groups = count / format.coding.group;
    for (int c = 0; c < columns; c += 4) {
        const int panel = c / PANEL_ROWS, lane = c % PANEL_ROWS;
        for (int r = 0; r < 4; r++) {
            float * scales = strip.scales[panel] + lane + r;
            float * mins   = strip.mins[panel] + lane + r;
            if (c + r < columns) {
                const uint8_t * row = matmul.weights + (first + c + r) * matmul.weight_stride;
                format.unpack(row + position, count, strip.codes[r], scales, mins, PANEL_ROWS);
            } else {
                memset(strip.codes[r], 0, static_cast<size_t>(count));
                for (int g = 0; g < groups; g++) { scales[g * PANEL_ROWS] = mins[g * PANEL_ROWS] = 0; }
            }
        }
        interleave(strip.codes, count, matmul, strip.panels[panel] + 4 * lane);
    }
    // A last panel with no row in its second half.
    if (columns % PANEL_ROWS != 0 && columns % PANEL_ROWS <= 4) {
        const int panel = columns / PANEL_ROWS;
        for (int g = 0; g < groups; g++) {
            memset(strip.scales[panel] + g * PANEL_ROWS + 4, 0, 4 * sizeof(float));
            memset(strip.mins[panel] + g * PANEL_ROWS + 4, 0, 4 * sizeof(float));
        }
    }
}

void store(const Matmul & matmul, int row, int rows, int column, int columns, bool add, const float * sums) {
    for (int r = 0; r < rows; r++, sums += PANEL_ROWS) {
        float * out = reinterpret_cast<float *>(matmul.result + (row + r) * matmul.result_stride) + column;
        if (columns == PANEL_ROWS) {
            v128_t low = wasm_v128_load(sums), high = wasm_v128_load(sums + 4);
            if (add) {
                low  = wasm_f32x4_add(low, wasm_v128_load(out));
                high = wasm_f32x4_add(high, wasm_v128_load(out + 4));
            }
            wasm_v128_store(out, low);
            wasm_v128_store(out + 4, high);
        } else {
            for (int c = 0; c < columns; c++) { out[c] = add ? out[c] + sums[c] : sums[c]; }
        }
    }
}

} // namespace

void choose_layout(Matmul & matmul, const WeightFormat & format, int k, DotProduct dot) {
    const Coding & coding = format.coding;
    const Arithmetic arithmetic = choose_arithmetic(dot, coding.bits);
    matmul.format = &format;
    matmul.flip   = coding.bits == 8 && arithmetic == Arithmetic::dot8 && dot == DotProduct::unsigned8;
    const int offset = matmul.flip ? 128 : coding.offset;
    const Sums sums = coding.has_min                              ? Sums::values
                      : arithmetic == Arithmetic::int16 || !offset ? Sums::none
                                                                  : Sums::negated_codes;
    matmul.layout = { arithmetic, sums, k, coding.group, offset };
}

size_t strip_bytes() { return sizeof(Strip); }

void pack_activations(const Matmul & matmul, int tile, uint8_t * packed) {
    const int row = matmul.tile_start(tile), rows = matmul.tile_start(tile + 1) - row;
    const auto * first = reinterpret_cast<const float *>(matmul.activations + row * matmul.activation_stride);
    pack_tile(matmul.layout, first, matmul.activation_stride, rows, packed + row * matmul.layout.row_bytes());
}

void multiply_strip(const Matmul & matmul, const uint8_t * packed, int index, uint8_t * scratch) {
    auto & strip = *reinterpret_cast<Strip *>(scratch);
    const TileLayout & layout = matmul.layout;
    const int first = index * Matmul::STRIP;
    const int columns = std::min(Matmul::STRIP, matmul.columns - first);
    const int group = matmul.format->coding.group;
    alignas(16) float sums[TILE_ROWS * PANEL_ROWS];

    for (int start = 0; start < layout.k; start += DEPTH) {
        const int count = std::min(DEPTH, layout.k - start);
        unpack(matmul, first, columns, start, count, strip);
        for (int tile = 0; tile < matmul.tiles(); tile++) {
            const int row = matmul.tile_start(tile), rows = matmul.tile_start(tile + 1) - row;
            const uint8_t * codes  = packed + row * layout.row_bytes();
            const uint8_t * scales = codes + rows * layout.codes_bytes();
            const uint8_t * totals = scales + rows * layout.scales_bytes();
            const Microkernel microkernel = find_microkernel(layout, matmul.format->coding, rows);
            Product product;
            product.tile_codes  = codes + static_cast<size_t>(rows) * start * operand_bytes(layout.arithmetic);
            product.tile_scales = reinterpret_cast<const float *>(scales) + rows * (start / SCALE_GROUP);
            product.tile_sums   = totals + 4 * static_cast<size_t>(rows) * (start / group);
            product.groups      = count / group;
            for (int column = 0; column < columns; column += PANEL_ROWS) {
                const int panel = column / PANEL_ROWS;
                product.panel_codes  = strip.panels[panel];
                product.panel_scales = strip.scales[panel];
                product.panel_mins   = matmul.format->coding.has_min ? strip.mins[panel] : nullptr;
                memset(sums, 0, sizeof(sums));
                microkernel(product, sums);
                store(matmul, row, rows, first + column, std::min(PANEL_ROWS, columns - column), start > 0, sums);
            }
        }
    }
}

} // namespace optio::kernels
