// Eight doubles as one value: element by element arithmetic that every instruction set runs with the same bits.
#pragma once
#include <cstddef>
#include <cstdint>

// Before a loop whose turns read nothing that another has written, which the compiler cannot see.
#if defined(__clang__)
#define STREAMBOOST_NO_OVERLAP _Pragma("clang loop vectorize(assume_safety)")
#else
#define STREAMBOOST_NO_OVERLAP _Pragma("GCC ivdep")
#endif

namespace streamboost {

using Vec = double __attribute__((vector_size(64), may_alias));
// Where one number meets many, halves: gcc 12 spreads a number over 64 bytes by way of the stack where registers have 32.
using HalfVec = double __attribute__((vector_size(32), may_alias));
using HalfBits = std::uint64_t __attribute__((vector_size(32), may_alias));
using HalfFloats = float __attribute__((vector_size(32), may_alias));
using VecBits = std::uint64_t __attribute__((vector_size(64), may_alias));

inline constexpr std::size_t vec_size = 8, half_size = 4;

// Widths for templates, which would strip a vector given as their argument of what lets it alias.
struct EightLanes {
  using Values = Vec;
  using Bits = VecBits;
  static constexpr std::size_t size = vec_size;
};
struct FourLanes {
  using Values = HalfVec;
  using Bits = HalfBits;
  static constexpr std::size_t size = half_size;
};
struct OneLane {
  using Values = double;
  using Bits = std::uint64_t;
  static constexpr std::size_t size = 1;
};
struct TwoLanes {
  using Values = double __attribute__((vector_size(16), may_alias));
  using Bits = std::uint64_t __attribute__((vector_size(16), may_alias));
  static constexpr std::size_t size = 2;
};

// Four doubles at any address of a double. A struct, because clang forgets the alignment of an unaligned vector type.
struct [[gnu::packed, gnu::may_alias]] LooseHalfVec {
  HalfVec all;
};
[[gnu::always_inline]] inline HalfVec four_at(const double* p) { return reinterpret_cast<const LooseHalfVec*>(p)->all; }
[[gnu::always_inline]] inline void put_four(double* p, const HalfVec& four) { reinterpret_cast<LooseHalfVec*>(p)->all = four; }

// As many as a register holds; gcc 12 takes wider values through the stack.
#if defined(__AVX512F__)
using RegisterLanes = EightLanes;
#else
using RegisterLanes = FourLanes;
#endif

// The lanes of a register, at an address that suits one.
template <class Width>
[[gnu::always_inline]] inline typename Width::Values& lanes_at(double* p) {
  return *reinterpret_cast<typename Width::Values*>(p);
}
template <class Width>
[[gnu::always_inline]] inline const typename Width::Values& lanes_at(const double* p) {
  return *reinterpret_cast<const typename Width::Values*>(p);
}

}  // namespace streamboost
