// Decimal text to the nearest double, and nothing else: no locale, no blanks, no underscores.
//
// A number of at most 19 digits is gathered in 64 bits. If it fits 2^53 and the power of ten is at most 10^22, both are exact
// doubles and one multiplication or division rounds once: correctly. Everything else goes to std::from_chars, which is correct too;
// libc++ learned it late, and macOS has it from version 26 on: there strtod_l does the same.
//
// No bound is passed along: the text must end in a byte that no number contains (the buffers below end every line in '\n' and
// carry a zero byte behind the last one).
#pragma once
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>

#if defined(__APPLE__) || (defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 200000)
#define STREAMBOOST_STRTOD 1
#include <locale.h>
#include <stdlib.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif
#endif

namespace streamboost::text {

inline constexpr double largest_value = 1e100;  // beyond this models take no number (base/inputs/arrays.py)

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

namespace detail {

inline constexpr double power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                          1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// The end of `word` (lower case) in p, in any case of letters; nullptr if it is not there.
inline const char* match(const char* p, const char* word) {
  for (; *word != '\0'; ++word, ++p) {
    if ((*p | 0x20) != *word) return nullptr;
  }
  return p;
}

inline const char* special(const char* p, bool negative, double& out) {
  if (const char* end = match(p, "nan")) {
    out = std::numeric_limits<double>::quiet_NaN();
    return end;
  }
  const char* end = match(p, "inf");
  if (end == nullptr) return nullptr;
  out = negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  const char* longer = match(end, "inity");
  return longer != nullptr ? longer : end;
}

// `scale`: the decimal exponent of the first digit, to tell too large from too small.
inline double careful(const char* first, const char* last, bool negative, std::int64_t scale) {
#ifdef STREAMBOOST_STRTOD
  (void)last, (void)scale;  // it finds the end by itself, and gives infinity or zero
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  const double value = strtod_l(first, nullptr, plain);
#else
  double value = 0;
  if (std::from_chars(first, last, value).ec == std::errc::result_out_of_range)
    value = scale > 0 ? std::numeric_limits<double>::infinity() : 0.0;
#endif
  return negative ? -value : value;
}

}  // namespace detail

// The number at p; returns the first byte behind it, or nullptr where no number begins. "nan", "inf" and "infinity" are numbers.
inline const char* parse_number(const char* p, double& out) {
  const bool negative = *p == '-';
  if (negative || *p == '+') ++p;
  const char* first = p;
  std::uint64_t mantissa = 0;  // wraps around beyond 19 digits, and is not used then
  while (is_digit(*p)) mantissa = 10 * mantissa + static_cast<unsigned>(*p++ - '0');
  std::ptrdiff_t digits = p - first;
  const std::ptrdiff_t whole = digits;
  std::int64_t exponent = 0;
  if (*p == '.') {
    const char* point = ++p;
    while (is_digit(*p)) mantissa = 10 * mantissa + static_cast<unsigned>(*p++ - '0');
    exponent = point - p;
    digits += p - point;
  }
  if (digits == 0) return p == first ? detail::special(p, negative, out) : nullptr;
  std::int64_t written = 0;
  if ((*p | 0x20) == 'e') {
    const bool down = p[1] == '-';
    p += down || p[1] == '+' ? 2 : 1;
    if (!is_digit(*p)) return nullptr;
    for (; is_digit(*p); ++p) written = written < 1'000'000'000 ? 10 * written + (*p - '0') : written;
    if (down) written = -written;
    exponent += written;
  }
  if (digits <= 19 && mantissa <= (std::uint64_t{1} << 53) && exponent >= -22 && exponent <= 22) {
    const double value = static_cast<double>(mantissa);
    const double scaled = exponent < 0 ? value / detail::power_of_ten[-exponent] : value * detail::power_of_ten[exponent];
    out = negative ? -scaled : scaled;
    return p;
  }
  std::int64_t scale = written + whole;
  for (const char* zero = first; *zero == '0' || *zero == '.'; ++zero) scale -= *zero == '0';
  out = detail::careful(first, p, negative, scale);
  return p;
}

}  // namespace streamboost::text
