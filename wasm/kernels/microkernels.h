// The innermost loops: one panel of weights times one tile of activations.

#pragma once

#include "activations.h"

namespace optio::kernels {

/** A part of a tile and the part of a panel that it is multiplied with. */
struct Product {
    const uint8_t * tile_codes;
    const float *   tile_scales;
    const void *    tile_sums;     // int32 or float, as the layout says
    const uint8_t * panel_codes;   // for each unit of k four bytes of each row
    const float *   panel_scales;  // for each group eight rows
    const float *   panel_mins;    // as the scales, or nullptr
    int             groups;
};

/**
 * Adds products to sums.
 *
 * @param sums for each row of the tile eight floats, one for each row of the panel
 */
using Microkernel = void (*)(const Product & product, float * sums);

/** The microkernel for a tile of 1 to TILE_ROWS rows. */
Microkernel find_microkernel(const TileLayout & layout, const Coding & coding, int rows);

} // namespace optio::kernels
