// Kernels: hot loops over lanes, in X_kernels.hpp and .cpp beside the file X that calls them. Free functions, so that gcc can clone
// them for AVX2 and AVX-512. Plain arithmetic in a fixed order, no contraction, sums along features left to right: every clone gives the
// same bits.
//
// STREAMBOOST_CLONES: compile a free function once per x86-64 level and pick one when the program loads.
// The clones give the same bits because the core is built with -ffp-contract=off and no -ffast-math.
// A macro, because an attribute cannot be put behind a constexpr switch. Sanitizer builds define
// STREAMBOOST_NO_CLONES: the resolvers run before ThreadSanitizer is ready and crash it.
// What such a function calls must be [[gnu::always_inline]] (or tiny): gcc inlines those before it
// clones, and never inlines across architecture levels afterwards.
#pragma once

#if !defined(STREAMBOOST_NO_CLONES) && defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define STREAMBOOST_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#define STREAMBOOST_LEVELS  // the same levels for functions written once per level
#else
#define STREAMBOOST_CLONES
#endif

// STREAMBOOST_BY_WIDTH: a function that holds lanes in registers, from a template over how many one register holds (vec.hpp): eight
// where registers have 64 bytes, four elsewhere, as gcc 12 takes wider values through the stack. Callers must see its definition.
#ifdef STREAMBOOST_LEVELS
#define STREAMBOOST_BY_WIDTH(result, name, parameters, arguments)                                             \
  __attribute__((target("default"))) result name parameters { return name##_by<FourLanes> arguments; }        \
  __attribute__((target("arch=x86-64-v3"))) result name parameters { return name##_by<FourLanes> arguments; } \
  __attribute__((target("arch=x86-64-v4"))) result name parameters { return name##_by<EightLanes> arguments; }
#else
#define STREAMBOOST_BY_WIDTH(result, name, parameters, arguments) \
  result name parameters { return name##_by<FourLanes> arguments; }
#endif
