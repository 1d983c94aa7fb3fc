// LIBSVM text to CSR rows: "label index:value index:value ...  # comment", indices counted from 1 and increasing.
//
// A row is kept whole or not at all. Values may be "nan" (missing), never infinite. Cost: one look at every byte.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "streamboost/readers/lines.hpp"
#include "streamboost/readers/number.hpp"

namespace streamboost::text {

class LibsvmParser {
 public:
  // n_features: the highest index allowed; 0 for any.
  LibsvmParser(std::int64_t n_features, LabelKind label, const Limits& limits = {})
      : lines(limits.line), n_features_(n_features), label_kind_(label) {
    clear();
  }

  LineBuffer lines;
  Fault fault;
  std::int64_t highest = 0;  // index seen in any good row
  std::vector<double> label;
  std::vector<std::int64_t> line;
  std::vector<std::int32_t> start, index;
  std::vector<double> value;

  void clear() { label.clear(), line.clear(), start.assign(1, 0), index.clear(), value.clear(); }

  // Reads until `want` rows are kept (ready), a line is bad (and skipped), or more bytes are needed.
  Step parse(std::size_t want) {
    while (label.size() < want) {
      if (lines.empty()) return lines.give_up_long_line(fault) ? Step::bad : Step::more;
      const char* begin = lines.begin();
      const char* end = LineBuffer::line_end(begin, lines.end());
      const std::int64_t number = lines.line() + 1;
      const std::size_t kept = index.size();
      fault = Fault{lines.check_text(begin, end), number, 0, 0, {}};
      const bool counts = fault.bad == Bad::none && row(begin);
      lines.take(end + 1, 1);
      if (fault.bad != Bad::none) {
        index.resize(kept), value.resize(kept);
        return Step::bad;
      }
      if (!counts) continue;
      line.push_back(number);
      start.push_back(static_cast<std::int32_t>(index.size()));
      if (index.size() > kept) highest = std::max<std::int64_t>(highest, index.back() + 1);
    }
    return Step::ready;
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
  static bool ends_token(char c) { return c == ' ' || c == '\n' || is_blank(c) || c == '#'; }

  bool refuse(Bad bad, const char* token, std::int64_t number = 0) {
    const char* end = token;
    while (!ends_token(*end)) ++end;
    fault.bad = bad;
    fault.number = number;
    fault.token = shortened({token, static_cast<std::size_t>(end - token)});
    return false;
  }

  // False for a line without a row: blank, a comment, or bad (then `fault` says so).
  bool row(const char* p) {
    while (is_blank(*p)) ++p;
    if (*p == '\n' || *p == '#') return false;
    double y;
    const char* token = p;
    p = parse_number(p, y);
    if (p == nullptr || !ends_token(*p)) {
      refuse(Bad::label_not_number, token);
      if (fault.token.find(':') != std::string::npos) fault.bad = Bad::label_missing;
      return false;
    }
    if (const Bad bad = judge_label(y, label_kind_); bad != Bad::none) return refuse(bad, token);
    std::int64_t before = 0;
    for (;;) {
      while (is_blank(*p)) ++p;
      if (*p == '\n' || *p == '#') break;
      token = p;
      std::int64_t at = 0;
      for (; is_digit(*p) && p - token < 18; ++p) at = 10 * at + (*p - '0');
      if (*p != ':' || p == token) return refuse(is_digit(*p) ? Bad::index_too_large : Bad::not_a_pair, token, at);
      const char* behind = p + 1;
      double x;
      p = parse_number(behind, x);
      if (p == nullptr || !ends_token(*p)) {
        refuse(Bad::value_not_number, token);
        if (ends_token(*behind) || fault.token.rfind(':') != static_cast<std::size_t>(behind - 1 - token)) fault.bad = Bad::not_a_pair;
        return false;
      }
      if (std::abs(x) > largest_value) return refuse(Bad::value_too_large, token);
      if (at < 1) return refuse(Bad::index_below_one, token, at);
      if (at <= before) {
        refuse(Bad::index_order, token, at);
        fault.column = before;
        return false;
      }
      if (at > (n_features_ > 0 ? n_features_ : std::int64_t{0x7fffffff})) return refuse(Bad::index_too_large, token, at);
      before = at;
      index.push_back(static_cast<std::int32_t>(at - 1));
      value.push_back(x);
    }
    label.push_back(y);
    return true;
  }

  std::int64_t n_features_;
  LabelKind label_kind_;
};

}  // namespace streamboost::text
