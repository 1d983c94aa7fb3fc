// Text parsers: numbers are those of the C library, blocks may be cut anywhere, a bad line leaves no trace, no bytes do harm.
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "check.hpp"
#include "streamboost/math/rng.hpp"
#include "streamboost/readers/csv.hpp"
#include "streamboost/readers/libsvm.hpp"

namespace sb = streamboost;
using namespace streamboost::text;
using checking::check;
using checking::check_bits;
using checking::check_equal;

namespace {

std::uint64_t bits(std::uint64_t i, std::uint32_t lane) {
  const auto w = sb::detail::words({11, i, lane, sb::Purpose::tie});
  return static_cast<std::uint64_t>(w.r1) << 32 | w.r0;
}

void number_is(const std::string& text) {
  double ours = 0;
  const char* end = parse_number(text.c_str(), ours);
  const double theirs = std::strtod(text.c_str(), nullptr);
  check(end == text.c_str() + text.size(), text);
  check_bits(ours, theirs, text);
}

void numbers() {
  for (const char* text : {"0",
                           "-0",
                           "+1",
                           "1.",
                           ".5",
                           "-.5e-3",
                           "1e22",
                           "1e23",
                           "123456789012345678",
                           "9007199254740993",
                           "1E5",
                           "1e+5",
                           "0.1",
                           "0.30000000000000004",
                           "1.7976931348623157e308",
                           "1e308",
                           "4.9406564584124654e-324",
                           "2e-324",
                           "1e-400",
                           "1e400",
                           "-1e400",
                           "0e999999999999",
                           "0.00000000000000000000000000000000000001",
                           "inf",
                           "-Infinity",
                           "00000000000000000000000000000000001.5",
                           "1000000000000000000000000000000000000e-36",
                           "0.000000000000000000000000000000000000000000000000000001e54",
                           "18446744073709551616",
                           "2.2250738585072011e-308"})
    number_is(text);
  double nan = 0;
  check(parse_number("-NaN,", nan) != nullptr && std::isnan(nan), "nan");
  for (const char* text : {"", "+", "-", ".", "-.", "e5", "1e", "1e+", "abc", "na", "i", "+-1"}) {
    double x = 0;
    check(parse_number(text, x) == nullptr, text);
  }
  char text[64];
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const double x = std::bit_cast<double>(bits(i, 0));  // every size and sign
    if (std::isnan(x)) continue;
    const int digits = static_cast<int>(bits(i, 1) % 18) + 1;
    std::snprintf(text, sizeof text, "%.*g", digits, x);
    number_is(text);
    std::snprintf(text, sizeof text, "%.*f", digits, sb::uniform({3, i, 0, sb::Purpose::tie}) * 1000 - 500);
    number_is(text);
  }
}

void text_checks() {
  const auto utf8 = [](std::string text) { return is_utf8(text.data(), text.data() + text.size()); };
  for (const char* good : {"", "abc", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"})
    check(utf8(good), good);
  for (const char* bad :
       {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "a\xe2\x82"})
    check(!utf8(bad), "not UTF-8");
}

struct Result {
  std::vector<double> value, label;
  std::vector<std::int64_t> line, bad_line, extra;
  std::vector<int> bad;
  bool operator==(const Result& other) const {
    const auto same = [](const std::vector<double>& a, const std::vector<double>& b) {
      if (a.size() != b.size()) return false;
      for (std::size_t i = 0; i < a.size(); ++i) {
        if (!checking::same_bits(a[i], b[i])) return false;
      }
      return true;
    };
    return same(value, other.value) && same(label, other.label) && line == other.line && bad_line == other.bad_line && bad == other.bad &&
           extra == other.extra;
  }
};

// Everything a parser makes of a text that comes in blocks of one size.
template <class Parser>
Result read(Parser parser, const std::string& text, std::size_t block, std::size_t want) {
  Result out;
  const auto drain = [&] {
    for (;;) {
      const Step step = parser.parse(want);
      if (step == Step::bad) {
        out.bad_line.push_back(parser.fault.line);
        out.bad.push_back(static_cast<int>(parser.fault.bad));
        continue;
      }
      out.value.insert(out.value.end(), parser.value.begin(), parser.value.end());
      out.label.insert(out.label.end(), parser.label.begin(), parser.label.end());
      out.line.insert(out.line.end(), parser.line.begin(), parser.line.end());
      if constexpr (requires { parser.index; }) out.extra.insert(out.extra.end(), parser.index.begin(), parser.index.end());
      parser.clear();
      if (step == Step::more) return;
    }
  };
  for (std::size_t at = 0; at < text.size(); at += block) {
    parser.lines.feed(std::string_view(text).substr(at, block));
    drain();
  }
  parser.lines.finish();
  drain();
  if constexpr (requires { parser.codes; }) {
    for (const auto& book : parser.codes) {
      for (std::size_t code = 0; code < book.size(); ++code) out.extra.push_back(static_cast<std::int64_t>(book.text(code).size()));
    }
  }
  return out;
}

CsvPlan plan() {
  CsvPlan p;
  p.column = {{CellKind::number, 0}, {CellKind::nominal, 1}, {CellKind::ignored, 0}, {CellKind::nominal, -1}};
  p.n_slots = 2;
  p.label = LabelKind::text;
  return p;
}

const std::string csv_text =
    "1,red,x,yes\n\n 2.5 , \"dark, red\" ,\"a\nb\",no\r\n?,,z,yes\nbad,blue,x,no\n3,green,x\n4,\"a\"\"b\",,no\n\"5\",red,,\n6,\"x\"y,,no\n"
    "7,tail,,maybe";

void csv() {
  const Result whole = read(CsvParser(plan()), csv_text, csv_text.size(), 100);
  check(whole.line == std::vector<std::int64_t>{1, 4, 5, 8, 11}, "lines");
  check(whole.bad_line == std::vector<std::int64_t>{6, 7, 9, 10}, "bad lines");
  check(whole.bad == std::vector<int>{static_cast<int>(Bad::value_not_number), static_cast<int>(Bad::width),
                                      static_cast<int>(Bad::label_missing), static_cast<int>(Bad::quote_followed)},
        "reasons");
  check_bits(whole.value[2], 2.5);
  check_bits(whole.value[3], 1);  // "dark, red"; blue and green stood in bad rows and have no codes
  check_bits(whole.value[7], 2);
  check_bits(whole.value[9], 3);
  check(std::isnan(whole.value[4]) && std::isnan(whole.value[5]), "missing");
  for (std::size_t block = 1; block < csv_text.size(); ++block)
    check(read(CsvParser(plan()), csv_text, block, 1 + block % 3) == whole, "blocks");
  CsvPlan with_header = plan();
  with_header.header = true;
  Result headed = read(CsvParser(with_header), "a,\"b\nc\",d,e\n" + csv_text, 5, 7);
  for (auto* lines : {&headed.line, &headed.bad_line}) {
    for (std::int64_t& line : *lines) line -= 2;
  }
  check(headed == whole, "a header over two lines changes only the numbers of the lines");
  CsvPlan unlabeled = plan();
  unlabeled.keep_unlabeled = true;
  check(read(CsvParser(unlabeled), csv_text, 5, 7).line == std::vector<std::int64_t>{1, 4, 5, 8, 9, 11}, "a row without a label is kept");
  // A quote that is never closed spoils its own line only.
  std::string open = "1,\"never,x,no\n";
  for (int i = 0; i < 20000; ++i) open += "2,red,x,yes\n";
  const Result skipped = read(CsvParser(plan()), open, 4096, 512);
  check_equal(skipped.line.size(), std::size_t{20000}, "rows behind an open quote");
  check(skipped.bad_line == std::vector<std::int64_t>{1}, "the line of the open quote");
}

void arff_dialect() {
  CsvPlan p = plan();
  p.dialect.arff = true;
  for (auto& column : p.column) column.declared = true;
  CsvParser parser(p);
  parser.codes[1].add("it's");
  parser.label_codes.add("y");
  const Result out = read(parser, "% note\n1,'it\\'s',?,y\n2,its,?,y\n", 100, 10);
  check(out.line == std::vector<std::int64_t>{2} && out.bad == std::vector<int>{static_cast<int>(Bad::undeclared)}, "arff");
}

void libsvm() {
  const std::string text =
      "+1 1:0.5 3:2\n-1 2:nan # a comment\n\n# only\n1\n-1 1:1e-3 2:-4 3:1\r\n1 2:1 2:2\n1 0:1\n1 9:1\n1 a:1\n1 1:x\n1 1:inf\n"
      "1 1:2:3\n1:2 3:4\nyes 1:2\n0.5 1:1\n1 99999999999999999999:1\n1 3:7";
  const Result whole = read(LibsvmParser(5, LabelKind::whole), text, text.size(), 100);
  check(whole.line == std::vector<std::int64_t>{1, 2, 5, 6, 18}, "lines");
  check(whole.bad == std::vector<int>{static_cast<int>(Bad::index_order), static_cast<int>(Bad::index_below_one),
                                      static_cast<int>(Bad::index_too_large), static_cast<int>(Bad::not_a_pair),
                                      static_cast<int>(Bad::value_not_number), static_cast<int>(Bad::value_too_large),
                                      static_cast<int>(Bad::not_a_pair), static_cast<int>(Bad::label_missing),
                                      static_cast<int>(Bad::label_not_number), static_cast<int>(Bad::label_not_whole),
                                      static_cast<int>(Bad::index_too_large)},
        "reasons");
  check(whole.extra == std::vector<std::int64_t>{0, 2, 1, 0, 1, 2, 2}, "indices");
  for (std::size_t block = 1; block < text.size(); ++block)
    check(read(LibsvmParser(5, LabelKind::whole), text, block, 1 + block % 3) == whole, "blocks");
  // The rest of a line without end is thrown away, and the next line is read.
  std::string endless(Limits{}.line + (std::size_t{3} << 20), '1');
  endless += "\n1 1:2\n";
  const Result rest = read(LibsvmParser(5, LabelKind::whole), endless, 1 << 20, 10);
  check(rest.line == std::vector<std::int64_t>{2} && rest.bad == std::vector<int>{static_cast<int>(Bad::too_long)}, "a line without end");
}

void codes() {
  TextCodes book;
  for (int i = 0; i < 1000; ++i) check_equal(book.add(std::to_string(i)), std::int64_t{i}, "add");
  for (int i = 999; i >= 500; --i) book.take_back();
  for (int i = 0; i < 1000; ++i) check_equal(book.find(std::to_string(i)), std::int64_t{i < 500 ? i : -1}, "find");
  check_equal(book.add("new"), std::int64_t{500}, "add again");
}

// Random bytes and mutated lines: cut anywhere, the outcome is the same and nothing is read out of bounds (the sanitizers watch).
void hostile() {
  const std::string alphabet = "01239.,:;-+eE \t\n\n\n\"'\\#%?xnaif|\r\xc3\xa9" + std::string(1, '\0');
  for (std::uint64_t round = 0; round < 400; ++round) {
    std::string text = round % 2 == 0 ? csv_text : "1 1:2 3:4.5\n-1 2:1e5 # c\n";
    const std::size_t n = 20 + bits(round, 5) % 200;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t r = bits(round, static_cast<std::uint32_t>(100 + i));
      const char c = alphabet[r % alphabet.size()];
      const std::size_t at = (r >> 16) % (text.size() + 1);
      if ((r >> 8) % 3 == 0)
        text.insert(at, 1, c);
      else if ((r >> 8) % 3 == 1 && at < text.size())
        text[at] = c;
      else
        text.insert(at, 1 + (r >> 40) % 5, c);
    }
    const std::size_t block = 1 + bits(round, 6) % 50;
    check(read(CsvParser(plan()), text, block, 3) == read(CsvParser(plan()), text, text.size(), 100), "hostile CSV in blocks");
    check(read(LibsvmParser(9, LabelKind::number), text, block, 3) == read(LibsvmParser(9, LabelKind::number), text, text.size(), 100),
          "hostile LIBSVM in blocks");
    CsvPlan p = plan();
    p.dialect = {';', true};
    read(CsvParser(p), text, block, 2);
    for (const auto& row : CsvRows::read(text, round % 3 == 0, {',', false}, 50)) check(row.line > 0, "line");
  }
}

}  // namespace

int main() {
  numbers();
  text_checks();
  csv();
  arff_dialect();
  libsvm();
  codes();
  hostile();
  return checking::finish();
}
