// The shape of a tile of the result: how many rows of weights and of activations the microkernels work on at once.

#pragma once

#include <cstddef>
#include <cstdint>

namespace optio::kernels {

/** Rows of weights in a panel. Two vectors of four 32-bit sums. */
constexpr int PANEL_ROWS = 8;

/**
 * Most rows of activations in a tile. With two vectors of sums for each they leave enough of x86's 16 registers for the operands;
 * tiles of 5 and 6 rows were no faster, and tiles of 6 spilled.
 */
constexpr int TILE_ROWS = 4;

/** Numbers that share one scale in quantised activations. */
constexpr int SCALE_GROUP = 32;

/** How a tile's products are summed. */
enum class Arithmetic {
    int16,     // 16-bit products of pairs, i32x4.dot_i16x8: any codes, any engine
    saturated, // 16-bit sums of 8-bit products, i16x8.relaxed_dot: codes of up to 6 bits
    dot8,      // 32-bit sums of 8-bit products, i32x4.relaxed_dot_add: codes of up to 7 bits, and of 8 where the engine is exact for them
};

/** What a panel's codes mean: weight = scale * (code - offset) + min, with one scale, and one min, for each group. */
struct Coding {
    int  group;       // weights that share a scale: 16 or 32
    int  bits;        // of an unsigned code; 8: signed bytes
    int  offset;      // taken off each code
    bool has_min;     // whether groups have a min
};

/** Bytes of one code in a panel, and of one activation in a tile. */
constexpr int operand_bytes(Arithmetic arithmetic) { return arithmetic == Arithmetic::int16 ? 2 : 1; }

} // namespace optio::kernels
