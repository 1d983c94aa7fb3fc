// Taking a model's lock from Python. The order is: the lock first, then the GIL. Nobody waits for the lock while holding the
// GIL, so a thread that has the lock can always get the GIL back; waiting looks for signals, so Ctrl-C ends it.
#pragma once
#include <nanobind/nanobind.h>

#include "streamboost/run/shared_lock.hpp"
#include "without_gil.hpp"

namespace streamboost {

namespace nb = nanobind;

inline void acquire(SharedLock& lock, SharedLock::Use use) {
  if (lock.try_acquire(use)) return;
  SharedLock::Wait wait(lock, use);
  for (;;) {
    bool taken;
    {
      const WithoutGil released;
      taken = wait.try_for(std::chrono::milliseconds(50));
    }
    if (taken) return;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
}

// A with block: one object serves all threads, because the lock itself knows who holds it.
struct LockUse {
  SharedLock* lock;
  SharedLock::Use use;
  void enter() const { acquire(*lock, use); }
  void exit() const { lock->release(use); }
};

class HeldWithGil {
 public:
  HeldWithGil(SharedLock& lock, SharedLock::Use use) : lock_(lock), use_(use) { acquire(lock, use); }
  ~HeldWithGil() { lock_.release(use_); }
  HeldWithGil(const HeldWithGil&) = delete;
  HeldWithGil& operator=(const HeldWithGil&) = delete;

 private:
  SharedLock& lock_;
  SharedLock::Use use_;
};

}  // namespace streamboost
