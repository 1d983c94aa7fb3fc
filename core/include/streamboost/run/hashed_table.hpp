// The weights of a linear learner whose coordinates are places of hashed tokens (tokens.hpp), with their scales and rates.
//
//   t_j = x_j / largest |x_j| so far;  rates c_j, u_j = c_j t_j and Q as in run/column_rates.hpp;  the intercept is one more place
//
// Choices: `newton` is whether rare places take the Newton steps of column_rates.hpp first. It suits texts, whose words share a length of 1; of
// identifiers every one counts 1, a row has many that are rare, and their steps together go too far: there the rates are those of
// AdaGrad alone. The rate of a cross is slowed down by the pace of tokens.hpp.
//
// One output (two classes, numbers): a weight for each of the 2^bits places. More: place j has the `window` cells from window j on for the
// first classes, and those behind them, which are the first cells of the next places, for others; the last places go on at the
// beginning. So the table has one size whatever the number of classes, and up to `window` classes share no cell. A table
// may have windows for fewer places, 2^window_bits: then several places share one.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "streamboost/data/fields.hpp"
#include "streamboost/run/intake_kernels.hpp"
#include "streamboost/words/tokens.hpp"

namespace streamboost {

// A row for the table: its tokens and the intercept, scaled; with rates once it is to be learned.
struct HashedRow {
  words::Tokens tokens;
  std::vector<double> t, u, size, largest;
  double Q = 0, total = 0;
};

class HashedTable {
 public:
  static constexpr std::size_t window = 16;
  HashedTable(int bits, int window_bits, bool newton)
      : bits_(bits), window_bits_(window_bits), newton_(newton), largest_(places()), size_(places()), weights_(places()) {
    if (window_bits > bits || window_bits + 3 < bits) throw std::invalid_argument("window_bits must be bits, or up to 3 less");
  }

  // Room for more outputs, made aside: the weights that windows will take, if they are still to come.
  struct Room {
    AlignedVector<double> intercept, windows;
    bool brings_windows = false;
  };
  Room prepare(std::size_t outputs) const {
    Room room{intercept_, {}, outputs > 1 && !has_windows() && windows_.empty()};
    room.intercept.resize(std::max(outputs, room.intercept.size()));
    if (room.brings_windows) room.windows.resize(window << window_bits_);
    return room;
  }
  void exchange(Room& room) noexcept {
    std::swap(intercept_, room.intercept);
    if (room.brings_windows) std::swap(windows_, room.windows);
  }
  bool has_windows() const { return weights_.size() > places(); }
  // One output becomes the pair (-w/2, +w/2), which answers the same as long as no places share a window: the third class is here.
  void split() {
    require(!windows_.empty(), "room for more than two classes");
    weights_.swap(windows_);
    for (std::size_t j = 0; j < places(); ++j) {
      const double half = windows_[j] / 2;
      weights_[cell(j, 0)] -= half;
      weights_[cell(j, 1)] += half;
    }
    windows_ = {};
    intercept_[1] = intercept_[0] / 2;
    intercept_[0] = 0 - intercept_[1];
  }

  void scale(HashedRow& row) const {
    const std::size_t n = row.tokens.place.size();
    row.t.resize(n + 1);
    row.largest.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double x = row.tokens.value[i];
      row.largest[i] = std::max(largest_[place(row, i)], std::fabs(x));
      row.t[i] = x == 0 ? 0.0 : x / row.largest[i];
    }
    row.t[n] = 1;
  }
  // After scale. n_rows: learned, with this one.
  void rate(HashedRow& row, double slope, double n_rows) const {
    const std::size_t n = row.t.size();
    row.total = total_[0];
    for (const double t : row.t) row.total += t * t;
    row.u.resize(n);
    row.size.resize(n);
    for (std::size_t i = 0; i + 1 < n; ++i) row.size[i] = size_[place(row, i)];
    row.size[n - 1] = n_rows - 1;
    const double pace = std::sqrt(n_rows / row.total);
    if (newton_)
      rate_columns(row.t.data(), slope, pace, row.size.data(), row.u.data(), n);
    else
      for (std::size_t i = 0; i < n; ++i) {
        row.size[i] += row.t[i] * row.t[i];
        row.u[i] = row.size[i] > 0 ? row.t[i] * (pace / std::sqrt(slope * row.size[i])) : 0.0;
      }
    for (std::size_t i = 0; i + 1 < n; ++i) row.u[i] *= row.tokens.pace[i];
    row.Q = 0;
    for (std::size_t i = 0; i < n; ++i) row.Q += row.u[i] * row.t[i];
  }
  void keep(const HashedRow& row) {
    total_[0] = row.total;
    for (std::size_t i = 0; i < row.largest.size(); ++i) {
      size_[place(row, i)] = row.size[i];
      largest_[place(row, i)] = row.largest[i];
    }
  }

  // z[c] for k outputs
  void ask(const HashedRow& row, std::size_t k, double* z) const {
    std::copy_n(intercept_.begin(), k, z);
    for (std::size_t i = 0; i < row.largest.size(); ++i)
      for (std::size_t c = 0; c < k; ++c) z[c] += weights_[cell(place(row, i), c)] * row.t[i];
  }
  void teach(const HashedRow& row, std::size_t k, const double* step) {
    for (std::size_t c = 0; c < k; ++c) intercept_[c] += step[c] * row.u.back();
    for (std::size_t i = 0; i < row.largest.size(); ++i)
      for (std::size_t c = 0; c < k; ++c) weights_[cell(place(row, i), c)] += step[c] * row.u[i];
  }

  // Only what is not 0 is written. split: whether there are windows, in a file that is read.
  void fields(FieldVisitor& v, bool split) {
    v("total_size", total_);
    v("intercept", intercept_);
    std::vector<std::int64_t> place, cell;
    std::vector<double> largest, size, weight;
    if (!v.loads()) {
      for (std::size_t j = 0; j < size_.size(); ++j) {
        if (size_[j] == 0) continue;
        place.push_back(static_cast<std::int64_t>(j));
        largest.push_back(largest_[j]);
        size.push_back(size_[j]);
      }
      for (std::size_t j = 0; j < weights_.size(); ++j) {
        if (weights_[j] == 0) continue;
        cell.push_back(static_cast<std::int64_t>(j));
        weight.push_back(weights_[j]);
      }
    }
    v.growing("place", place);
    v.growing("largest", largest);
    v.growing("size", size);
    v.growing("cell", cell);
    v.growing("weight", weight);
    if (!v.loads()) return;
    require(largest.size() == place.size() && size.size() == place.size() && weight.size() == cell.size(), "lists of places");
    if (split && !has_windows()) weights_.swap(windows_);
    require(split == has_windows(), "weights of more than two classes");
    fill(largest_, place, largest);
    fill(size_, place, size);
    fill(weights_, cell, weight);
  }
  void check() const {
    require(total_[0] >= 0, "size of all places");
    for (std::size_t j = 0; j < size_.size(); ++j) require(size_[j] >= 0 && largest_[j] >= 0, "size of a place");
  }
  std::size_t bytes() const {
    return (largest_.size() + size_.size() + weights_.size() + windows_.size() + intercept_.size()) * sizeof(double);
  }

 private:
  std::size_t places() const { return std::size_t{1} << bits_; }
  static std::size_t place(const HashedRow& row, std::size_t i) { return static_cast<std::size_t>(row.tokens.place[i]); }
  std::size_t cell(std::size_t place, std::size_t c) const { return has_windows() ? (place * window + c) & (weights_.size() - 1) : place; }
  static void fill(AlignedVector<double>& table, const std::vector<std::int64_t>& place, const std::vector<double>& value) {
    std::fill(table.begin(), table.end(), 0.0);
    for (std::size_t i = 0; i < place.size(); ++i) {
      require(place[i] >= 0 && place[i] < static_cast<std::int64_t>(table.size()), "place in a table");
      table[static_cast<std::size_t>(place[i])] = value[i];
    }
  }

  int bits_, window_bits_;
  bool newton_;
  AlignedVector<double> largest_, size_, weights_, windows_;  // windows: room for the weights of more than two classes, until they come
  AlignedVector<double> intercept_{0.0};
  AlignedVector<double> total_{0.0};
};

}  // namespace streamboost
