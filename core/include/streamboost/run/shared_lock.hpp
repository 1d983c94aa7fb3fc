// One writer or many readers, for a model that threads share.
//
// A call that finds the lock free pays two atomic operations. One that must wait does so in slices, so that its caller can
// look for signals in between. Turns are fair: while a writer waits no new reader comes in, and when a writer leaves, the
// readers that waited for it go before the next writer.
//
// The lock knows which thread holds it. A thread that holds it may read again while it reads; anything else would wait for
// itself and is refused with `Reentered`. After fork() only the forking thread exists in the child: what other threads held
// there is let go, and a model that one of them was changing is refused from then on with `TornByFork`.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>

namespace streamboost {

struct Reentered : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct TornByFork : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class SharedLock {
 public:
  enum class Use { read, write };

  SharedLock();
  ~SharedLock();
  SharedLock(const SharedLock&) = delete;
  SharedLock& operator=(const SharedLock&) = delete;

  // Takes the lock if that needs no waiting.
  bool try_acquire(Use use);
  void release(Use use);

  // A place in the queue; leaving it without the lock is fine at any time.
  class Wait {
   public:
    Wait(SharedLock& lock, Use use);
    ~Wait();
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    bool try_for(std::chrono::milliseconds time);  // true: the lock is taken, once

   private:
    SharedLock& lock_;
    Use use_;
  };

  // For callers with nothing else to look after.
  void acquire(Use use);

 private:
  friend struct ForkHandlers;
  static constexpr int writing = -1;

  bool enter(Use use);          // state_ only
  bool my_turn(Use use) const;  // may one that waits go in now?
  void check(Use use) const;    // refuses what could never succeed
  void wake();
  void reset_after_fork();

  std::atomic<int> state_{0};  // so many read, or `writing`
  std::atomic<int> waiting_readers_{0}, waiting_writers_{0};
  std::atomic<int> readers_first_{0};  // readers that waited for the last writer and have not come in yet
  std::atomic<bool> torn_{false};
  std::mutex mutex_;  // of those who wait
  std::condition_variable changed_;
  SharedLock *next_ = nullptr, *previous_ = nullptr;  // all locks of the process, for fork
};

// Holds for a scope.
class Held {
 public:
  Held(SharedLock& lock, SharedLock::Use use) : lock_(lock), use_(use) { lock_.acquire(use); }
  ~Held() { lock_.release(use_); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  SharedLock& lock_;
  SharedLock::Use use_;
};

}  // namespace streamboost
