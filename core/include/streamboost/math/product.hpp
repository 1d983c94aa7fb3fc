// A product of many positive factors as mantissa and exponent: hundreds of factors neither overflow nor underflow, and one
// logarithm serves them all.
#pragma once
#include <bit>
#include <cstdint>

namespace streamboost {

// Moves the exponent of a positive product into `exponent`. A small whole number added to the bits of 1.5 * 2^52 is converted exactly.
[[gnu::always_inline]] inline void renormalise(double& mantissa, double& exponent) {
  const auto bits = std::bit_cast<std::uint64_t>(mantissa);
  exponent += std::bit_cast<double>((bits >> 52) - 1023 + 0x4338000000000000ULL) - 0x1.8p52;
  mantissa = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL);
}

}  // namespace streamboost
