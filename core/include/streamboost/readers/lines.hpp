// Whole lines out of blocks of bytes: what a block cuts off is kept until the next one brings the rest.
//
// Invariant: [at, limit) holds whole lines, each ending in '\n', and the byte behind the buffer is 0; so a scanner that stops at
// '\n' needs no other bound. Memory: one block and the longest line, which is bounded.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace streamboost::text {

// What a file may ask of memory, in bytes of its text; whoever trusts a file may raise them.
struct Limits {
  std::size_t line = std::size_t{1} << 26;   // one line; a row over several lines may have `rows_of_cells` times a cell
  std::size_t cell = std::size_t{1} << 17;   // a quoted cell, and any nominal value
  std::size_t label = 1000;                  // a label that is text
  std::size_t texts = std::size_t{1} << 28;  // all different nominal values and labels together

  static constexpr std::size_t rows_of_cells = 8;
};

// Why a line cannot be used. The names are those that the bindings hand out.
enum class Bad : std::uint8_t {
  none,
  zero_byte,
  not_utf8,
  too_long,
  label_missing,
  label_not_number,
  label_not_whole,
  not_a_pair,
  value_not_number,
  value_too_large,
  index_below_one,
  index_too_large,
  index_order,
  width,
  quote_open,
  quote_followed,
  undeclared,
  too_many_values,
  cell_too_long,
  label_too_long,
  too_many_labels,
  too_much_text,
  row_too_long,
};

inline constexpr const char* bad_name[] = {
    "none",          "zero_byte",        "not_utf8",        "too_long",        "label_missing",   "label_not_number", "label_not_whole",
    "not_a_pair",    "value_not_number", "value_too_large", "index_below_one", "index_too_large", "index_order",      "width",
    "quote_open",    "quote_followed",   "undeclared",      "too_many_values", "cell_too_long",   "label_too_long",   "too_many_labels",
    "too_much_text", "row_too_long"};

struct Fault {
  Bad bad = Bad::none;
  std::int64_t line = 0;    // counted from 1; of a row over several lines, the last one
  std::int64_t column = 0;  // CSV: counted from 0
  std::int64_t number = 0;  // an index, or a count of cells
  std::string token;        // what was found, cut to a readable length
};

inline std::string shortened(std::string_view token) { return std::string(token.substr(0, 200)); }

// Whether every byte is ASCII and not zero: then no line of the block can fail the two checks below.
inline bool is_plain(const char* p, std::size_t n) {
  unsigned char high = 0, zero = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto c = static_cast<unsigned char>(p[i]);
    high |= c;
    zero |= static_cast<unsigned char>(c == 0);
  }
  return high < 0x80 && zero == 0;
}

// Whether the bytes are UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.
inline bool is_utf8(const char* begin, const char* end) {
  const auto* p = reinterpret_cast<const unsigned char*>(begin);
  const auto* last = reinterpret_cast<const unsigned char*>(end);
  while (p < last) {
    const unsigned char c = *p++;
    if (c < 0x80) continue;
    const int more = c >= 0xc2 && c < 0xe0 ? 1 : c >= 0xe0 && c < 0xf0 ? 2 : c >= 0xf0 && c < 0xf5 ? 3 : 0;
    if (more == 0 || last - p < more) return false;
    const unsigned char low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
    const unsigned char high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
    if (p[0] < low || p[0] > high) return false;
    for (int i = 1; i < more; ++i) {
      if (p[i] < 0x80 || p[i] > 0xbf) return false;
    }
    p += more;
  }
  return true;
}

class LineBuffer {
 public:
  explicit LineBuffer(std::size_t longest_line = Limits{}.line) : longest_line_(longest_line) {}

  void feed(std::string_view block) {
    buffer_.erase(0, at_);
    limit_ -= at_;
    at_ = 0;
    if (discarding_) {
      const auto newline = block.find('\n');
      if (newline == std::string_view::npos) return;
      block.remove_prefix(newline + 1);
      discarding_ = false;
    }
    plain_ = (buffer_.empty() || plain_) && is_plain(block.data(), block.size());
    // Whole lines may be left before the tail when a reader stopped for a row that goes on behind the block.
    if (const auto newline = block.rfind('\n'); newline != std::string_view::npos) limit_ = buffer_.size() + newline + 1;
    buffer_.append(block);
  }

  // There is nothing more: a last line without an end is whole too.
  void finish() {
    if (buffer_.size() > at_ && buffer_.back() != '\n') buffer_.push_back('\n');
    limit_ = buffer_.size();
    finished_ = true;
  }

  bool finished() const { return finished_; }
  bool empty() const { return at_ == limit_; }
  const char* begin() const { return buffer_.data() + at_; }
  const char* end() const { return buffer_.data() + limit_; }
  std::int64_t line() const { return line_; }  // lines taken so far

  // The bytes before `next` have been read; `lines` line ends were among them.
  void take(const char* next, std::int64_t lines) {
    at_ = static_cast<std::size_t>(next - buffer_.data());
    line_ += lines;
  }

  static const char* line_end(const char* p, const char* end) {
    return static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
  }

  // What is wrong with the bytes [p, q) as text.
  Bad check_text(const char* p, const char* q) const {
    if (plain_) return Bad::none;
    if (std::memchr(p, '\0', static_cast<std::size_t>(q - p)) != nullptr) return Bad::zero_byte;
    return is_utf8(p, q) ? Bad::none : Bad::not_utf8;
  }

  // A line that does not end is given up; the rest of it is thrown away as it comes.
  bool give_up_long_line(Fault& fault) {
    if (finished_ || buffer_.size() - at_ <= longest_line_) return false;
    fault = {Bad::too_long, line_ + 1, 0, 0, shortened(std::string_view(buffer_).substr(at_, 40))};
    buffer_.clear();
    at_ = limit_ = 0;
    ++line_;
    discarding_ = true;
    return true;
  }

 private:
  std::size_t longest_line_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::size_t limit_ = 0;
  std::int64_t line_ = 0;
  bool plain_ = true;
  bool finished_ = false;
  bool discarding_ = false;
};

// What a call of a parser came to.
enum class Step : std::uint8_t { more, ready, bad };

// The label of a row, where the format has one.
enum class LabelKind : std::uint8_t { none, whole, number, text };

inline Bad judge_label(double value, LabelKind kind) {
  if (!(value - value == 0)) return Bad::label_missing;  // NaN or infinite
  if (kind != LabelKind::whole) return Bad::none;
  const bool fits = value > -0x1p53 && value < 0x1p53;
  return fits && value == static_cast<double>(static_cast<std::int64_t>(value)) ? Bad::none : Bad::label_not_whole;
}

}  // namespace streamboost::text
