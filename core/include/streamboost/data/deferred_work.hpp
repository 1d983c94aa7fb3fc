// Work that is too long for one row, done in slices.
//
// A coroutine says at each co_yield how much it has just done; whoever owns it asks for so much more. How slices fall into calls changes
// nothing of what is done, so a plan that counts in examples, never in seconds, gives the same bits however rows come in.
// Work in progress is not copied and not saved: it is a function of what it began with and of how much of it is done (`go_on_to`).
#pragma once
#include <coroutine>
#include <cstdint>
#include <exception>
#include <utility>

namespace streamboost {

class DeferredWork {
 public:
  struct promise_type {
    std::int64_t slice = 0;
    std::exception_ptr error;
    DeferredWork get_return_object() { return DeferredWork(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(std::int64_t amount) noexcept {
      slice = amount;
      return {};
    }
    void return_void() noexcept { slice = 0; }
    void unhandled_exception() noexcept { error = std::current_exception(); }
  };

  DeferredWork() = default;
  DeferredWork(DeferredWork&& other) noexcept : handle_(std::exchange(other.handle_, {})), done_(other.done_) {}
  DeferredWork& operator=(DeferredWork&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(done_, other.done_);
    return *this;
  }
  ~DeferredWork() {
    if (handle_) handle_.destroy();
  }

  bool finished() const { return !handle_ || handle_.done(); }
  std::int64_t done() const { return done_; }  // amount of work so far

  // One slice more; false: there was none left. Work made of parts does all slices of a part like this:
  //   for (DeferredWork part = ...; part.next();) co_yield part.slice();
  bool next() {
    if (finished()) return false;
    handle_.resume();
    if (handle_.promise().error) std::rethrow_exception(std::exchange(handle_.promise().error, {}));
    done_ += slice();
    return !finished();
  }
  std::int64_t slice() const { return handle_.promise().slice; }  // the amount of the last one

  // Goes on until so much is done in all, or everything.
  void go_on_to(std::int64_t amount) {
    while (done_ < amount && next()) {
    }
  }

 private:
  using Handle = std::coroutine_handle<promise_type>;
  explicit DeferredWork(Handle handle) : handle_(handle) {}
  Handle handle_;
  std::int64_t done_ = 0;
};

}  // namespace streamboost
