// Rows of quantised weights, unpacked to one byte a code.

#pragma once

#include "panel.h"

#include "ggml.h"

namespace optio::kernels {

/** How weights of a type are unpacked. */
struct WeightFormat {
    Coding coding;
    int    block;       // weights in a block of the file's format
    size_t block_bytes;

    /**
     * Unpacks whole blocks of one row.
     *
     * @param blocks the first block
     * @param count  weights to unpack, a multiple of `block`
     * @param codes  gets `count` codes
     * @param scales gets a scale for each group, `stride` floats apart
     * @param mins   gets a min for each group, `stride` floats apart; untouched when the coding has none
     */
    void (*unpack)(const void * blocks, int count, uint8_t * codes, float * scales, float * mins, int stride);
};

/** The format of a type, or nullptr where this library has none. */
const WeightFormat * weight_format(ggml_type type);

} // namespace optio::kernels
