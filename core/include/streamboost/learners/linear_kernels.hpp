// Loops of the linear learners over lanes; levels.hpp says what a kernel is.
//
// Tables of doubles, or of floats, which are multiplied and added as floats. `cells` counts numbers of one table row (columns x padded
// lanes) and is a multiple of 16; pointers are 64-byte aligned.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "streamboost/data/row.hpp"
#include "streamboost/math/levels.hpp"

namespace streamboost {

// out[cell] = sum_i x_i table[row_i][cell]
STREAMBOOST_KERNEL(void, linear_ask_doubles, (const double* table, std::size_t cells, Entries row, double* out));
STREAMBOOST_KERNEL(void, linear_ask_floats, (const float* table, std::size_t cells, Entries row, double* out));
inline void linear_ask(const double* table, std::size_t cells, Entries row, double* out) { linear_ask_doubles(table, cells, row, out); }
inline void linear_ask(const float* table, std::size_t cells, Entries row, double* out) { linear_ask_floats(table, cells, row, out); }
// table[row_i][cell] += x_i step[cell]; runs of 16 cells whose steps are all 0 are not touched
STREAMBOOST_KERNEL(void, linear_teach_doubles, (double* table, std::size_t cells, Entries row, const double* step));
STREAMBOOST_KERNEL(void, linear_teach_floats, (float* table, std::size_t cells, Entries row, const double* step));
inline void linear_teach(double* table, std::size_t cells, Entries row, const double* step) {
  linear_teach_doubles(table, cells, row, step);
}
inline void linear_teach(float* table, std::size_t cells, Entries row, const double* step) { linear_teach_floats(table, cells, row, step); }
// the same with a 0/1 mask of the same layout
STREAMBOOST_KERNEL(void, linear_teach_masked_doubles,
                   (double* table, const double* mask, std::size_t cells, Entries row, const double* step));
STREAMBOOST_KERNEL(void, linear_teach_masked_floats,
                   (float* table, const double* mask, std::size_t cells, Entries row, const double* step));
inline void linear_teach_masked(double* table, const double* mask, std::size_t cells, Entries row, const double* step) {
  linear_teach_masked_doubles(table, mask, cells, row, step);
}
inline void linear_teach_masked(float* table, const double* mask, std::size_t cells, Entries row, const double* step) {
  linear_teach_masked_floats(table, mask, cells, row, step);
}
// out[cell] = sum_i x_i other_i mask[row_i][cell]
STREAMBOOST_KERNEL(void, linear_masked_norm, (const double* mask, std::size_t cells, Entries row, const double* other, double* out));
// out[cell] = sum_r table[r][cell]^2
STREAMBOOST_KERNEL(void, linear_squared_norms_doubles, (const double* table, std::size_t rows, std::size_t cells, double* out));
STREAMBOOST_KERNEL(void, linear_squared_norms_floats, (const float* table, std::size_t rows, std::size_t cells, double* out));
inline void linear_squared_norms(const double* table, std::size_t rows, std::size_t cells, double* out) {
  linear_squared_norms_doubles(table, rows, cells, out);
}
inline void linear_squared_norms(const float* table, std::size_t rows, std::size_t cells, double* out) {
  linear_squared_norms_floats(table, rows, cells, out);
}
// trained = 1 where amount > 0; y and xx filled with one value each
STREAMBOOST_KERNEL(void, begin_lesson,
                   (const double* amount, double label, double squared_norm, double* trained, double* y, double* xx, std::size_t n));
// h = clip(raw / max(1, |v|), -1, 1)
STREAMBOOST_KERNEL(void, perceptron_hypothesis, (const double* raw, const double* squared_norm, double* h, std::size_t n));
// vote = 1 where raw > 0, else 0, -1 where untrained; false if some raw is exactly 0
STREAMBOOST_KERNEL(bool, sign_votes, (const double* raw, const double* trained, std::int32_t* vote, std::size_t n));
STREAMBOOST_KERNEL(void, clip_hypothesis, (const double* raw, double* h, std::size_t n));
// step = what the weights move by (times x), for lanes with y raw <= 0; squared_norm follows
STREAMBOOST_KERNEL(void, perceptron_weight_steps,
                   (const double* raw, const double* y, const double* amount, const double* xx, double* squared_norm, double* step,
                    std::size_t n));
// k copies are tried one by one until the margin is positive: the first count that makes it so, or all of them.
[[gnu::always_inline]] inline double perceptron_move(double raw, double y, double copies, double xx) {
  const double behind = -(y * raw);
  const double enough = xx > 0.0 ? std::floor(behind / xx) + 1.0 : copies;
  const double taken = copies < enough ? copies : enough;
  return behind >= 0.0 ? taken * y : 0.0;
}
STREAMBOOST_KERNEL(void, perceptron_copy_steps,
                   (const double* raw, const double* y, const double* amount, const double* xx, double* squared_norm, double* step,
                    std::size_t n));
// one projected step of the sum-of-squares rule; scale * stored = weights, the step is for the stored ones
STREAMBOOST_KERNEL(void, ogd_steps,
                   (const double* raw, const double* y, const double* amount, const double* xx, const double* sum_squares,
                    double* squared_norm, double* scale, double* step, std::size_t n));
// p = sigmoid(raw) is given; step = rate * amount * ([y = 1] - p)
STREAMBOOST_KERNEL(void, logistic_steps,
                   (const double* p, const double* y, const double* amount, const double* sum_squares, double* step, std::size_t n));

}  // namespace streamboost
