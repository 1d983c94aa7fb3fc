// Python's global lock, given back for the life of an object.
#pragma once
#include <nanobind/nanobind.h>

#include <chrono>
#include <thread>

namespace streamboost {

// Before Python 3.14 a thread that asks for the lock of an interpreter that ends is itself ended, in glibc by unwinding its stack:
// nanobind's guard does not let that pass, and the process aborts. Here the thread waits until the process is gone, as it does in
// Python from 3.14 on.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() {
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {
      for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
    }
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace streamboost
