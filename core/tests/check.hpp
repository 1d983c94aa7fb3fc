// The whole test framework: check(condition, ...) counts and prints where it failed; finish() ends main.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdio>
#include <source_location>
#include <string_view>

namespace checking {

inline long passed = 0;
inline long failed = 0;

inline bool check(bool condition, std::string_view what = "check", std::source_location where = std::source_location::current()) {
  if (condition) {
    ++passed;
  } else {
    ++failed;
    if (failed <= 50) {
      std::printf("%s:%u: failed: %.*s\n", where.file_name(), static_cast<unsigned>(where.line()), static_cast<int>(what.size()),
                  what.data());
    }
  }
  return condition;
}

template <class A, class B>
inline bool check_equal(const A& a, const B& b, std::string_view what = "check",
                        std::source_location where = std::source_location::current()) {
  return check(a == b, what, where);
}

inline bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

// Equal bit for bit: NaN equals NaN, 0 differs from -0.
inline bool check_bits(double a, double b, std::string_view what = "check", std::source_location where = std::source_location::current()) {
  if (!check(same_bits(a, b), what, where)) std::printf("  %.17g (%a) against %.17g (%a)\n", a, a, b, b);
  return same_bits(a, b);
}

inline bool check_near(double a, double b, double tolerance, std::string_view what = "check",
                       std::source_location where = std::source_location::current()) {
  const double difference = a > b ? a - b : b - a;
  const bool good = difference <= tolerance;  // false for NaN
  if (!check(good, what, where)) std::printf("  %.17g against %.17g, tolerance %g\n", a, b, tolerance);
  return good;
}

template <class Exception, class Action>
inline bool check_throws(Action action, std::string_view what = "check", std::source_location where = std::source_location::current()) {
  try {
    action();
  } catch (const Exception&) {
    return check(true);
  }
  return check(false, what, where);
}

// The exit code of the program.
inline int finish() {
  std::printf("%ld passed, %ld failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace checking
