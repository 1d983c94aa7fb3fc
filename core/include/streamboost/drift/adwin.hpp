// ADWIN: a window over a stream of numbers in [0, 1] that forgets its past as soon as two parts of it differ in mean.
//
// Paper     Bifet, Gavaldà: Learning from time-changing data with adaptive windowing (SDM 2007), the exponential histogram ADWIN2.
//
//   paper        here             meaning
//   W            width_           inputs in the window
//   delta        delta            confidence: how rarely a window of unchanged inputs may be cut
//   M            capacity         buckets of each size; one more, and the two oldest become one of the next size
//   mu_W0, W1    u0 / n0, u1/n1   means of the older and the newer part, for every border between two buckets
//   eps_cut      eps              sqrt(2 m q D) + 2/3 D m,   m = 1 / (n0 - 4) + 1 / (n1 - 4),   D = ln(2 ln(W) / delta)
//
// Row r holds up to 5 buckets of 2^r inputs, the oldest first. A bucket remembers the sum of its inputs. For inputs 0 and 1 sums are
// whole numbers, so nothing is ever rounded and the window is the same on every machine; that is the form that guards a learner's errors
// (Ones). For real inputs a bucket keeps the sum of squares as well (Moments), and q is the true variance of the window. Where all
// inputs are 0 or 1, both forms make the same decisions to the bit: q = p (1 - p) - (sum - squares) / W, and the last term is then 0.
//
// Departures  The paper checks after every input; we check at every 32nd of a detector's own inputs, as the usual implementations do.
//             Borders need more than 6 inputs on either side, and 4 of them do not count in m: small parts must differ clearly.
//             `update` reports a cut only if the mean rose: a falling error is good news.
// Cost        O(1) per input on average; every 32nd O(5 log2 W).
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "streamboost/drift/adwin_kernels.hpp"
#include "streamboost/drift/detector.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

// The sum of a bucket of zeros and ones.
struct Ones {
  static constexpr std::size_t numbers = 1;
  std::int64_t sum = 0;

  static Ones of(double x) { return {x != 0 ? 1 : 0}; }
  double total() const { return static_cast<double>(sum); }
  double spread() const { return 0; }  // sum - squares
  void operator+=(Ones other) { sum += other.sum; }
  void operator-=(Ones other) { sum -= other.sum; }
  void pack(std::vector<double>& out) const { out.push_back(static_cast<double>(sum)); }
  static Ones unpack(const double* in) { return {static_cast<std::int64_t>(in[0])}; }
  bool possible(double inputs) const { return sum >= 0 && static_cast<double>(sum) <= inputs; }
  bool operator==(const Ones&) const = default;
};

// The sums of a bucket of numbers in [0, 1].
struct Moments {
  static constexpr std::size_t numbers = 2;
  double sum = 0, squares = 0;

  static Moments of(double x) { return {x, x * x}; }
  double total() const { return sum; }
  double spread() const { return sum - squares; }
  void operator+=(Moments other) {
    sum += other.sum;
    squares += other.squares;
  }
  void operator-=(Moments other) {
    sum -= other.sum;
    squares -= other.squares;
  }
  void pack(std::vector<double>& out) const { out.insert(out.end(), {sum, squares}); }
  static Moments unpack(const double* in) { return {in[0], in[1]}; }
  bool possible(double inputs) const { return sum >= 0 && squares >= 0 && squares <= sum && sum <= inputs; }
  bool operator==(const Moments&) const = default;
};

template <class Sum>
class Adwin {
 public:
  static constexpr int capacity = 5, most_rows = 40, check_every = 32, least_width = 10;

  void expect() { rows_.reserve(most_rows); }  // so that no input allocates; a copy has lost it

  // Takes one input; true if the window was cut and its mean rose.
  bool update(double x, double delta) {
    const Sum input = Sum::of(x);
    time_ += 1;
    width_ += 1;
    total_ += input;
    insert(input);
    if (time_ % check_every != 0 || width_ <= least_width) return false;
    const double before = (total_.total() - input.total()) / static_cast<double>(width_ - 1);
    bool cut = false;
    while (differs(delta)) {
      drop_oldest();
      cut = true;
    }
    return cut && mean() > before;
  }

  void reset() {
    time_ = width_ = 0;
    total_ = Sum();
    rows_.clear();
  }

  std::int64_t time() const { return time_; }
  std::int64_t width() const { return width_; }
  const Sum& total() const { return total_; }
  double mean() const { return width_ > 0 ? total_.total() / static_cast<double>(width_) : 0.0; }
  double variance() const {
    if (width_ == 0) return 0;
    const double p = mean(), q = p * (1 - p) - total_.spread() / static_cast<double>(width_);
    return q > 0 ? q : 0.0;
  }

  // time, width, then for each row its number of buckets and the buckets' sums.
  std::vector<double> pack() const {
    std::vector<double> out{static_cast<double>(time_), static_cast<double>(width_)};
    total_.pack(out);  // in real numbers the total carries its own rounding: it is state, not a sum to be formed again
    for (const Row& row : rows_) {
      out.push_back(row.count);
      for (int b = 0; b < row.count; ++b) row.bucket[static_cast<std::size_t>(b)].pack(out);
    }
    return out;
  }
  // Refuses what no stream of inputs could have left.
  void unpack(const std::vector<double>& packed) {
    const std::size_t head = 2 + Sum::numbers;
    require(packed.size() >= head, "drift detector");
    for (double x : packed) require(x >= 0 && x <= 9007199254740992.0, "drift detector");
    reset();
    time_ = static_cast<std::int64_t>(packed[0]);
    width_ = static_cast<std::int64_t>(packed[1]);
    total_ = Sum::unpack(packed.data() + 2);
    Sum sum;
    std::int64_t inputs = 0, size = 1;
    for (std::size_t at = head; at < packed.size(); size *= 2) {
      require(rows_.size() < most_rows, "rows of a drift detector");
      Row row;
      row.count = packed[at] <= capacity ? static_cast<int>(packed[at]) : capacity + 1;
      require(row.count <= capacity && packed.size() - at > static_cast<std::size_t>(row.count) * Sum::numbers, "row of a drift detector");
      ++at;
      for (int b = 0; b < row.count; ++b, at += Sum::numbers) {
        const Sum bucket = Sum::unpack(packed.data() + at);
        require(bucket.possible(static_cast<double>(size)), "bucket of a drift detector");
        row.bucket[static_cast<std::size_t>(b)] = bucket;
        sum += bucket;
        inputs += size;
      }
      rows_.push_back(row);
    }
    require(rows_.empty() || rows_.back().count > 0, "rows of a drift detector");
    require(inputs == width_ && time_ >= width_, "width of a drift detector");
    const double gap = std::fabs(sum.total() - total_.total());
    require(gap <= (Sum::numbers == 1 ? 0.0 : 1e-6 * (1 + sum.total())) && total_.possible(static_cast<double>(width_)),
            "sum of a drift detector");
  }

 private:
  struct Row {
    int count = 0;
    std::array<Sum, capacity> bucket{};  // the oldest first
  };

  void insert(Sum bucket) {
    for (std::size_t r = 0;; ++r) {
      if (r == rows_.size()) {
        if (r == most_rows) return drop_oldest_and(bucket);
        rows_.push_back(Row());
      }
      Row& row = rows_[r];
      if (row.count < capacity) {
        row.bucket[static_cast<std::size_t>(row.count++)] = bucket;
        return;
      }
      Sum older = row.bucket[0];
      older += row.bucket[1];
      for (std::size_t b = 2; b < capacity; ++b) row.bucket[b - 2] = row.bucket[b];
      row.bucket[capacity - 2] = bucket;
      row.count = capacity - 1;
      bucket = older;
    }
  }
  // A window of 5 * 2^40 inputs: what would become its next row is forgotten.
  void drop_oldest_and(Sum bucket) {
    total_ -= bucket;
    width_ -= std::int64_t{1} << most_rows;
  }

  // Whether some border divides the window into parts of different means.
  bool differs(double delta) const {
    if (width_ <= 1) return false;
    const double n = static_cast<double>(width_), q = variance(), D = log(2 * log(n) / delta);
    WindowBorders borders;
    std::int64_t n0 = 0, n1 = width_;
    Sum u0, u1 = total_;
    for (std::size_t r = rows_.size(); r-- > 0;)
      for (int b = 0; b < rows_[r].count; ++b) {
        if (r == 0 && b == rows_[0].count - 1) break;  // nothing would be left on the newer side
        const std::int64_t size = std::int64_t{1} << r;
        n0 += size;
        n1 -= size;
        u0 += rows_[r].bucket[static_cast<std::size_t>(b)];
        u1 -= rows_[r].bucket[static_cast<std::size_t>(b)];
        if (n0 > 6 && n1 > 6) borders.add(static_cast<double>(n0), static_cast<double>(n1), u0.total(), u1.total());
      }
    return any_border_differs(borders, q, D);
  }

  void drop_oldest() {
    Row& row = rows_.back();
    total_ -= row.bucket[0];
    width_ -= std::int64_t{1} << (rows_.size() - 1);
    for (std::size_t b = 1; b < capacity; ++b) row.bucket[b - 1] = row.bucket[b];
    row.count -= 1;
    while (!rows_.empty() && rows_.back().count == 0) rows_.pop_back();
  }

  std::int64_t time_ = 0, width_ = 0;
  Sum total_;
  std::vector<Row> rows_;
};

// The window as a detector: a second one, at a less strict level, warns. It begins again with each warning.
template <class Sum>
class AdwinDetector {
 public:
  struct Params {
    double delta;
    std::optional<double> warning;  // none: it never warns
    static Params read(const Config& c) { return {c.number("delta"), c.number_or_none("warning")}; }
  };
  static constexpr bool lasting = false;

  Signal update(double x, const Params& params, std::uint32_t) {
    Signal signal;
    if (params.warning) {
      signal.warning = suspicion_.update(x, *params.warning);
      if (signal.warning) suspicion_.reset();
    }
    signal.drift = window_.update(x, params.delta);
    return signal;
  }
  void reset(bool suspicion) {
    window_.reset();
    if (suspicion) suspicion_.reset();
  }
  void expect(const Params& params) {
    window_.expect();
    if (params.warning) suspicion_.expect();
  }

  std::int64_t width() const { return window_.width(); }
  double mean() const { return window_.mean(); }

  // The length of the window's state, the window, the suspicion.
  std::vector<double> pack() const {
    const std::vector<double> window = window_.pack(), suspicion = suspicion_.pack();
    std::vector<double> out{static_cast<double>(window.size())};
    out.insert(out.end(), window.begin(), window.end());
    out.insert(out.end(), suspicion.begin(), suspicion.end());
    return out;
  }
  void unpack(const std::vector<double>& packed, const Params& params) {
    require(!packed.empty() && is_count(packed[0]) && packed[0] < static_cast<double>(packed.size()), "drift detector");
    const auto middle = packed.begin() + 1 + static_cast<std::ptrdiff_t>(packed[0]);
    window_.unpack({packed.begin() + 1, middle});
    suspicion_.unpack({middle, packed.end()});
    require(params.warning || suspicion_.time() == 0, "drift detector");
  }

 private:
  Adwin<Sum> window_, suspicion_;
};

}  // namespace streamboost
