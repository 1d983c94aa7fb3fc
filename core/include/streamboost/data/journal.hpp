// What was done to tables so that they have room for more, step by step, and can be undone: whoever grows in place need not work on a
// copy, which would cost far more than the row that brings one new column.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "streamboost/data/lanes.hpp"

namespace streamboost {

class Journal {
 public:
  // A new value; the old one is kept.
  template <class T>
  void assign(T& place, std::type_identity_t<T> value) {
    steps_.push_back(std::make_unique<Assigned<T>>(place, std::move(value)));
    std::swap(place, static_cast<Assigned<T>&>(*steps_.back()).other);
  }
  // A longer list, with room to spare.
  template <class List>
  void resize(List& list, std::size_t n, const typename List::value_type& fill = {}) {
    if (n == list.size()) return;
    steps_.push_back(std::make_unique<Longer<List>>(list));
    if (list.capacity() < n) list.reserve(room_for(n));
    list.resize(n, fill);
  }
  // More rows; row r of the old ones goes to target[r], which ascends, and stays where it is if there is no target.
  template <class T>
  void grow(LaneArray<T>& table, std::size_t rows, std::vector<std::size_t> target = {}, T fill = T{}) {
    if (rows == table.rows()) return;
    steps_.push_back(std::make_unique<Spread<T>>(table, std::move(target)));
    table.spread(rows, static_cast<Spread<T>&>(*steps_.back()).target, fill);
  }
  void undo() noexcept {
    while (!steps_.empty()) {
      steps_.back()->undo();
      steps_.pop_back();
    }
  }

 private:
  struct Step {
    virtual ~Step() = default;
    virtual void undo() noexcept = 0;
  };
  template <class T>
  struct Assigned final : Step {
    T &place, other;
    Assigned(T& p, T&& value) : place(p), other(std::move(value)) {}
    void undo() noexcept override { std::swap(place, other); }
  };
  template <class List>
  struct Longer final : Step {
    List& list;
    std::size_t before;
    explicit Longer(List& l) : list(l), before(l.size()) {}
    void undo() noexcept override { list.resize(before); }
  };
  template <class T>
  struct Spread final : Step {
    LaneArray<T>& table;
    std::vector<std::size_t> target;
    std::size_t before;
    Spread(LaneArray<T>& t, std::vector<std::size_t>&& to) : table(t), target(std::move(to)), before(t.rows()) {}
    void undo() noexcept override { table.gather(before, target); }
  };

  std::vector<std::unique_ptr<Step>> steps_;
};

}  // namespace streamboost
