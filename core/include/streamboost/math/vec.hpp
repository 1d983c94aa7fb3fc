// Eight doubles as one value: element by element arithmetic that every instruction set runs with the same bits.
#pragma once
#include <cstddef>
#include <cstdint>

namespace streamboost {

using Vec = double __attribute__((vector_size(64), may_alias));
// Where one number meets many, halves: gcc 12 spreads a number over 64 bytes by way of the stack where registers have 32.
using HalfVec = double __attribute__((vector_size(32), may_alias));
using LooseHalfVec = double __attribute__((vector_size(32), aligned(8), may_alias));  // at any address of a double
using HalfInts = std::int64_t __attribute__((vector_size(32), may_alias));
using HalfFloats = float __attribute__((vector_size(32), may_alias));
using VecInts = std::int32_t __attribute__((vector_size(32), may_alias));
using VecBits = std::uint64_t __attribute__((vector_size(64), may_alias));
using HalfBits = std::uint64_t __attribute__((vector_size(32), may_alias));

inline constexpr std::size_t vec_size = 8, half_size = 4;

}  // namespace streamboost
