// What a combiner remembers for the bounds of report(): a few sums over the stream, and a bounded history of the ensemble's own
// bound against what really happened. Never read by learning; absent from the state when the monitor is off.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "streamboost/data/fields.hpp"

namespace streamboost {

// What report() is made of. Lanes: one value per learner; totals: one value per ensemble; trace: rows of History, oldest first.
struct ModelReport {
  std::map<std::string, std::vector<double>> lanes;
  std::map<std::string, double> totals;
  std::vector<double> trace;
  bool bounded = false;              // the trace holds a bound
  std::vector<double> replacements;  // pairs: example number, lane

  void lane(const std::string& name, const AlignedVector<double>& values) { lanes[name].assign(values.begin(), values.end()); }
};

// At most `capacity` points (examples learned, their weight, sum of what happened, sum of what is promised). Every `interval`th
// example is noted; a full history drops every other point and doubles the interval.
class History {
 public:
  static constexpr std::size_t columns = 4, capacity = 256;

  void reserve() { points_.assign(columns * capacity, 0.0); }
  bool due(std::int64_t number) const { return (number + 1) % interval_ == 0; }
  void note(std::int64_t number, double weight, double reality, double bound) {
    if (!due(number)) return;
    if (count_ == static_cast<std::int64_t>(capacity)) {
      for (std::size_t i = 0; i < capacity / 2; ++i) std::copy_n(at(2 * i + 1), columns, at(i));
      std::fill(points_.begin() + static_cast<std::ptrdiff_t>(columns * capacity / 2), points_.end(), 0.0);
      count_ = static_cast<std::int64_t>(capacity / 2);
      interval_ *= 2;
      if (!due(number)) return;
    }
    double* point = at(static_cast<std::size_t>(count_++));
    point[0] = static_cast<double>(number + 1);
    point[1] = weight;
    point[2] = reality;
    point[3] = bound;
  }
  void write_report(ModelReport& report) const {
    report.trace.assign(points_.begin(), points_.begin() + static_cast<std::ptrdiff_t>(columns) * count_);
  }

  void fields(FieldVisitor& v) {
    v("trace", points_);
    v("trace_count", count_);
    v("trace_interval", interval_);
  }
  void check() const {
    require(count_ >= 0 && count_ <= static_cast<std::int64_t>(capacity), "length of the history");
    require(interval_ >= 1 && interval_ <= (std::int64_t{1} << 62), "interval of the history");
  }

 private:
  double* at(std::size_t i) { return points_.data() + columns * i; }
  AlignedVector<double> points_;
  std::int64_t count_ = 0, interval_ = 1;
};

// Named sums over the examples, in the order of an enum that ends with `count`; the first two are the same for all boosters.
template <class Sum>
class BoundSums {
 public:
  bool on = false;

  explicit BoundSums(bool monitor) : on(monitor) {
    if (!on) return;
    sums_.assign(static_cast<std::size_t>(Sum::count), 0.0);
    trace_.reserve();
  }
  double operator[](Sum which) const { return sums_[static_cast<std::size_t>(which)]; }
  void add(Sum which, double amount) { sums_[static_cast<std::size_t>(which)] += amount; }
  bool due(std::int64_t number) const { return on && trace_.due(number); }
  void note(std::int64_t number, double reality, double bound) { trace_.note(number, sums_[0], reality, bound); }
  void write_report(ModelReport& report, std::initializer_list<std::pair<Sum, const char*>> names, bool bounded = true) const {
    if (!on) return;
    for (const auto& [which, name] : names) report.totals[name] = (*this)[which];
    report.bounded = bounded;
    trace_.write_report(report);
  }
  void fields(FieldVisitor& v) {
    if (!on) return;
    v("watched", sums_);
    trace_.fields(v);
  }
  void check() const {
    if (on) trace_.check();
  }

 private:
  AlignedVector<double> sums_;
  History trace_;
};

}  // namespace streamboost
