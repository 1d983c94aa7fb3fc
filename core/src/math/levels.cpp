#include "streamboost/math/levels.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace streamboost {
namespace {

#if defined(__x86_64__)
struct Registers {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

Registers cpuid(unsigned leaf) {
  Registers r;
  return __get_cpuid_count(leaf, 0, &r.a, &r.b, &r.c, &r.d) != 0 ? r : Registers{};
}

constexpr bool all_of(std::uint64_t bits, std::uint64_t wanted) { return (bits & wanted) == wanted; }
constexpr std::uint64_t bits(std::initializer_list<int> places) {
  std::uint64_t result = 0;
  for (int place : places) result |= std::uint64_t{1} << place;
  return result;
}

// What the operating system saves of a thread's registers.
std::uint64_t saved_state() {
  unsigned low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
}
#endif

std::vector<std::string_view> found() {
#if defined(__x86_64__)
  std::vector<std::string_view> result = {"v2"};
  const Registers basic = cpuid(1), more = cpuid(7), extended = cpuid(0x80000001);
  constexpr auto fma_movbe_osxsave_avx_f16c = bits({12, 22, 27, 28, 29}), bmi_avx2_bmi2 = bits({3, 5, 8}), lzcnt = bits({5});
  constexpr auto avx512_f_dq_cd_bw_vl = bits({16, 17, 28, 30, 31});
  if (!all_of(basic.c, fma_movbe_osxsave_avx_f16c) || !all_of(more.b, bmi_avx2_bmi2) || !all_of(extended.c, lzcnt)) return result;
  if (!all_of(saved_state(), bits({1, 2}))) return result;
  result.push_back("v3");
  if (all_of(more.b, avx512_f_dq_cd_bw_vl) && all_of(saved_state(), bits({1, 2, 5, 6, 7}))) result.push_back("v4");
  return result;
#elif defined(__aarch64__)
  return {"neon"};
#else
  return {"plain"};
#endif
}

struct Choice {
  std::vector<std::string_view> levels = found();
  std::size_t index = levels.size() - 1;
  std::string problem;

  Choice() {
    const char* wish = std::getenv("STREAMBOOST_LEVEL");
    if (wish == nullptr || *wish == 0) return;
    const auto at = std::find(levels.begin(), levels.end(), wish);
    if (at != levels.end()) {
      index = static_cast<std::size_t>(at - levels.begin());
      return;
    }
    problem = "STREAMBOOST_LEVEL is '";
    problem.append(wish).append("'; this processor can run");
    for (std::string_view one : levels) problem.append(" ").append(one);
  }
};

const Choice& choice() {
  static const Choice made;
  return made;
}

}  // namespace

std::vector<std::string_view> levels() { return choice().levels; }
std::size_t level_index() { return choice().index; }
std::string_view level() { return choice().levels[choice().index]; }
std::string level_problem() { return choice().problem; }

}  // namespace streamboost
