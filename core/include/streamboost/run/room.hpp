// The room that a model may take, told to its parts while they grow: what no bound of memory allows is not asked for first.
#pragma once
#include <limits>
#include <utility>

namespace streamboost {

// While there is one, `Room::check` in the same thread refuses more bytes than these.
class Room {
 public:
  struct Exceeded {
    double bytes;
  };
  explicit Room(double bytes) : before_(std::exchange(most_, bytes)) {}
  ~Room() { most_ = before_; }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  static void check(double bytes) {
    if (bytes > most_) throw Exceeded{bytes};
  }

 private:
  static inline thread_local double most_ = std::numeric_limits<double>::infinity();
  double before_;
};

}  // namespace streamboost
