// Which of the ways to sum products this engine is fastest at.

#pragma once

#include "panel.h"

namespace optio::kernels {

/**
 * What the engine's i32x4.relaxed_dot_i8x16_i7x16_add does with a second operand of 8 bits, which the specification leaves open.
 * It tells which instruction is behind it.
 */
enum class DotProduct {
    absent,     // a build without relaxed SIMD
    saturating, // unsigned, sums of pairs clipped to 16 bits: x86's pmaddubsw, followed by two more instructions
    unsigned8,  // unsigned and exact: x86's vpdpbusd
    signed8,    // signed and exact: Arm's sdot, x86's vpdpbssd
};

/** Finds out by multiplying; cheap, and always the same answer. */
DotProduct find_dot_product();

/** How codes of `bits` bits are best multiplied. */
Arithmetic choose_arithmetic(DotProduct dot, int bits);

} // namespace optio::kernels
