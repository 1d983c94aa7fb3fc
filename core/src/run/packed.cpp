#include "streamboost/run/packed.hpp"

namespace streamboost {

std::string pack(const SavedState& state) {
  MessageWriter out("state");
  out.whole(static_cast<std::int64_t>(state.size()));
  for (const auto& [name, field] : state) {
    out.text(name);
    out.whole(field.whole);
    out.whole(static_cast<std::int64_t>(field.shape.size()));
    out.array(field.shape.data(), field.shape.size());
    out.whole(static_cast<std::int64_t>(field.size()));
    out.array(field.real.data(), field.real.size());
    out.array(field.integer.data(), field.integer.size());
  }
  return out.finish();
}

SavedState unpack(Bytes bytes) {
  constexpr std::int64_t longest_name = 256, most_axes = 8;
  const Aligned aligned(bytes);
  MessageReader in(aligned.bytes, "state");
  SavedState state;
  for (std::int64_t left = in.whole(); left > 0; --left) {
    SavedField& field = state[in.text(longest_name)];
    in.require(field.shape.empty() && field.size() == 0, "has a field twice");
    field.whole = in.flag();
    const std::int64_t axes = in.whole(0, most_axes);
    const auto* shape = in.array<std::int64_t>(axes);
    field.shape.assign(shape, shape + axes);
    const std::int64_t n = in.whole();
    if (field.whole) {
      const auto* cell = in.array<std::int64_t>(n);
      field.integer.assign(cell, cell + n);
    } else {
      const auto* cell = in.array<double>(n);
      field.real.assign(cell, cell + n);
    }
  }
  in.finish();
  return state;
}

}  // namespace streamboost
