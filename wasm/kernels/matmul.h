// A product of two matrices: quantised weights times activations.

#pragma once

#include "activations.h"
#include "arithmetic.h"
#include "weights.h"

namespace optio::kernels {

/** Activations times the transpose of weights. */
struct Matmul {
    const WeightFormat * format;
    TileLayout           layout;
    bool                 flip;           // codes of 8 bits are stored as unsigned ones
    const uint8_t *      weights;        // `columns` rows of k weights
    size_t               weight_stride;  // bytes from one row to the next
    const uint8_t *      activations;    // `rows` rows of k floats
    size_t               activation_stride;
    uint8_t *            result;         // `rows` rows of `columns` floats
    size_t               result_stride;
    int                  rows;
    int                  columns;

    /** Tiles of activations: as few as there can be, of sizes that differ by at most one row. */
    int    tiles() const { return (rows + TILE_ROWS - 1) / TILE_ROWS; }
    int    tile_start(int tile) const { return static_cast<int>(static_cast<int64_t>(rows) * tile / tiles()); }
    size_t packed_bytes() const { return static_cast<size_t>(rows) * layout.row_bytes(); }
    /** Columns are worked on in strips of this many, each by one thread. */
    static constexpr int STRIP = 4 * PANEL_ROWS;
    int    strips() const { return (columns + STRIP - 1) / STRIP; }
};

/** Fills in `format`, `layout` and `flip`. */
void choose_layout(Matmul & matmul, const WeightFormat & format, int k, DotProduct dot);

/** Bytes that a thread needs for a strip of unpacked weights. */
size_t strip_bytes();

/** Quantises one tile of activations into `packed`, which has room for all of them. */
void pack_activations(const Matmul & matmul, int tile, uint8_t * packed);

/** Computes one strip of columns for all rows. `scratch` has strip_bytes() bytes, 16-byte aligned. */
void multiply_strip(const Matmul & matmul, const uint8_t * packed, int strip, uint8_t * scratch);

} // namespace optio::kernels
