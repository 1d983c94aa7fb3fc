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
