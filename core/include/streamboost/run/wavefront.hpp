// Threads that work on chunks one behind the other: worker w takes chunk c when worker w - 1 has finished it.
//
// Workers live for one call: starting them costs tens of microseconds, and nothing is left behind that a fork could lose. Waiting
// is std::atomic::wait, which sleeps after a short while, so a worker that has nothing to do costs nothing. The first exception
// stops all workers and is thrown to the caller.
#pragma once
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace streamboost {

// The system has no more threads, or no memory for them.
struct NoThread final : std::runtime_error {
  NoThread() : std::runtime_error("no thread could be started") {}
};

// work(0) .. work(workers - 1), the first in the calling thread; the first exception is thrown here when all have ended. NoThread:
// work(0) has not begun.
template <class Work, class OnFailure>
void run_workers(int workers, Work&& work, OnFailure&& on_failure) {
  std::exception_ptr failure;
  std::mutex guard;
  const auto safely = [&](int worker) {
    try {
      work(worker);
    } catch (...) {
      {
        const std::scoped_lock lock(guard);
        if (!failure) failure = std::current_exception();
      }
      on_failure();
    }
  };
  std::vector<std::thread> threads;
  bool all = true;
  try {
    for (int worker = 1; worker < workers; ++worker) threads.emplace_back(safely, worker);
  } catch (...) {
    all = false;
    on_failure();  // nobody may wait for it
  }
  if (all) safely(0);
  for (auto& thread : threads) thread.join();
  if (!all) throw NoThread();
  if (failure) std::rethrow_exception(failure);
}
template <class Work>
void run_workers(int workers, Work&& work) {
  run_workers(workers, work, [] {});
}

class Wavefront {
 public:
  explicit Wavefront(int workers) : workers_(workers), done_(new Counter[static_cast<std::size_t>(workers)]) {}

  template <class Work>
  void run(Work&& work) {
    run_workers(workers_, work, [this] { stop(); });
  }

  // Waits until the worker has finished so many chunks; false: give up.
  bool await(int worker, std::int64_t chunks) const {
    const std::atomic<std::int64_t>& done = done_[static_cast<std::size_t>(worker)].value;
    for (std::int64_t seen = done.load(std::memory_order_acquire); seen < chunks; seen = done.load(std::memory_order_acquire)) {
      if (seen == stopped) return false;
      done.wait(seen, std::memory_order_acquire);
    }
    return true;
  }

  void finished(int worker, std::int64_t chunks) {
    std::atomic<std::int64_t>& done = done_[static_cast<std::size_t>(worker)].value;
    std::int64_t before = chunks - 1;
    done.compare_exchange_strong(before, chunks, std::memory_order_release);  // fails when all were stopped
    done.notify_all();
  }

 private:
  static constexpr std::int64_t stopped = -1;
  struct alignas(64) Counter {  // a cache line each: waiting for one does not slow the others
    std::atomic<std::int64_t> value{0};
  };

  void stop() {
    for (int worker = 0; worker < workers_; ++worker) {
      done_[static_cast<std::size_t>(worker)].value.store(stopped, std::memory_order_release);
      done_[static_cast<std::size_t>(worker)].value.notify_all();
    }
  }

  int workers_;
  std::unique_ptr<Counter[]> done_;
};

}  // namespace streamboost
