#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "streamboost/learners/linear_kernels.hpp"
#include "streamboost/math/levels.hpp"
#include "streamboost/math/vec.hpp"

namespace streamboost::STREAMBOOST_LEVEL {
namespace {

[[gnu::always_inline]] inline std::size_t table_row(const Entries& row, int i) {
  return static_cast<std::size_t>(row.index ? row.index[i] : i);
}

#if defined(__AVX512F__)
using RegisterFloats = float __attribute__((vector_size(64), may_alias));
#else
using RegisterFloats = HalfFloats;
#endif

// Sixteen lanes of a table of doubles or floats. Floats are added as floats: twice as many in a register, half the memory to cross.
template <class Real>
struct Sixteen;
template <>
struct Sixteen<double> {
  using Values = RegisterLanes::Values;
  static constexpr int size = RegisterLanes::size, parts = 16 / size;
  Values part[parts];
  [[gnu::always_inline]] static Sixteen load(const double* p) {
    Sixteen all;
    for (int k = 0; k < parts; ++k) all.part[k] = at(p + k * size);
    return all;
  }
  [[gnu::always_inline]] static Sixteen load_doubles(const double* p) { return load(p); }
  [[gnu::always_inline]] void add(double x, const Sixteen& w) {
    for (int k = 0; k < parts; ++k) part[k] += x * w.part[k];
  }
  [[gnu::always_inline]] void add_masked(double x, const Sixteen& w, const double* mask) {
    for (int k = 0; k < parts; ++k) part[k] += x * w.part[k] * at(mask + k * size);
  }
  [[gnu::always_inline]] void store(double* p) const {
    for (int k = 0; k < parts; ++k) lanes_at<RegisterLanes>(p + k * size) = part[k];
  }
  [[gnu::always_inline]] void store_doubles(double* p) const { store(p); }
  // One number as it is used here.
  [[gnu::always_inline]] static double near(double x) { return x; }
  [[gnu::always_inline]] static double narrow(double x) { return x; }
  [[gnu::always_inline]] static double capped(double x) { return x; }

 private:
  [[gnu::always_inline]] static const Values& at(const double* p) { return lanes_at<RegisterLanes>(p); }
};
template <>
struct Sixteen<float> {
  // Floats end at 3e38: values and weights stay below 1e15, so that sums of their products are finite.
  static constexpr float most = 1e15f;
  static constexpr double longest_step = 1e30;
  using Values = RegisterFloats;
  static constexpr int size = sizeof(Values) / sizeof(float), parts = 16 / size;
  Values part[parts];
  [[gnu::always_inline]] static Sixteen load(const float* p) {
    Sixteen all;
    for (int k = 0; k < parts; ++k) all.part[k] = at(p + k * size);
    return all;
  }
  [[gnu::always_inline]] static Sixteen load_doubles(const double* p) {
    alignas(64) float floats[16];
    for (int i = 0; i < 16; ++i) floats[i] = narrow(p[i]);
    return load(floats);
  }
  [[gnu::always_inline]] void add(double x, const Sixteen& w) {
    const float factor = near(x);
    for (int k = 0; k < parts; ++k) part[k] += factor * w.part[k];
  }
  [[gnu::always_inline]] void add_masked(double x, const Sixteen& w, const double* mask) {
    const float factor = near(x);
    const Sixteen kept = load_doubles(mask);
    for (int k = 0; k < parts; ++k) part[k] += factor * w.part[k] * kept.part[k];
  }
  [[gnu::always_inline]] void store(float* p) const {
    const Values highest = Values{} + most;
    for (int k = 0; k < parts; ++k) {
      const Values capped = part[k] > highest ? highest : part[k];
      *reinterpret_cast<Values*>(p + k * size) = capped < -highest ? -highest : capped;
    }
  }
  [[gnu::always_inline]] void store_doubles(double* p) const {
    alignas(64) float floats[16];
    for (int k = 0; k < parts; ++k) *reinterpret_cast<Values*>(floats + k * size) = part[k];
    for (int i = 0; i < 16; ++i) p[i] = static_cast<double>(floats[i]);
  }
  // One number as it is used here.
  [[gnu::always_inline]] static float near(double x) {
    const double highest = most;
    return static_cast<float>(x > highest ? highest : x < -highest ? -highest : x);
  }
  [[gnu::always_inline]] static float narrow(double x) { return static_cast<float>(std::min(std::max(x, -longest_step), longest_step)); }
  [[gnu::always_inline]] static float capped(float x) {
    const float below = x > most ? most : x;
    return below < -most ? -most : below;
  }

 private:
  [[gnu::always_inline]] static const Values& at(const float* p) { return *reinterpret_cast<const Values*>(p); }
};

// A few cells, of a learner that is alone: its columns side by side.
template <class Real, int n>
struct Few {
  Real cell[n];
  [[gnu::always_inline]] static Few load(const Real* p) {
    Few few;
    for (int i = 0; i < n; ++i) few.cell[i] = p[i];
    return few;
  }
  [[gnu::always_inline]] static Few load_doubles(const double* p) {
    Few few;
    for (int i = 0; i < n; ++i) few.cell[i] = Sixteen<Real>::narrow(p[i]);
    return few;
  }
  [[gnu::always_inline]] void add(double x, const Few& w) {
    const Real factor = Sixteen<Real>::near(x);
    for (int i = 0; i < n; ++i) cell[i] += factor * w.cell[i];
  }
  [[gnu::always_inline]] void add_masked(double x, const Few& w, const double* mask) {
    const Real factor = Sixteen<Real>::near(x);
    for (int i = 0; i < n; ++i) cell[i] += factor * w.cell[i] * Sixteen<Real>::narrow(mask[i]);
  }
  [[gnu::always_inline]] void store(Real* p) const {
    for (int i = 0; i < n; ++i) p[i] = Sixteen<Real>::capped(cell[i]);
  }
  [[gnu::always_inline]] void store_doubles(double* p) const {
    for (int i = 0; i < n; ++i) p[i] = static_cast<double>(cell[i]);
  }
};

template <int n>
[[gnu::always_inline]] inline bool all_zero(const double* step) {
  std::uint64_t any = 0;
  for (int i = 0; i < n; ++i) any |= std::bit_cast<std::uint64_t>(step[i]) << 1;  // but for the sign
  return any == 0;
}

// f.template operator()<Pack, n>(c) for cells c .. c + n - 1, whole vectors first.
template <class Real, class F>
[[gnu::always_inline]] inline void over_cells(std::size_t cells, F&& f) {
  std::size_t c = 0;
  if (cells % 16 == 0)  // else rows are not aligned
    for (; c < cells; c += 16) f.template operator()<Sixteen<Real>, 16>(c);
  for (; c + 4 <= cells; c += 4) f.template operator()<Few<Real, 4>, 4>(c);
  for (; c < cells; ++c) f.template operator()<Few<Real, 1>, 1>(c);
}

// `width` times n cells of one table row at a time: the partial sums stay in registers while the features pass by.
template <class Pack, int n, int width, class Real>
[[gnu::always_inline]] inline void ask_tile(const Real* table, std::size_t cells, const Entries& row, double* out) {
  Pack sum[width] = {};
  for (int i = 0; i < row.n; ++i) {
    const Real* w = table + table_row(row, i) * cells;
    for (int v = 0; v < width; ++v) sum[v].add(row.x[i], Pack::load(w + n * v));
  }
  for (int v = 0; v < width; ++v) sum[v].store_doubles(out + n * v);
}

// Eight sums side by side: one alone waits for its own last addition at every feature.
template <class Real, int width = 8 / Sixteen<Real>::parts>
[[gnu::always_inline]] inline void ask_sixteens(const Real* table, std::size_t cells, const Entries& row, double* out, std::size_t c) {
  for (; c + 16 * width <= cells; c += 16 * width) ask_tile<Sixteen<Real>, 16, width>(table + c, cells, row, out + c);
  if constexpr (width > 1) ask_sixteens<Real, width - 1>(table, cells, row, out, c);
}

template <class Real>
[[gnu::always_inline]] inline void ask_table(const Real* table, std::size_t cells, const Entries& row, double* out) {
  if (cells % 16 == 0) return ask_sixteens(table, cells, row, out, 0);
  over_cells<Real>(cells, [&]<class Pack, int n>(std::size_t c)
                              __attribute__((always_inline)) { ask_tile<Pack, n, 1>(table + c, cells, row, out + c); });
}

template <class Real>
[[gnu::always_inline]] inline void teach_table(Real* table, std::size_t cells, const Entries& row, const double* step) {
  over_cells<Real>(cells, [&]<class Pack, int n>(std::size_t c) __attribute__((always_inline)) {
    if (all_zero<n>(step + c)) return;
    const Pack move = Pack::load_doubles(step + c);
    for (int i = 0; i < row.n; ++i) {
      Real* w = table + table_row(row, i) * cells + c;
      Pack sum = Pack::load(w);
      sum.add(row.x[i], move);
      sum.store(w);
    }
  });
}

template <class Real>
[[gnu::always_inline]] inline void teach_table_masked(Real* table, const double* mask, std::size_t cells, const Entries& row,
                                                      const double* step) {
  over_cells<Real>(cells, [&]<class Pack, int n>(std::size_t c) __attribute__((always_inline)) {
    if (all_zero<n>(step + c)) return;
    const Pack move = Pack::load_doubles(step + c);
    for (int i = 0; i < row.n; ++i) {
      const std::size_t at = table_row(row, i) * cells + c;
      Pack sum = Pack::load(table + at);
      sum.add_masked(row.x[i], move, mask + at);
      sum.store(table + at);
    }
  });
}

template <class Real>
[[gnu::always_inline]] inline void table_norms(const Real* table, std::size_t rows, std::size_t cells, double* out) {
  for (std::size_t c = 0; c < cells; ++c) out[c] = 0.0;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < cells; ++c) out[c] += static_cast<double>(table[r * cells + c]) * static_cast<double>(table[r * cells + c]);
}

}  // namespace

void linear_ask_doubles(const double* table, std::size_t cells, Entries row, double* out) { ask_table(table, cells, row, out); }
void linear_ask_floats(const float* table, std::size_t cells, Entries row, double* out) { ask_table(table, cells, row, out); }

void linear_teach_doubles(double* table, std::size_t cells, Entries row, const double* step) { teach_table(table, cells, row, step); }
void linear_teach_floats(float* table, std::size_t cells, Entries row, const double* step) { teach_table(table, cells, row, step); }

void linear_teach_masked_doubles(double* table, const double* mask, std::size_t cells, Entries row, const double* step) {
  teach_table_masked(table, mask, cells, row, step);
}
void linear_teach_masked_floats(float* table, const double* mask, std::size_t cells, Entries row, const double* step) {
  teach_table_masked(table, mask, cells, row, step);
}

void linear_masked_norm(const double* mask, std::size_t cells, Entries row, const double* other, double* out) {
  if (cells == 1) {
    double sum = 0.0;
    for (int i = 0; i < row.n; ++i) sum += (row.x[i] * other[i]) * mask[table_row(row, i)];
    *out = sum;
    return;
  }
  for (std::size_t c = 0; c < cells; c += vec_size / 2) {
    HalfVec sum = {};
    for (int i = 0; i < row.n; ++i) sum += (row.x[i] * other[i]) * *reinterpret_cast<const HalfVec*>(mask + table_row(row, i) * cells + c);
    *reinterpret_cast<HalfVec*>(out + c) = sum;
  }
}

void linear_squared_norms_doubles(const double* table, std::size_t rows, std::size_t cells, double* out) {
  table_norms(table, rows, cells, out);
}
void linear_squared_norms_floats(const float* table, std::size_t rows, std::size_t cells, double* out) {
  table_norms(table, rows, cells, out);
}

void begin_lesson(const double* __restrict amount, double label, double squared_norm, double* __restrict trained, double* __restrict y,
                  double* __restrict xx, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    trained[i] = amount[i] > 0.0 ? 1.0 : trained[i];
    y[i] = label;
    xx[i] = squared_norm;
  }
}

void perceptron_hypothesis(const double* __restrict raw, const double* __restrict squared_norm, double* __restrict h, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double norm = std::sqrt(squared_norm[i] > 1.0 ? squared_norm[i] : 1.0);
    const double x = raw[i] / norm;
    h[i] = x > 1.0 ? 1.0 : x < -1.0 ? -1.0 : x;
  }
}

bool sign_votes(const double* __restrict raw, const double* __restrict trained, std::int32_t* __restrict vote, std::size_t n) {
  std::uint64_t zeros = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t sign = raw[i] > 0.0 ? 1 : 0;
    vote[i] = trained[i] == 0.0 ? -1 : sign;
    zeros |= (std::bit_cast<std::uint64_t>(raw[i]) << 1) == 0 ? std::uint64_t{1} : std::uint64_t{0};
  }
  return zeros == 0;
}

void clip_hypothesis(const double* __restrict raw, double* __restrict h, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) h[i] = raw[i] > 1.0 ? 1.0 : raw[i] < -1.0 ? -1.0 : raw[i];
}

void perceptron_weight_steps(const double* __restrict raw, const double* __restrict y, const double* __restrict amount,
                             const double* __restrict xx, double* __restrict squared_norm, double* __restrict step, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double move = y[i] * raw[i] <= 0.0 ? amount[i] * y[i] : 0.0;
    const double grown = squared_norm[i] + (2.0 * move * raw[i] + move * move * xx[i]);
    squared_norm[i] = grown > 0.0 ? grown : 0.0;
    step[i] = move;
  }
}

void perceptron_copy_steps(const double* __restrict raw, const double* __restrict y, const double* __restrict amount,
                           const double* __restrict xx, double* __restrict squared_norm, double* __restrict step, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double move = perceptron_move(raw[i], y[i], amount[i], xx[i]);
    const double grown = squared_norm[i] + (2.0 * move * raw[i] + move * move * xx[i]);
    squared_norm[i] = grown > 0.0 ? grown : 0.0;
    step[i] = move;
  }
}

void ogd_steps(const double* __restrict raw, const double* __restrict y, const double* __restrict amount, const double* __restrict xx,
               const double* __restrict sum_squares, double* __restrict squared_norm, double* __restrict scale, double* __restrict step,
               std::size_t n) {
  const double root_two = std::sqrt(2.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double rate = sum_squares[i] > 0.0 ? root_two / std::sqrt(sum_squares[i]) : 0.0;
    const double move = rate * amount[i] * y[i];
    const double grown = squared_norm[i] + (2.0 * move * raw[i] + move * move * xx[i]);
    const bool outside = grown > 1.0 && move != 0.0;
    step[i] = move / scale[i];
    scale[i] *= outside ? 1.0 / std::sqrt(grown) : 1.0;
    squared_norm[i] = outside ? 1.0 : grown > 0.0 ? grown : 0.0;
  }
}

// p and step may be the same array.
void logistic_steps(const double* p, const double* y, const double* amount, const double* sum_squares, double* step, std::size_t n) {
  const double root_two = std::sqrt(2.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double rate = sum_squares[i] > 0.0 ? root_two / std::sqrt(sum_squares[i]) : 0.0;
    step[i] = rate * amount[i] * ((y[i] > 0.0 ? 1.0 : 0.0) - p[i]);
  }
}

}  // namespace streamboost::STREAMBOOST_LEVEL
