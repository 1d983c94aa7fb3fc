// The roofline of the linear bank: what this machine can do if an example costs nothing but the two passes over W.
//
// State: W[feature][lane], the lanes innermost and padded to a multiple of 16, as in the product. Per example
//     h[lane]    = sum_j x_j * W[j][lane]              (first pass, reads W)
//     step[lane] = rate * (y - h[lane])                (the cheapest step that depends on h, so the passes cannot be fused)
//     W[j][lane] = W[j][lane] + x_j * step[lane]       (second pass, reads and writes W)
// No weights, votes, norms, draws, monitor or validation. Both kernels may contract to fused multiply-adds and use every
// instruction of the host, which the product (same bits everywhere) must not: the share that is printed is pessimistic.
//
// plain:   the loops as anyone would write them; h lives in the first-level cache.
// blocked: h of a block of lanes lives in registers during the first pass.
#include <cstddef>

#include "register_width.hpp"

namespace {

constexpr double kRate = 1e-3;

template <int kBlock>  // vectors of lanes in one block
inline void step_block(double* w, std::size_t lanes, const double* x, int d, double y) {
  Vector h[kBlock] = {};
  for (int j = 0; j <= d; ++j) {
    const Vector* row = reinterpret_cast<const Vector*>(w + j * lanes);
    const double value = j < d ? x[j] : 1.0;
    for (int b = 0; b < kBlock; ++b) h[b] += value * row[b];
  }
  for (int b = 0; b < kBlock; ++b) h[b] = kRate * (y - h[b]);
  for (int j = 0; j <= d; ++j) {
    Vector* row = reinterpret_cast<Vector*>(w + j * lanes);
    const double value = j < d ? x[j] : 1.0;
    for (int b = 0; b < kBlock; ++b) row[b] += value * h[b];
  }
}

}  // namespace

extern "C" {

// X is rows x d, C order; y is -1 or +1; w holds (d + 1) * lanes doubles and is aligned to 64 bytes.
void roofline_plain(double* __restrict w, int lanes, const double* __restrict X, const double* __restrict y, long rows, int d) {
  alignas(64) double h[1024];
  for (long t = 0; t < rows; ++t) {
    const double* x = X + t * d;
    for (int i = 0; i < lanes; ++i) h[i] = w[d * lanes + i];
    for (int j = 0; j < d; ++j)
      for (int i = 0; i < lanes; ++i) h[i] += x[j] * w[j * lanes + i];
    for (int i = 0; i < lanes; ++i) h[i] = kRate * (y[t] - h[i]);
    for (int j = 0; j < d; ++j)
      for (int i = 0; i < lanes; ++i) w[j * lanes + i] += x[j] * h[i];
    for (int i = 0; i < lanes; ++i) w[d * lanes + i] += h[i];
  }
}

void roofline_blocked(double* __restrict w, int lanes, const double* __restrict X, const double* __restrict y, long rows, int d) {
  constexpr int kBlock = 7;  // 56 or 28 lanes: a half or a quarter of the 112 that 100 learners are padded to
  for (long t = 0; t < rows; ++t) {
    int i = 0;
    for (; i + kBlock * kVector <= lanes; i += kBlock * kVector) step_block<kBlock>(w + i, lanes, X + t * d, d, y[t]);
    for (; i < lanes; i += kVector) step_block<1>(w + i, lanes, X + t * d, d, y[t]);
  }
}

}  // extern "C"
