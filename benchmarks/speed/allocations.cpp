// Counts the heap allocations of a process, preloaded before everything else (LD_PRELOAD).
//
// operator new is the C++ side: the core allocates in no other way. malloc is everything, C++ included: it also serves Python's
// objects above 512 bytes, NumPy and the C library. Nothing is counted until allocations_start(). The frames above the first
// few counted news can be printed, to find the line that allocates.
#include <execinfo.h>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

std::atomic<bool> counting{false};
std::atomic<long> news{0}, new_bytes{0}, mallocs{0}, malloc_bytes{0};
std::atomic<long> traces{0};  // news still to be printed

void count_malloc(std::size_t bytes) {
  if (!counting.load(std::memory_order_relaxed)) return;
  mallocs.fetch_add(1, std::memory_order_relaxed);
  malloc_bytes.fetch_add(static_cast<long>(bytes), std::memory_order_relaxed);
}

void* counted_new(std::size_t bytes, std::size_t alignment) {
  if (counting.load(std::memory_order_relaxed)) {
    news.fetch_add(1, std::memory_order_relaxed);
    new_bytes.fetch_add(static_cast<long>(bytes), std::memory_order_relaxed);
    if (traces.load(std::memory_order_relaxed) > 0 && traces.fetch_sub(1) > 0) {
      counting = false;  // the printing allocates, too
      void* frames[24];
      backtrace_symbols_fd(frames, backtrace(frames, 24), 2);
      counting = true;
    }
  }
  void* found = alignment <= alignof(std::max_align_t) ? malloc(bytes) : aligned_alloc(alignment, bytes);
  if (found == nullptr) throw std::bad_alloc();
  return found;
}

}  // namespace

extern "C" {

void allocations_start(long wanted_traces) {
  news = new_bytes = mallocs = malloc_bytes = 0;
  traces = wanted_traces;
  counting = true;
}
void allocations_stop(long* out) {
  counting = false;
  out[0] = news;
  out[1] = new_bytes;
  out[2] = mallocs;
  out[3] = malloc_bytes;
}

void* malloc(std::size_t bytes) {
  count_malloc(bytes);
  return __libc_malloc(bytes);
}
void* calloc(std::size_t n, std::size_t bytes) {
  count_malloc(n * bytes);
  return __libc_calloc(n, bytes);
}
void* realloc(void* old, std::size_t bytes) {
  count_malloc(bytes);
  return __libc_realloc(old, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  count_malloc(bytes);
  return __libc_memalign(alignment, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) { return aligned_alloc(alignment, bytes); }
int posix_memalign(void** out, std::size_t alignment, std::size_t bytes) {
  *out = aligned_alloc(alignment, bytes);
  return *out == nullptr ? 12 : 0;  // ENOMEM
}

}  // extern "C"

void* operator new(std::size_t bytes) { return counted_new(bytes, 0); }
void* operator new[](std::size_t bytes) { return counted_new(bytes, 0); }
void* operator new(std::size_t bytes, std::align_val_t a) { return counted_new(bytes, static_cast<std::size_t>(a)); }
void* operator new[](std::size_t bytes, std::align_val_t a) { return counted_new(bytes, static_cast<std::size_t>(a)); }
void operator delete(void* p) noexcept { free(p); }
void operator delete[](void* p) noexcept { free(p); }
void operator delete(void* p, std::size_t) noexcept { free(p); }
void operator delete[](void* p, std::size_t) noexcept { free(p); }
void operator delete(void* p, std::align_val_t) noexcept { free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { free(p); }
