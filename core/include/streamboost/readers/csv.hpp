// Separated values to rows of doubles: numbers as they are, nominal values as codes in order of first appearance.
//
// Cells are cut by one delimiter; blanks around a cell do not count. A cell that begins with a quote goes to the closing one and
// may hold delimiters and line ends; a quote inside is doubled (CSV) or behind a backslash (ARFF). Empty and the markers are missing: NaN.
//
// A row is kept whole or not at all: a bad one takes back the codes that it gave out, so that the rest of the file reads as if the
// line were not there. A quote that is not closed within `Limits::cell` bytes, or closed in front of more text, spoils only the line
// where it stands. Time is linear in the text: a row over several lines is read again with every block until it is whole, and such
// rows are short; looking ahead for a closing quote in vain uses up patience, which the bytes of the file restore (Patience).
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "streamboost/readers/codes.hpp"
#include "streamboost/readers/lines.hpp"
#include "streamboost/readers/number.hpp"

namespace streamboost::text {

struct Dialect {
  char delimiter = ',';
  bool arff = false;  // ' quotes too, a backslash escapes, % begins a comment line
};

// How far a row may reach over its first line. A row that does not end within that gives up its first line only, so that the next one is
// tried in the same way: a text in which every line opens a quote would be read once per line. So reading in vain has a price, and what
// is left of the patience bounds the next row. It is a function of the text alone, not of the blocks in which it comes.
class Patience {
 public:
  explicit Patience(const Limits& limits) : most_(Limits::rows_of_cells * limits.cell), left_(most_) {}
  const char* reach(const char* first_line, const char* end) const {
    const std::size_t bytes = std::max(left_, std::min(least, most_));
    return bytes < static_cast<std::size_t>(end - first_line) ? first_line + bytes : end;
  }
  void lose(std::size_t bytes) { left_ -= std::min(left_, bytes); }
  void gain(std::size_t bytes) { left_ = std::min(most_, left_ + per_byte * bytes); }

 private:
  static constexpr std::size_t least = 1024, per_byte = 16;
  std::size_t most_, left_;
};

// Cuts a row into cells.
class CellScanner {
 public:
  explicit CellScanner(Dialect dialect, std::size_t longest_quote = Limits{}.cell) : dialect_(dialect), longest_quote_(longest_quote) {}

  bool is_blank(char c) const { return c == ' ' || (c == '\t' && dialect_.delimiter != '\t') || c == '\r' || c == '\v' || c == '\f'; }
  bool ends_cell(char c) const { return c == dialect_.delimiter || c == '\n'; }
  bool is_quote(char c) const { return c == '"' || (dialect_.arff && c == '\''); }

  const char* skip_blanks(const char* p) const {
    while (is_blank(*p)) ++p;
    return p;
  }

  // The cell at p (behind its blanks) and the byte that ends it: a delimiter or '\n'. `lines` counts the line ends inside.
  // nullptr: the closing quote is not before `end`; `bad` is set if it is too far away to wait for.
  // `reach`: as far as the row may go.
  const char* cell(const char* p, const char* end, const char* reach, std::string_view& text, std::int64_t& lines, Bad& bad) {
    if (is_quote(*p)) return quoted(p, end, reach, text, lines, bad);
    const char* q = p;
    while (!ends_cell(*q)) ++q;
    text = stripped(p, q);
    return q;
  }

  bool is_empty_line(const char* p) const {
    p = skip_blanks(p);
    return *p == '\n' || (dialect_.arff && *p == '%');
  }

 private:
  std::string_view stripped(const char* p, const char* q) const {
    while (p < q && (is_blank(*p) || *p == '\n' || *p == '\t')) ++p;
    while (q > p && (is_blank(q[-1]) || q[-1] == '\n' || q[-1] == '\t')) --q;
    return {p, static_cast<std::size_t>(q - p)};
  }

  const char* quoted(const char* p, const char* end, const char* reach, std::string_view& text, std::int64_t& lines, Bad& bad) {
    const char quote = *p++;
    const char* longest = p + std::min(longest_quote_, static_cast<std::size_t>(std::max<std::ptrdiff_t>(reach - p, 0)));
    const bool too_far = end > longest;
    if (too_far) end = longest;
    scratch_.clear();
    const char* run = p;  // bytes not yet copied
    for (; p < end; ++p) {
      if (*p == '\n') ++lines;
      if (dialect_.arff && *p == '\\' && p + 1 < end && p[1] != '\n') {
        scratch_.append(run, p);
        run = ++p;
      } else if (*p == quote) {
        if (p[1] != quote || dialect_.arff) break;
        scratch_.append(run, ++p);
        run = p + 1;
      }
    }
    if (p >= end) {
      if (too_far) bad = end == reach ? Bad::row_too_long : Bad::quote_open;
      return nullptr;
    }
    scratch_.append(run, p);
    text = stripped(scratch_.data(), scratch_.data() + scratch_.size());
    p = skip_blanks(p + 1);
    if (!ends_cell(*p)) {
      bad = Bad::quote_followed;
      while (!ends_cell(*p)) ++p;
    }
    return p;
  }

  Dialect dialect_;
  std::size_t longest_quote_;
  std::string scratch_;
};

// Cells that stand for a missing value. The first byte tells most other cells apart at once.
class Markers {
 public:
  explicit Markers(std::vector<std::string> texts = {}) : texts_(std::move(texts)), met_(texts_.size()) {
    for (const std::string& text : texts_) {
      if (!text.empty()) begins_[static_cast<unsigned char>(text[0])] = true;
      double x;
      const char* end = parse_number(text.c_str(), x);
      if (end == text.c_str() + text.size() && x - x == 0) numbers_.emplace_back(x, &text - texts_.data());
    }
  }

  // The number of the marker, or -1.
  int find(std::string_view cell) const {
    if (cell.empty() || !begins_[static_cast<unsigned char>(cell[0])]) return -1;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      if (texts_[i] == cell) return static_cast<int>(i);
    }
    return -1;
  }

  // Numbers that stand for a missing value, such as -999, however they are written.
  int find(double x) const {
    for (const auto& [number, marker] : numbers_) {
      if (number == x) return static_cast<int>(marker);
    }
    return -1;
  }

  void meet(int marker) { met_[static_cast<std::size_t>(marker)] = true; }

  std::vector<std::string> met() const {
    std::vector<std::string> found;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      if (met_[i]) found.push_back(texts_[i]);
    }
    return found;
  }

 private:
  std::vector<std::string> texts_;
  std::vector<bool> met_;
  std::vector<std::pair<double, std::ptrdiff_t>> numbers_;
  std::array<bool, 256> begins_{};
};

enum class CellKind : std::uint8_t { ignored, number, nominal };

struct CsvColumn {
  CellKind kind = CellKind::number;
  std::int32_t slot = 0;  // column of the result; -1: the label
  bool declared = false;  // a nominal value that is not known yet is bad
};

struct CsvPlan {
  Dialect dialect;
  std::vector<CsvColumn> column;  // by their order in the file
  std::int32_t n_slots = 0;
  LabelKind label = LabelKind::none;
  bool header = false;          // the first row holds names: it is not read
  bool keep_unlabeled = false;  // rows without a label are kept, NaN in its place; otherwise they are bad
  std::size_t most_values = 1'000'000;
  std::size_t most_labels = 65'536;
  std::vector<std::string> missing{"?"};     // beside the empty cell, in every column but the label
  std::vector<std::string> missing_numbers;  // in numeric columns only
  Limits limits;
};

class CsvParser {
 public:
  explicit CsvParser(CsvPlan plan)
      : lines(plan.limits.line),
        codes(static_cast<std::size_t>(plan.n_slots)),
        missing(plan.missing),
        missing_numbers(plan.missing_numbers),
        plan_(std::move(plan)),
        scanner_(plan_.dialect, plan_.limits.cell) {}

  LineBuffer lines;
  Fault fault;
  std::vector<TextCodes> codes;  // [slot]
  Markers missing, missing_numbers;
  TextCodes label_codes;
  std::vector<double> value;  // [row][slot]
  std::vector<double> label;
  std::vector<std::int64_t> line;

  const CsvPlan& plan() const { return plan_; }
  void clear() { value.clear(), label.clear(), line.clear(); }

  // Reads until `want` rows are kept (ready), a row is bad (and skipped), or more bytes are needed.
  Step parse(std::size_t want) {
    const auto width = static_cast<std::size_t>(plan_.n_slots);
    while (line.size() < want) {
      if (lines.empty()) return lines.give_up_long_line(fault) ? Step::bad : Step::more;
      const char* begin = lines.begin();
      if (scanner_.is_empty_line(begin)) {
        lines.take(LineBuffer::line_end(begin, lines.end()) + 1, 1);
        continue;
      }
      if (plan_.header) {
        std::int64_t inside = 0;
        const char* end = follow(begin, inside);
        if (end == nullptr && !lines.finished()) return Step::more;
        if (end == nullptr) end = LineBuffer::line_end(begin, lines.end());
        lines.take(end + 1, inside + 1);
        plan_.header = false;
        continue;
      }
      if (value.capacity() < value.size() + width) value.reserve(std::max(2 * value.capacity(), std::min<std::size_t>(want, 4096) * width));
      value.resize(value.size() + width, std::numeric_limits<double>::quiet_NaN());
      grown_.clear();
      fault = Fault{};
      label_value_ = std::numeric_limits<double>::quiet_NaN();
      std::int64_t inside = 0;
      const char* first_line = LineBuffer::line_end(begin, lines.end());
      const char* reach = patience_.reach(first_line, lines.end());
      const char* end = row(begin, reach, value.data() + value.size() - width, inside);
      const bool gives_up = fault.bad == Bad::quote_open || fault.bad == Bad::row_too_long;
      if (end == nullptr && !lines.finished() && !gives_up) {
        take_back(width);
        return Step::more;
      }
      if (end == nullptr || (fault.bad == Bad::quote_followed && inside > 0)) {
        // Rather a quote that nobody closed before a later one was opened than a cell over many lines.
        fault = Fault{fault.bad == Bad::row_too_long ? Bad::row_too_long : Bad::quote_open, 0, fault.column, 0, {}};
        inside = 0;
        patience_.lose(static_cast<std::size_t>((end == nullptr ? reach : end) - first_line));
        end = first_line;
      } else if (const Bad bad = lines.check_text(begin, end); bad != Bad::none) {
        fault = Fault{bad, 0, 0, 0, {}};
      }
      patience_.gain(static_cast<std::size_t>(end + 1 - begin));
      lines.take(end + 1, inside + 1);
      if (fault.bad != Bad::none) {
        fault.line = lines.line();
        take_back(width);
        return Step::bad;
      }
      label.push_back(label_value_);
      line.push_back(lines.line());
    }
    return Step::ready;
  }

 private:
  void take_back(std::size_t width) {
    value.resize(value.size() - width);
    for (; !grown_.empty(); grown_.pop_back()) {
      TextCodes& book = *grown_.back();
      n_text_ -= book.text(book.size() - 1).size();
      book.take_back();
    }
  }

  void refuse(Bad bad, std::size_t column, std::string_view token) {
    if (fault.bad != Bad::none) return;  // the first thing that is wrong counts
    fault.bad = bad;
    fault.column = static_cast<std::int64_t>(column);
    fault.token = shortened(token);
  }

  // The '\n' that ends a row that nobody reads.
  const char* follow(const char* p, std::int64_t& inside) {
    for (;; ++p) {
      std::string_view text;
      Bad bad = Bad::none;
      p = scanner_.cell(scanner_.skip_blanks(p), lines.end(), lines.end(), text, inside, bad);
      if (p == nullptr || *p == '\n') return p;
    }
  }

  // The '\n' that ends the row; nullptr if it is not there yet. A bad row is followed to its end all the same.
  const char* row(const char* p, const char* reach, double* out, std::int64_t& inside) {
    const std::size_t width = plan_.column.size();
    std::size_t at = 0;
    for (;; ++p, ++at) {
      p = scanner_.skip_blanks(p);
      const CsvColumn column = at < width ? plan_.column[at] : CsvColumn{CellKind::ignored, 0, false};
      if (column.kind == CellKind::number) {
        double x;
        const char* q = parse_number(p, x);
        if (q != nullptr && scanner_.is_blank(*q)) q = scanner_.skip_blanks(q);
        if (q != nullptr && scanner_.ends_cell(*q)) {
          keep(x, column, at, out, p, q);
          p = q;
          if (*p == '\n') break;
          continue;
        }
      }
      std::string_view text;
      Bad bad = Bad::none;
      p = scanner_.cell(p, lines.end(), reach, text, inside, bad);
      if (p != nullptr && inside > 0 && p > reach) p = nullptr, bad = Bad::row_too_long;
      if (p == nullptr) {
        fault = Fault{bad, 0, static_cast<std::int64_t>(at), 0, {}};
        return nullptr;
      }
      if (bad != Bad::none) refuse(bad, at, text);
      if (column.kind != CellKind::ignored && fault.bad == Bad::none) read(text, column, at, out);
      if (*p == '\n') break;
    }
    if (at + 1 != width && fault.bad != Bad::quote_followed) fault = Fault{Bad::width, 0, 0, static_cast<std::int64_t>(at + 1), {}};
    return p;
  }

  void keep(double x, CsvColumn column, std::size_t at, double* out, const char* p, const char* q) {
    if (column.slot < 0) {
      label_value_ = x;
      if (plan_.keep_unlabeled && std::isnan(x)) return;
      if (const Bad bad = judge_label(x, plan_.label); bad != Bad::none) refuse(bad, at, cut(p, q));
    } else if (const int marker = missing.find(x); marker >= 0) {
      missing.meet(marker);
    } else if (std::abs(x) > largest_value) {
      refuse(Bad::value_too_large, at, cut(p, q));
    } else {
      out[column.slot] = x;
    }
  }

  static std::string_view cut(const char* p, const char* q) { return {p, static_cast<std::size_t>(q - p)}; }

  // A cell that is not a plain number at first sight: missing, nominal, quoted or wrong.
  void read(std::string_view text, CsvColumn column, std::size_t at, double* out) {
    if (column.slot < 0) {
      // Any word may be a label; among numbers a marker is what it is elsewhere.
      const bool marked = column.kind == CellKind::number && is_missing(text, column);
      if (text.empty() || text == "?" || marked) {
        if (!plan_.keep_unlabeled) refuse(Bad::label_missing, at, text);
        return;
      }
    } else if (text.empty() || is_missing(text, column)) {
      return;
    }
    if (column.kind == CellKind::number) {
      number_.assign(text);  // with a zero byte behind it
      double x;
      const char* end = parse_number(number_.c_str(), x);
      if (end != number_.c_str() + number_.size()) return refuse(Bad::value_not_number, at, text);
      return keep(x, column, at, out, number_.c_str(), end);
    }
    TextCodes& book = column.slot < 0 ? label_codes : codes[static_cast<std::size_t>(column.slot)];
    std::int64_t code = book.find(text);
    if (code < 0) {
      if (column.declared) return refuse(Bad::undeclared, at, text);
      if (const Bad bad = judge_new(text, column.slot < 0, book.size()); bad != Bad::none) return refuse(bad, at, text);
      code = book.add(text);
      n_text_ += text.size();
      grown_.push_back(&book);
    }
    (column.slot < 0 ? label_value_ : out[column.slot]) = static_cast<double>(code);
  }

  // A marker that a model has learned as a value, or that a file declares as one, is that value.
  bool is_missing(std::string_view text, CsvColumn column) {
    const bool number = column.kind == CellKind::number;
    const int marker = missing.find(text);
    if (marker >= 0 && (number || codes[static_cast<std::size_t>(column.slot)].find(text) < 0)) {
      missing.meet(marker);
      return true;
    }
    const int of_numbers = number ? missing_numbers.find(text) : -1;
    if (of_numbers >= 0) missing_numbers.meet(of_numbers);
    return of_numbers >= 0;
  }

  Bad judge_new(std::string_view text, bool is_label, std::size_t known) const {
    const Limits& limits = plan_.limits;
    if (is_label && text.size() > limits.label) return Bad::label_too_long;
    if (text.size() > limits.cell) return Bad::cell_too_long;
    if (known >= (is_label ? plan_.most_labels : plan_.most_values)) return is_label ? Bad::too_many_labels : Bad::too_many_values;
    return n_text_ + text.size() > limits.texts ? Bad::too_much_text : Bad::none;
  }

  CsvPlan plan_;
  CellScanner scanner_;
  Patience patience_{plan_.limits};
  std::size_t n_text_ = 0;  // bytes of the values found in this file
  std::vector<TextCodes*> grown_;
  std::string number_;
  double label_value_ = 0;
};

// The cells of the first rows as texts, for those who have to find out what the columns are.
struct CsvRows {
  struct Row {
    std::int64_t line = 0;
    Bad bad = Bad::none;
    std::vector<std::string> cell;
  };

  static std::vector<Row> read(std::string_view data, bool whole, Dialect dialect, std::size_t most, const Limits& limits = {}) {
    LineBuffer lines(limits.line);
    CellScanner scanner(dialect, limits.cell);
    Patience patience(limits);
    std::vector<Row> rows;
    lines.feed(data);
    if (whole) lines.finish();
    while (!lines.empty() && rows.size() < most) {
      const char* begin = lines.begin();
      const char* p = begin;
      if (scanner.is_empty_line(p)) {
        lines.take(LineBuffer::line_end(p, lines.end()) + 1, 1);
        continue;
      }
      Row row;
      std::int64_t inside = 0;
      const char* first_line = LineBuffer::line_end(begin, lines.end());
      const char* reach = patience.reach(first_line, lines.end());
      for (;; ++p) {
        std::string_view text;
        p = scanner.cell(scanner.skip_blanks(p), lines.end(), reach, text, inside, row.bad);
        if (p != nullptr && inside > 0 && p > reach) p = nullptr, row.bad = Bad::row_too_long;
        if (p == nullptr) break;
        row.cell.emplace_back(text);
        if (*p == '\n') break;
      }
      if (p == nullptr && !lines.finished() && row.bad != Bad::quote_open && row.bad != Bad::row_too_long) break;
      if (p == nullptr || (row.bad == Bad::quote_followed && inside > 0)) {
        if (row.bad != Bad::row_too_long) row.bad = Bad::quote_open;
        row.cell.clear();
        inside = 0;
        patience.lose(static_cast<std::size_t>((p == nullptr ? reach : p) - first_line));
        p = first_line;
      } else if (const Bad bad = lines.check_text(begin, p); bad != Bad::none) {
        row.bad = bad;
      }
      patience.gain(static_cast<std::size_t>(p + 1 - begin));
      lines.take(p + 1, inside + 1);
      row.line = lines.line();
      if (row.bad != Bad::none) row.cell.clear();
      rows.push_back(std::move(row));
    }
    return rows;
  }
};

}  // namespace streamboost::text
