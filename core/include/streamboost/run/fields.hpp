// Every piece of state is listed once, in the `fields` function of the struct that owns it.
// Saving, loading, counting memory, comparing in tests, cutting and joining blocks of lanes are visitors of that list.
//
// A saved state is a map name -> array. Per-lane arrays are stored [row][lane] in global lane order without padding:
// the file does not know how the lanes were cut into blocks. Shared fields are equal in all blocks and stored once.
// Learners that are structures (trees) keep ragged fields: one vector per lane, stored end to end with their lengths.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "streamboost/math/lanes.hpp"

namespace streamboost {

struct SavedField {
  std::vector<std::int64_t> shape;
  bool whole = false;  // int64 if true, float64 otherwise
  std::vector<double> real;
  std::vector<std::int64_t> integer;
  std::size_t size() const { return whole ? integer.size() : real.size(); }
};

template <class T>
using Ragged = std::vector<std::vector<T>>;  // [lane][...]

using SavedState = std::map<std::string, SavedField>;

class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;
  virtual void operator()(const char* name, LaneArray<double>& lanes) = 0;
  virtual void operator()(const char* name, LaneArray<float>& lanes) = 0;  // stored as doubles, which hold floats exactly
  virtual void operator()(const char* name, AlignedVector<double>& shared) = 0;
  virtual void operator()(const char* name, std::vector<std::int64_t>& shared) = 0;
  virtual void operator()(const char* name, std::int64_t& shared) = 0;
  // Of any length (or number of rows): its owner checks it.
  virtual void growing(const char* name, std::vector<double>& shared) = 0;
  virtual void growing(const char* name, LaneArray<double>& lanes) = 0;
  virtual void growing(const char* name, std::vector<std::int64_t>& shared) = 0;
  virtual void operator()(const char* name, Ragged<double>& per_lane) = 0;
  virtual void operator()(const char* name, Ragged<std::int32_t>& per_lane) = 0;

  virtual bool loads() const { return false; }  // what it has visited holds new values

  // Names say whose they are: "bank/weights", "lane/sum_correct", "intake/mean"; in a pool of models with the model before it.
  std::string owner, prefix;
  Lanes lanes;          // the block being visited
  int n_lanes_all = 0;  // lanes of the whole ensemble
};

class Saver final : public FieldVisitor {
 public:
  SavedState state;

  void operator()(const char* name, LaneArray<double>& a) override { save(name, a); }
  void operator()(const char* name, LaneArray<float>& a) override { save(name, a); }
  void operator()(const char* name, AlignedVector<double>& v) override {
    auto& f = state[owner + prefix + name];
    f.shape = {static_cast<std::int64_t>(v.size())};
    f.real.assign(v.begin(), v.end());
  }
  void operator()(const char* name, std::vector<std::int64_t>& v) override {
    auto& f = state[owner + prefix + name];
    f.shape = {static_cast<std::int64_t>(v.size())};
    f.whole = true;
    f.integer = v;
  }
  void operator()(const char* name, std::int64_t& v) override {
    auto& f = state[owner + prefix + name];
    f.shape = {};
    f.whole = true;
    f.integer = {v};
  }
  void growing(const char* name, std::vector<double>& v) override {
    auto& f = state[owner + prefix + name];
    f.shape = {static_cast<std::int64_t>(v.size())};
    f.real = v;
  }
  void growing(const char* name, LaneArray<double>& a) override { (*this)(name, a); }
  void growing(const char* name, std::vector<std::int64_t>& v) override { (*this)(name, v); }
  void operator()(const char* name, Ragged<double>& per_lane) override { join(name, per_lane, false); }
  void operator()(const char* name, Ragged<std::int32_t>& per_lane) override { join(name, per_lane, true); }

 private:
  template <class T>
  void save(const char* name, const LaneArray<T>& a) {
    auto& f = state[owner + prefix + name];
    const auto all = static_cast<std::size_t>(n_lanes_all);
    f.shape = {static_cast<std::int64_t>(a.rows()), n_lanes_all};
    f.real.resize(a.rows() * all);
    for (std::size_t r = 0; r < a.rows(); ++r)
      for (std::size_t l = 0; l < a.lanes(); ++l) f.real[r * all + static_cast<std::size_t>(lanes.begin) + l] = a[r][l];
  }

  // Blocks are visited in lane order, so appending keeps the global order.
  template <class T>
  void join(const char* name, const Ragged<T>& per_lane, bool whole) {
    auto& cells = state[owner + prefix + name];
    auto& length = state[owner + prefix + name + ".length"];
    cells.whole = whole;
    length.whole = true;
    for (const auto& lane : per_lane) {
      if (whole)
        cells.integer.insert(cells.integer.end(), lane.begin(), lane.end());
      else
        cells.real.insert(cells.real.end(), lane.begin(), lane.end());
      length.integer.push_back(static_cast<std::int64_t>(lane.size()));
    }
    cells.shape = {static_cast<std::int64_t>(cells.size())};
    length.shape = {static_cast<std::int64_t>(length.size())};
  }
};

// One field as it was saved; whoever has given it keeps the numbers.
struct FieldView {
  bool whole = false;  // int64 if true, float64 otherwise
  std::span<const std::int64_t> shape;
  const double* real = nullptr;
  const std::int64_t* integer = nullptr;
  std::size_t n = 0;
};

class FieldSource {
 public:
  virtual ~FieldSource() = default;
  virtual FieldView field(const std::string& name) = 0;  // refuses one that it does not have
  virtual void require_all_used() const = 0;
};

class StateSource final : public FieldSource {
 public:
  explicit StateSource(const SavedState& state) : state_(state) {}
  FieldView field(const std::string& name) override {
    const auto it = state_.find(name);
    if (it == state_.end()) throw std::invalid_argument("missing field '" + name + "'");
    used_.insert(name);
    const SavedField& f = it->second;
    return {f.whole, f.shape, f.real.data(), f.integer.data(), f.size()};
  }
  void require_all_used() const override {
    for (const auto& [name, field] : state_)
      if (!used_.contains(name)) throw std::invalid_argument("unknown field '" + name + "'");
  }

 private:
  const SavedState& state_;
  std::set<std::string> used_;
};

// Refuses whatever does not fit the layout that `reserve` has made: shapes, kinds, values that are not finite, fields too many or too few.
class Loader final : public FieldVisitor {
 public:
  explicit Loader(const SavedState& state) : own_(std::make_unique<StateSource>(state)), source_(*own_) {}
  explicit Loader(FieldSource& source) : source_(source) {}
  bool loads() const override { return true; }

  void operator()(const char* name, LaneArray<double>& a) override { load(find(name, false, {rows_of(a), n_lanes_all}), a); }
  void operator()(const char* name, LaneArray<float>& a) override { load(find(name, false, {rows_of(a), n_lanes_all}), a); }
  void operator()(const char* name, AlignedVector<double>& v) override {
    const FieldView f = find(name, false, {static_cast<std::int64_t>(v.size())});
    v.assign(f.real, f.real + f.n);
  }
  void operator()(const char* name, std::vector<std::int64_t>& v) override {
    const FieldView f = find(name, true, {static_cast<std::int64_t>(v.size())});
    v.assign(f.integer, f.integer + f.n);
  }
  void operator()(const char* name, std::int64_t& v) override { v = find(name, true, {}).integer[0]; }
  void growing(const char* name, std::vector<std::int64_t>& v) override {
    const FieldView f = find_list(name, true);
    v.assign(f.integer, f.integer + f.n);
  }
  void growing(const char* name, std::vector<double>& v) override {
    const FieldView f = find_list(name, false);
    v.assign(f.real, f.real + f.n);
  }
  void growing(const char* name, LaneArray<double>& a) override {
    const FieldView f = take(name);
    const std::size_t rows = f.whole ? 0 : f.n / static_cast<std::size_t>(n_lanes_all);
    check(f, false, {static_cast<std::int64_t>(rows), n_lanes_all});  // before it costs memory
    a = LaneArray<double>(rows, static_cast<std::size_t>(lanes.size()));
    load(f, a);
  }
  // Lengths are free here; what they must be is for the owner's `check`, before anything reads them.
  void operator()(const char* name, Ragged<double>& per_lane) override { split(name, per_lane, false); }
  void operator()(const char* name, Ragged<std::int32_t>& per_lane) override { split(name, per_lane, true); }

  void require_all_used() const { source_.require_all_used(); }

 private:
  template <class T>
  static std::int64_t rows_of(const LaneArray<T>& a) {
    return static_cast<std::int64_t>(a.rows());
  }
  template <class T>
  void load(const FieldView& f, LaneArray<T>& a) const {
    const auto all = static_cast<std::size_t>(n_lanes_all);
    for (std::size_t r = 0; r < a.rows(); ++r)
      for (std::size_t l = 0; l < a.lanes(); ++l) {
        const double x = f.real[r * all + static_cast<std::size_t>(lanes.begin) + l];
        a[r][l] = static_cast<T>(x);
        if (static_cast<double>(a[r][l]) != x) throw std::invalid_argument("field '" + full_ + "' is not of the model's precision");
      }
  }

  template <class T>
  void split(const char* name, Ragged<T>& per_lane, bool whole) {
    const FieldView length = find((std::string(name) + ".length").c_str(), true, {n_lanes_all});
    const FieldView cells = find_list(name, whole);
    std::size_t total = 0, begin = 0;
    for (std::size_t lane = 0; lane < length.n; ++lane) {
      const std::int64_t n = length.integer[lane];
      if (n < 0 || static_cast<std::size_t>(n) > cells.n - total) throw std::invalid_argument("field '" + full_ + "' has broken lengths");
      if (static_cast<int>(lane) < lanes.begin) begin += static_cast<std::size_t>(n);
      total += static_cast<std::size_t>(n);
    }
    if (total != cells.n) throw std::invalid_argument("field '" + full_ + "' has broken lengths");
    for (std::size_t lane = 0; lane < per_lane.size(); ++lane) {
      const auto n = static_cast<std::size_t>(length.integer[static_cast<std::size_t>(lanes.begin) + lane]);
      per_lane[lane].clear();
      per_lane[lane].reserve(n);
      for (std::size_t k = begin; k < begin + n; ++k) {
        if (whole && cells.integer[k] != static_cast<std::int32_t>(cells.integer[k]))
          throw std::invalid_argument("field '" + full_ + "' does not fit 32 bits");
        per_lane[lane].push_back(whole ? static_cast<T>(cells.integer[k]) : static_cast<T>(cells.real[k]));
      }
      begin += n;
    }
  }

  FieldView take(const char* name) {
    full_.assign(owner).append(prefix).append(name);
    return source_.field(full_);
  }
  void check(const FieldView& f, bool whole, std::initializer_list<std::int64_t> shape) const {
    std::size_t size = 1;
    for (auto n : shape) size *= static_cast<std::size_t>(n);
    if (f.whole != whole || f.n != size || !std::equal(f.shape.begin(), f.shape.end(), shape.begin(), shape.end()))
      throw std::invalid_argument("field '" + full_ + "' has the wrong type or shape");
    if (whole) return;
    for (std::size_t i = 0; i < f.n; ++i)
      if (!std::isfinite(f.real[i])) throw std::invalid_argument("field '" + full_ + "' holds a value that is not finite");
  }
  FieldView find(const char* name, bool whole, std::initializer_list<std::int64_t> shape) {
    const FieldView f = take(name);
    check(f, whole, shape);
    return f;
  }
  FieldView find_list(const char* name, bool whole) {
    const FieldView f = take(name);
    check(f, whole, {static_cast<std::int64_t>(f.n)});
    return f;
  }

  std::unique_ptr<StateSource> own_;
  FieldSource& source_;
  std::string full_;  // name of the field at hand
};

class MemoryCounter final : public FieldVisitor {
 public:
  std::size_t bytes = 0;
  void operator()(const char*, LaneArray<double>& a) override { bytes += a.bytes(); }
  void operator()(const char*, LaneArray<float>& a) override { bytes += a.bytes(); }
  void operator()(const char*, AlignedVector<double>& v) override { bytes += v.capacity() * sizeof(double); }
  void operator()(const char*, std::vector<std::int64_t>& v) override { bytes += v.capacity() * sizeof(std::int64_t); }
  void operator()(const char*, std::int64_t&) override { bytes += sizeof(std::int64_t); }
  void growing(const char*, std::vector<double>& v) override { bytes += v.capacity() * sizeof(double); }
  void growing(const char*, LaneArray<double>& a) override { bytes += a.bytes(); }
  void growing(const char* name, std::vector<std::int64_t>& v) override { (*this)(name, v); }
  void operator()(const char*, Ragged<double>& per_lane) override { count(per_lane); }
  void operator()(const char*, Ragged<std::int32_t>& per_lane) override { count(per_lane); }

 private:
  template <class T>
  void count(const Ragged<T>& per_lane) {
    bytes += per_lane.capacity() * sizeof(std::vector<T>);
    for (const auto& lane : per_lane) bytes += lane.capacity() * sizeof(T);
  }
};

// For `check` functions after loading: a broken promise in a file is an error, never undefined behaviour later.
inline void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("broken state: ") + what);
}

// Beyond 2^53 a count would not go on as a double, and near 2^63 not at all.
inline void require_count(std::int64_t n, const char* what) { require(n >= 0 && n <= std::int64_t{1} << 53, what); }

}  // namespace streamboost
