#include "streamboost/data/fields.hpp"

#include <cmath>

namespace streamboost {

// ---- saving

SavedField& Saver::list(const char* name, bool whole, std::size_t n) {
  auto& f = state[owner + prefix + name];
  f.shape = {static_cast<std::int64_t>(n)};
  f.whole = whole;
  return f;
}
void Saver::operator()(const char* name, LaneArray<double>& a) { save(name, a); }
void Saver::operator()(const char* name, LaneArray<float>& a) { save(name, a); }
void Saver::operator()(const char* name, AlignedVector<double>& v) { list(name, false, v.size()).real.assign(v.begin(), v.end()); }
void Saver::operator()(const char* name, std::vector<std::int64_t>& v) { list(name, true, v.size()).integer = v; }
void Saver::operator()(const char* name, std::int64_t& v) {
  auto& f = list(name, true, 1);
  f.shape = {};
  f.integer = {v};
}
void Saver::growing(const char* name, std::vector<double>& v) { list(name, false, v.size()).real = v; }
void Saver::growing(const char* name, LaneArray<double>& a) { save(name, a); }
void Saver::growing(const char* name, std::vector<std::int64_t>& v) { (*this)(name, v); }
void Saver::operator()(const char* name, RaggedView<double> per_lane) { join(name, per_lane, false); }
void Saver::operator()(const char* name, RaggedView<std::int32_t> per_lane) { join(name, per_lane, true); }

template <class T>
void Saver::save(const char* name, const LaneArray<T>& a) {
  auto& f = state[owner + prefix + name];
  const auto all = static_cast<std::size_t>(n_lanes_all);
  f.shape = {static_cast<std::int64_t>(a.rows()), n_lanes_all};
  f.real.resize(a.rows() * all);
  for (std::size_t r = 0; r < a.rows(); ++r)
    for (std::size_t l = 0; l < a.lanes(); ++l) f.real[r * all + static_cast<std::size_t>(lanes.begin) + l] = a[r][l];
}

// Blocks are visited in lane order, so appending keeps the global order.
template <class T>
void Saver::join(const char* name, const RaggedView<T>& per_lane, bool whole) {
  auto& cells = state[owner + prefix + name];
  auto& length = state[owner + prefix + name + ".length"];
  cells.whole = whole;
  length.whole = true;
  for (std::size_t i = 0; i < per_lane.size(); ++i) {
    const auto& lane = per_lane[i];
    if (whole)
      cells.integer.insert(cells.integer.end(), lane.begin(), lane.end());
    else
      cells.real.insert(cells.real.end(), lane.begin(), lane.end());
    length.integer.push_back(static_cast<std::int64_t>(lane.size()));
  }
  cells.shape = {static_cast<std::int64_t>(cells.size())};
  length.shape = {static_cast<std::int64_t>(length.size())};
}

// ---- loading

FieldView StateSource::field(const std::string& name) {
  const auto it = state_.find(name);
  if (it == state_.end()) throw std::invalid_argument("missing field '" + name + "'");
  used_.insert(name);
  const SavedField& f = it->second;
  return {f.whole, f.shape, f.real.data(), f.integer.data(), f.size()};
}
void StateSource::require_all_used() const {
  for (const auto& [name, field] : state_)
    if (!used_.contains(name)) throw std::invalid_argument("unknown field '" + name + "'");
}

namespace {

template <class T>
std::int64_t rows_of(const LaneArray<T>& a) {
  return static_cast<std::int64_t>(a.rows());
}

}  // namespace

void Loader::operator()(const char* name, LaneArray<double>& a) { load(find(name, false, {rows_of(a), n_lanes_all}), a); }
void Loader::operator()(const char* name, LaneArray<float>& a) { load(find(name, false, {rows_of(a), n_lanes_all}), a); }
void Loader::operator()(const char* name, AlignedVector<double>& v) {
  const FieldView f = find(name, false, {static_cast<std::int64_t>(v.size())});
  v.assign(f.real, f.real + f.n);
}
void Loader::operator()(const char* name, std::vector<std::int64_t>& v) {
  const FieldView f = find(name, true, {static_cast<std::int64_t>(v.size())});
  v.assign(f.integer, f.integer + f.n);
}
void Loader::operator()(const char* name, std::int64_t& v) { v = find(name, true, {}).integer[0]; }
void Loader::growing(const char* name, std::vector<double>& v) {
  const FieldView f = find_list(name, false);
  v.assign(f.real, f.real + f.n);
}
void Loader::growing(const char* name, LaneArray<double>& a) {
  const FieldView f = take(name);
  const std::size_t rows = f.whole ? 0 : f.n / static_cast<std::size_t>(n_lanes_all);
  check(f, false, {static_cast<std::int64_t>(rows), n_lanes_all});  // before it costs memory
  a = LaneArray<double>(rows, static_cast<std::size_t>(lanes.size()));
  load(f, a);
}
void Loader::growing(const char* name, std::vector<std::int64_t>& v) {
  const FieldView f = find_list(name, true);
  v.assign(f.integer, f.integer + f.n);
}
void Loader::operator()(const char* name, RaggedView<double> per_lane) { split(name, per_lane, false); }
void Loader::operator()(const char* name, RaggedView<std::int32_t> per_lane) { split(name, per_lane, true); }

template <class T>
void Loader::load(const FieldView& f, LaneArray<T>& a) const {
  const auto all = static_cast<std::size_t>(n_lanes_all);
  for (std::size_t r = 0; r < a.rows(); ++r)
    for (std::size_t l = 0; l < a.lanes(); ++l) {
      const double x = f.real[r * all + static_cast<std::size_t>(lanes.begin) + l];
      a[r][l] = static_cast<T>(x);
      if (static_cast<double>(a[r][l]) != x) throw std::invalid_argument("field '" + full_ + "' is not of the model's precision");
    }
}

template <class T>
void Loader::split(const char* name, const RaggedView<T>& per_lane, bool whole) {
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

FieldView Loader::take(const char* name) {
  full_.assign(owner).append(prefix).append(name);
  return source_.field(full_);
}
void Loader::check(const FieldView& f, bool whole, std::initializer_list<std::int64_t> shape) const {
  std::size_t size = 1;
  for (auto n : shape) size *= static_cast<std::size_t>(n);
  if (f.whole != whole || f.n != size || !std::equal(f.shape.begin(), f.shape.end(), shape.begin(), shape.end()))
    throw std::invalid_argument("field '" + full_ + "' has the wrong type or shape");
  if (whole) return;
  for (std::size_t i = 0; i < f.n; ++i)
    if (!std::isfinite(f.real[i])) throw std::invalid_argument("field '" + full_ + "' holds a value that is not finite");
}
FieldView Loader::find(const char* name, bool whole, std::initializer_list<std::int64_t> shape) {
  const FieldView f = take(name);
  check(f, whole, shape);
  return f;
}
FieldView Loader::find_list(const char* name, bool whole) {
  const FieldView f = take(name);
  check(f, whole, {static_cast<std::int64_t>(f.n)});
  return f;
}

// ---- counting

void MemoryCounter::operator()(const char*, LaneArray<double>& a) { table(a); }
void MemoryCounter::operator()(const char*, LaneArray<float>& a) { table(a); }
void MemoryCounter::operator()(const char*, AlignedVector<double>& v) { list(v); }
void MemoryCounter::operator()(const char*, std::vector<std::int64_t>& v) { list(v); }
void MemoryCounter::operator()(const char*, std::int64_t&) { shared(sizeof(std::int64_t)); }
void MemoryCounter::growing(const char*, std::vector<double>& v) { list(v); }
void MemoryCounter::growing(const char*, LaneArray<double>& a) { table(a); }
void MemoryCounter::growing(const char* name, std::vector<std::int64_t>& v) { (*this)(name, v); }
void MemoryCounter::operator()(const char*, RaggedView<double> per_lane) { count(per_lane); }
void MemoryCounter::operator()(const char*, RaggedView<std::int32_t> per_lane) { count(per_lane); }

template <class T>
void MemoryCounter::count(const RaggedView<T>& per_lane) {
  for (std::size_t i = 0; i < per_lane.size(); ++i)
    own(sizeof(std::vector<T>) + (planned ? per_lane[i].size() : per_lane[i].capacity()) * sizeof(T));
}

}  // namespace streamboost
