// Kernels: hot loops over lanes, in X_kernels.hpp and .cpp beside the file X that calls them. CMake compiles every X_kernels.cpp once
// for each level of the processor, into a namespace named after the level; which one is called is chosen when the program loads. Plain
// arithmetic in a fixed order, no contraction, sums along features left to right: every level gives the same bits.
//
// x86-64 has the levels v2 (any processor since 2009), v3 (AVX2) and v4 (AVX-512). Elsewhere there is one: neon on aarch64, or plain.
//
// What a kernel calls must be [[gnu::always_inline]], or stand in its own file: of an inline function that every level compiles by
// itself the linker keeps one, perhaps one that the processor does not have (tests/unit/test_kernel_bits.py looks for such).
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#if !defined(STREAMBOOST_LEVEL) && defined(__aarch64__)
#define STREAMBOOST_LEVEL neon
#elif !defined(STREAMBOOST_LEVEL) && !defined(__x86_64__)
#define STREAMBOOST_LEVEL plain
#endif

// STREAMBOOST_KERNEL(result, name, (parameters)); declares a kernel. The files of kernels, for which CMake names the level, see the
// function of their own level; all others, if there are several levels, a pointer to that of the chosen one.
#if defined(STREAMBOOST_LEVEL)
#define STREAMBOOST_KERNEL(result, name, parameters) \
  namespace STREAMBOOST_LEVEL {                      \
  result name parameters;                            \
  }                                                  \
  using STREAMBOOST_LEVEL::name
#else
#define STREAMBOOST_KERNEL(result, name, parameters) \
  namespace v2 {                                     \
  result name parameters;                            \
  }                                                  \
  namespace v3 {                                     \
  result name parameters;                            \
  }                                                  \
  namespace v4 {                                     \
  result name parameters;                            \
  }                                                  \
  inline result(*const name) parameters = ::streamboost::of_level(v2::name, v3::name, v4::name)
#endif

namespace streamboost {

// The levels of this build that the processor has, lowest first.
std::vector<std::string_view> levels();
// The one in use: what the environment variable STREAMBOOST_LEVEL names, or the highest.
std::string_view level();
// What is wrong with STREAMBOOST_LEVEL, which then counts as not set; empty if nothing is.
std::string level_problem();

std::size_t level_index();  // of level() among levels()
template <class Function>
Function* of_level(Function* v2, Function* v3, Function* v4) {
  Function* const of[] = {v2, v3, v4};
  return of[level_index()];
}

}  // namespace streamboost
