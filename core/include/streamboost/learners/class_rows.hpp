// Tables [row][class] of lanes when there are more rows or more classes: both are appended, so that a row keeps its order. There is room
// for classes to come, whose cells are as if nothing had been learned of them: most new classes move no table.
#pragma once
#include "streamboost/data/fields.hpp"
#include "streamboost/data/journal.hpp"
#include "streamboost/data/schema.hpp"

namespace streamboost {

inline std::size_t classes_of(const Schema& schema) { return static_cast<std::size_t>(std::max(schema.n_classes, 1)); }
// Classes that a table is made for; those that are declared are all that will ever be. now: what it has room for already.
inline std::size_t class_room(const Schema& schema, std::size_t now) {
  return std::max(now, schema.declared ? classes_of(schema) : room_for(classes_of(schema)));
}

struct ClassRows {
  std::size_t before, now, lanes;  // room for classes; before 0: there is no table yet

  // places: where the rows of before are now; none: where they were.
  void grow(LaneArray<double>& table, std::size_t rows, Journal& journal, const std::vector<std::size_t>& places = {}) const {
    if (before == 0) return journal.assign(table, LaneArray<double>(rows * now, lanes));
    std::vector<std::size_t> target;
    if (now != before || !places.empty()) {
      target.resize(table.rows());
      for (std::size_t r = 0; r < target.size() / before; ++r)
        for (std::size_t c = 0; c < before; ++c) target[r * before + c] = (places.empty() ? r : places[r]) * now + c;
    }
    journal.grow(table, rows * now, std::move(target));
  }
};

// The rows of a table of so many classes, in one that has another number of them.
template <class T>
void copy_classes(const LaneArray<T>& from, std::size_t n_from, LaneArray<T>& to, std::size_t n_to) {
  const std::size_t n = std::min(n_from, n_to) * from.stride();
  for (std::size_t r = 0; r < from.rows() / n_from; ++r) std::copy_n(from[r * n_from], n, to[r * n_to]);
}

// A table as a file has it: without the room for classes to come.
struct ClassFields {
  FieldVisitor& visit;
  std::size_t used, room;

  template <class T>
  void operator()(const char* name, LaneArray<T>& table) const {
    if (used == room || visit.measures()) return visit(name, table);
    LaneArray<T> packed(table.rows() / room * used, table.lanes(), T{}, table.stride());
    if (!visit.loads()) copy_classes(table, room, packed, used);
    visit(name, packed);
    if (visit.loads()) copy_classes(packed, used, table, room);
  }
};

}  // namespace streamboost
