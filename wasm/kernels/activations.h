// Rows of activations, quantised to 8 bits and laid out for the microkernels.

#pragma once

#include "panel.h"

namespace optio::kernels {

/** What a tile holds beside codes and scales: what the microkernels add for the weights' offsets and mins. */
enum class Sums {
    none,
    negated_codes, // int32: -offset * sum of a group's codes
    values,        // float: sum of a group's codes * their scale
};

/**
 * A tile of `rows` rows of `k` activations, in this order:
 * codes, in units of four bytes (two codes of 16 bits, or four of 8): for each unit of k all rows;
 * scales, float: for each group of 32 all rows; sums, four bytes each: for each group of the weights all rows.
 */
struct TileLayout {
    Arithmetic arithmetic;
    Sums       sums;
    int        k;
    int        group;  // of the weights
    int        offset; // of the weights, for Sums::negated_codes

    size_t codes_bytes() const { return static_cast<size_t>(k) * operand_bytes(arithmetic); }
    size_t scales_bytes() const { return static_cast<size_t>(k / SCALE_GROUP) * sizeof(float); }
    size_t sums_bytes() const { return sums == Sums::none ? 0 : static_cast<size_t>(k / group) * 4; }
    /** A tile of n rows takes n times this. */
    size_t row_bytes() const { return codes_bytes() + scales_bytes() + sums_bytes(); }
};

/**
 * Quantises rows of activations to a tile: code = round(x * 127 / max |x|) in each group of 32.
 *
 * @param first  the first row, `layout.k` floats
 * @param stride bytes from one row to the next
 * @param rows   1 to TILE_ROWS
 * @param tile   gets `rows * layout.row_bytes()` bytes
 */
void pack_tile(const TileLayout & layout, const float * first, size_t stride, int rows, uint8_t * tile);

} // namespace optio::kernels
