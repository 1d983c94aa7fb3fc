#include "streamboost/run/packed.hpp"

#include <array>
#include <cstring>
#include <string_view>

namespace streamboost {

namespace {

constexpr std::int64_t longest_name = 256, most_axes = 8;

// Tables without a single count are common in small models: they are not written.
constexpr std::size_t most_zeros = 4096;
constexpr std::array<double, most_zeros> zeros{};
bool only_zeros(const double* cell, std::size_t n) { return n > 0 && std::memcmp(cell, zeros.data(), n * sizeof(double)) == 0; }

class Packer final : public FieldVisitor {
 public:
  Packer() { out_.expect(4096); }
  std::string finish() { return out_.finish(); }

  void operator()(const char* name, LaneArray<double>& a) override { rows(name, a); }
  void operator()(const char* name, LaneArray<float>& a) override { rows(name, a); }
  void operator()(const char* name, AlignedVector<double>& v) override { list(name, v); }
  void operator()(const char* name, std::vector<std::int64_t>& v) override { list(name, v); }
  void operator()(const char* name, std::int64_t& v) override {
    head(name, true, {});
    out_.whole(v);
  }
  void growing(const char* name, std::vector<double>& v) override { list(name, v); }
  void growing(const char* name, LaneArray<double>& a) override { rows(name, a); }
  void growing(const char* name, std::vector<std::int64_t>& v) override { list(name, v); }
  void operator()(const char* name, RaggedView<double> per_lane) override { join<double>(name, per_lane); }
  void operator()(const char* name, RaggedView<std::int32_t> per_lane) override { join<std::int64_t>(name, per_lane); }

  // Fields that stand apart, in any order.
  void add(const SavedState& state) {
    for (const auto& [name, field] : state) {
      head(name.c_str(), field.whole, field.shape);
      out_.array(field.real.data(), field.real.size());
      out_.array(field.integer.data(), field.integer.size());
    }
  }

 private:
  void head(const char* name, bool whole, std::span<const std::int64_t> shape, bool zero = false) {
    full_.assign(owner).append(prefix).append(name);
    out_.whole(static_cast<std::int64_t>(full_.size() << 8 | shape.size() << 2 | (zero ? 2 : 0) | (whole ? 1 : 0)));
    out_.array(full_.data(), full_.size());
    out_.array(shape.data(), shape.size());
  }
  template <class List>
  void list(const char* name, const List& v) {
    const auto n = static_cast<std::int64_t>(v.size());
    head(name, std::is_same_v<typename List::value_type, std::int64_t>, {&n, 1});
    out_.array(v.data(), v.size());
  }
  template <class T>
  void rows(const char* name, const LaneArray<T>& a) {
    const std::int64_t shape[] = {static_cast<std::int64_t>(a.rows()), n_lanes_all};
    bool zero = std::is_same_v<T, double> && a.rows() * a.lanes() <= most_zeros;
    if constexpr (std::is_same_v<T, double>)
      for (std::size_t r = 0; r < a.rows() && zero; ++r) zero = only_zeros(a[r], a.lanes());
    head(name, false, shape, zero);
    for (std::size_t r = 0; r < a.rows() && !zero; ++r) {
      if constexpr (std::is_same_v<T, double>)
        out_.array(a[r], a.lanes());
      else
        for (std::size_t i = 0; i < a.lanes(); ++i) out_.real(static_cast<double>(a[r][i]));
    }
  }
  template <class Cell, class T>
  void join(const char* name, const RaggedView<T>& per_lane) {
    std::vector<std::int64_t> length;
    std::vector<Cell> cells;
    for (std::size_t i = 0; i < per_lane.size(); ++i) {
      const auto& lane = per_lane[i];
      length.push_back(static_cast<std::int64_t>(lane.size()));
      cells.insert(cells.end(), lane.begin(), lane.end());
    }
    list((std::string(name) + ".length").c_str(), length);
    list(name, cells);
  }

  MessageWriter out_{"fields"};
  std::string full_;
};

struct Entry {
  std::string_view name;
  FieldView field;

  void read_cells(MessageReader& in, std::int64_t n) {
    field.n = static_cast<std::size_t>(n);
    if (field.whole)
      field.integer = in.array<std::int64_t>(n);
    else
      field.real = in.array<double>(n);
  }
};
// Length of the name, number of axes, whether all cells are 0 and their kind in one word; name; shape; as many cells as it says, if they
// are not 0.
Entry read_field(MessageReader& in) {
  const std::int64_t head = in.whole(), length = head >> 8, axes = head >> 2 & 63;
  in.require(length <= longest_name && axes <= most_axes, "holds a number out of range");
  Entry entry;
  entry.name = {in.array<char>(length), static_cast<std::size_t>(length)};
  entry.field.whole = head & 1;
  entry.field.shape = {in.array<std::int64_t>(axes), static_cast<std::size_t>(axes)};
  std::int64_t n = 1;
  for (std::int64_t along : entry.field.shape) {
    in.require(along >= 0 && along <= most_of_any && (along == 0 || n <= most_of_any / along), "holds a number out of range");
    n *= along;
  }
  if (!(head & 2)) {
    entry.read_cells(in, n);
    return entry;
  }
  in.require(!entry.field.whole && n <= static_cast<std::int64_t>(most_zeros), "holds a number out of range");
  entry.field.real = zeros.data();
  entry.field.n = static_cast<std::size_t>(n);
  return entry;
}

// Fields one after the other, in the order in which they are asked for.
class MessageSource final : public FieldSource {
 public:
  explicit MessageSource(Bytes bytes) : in_(bytes, "fields") {}
  FieldView field(const std::string& name) override {
    const Entry entry = read_field(in_);
    if (entry.name != name) throw std::invalid_argument("missing field '" + name + "'");
    return entry.field;
  }
  void require_all_used() const override { in_.finish(); }

 private:
  MessageReader in_;
};

bool in_one_block(Model& model) { return model.banks().size() == 1; }

}  // namespace

std::string pack(Model& model) {
  Packer packer;
  if (in_one_block(model))
    model.visit(packer);
  else
    packer.add(model.save());
  return packer.finish();
}

SavedState unpack(Bytes bytes) {
  const Aligned aligned(bytes);
  MessageReader in(aligned.bytes, "fields");
  SavedState state;
  while (!in.done()) {
    const Entry entry = read_field(in);
    const FieldView& f = entry.field;
    const auto [place, fresh] = state.try_emplace(std::string(entry.name));
    in.require(fresh, "has a field twice");
    SavedField& field = place->second;
    field.whole = f.whole;
    field.shape.assign(f.shape.begin(), f.shape.end());
    if (f.whole)
      field.integer.assign(f.integer, f.integer + f.n);
    else
      field.real.assign(f.real, f.real + f.n);
  }
  in.finish();
  return state;
}

std::unique_ptr<Model> unpack_like(const Model& model, Bytes bytes) {
  auto copy = model.clone();
  const Aligned aligned(bytes);
  if (!in_one_block(*copy)) {
    copy->load(unpack(aligned.bytes));
    return copy;
  }
  MessageSource source(aligned.bytes);
  Loader loader(source);
  copy->visit(loader);
  loader.require_all_used();
  return copy;
}

}  // namespace streamboost
