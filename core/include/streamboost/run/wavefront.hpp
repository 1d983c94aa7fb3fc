// Threads that work on chunks one behind the other: worker w takes chunk c when worker w - 1 has finished it.
//
// Workers live for one call: starting them costs tens of microseconds, and nothing is left behind that a fork could lose. Waiting
// is std::atomic::wait, which sleeps after a short while, so a worker that has nothing to do costs nothing. The first exception
// stops all workers and is thrown to the caller.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>

namespace streamboost {

// The system has no more threads, or no memory for them.
struct NoThread final : std::runtime_error {
  NoThread() : std::runtime_error("no thread could be started") {}
};

// work(0) .. work(workers - 1), the first in the calling thread; the first exception is thrown here when all have ended. NoThread:
// work(0) has not begun. The threads are compiled once, for all boosters (wavefront.cpp): give what is large by std::ref.
using Work = std::function<void(int worker)>;
void run_workers(int workers, const Work& work, const std::function<void()>& on_failure = [] {});

class Wavefront {
 public:
  explicit Wavefront(int workers) : workers_(workers), done_(new Counter[static_cast<std::size_t>(workers)]) {}

  void run(const Work& work);
  bool await(int worker, std::int64_t chunks) const;  // until the worker has finished so many chunks; false: give up
  void finished(int worker, std::int64_t chunks);

 private:
  static constexpr std::int64_t stopped = -1;
  struct alignas(64) Counter {  // a cache line each: waiting for one does not slow the others
    std::atomic<std::int64_t> value{0};
  };

  void stop();

  int workers_;
  std::unique_ptr<Counter[]> done_;
};

}  // namespace streamboost
