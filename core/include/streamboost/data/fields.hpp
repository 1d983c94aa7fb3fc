// Every piece of state is listed once, in the `fields` function of the struct that owns it.
// Saving, loading, counting memory, comparing in tests, cutting and joining blocks of lanes are visitors of that list.
//
// A saved state is a map name -> array. Per-lane arrays are stored [row][lane] in global lane order without padding:
// the file does not know how the lanes were cut into blocks. Shared fields are equal in all blocks and stored once.
// Learners that are structures (trees) keep ragged fields: one vector per lane, stored end to end with their lengths.
#pragma once
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "streamboost/data/lanes.hpp"

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

// One vector per lane, wherever they live: visitors look at them in place, so that readers may look at the same time.
template <class T>
class RaggedView {
 public:
  RaggedView(Ragged<T>& per_lane) {
    lane_.reserve(per_lane.size());
    for (auto& lane : per_lane) lane_.push_back(&lane);
  }
  template <class Owners, class Field>
  RaggedView(Owners& owners, Field field) {
    lane_.reserve(owners.size());
    for (auto& owner : owners) lane_.push_back(&field(owner));
  }
  std::size_t size() const { return lane_.size(); }
  std::vector<T>& operator[](std::size_t lane) const { return *lane_[lane]; }

 private:
  std::vector<std::vector<T>*> lane_;
};

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
  virtual void operator()(const char* name, RaggedView<double> per_lane) = 0;
  virtual void operator()(const char* name, RaggedView<std::int32_t> per_lane) = 0;

  virtual bool loads() const { return false; }     // what it has visited holds new values
  virtual bool measures() const { return false; }  // it looks at how much there is, with all that is spare

  // Names say whose they are: "bank/weights", "lane/sum_correct", "intake/mean"; in a pool of models with the model before it.
  std::string owner, prefix;
  Lanes lanes;          // the block being visited
  int n_lanes_all = 0;  // lanes of the whole ensemble
};

// The visitors are compiled once (fields.cpp), not with every booster and bank.
class Saver final : public FieldVisitor {
 public:
  SavedState state;

  void operator()(const char* name, LaneArray<double>& a) override;
  void operator()(const char* name, LaneArray<float>& a) override;
  void operator()(const char* name, AlignedVector<double>& v) override;
  void operator()(const char* name, std::vector<std::int64_t>& v) override;
  void operator()(const char* name, std::int64_t& v) override;
  void growing(const char* name, std::vector<double>& v) override;
  void growing(const char* name, LaneArray<double>& a) override;
  void growing(const char* name, std::vector<std::int64_t>& v) override;
  void operator()(const char* name, RaggedView<double> per_lane) override;
  void operator()(const char* name, RaggedView<std::int32_t> per_lane) override;

 private:
  SavedField& list(const char* name, bool whole, std::size_t n);
  template <class T>
  void save(const char* name, const LaneArray<T>& a);
  template <class T>
  void join(const char* name, const RaggedView<T>& per_lane, bool whole);
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
  FieldView field(const std::string& name) override;
  void require_all_used() const override;

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

  void operator()(const char* name, LaneArray<double>& a) override;
  void operator()(const char* name, LaneArray<float>& a) override;
  void operator()(const char* name, AlignedVector<double>& v) override;
  void operator()(const char* name, std::vector<std::int64_t>& v) override;
  void operator()(const char* name, std::int64_t& v) override;
  void growing(const char* name, std::vector<double>& v) override;
  void growing(const char* name, LaneArray<double>& a) override;
  void growing(const char* name, std::vector<std::int64_t>& v) override;
  // Lengths are free here; what they must be is for the owner's `check`, before anything reads them.
  void operator()(const char* name, RaggedView<double> per_lane) override;
  void operator()(const char* name, RaggedView<std::int32_t> per_lane) override;

  void require_all_used() const { source_.require_all_used(); }

 private:
  template <class T>
  void load(const FieldView& f, LaneArray<T>& a) const;
  template <class T>
  void split(const char* name, const RaggedView<T>& per_lane, bool whole);
  FieldView take(const char* name);
  void check(const FieldView& f, bool whole, std::initializer_list<std::int64_t> shape) const;
  FieldView find(const char* name, bool whole, std::initializer_list<std::int64_t> shape);
  FieldView find_list(const char* name, bool whole);

  std::unique_ptr<StateSource> own_;
  FieldSource& source_;
  std::string full_;  // name of the field at hand
};

class MemoryCounter final : public FieldVisitor {
 public:
  // planned: not what this process holds, but what the schema asks for: the same however lanes are cut into blocks, and whether the model
  // has grown or was loaded. A bound must not depend on that.
  explicit MemoryCounter(bool plan = false) : planned(plan) {}
  const bool planned;
  bool measures() const override { return true; }
  std::size_t total() const { return static_cast<std::size_t>(bytes + 0.5); }

  template <class T>
  void table(const LaneArray<T>& a) {
    if (planned)
      rows<T>(room_for(a.rows()), a);
    else
      bytes += static_cast<double>(a.bytes());
  }
  // So many rows of a table of this block's lanes. As a plan: its share of rows that have all lanes.
  template <class T>
  void rows(std::size_t n, const LaneArray<T>& like) {
    auto cells = static_cast<double>(like.stride());
    if (planned && n_lanes_all > 1)
      cells = static_cast<double>(padded(static_cast<std::size_t>(n_lanes_all)) * like.lanes()) / static_cast<double>(n_lanes_all);
    bytes += static_cast<double>(n) * cells * sizeof(T);
  }
  void shared(std::size_t n) { bytes += planned && lanes.begin > 0 ? 0.0 : static_cast<double>(n); }  // the same in all blocks
  void own(std::size_t n) { bytes += static_cast<double>(n); }

  void operator()(const char* name, LaneArray<double>& a) override;
  void operator()(const char* name, LaneArray<float>& a) override;
  void operator()(const char* name, AlignedVector<double>& v) override;
  void operator()(const char* name, std::vector<std::int64_t>& v) override;
  void operator()(const char* name, std::int64_t& v) override;
  void growing(const char* name, std::vector<double>& v) override;
  void growing(const char* name, LaneArray<double>& a) override;
  void growing(const char* name, std::vector<std::int64_t>& v) override;
  void operator()(const char* name, RaggedView<double> per_lane) override;
  void operator()(const char* name, RaggedView<std::int32_t> per_lane) override;

 private:
  template <class T>
  void count(const RaggedView<T>& per_lane);
  template <class List>
  void list(const List& v) {
    shared((planned ? v.size() : v.capacity()) * sizeof(typename List::value_type));
  }

  double bytes = 0;
};

// For `check` functions after loading: a broken promise in a file is an error, never undefined behaviour later.
inline void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("broken state: ") + what);
}

// Beyond 2^53 a count would not go on as a double, and near 2^63 not at all.
inline void require_count(std::int64_t n, const char* what) { require(n >= 0 && n <= std::int64_t{1} << 53, what); }

}  // namespace streamboost
