// Doubles of a register of this machine: gcc 12 takes wider values through the stack.
#pragma once

#ifdef __AVX512F__
constexpr int kVector = 8;
#else
constexpr int kVector = 4;
#endif
typedef double Vector __attribute__((vector_size(kVector * sizeof(double)), may_alias));
