// The bytes that a model may still take while it grows. model.cpp sets the bound, and a part that is about to allocate checks it first, so that
// what `max_bytes` forbids is never allocated.
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
