#include "streamboost/run/shared_lock.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#define STREAMBOOST_FORKS 1
#endif

#include <algorithm>
#include <vector>

namespace streamboost {

namespace {

struct Hold {
  const SharedLock* lock;
  int reads;  // 0: it writes
};

// What this thread holds: nearly always nothing, or one lock.
thread_local std::vector<Hold> holds = [] {
  std::vector<Hold> none;
  none.reserve(8);
  return none;
}();

Hold* held_here(const SharedLock* lock) {
  for (auto hold = holds.rbegin(); hold != holds.rend(); ++hold)
    if (hold->lock == lock) return &*hold;
  return nullptr;
}

std::mutex registry;
SharedLock* first_lock = nullptr;

}  // namespace

// A fork waits until nobody is at work on the list of locks; the child then repairs every lock on it.
struct ForkHandlers {
  static void prepare() { registry.lock(); }
  static void in_parent() { registry.unlock(); }
  static void in_child() {
    for (SharedLock* lock = first_lock; lock != nullptr; lock = lock->next_) lock->reset_after_fork();
    registry.unlock();
  }
  static void install() {
#ifdef STREAMBOOST_FORKS
    static const int done = pthread_atfork(prepare, in_parent, in_child);
    (void)done;
#endif
  }
};

SharedLock::SharedLock() {
  ForkHandlers::install();
  const std::lock_guard guard(registry);
  next_ = first_lock;
  if (first_lock != nullptr) first_lock->previous_ = this;
  first_lock = this;
}

SharedLock::~SharedLock() {
  const std::lock_guard guard(registry);
  (previous_ != nullptr ? previous_->next_ : first_lock) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
}

void SharedLock::check(Use use) const {
  if (torn_.load(std::memory_order_relaxed))
    throw TornByFork(
        "this model was learning in another thread when the process was forked, so its copy in this process is incomplete. Fork while "
        "nobody learns, start processes with 'spawn' or 'forkserver', or take a snapshot() for the child; fit starts again");
  const Hold* mine = held_here(this);
  if (mine == nullptr || (use == Use::read && mine->reads > 0)) return;
  throw Reentered(
      "this model was called from inside one of its own calls, by a learner written in Python or by a signal handler: wait until that "
      "call has ended, or use a snapshot()");
}

bool SharedLock::enter(Use use) {
  int state = state_.load();
  if (use == Use::write) {
    if (state != 0 || !state_.compare_exchange_strong(state, writing)) return false;
    holds.push_back({this, 0});
    return true;
  }
  while (state >= 0)
    if (state_.compare_exchange_weak(state, state + 1)) {
      if (Hold* mine = held_here(this))
        ++mine->reads;
      else
        holds.push_back({this, 1});
      return true;
    }
  return false;
}

bool SharedLock::try_acquire(Use use) {
  check(use);
  // One that reads already may read again whoever waits: the writer waits for it.
  const bool others_first = use == Use::write ? readers_first_.load() > 0 : waiting_writers_.load() > 0 && held_here(this) == nullptr;
  return !others_first && enter(use);
}

void SharedLock::release(Use use) {
  const auto mine = std::find_if(holds.rbegin(), holds.rend(), [&](const Hold& hold) { return hold.lock == this; });
  if (mine == holds.rend()) return;  // let go by a fork
  if (use == Use::read && --mine->reads > 0) {
    state_.fetch_sub(1);
    return;
  }
  holds.erase(std::next(mine).base());
  if (use == Use::read) {
    if (state_.fetch_sub(1) == 1 && waiting_writers_.load() > 0) wake();
    return;
  }
  if (waiting_readers_.load() > 0) {
    const std::lock_guard guard(mutex_);
    readers_first_.store(waiting_readers_.load());
  }
  state_.store(0);
  if (waiting_readers_.load() > 0 || waiting_writers_.load() > 0) wake();
}

void SharedLock::wake() {
  {
    const std::lock_guard guard(mutex_);
  }  // whoever has just looked is asleep by now
  changed_.notify_all();
}

bool SharedLock::my_turn(Use use) const {
  return use == Use::write ? readers_first_.load() == 0 : readers_first_.load() > 0 || waiting_writers_.load() == 0;
}

SharedLock::Wait::Wait(SharedLock& lock, Use use) : lock_(lock), use_(use) {
  lock_.check(use);
  const std::lock_guard guard(lock_.mutex_);
  ++(use == Use::read ? lock_.waiting_readers_ : lock_.waiting_writers_);
}

SharedLock::Wait::~Wait() {
  {
    const std::lock_guard guard(lock_.mutex_);
    --(use_ == Use::read ? lock_.waiting_readers_ : lock_.waiting_writers_);
    // One reader fewer to let in first, whether it went in or gave up.
    lock_.readers_first_.store(std::min(lock_.readers_first_.load(), lock_.waiting_readers_.load()));
  }
  lock_.changed_.notify_all();
}

bool SharedLock::Wait::try_for(std::chrono::milliseconds time) {
  std::unique_lock guard(lock_.mutex_);
  return lock_.changed_.wait_for(guard, time, [&] { return lock_.my_turn(use_) && lock_.enter(use_); });
}

void SharedLock::acquire(Use use) {
  if (try_acquire(use)) return;
  Wait wait(*this, use);
  while (!wait.try_for(std::chrono::milliseconds(1000))) {
  }
}

// The child has one thread, the one that forked: what it holds stays held, everything else is nobody's.
void SharedLock::reset_after_fork() {
  const Hold* mine = held_here(this);
  const bool writes_here = mine != nullptr && mine->reads == 0;
  if (state_.load() == writing && !writes_here) torn_.store(true);
  state_.store(writes_here ? writing : mine != nullptr ? mine->reads : 0);
  waiting_readers_.store(0);
  waiting_writers_.store(0);
  readers_first_.store(0);
  new (&mutex_) std::mutex;  // either may have been in use by a thread that is no more
  new (&changed_) std::condition_variable;
}

}  // namespace streamboost
