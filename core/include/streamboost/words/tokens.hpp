// A row as hashed tokens: words of its texts, values of its identifiers and nominal columns, its numbers.
//
//   view         of a text                                                     of identifiers and nominal columns
//   words        its words: runs of letters, digits and _, and each character  the value
//                of a script that is written without spaces
//   pairs        words, and each word with the next                            the value
//   characters   runs of 3 to 5 characters of whatever stands between spaces,  the value
//                with a space before and behind
//   crosses      its words                                                     the value, and the values of each two columns
//   scaled       its words                                                     the value; all tokens of the row are scaled to length 1
//
// Letters are folded (fold.hpp). A token counts how often it is there, and the tokens of a text are scaled to length 1; a value counts 1; a
// number is itself. Crosses may be slowed down (run/hashed_table.hpp).
//
// Hash      h <- mix((h ^ x) 0x9e3779b97f4a7c15), mix(h) = h ^ (h >> 32), from h = 0 over: what it is (1 word, 2 pair, 3 run, 4 value,
//           5 number, 6 cross), the column, then code points, bytes or a code. Keyed by nothing, the same on every machine. A token's
//           place in a table of 2^bits is the upper bits of h once more times the multiplier.
// Cost      linear in the bytes: equal places are merged whenever 2^22 of them have come together.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "streamboost/data/config.hpp"
#include "streamboost/data/row.hpp"
#include "streamboost/data/schema.hpp"
#include "streamboost/words/fold.hpp"

namespace streamboost::words {

enum class View { words, pairs, characters, crosses, scaled };

inline View read_view(const Config& c) {
  return c.choice<View>("view", {{"words", View::words},
                                 {"pairs", View::pairs},
                                 {"characters", View::characters},
                                 {"crosses", View::crosses},
                                 {"scaled", View::scaled}});
}
inline int checked_bits(int bits) {
  if (bits < 8 || bits > 24) throw std::invalid_argument("bits must be between 8 and 24");
  return bits;
}
inline int read_bits(const Config& c) { return checked_bits(c.whole<int>("bits")); }

class Hash {
 public:
  enum class Kind : std::uint64_t { word = 1, pair, run, value, number, cross };
  Hash(Kind kind, int column) { *this = add(static_cast<std::uint64_t>(kind)).add(static_cast<std::uint64_t>(column)); }
  [[nodiscard]] Hash add(std::uint64_t x) const {
    Hash next = *this;
    next.h_ = (h_ ^ x) * multiplier;
    next.h_ ^= next.h_ >> 32;
    return next;
  }
  [[nodiscard]] Hash bytes(std::string_view text) const {
    Hash h = *this;
    for (const char c : text) h = h.add(static_cast<unsigned char>(c));
    return h;
  }
  // A number as the value of a column: by its bits, 0 having one sign.
  static Hash of_number(int column, double x) { return Hash(Kind::value, column).add(std::bit_cast<std::uint64_t>(x + 0.0)); }
  std::uint64_t value() const { return h_; }
  std::uint32_t place(int bits) const { return static_cast<std::uint32_t>((h_ * multiplier) >> (64 - bits)); }

 private:
  static constexpr std::uint64_t multiplier = 0x9e3779b97f4a7c15u;
  std::uint64_t h_ = 0;
};

// The values of a row's identifiers, codes and nominal columns, hashed, in the order of the columns.
class Values {
 public:
  static constexpr std::size_t most_crosses = 64;
  std::vector<Hash> found;

  // Returns how many there may be.
  std::size_t make_room(int n_columns) {
    found.reserve(static_cast<std::size_t>(n_columns));
    return static_cast<std::size_t>(n_columns);
  }
  void read(const Row& row, const Schema& schema) {
    found.clear();
    int word_column = 0;
    for (int i = 0; i < row.size; ++i) {
      const int j = row.column(i);
      const std::int64_t kind = schema.n_values[static_cast<std::size_t>(j)];
      if (!holds_words(kind)) {
        add_cell(j, kind, row.value[i]);
        continue;
      }
      if (row.words == nullptr) continue;
      const std::string_view text = row.words[word_column++];
      if (text.data() != nullptr && kind == identifier_column) found.push_back(Hash(Hash::Kind::value, j).bytes(text));
    }
  }
  // A value that a cell stands for, if it does.
  bool add_cell(int column, std::int64_t kind, double x) {
    if (std::isnan(x) || (kind < 0 ? kind != coded_column : x < 0 || x >= static_cast<double>(kind))) return false;
    found.push_back(kind < 0 ? Hash::of_number(column, x) : Hash(Hash::Kind::value, column).add(static_cast<std::uint64_t>(x)));
    return true;
  }
  std::size_t n_crosses() const { return std::min(found.size() * (found.size() - 1) / 2, most_crosses); }
  template <class Each>
  void cross(const Each& each) const {
    const std::size_t most = n_crosses();
    std::size_t n = 0;
    for (std::size_t a = 0; a < found.size(); ++a)
      for (std::size_t b = a + 1; b < found.size() && n < most; ++b, ++n)
        each(Hash(Hash::Kind::cross, 0).add(found[a].value()).add(found[b].value()));
  }
};

inline bool only_numbers(const Schema& schema) {
  return std::all_of(schema.n_values.begin(), schema.n_values.end(), [](std::int64_t kind) { return kind == numeric_column; });
}

// Places and values of one row, ascending and each once.
class Tokens {
 public:
  std::vector<std::int32_t> place;
  std::vector<double> value;
  // How fast a token is learned beside others: crosses, which are many and mostly new, together as fast as the values that they are made of.
  std::vector<double> pace;

  // So that reading this row allocates nothing; returns how many tokens it may have. A text of megabytes may still need more.
  std::size_t make_room(const Row& row, int n_words) {
    std::size_t bytes = 0;
    for (int i = 0; i < n_words && row.words != nullptr; ++i) bytes += row.words[i].size();
    const std::size_t loose = std::min(3 * bytes + 3, most_loose), all = static_cast<std::size_t>(row.size) + Values::most_crosses + loose;
    counted_.reserve(loose);
    points_.reserve(bytes + 2);
    values_.make_room(row.size);
    found_.reserve(all);
    order_.reserve(all);
    place.reserve(all);
    value.reserve(all);
    pace.reserve(all);
    return all;
  }

  // only_numbers: no column is anything else, so nobody has to look.
  void read(const Row& row, const Schema& schema, bool only_numbers, View view, int bits) {
    bits_ = bits;
    found_.clear();
    if (only_numbers) {
      for (int i = 0; i < row.size; ++i) cell(row.column(i), numeric_column, row.value[i]);
      if (view == View::scaled) scale();
      return merge();
    }
    values_.found.clear();
    int word_column = 0;
    for (int i = 0; i < row.size; ++i) {
      const int j = row.column(i);
      const std::int64_t kind = schema.n_values[static_cast<std::size_t>(j)];
      if (!holds_words(kind)) {
        cell(j, kind, row.value[i]);
        continue;
      }
      if (row.words == nullptr) continue;
      const std::string_view text = row.words[word_column++];
      if (text.data() == nullptr) continue;
      if (kind == identifier_column)
        add_value(Hash(Hash::Kind::value, j).bytes(text));
      else
        add_text(text, j, view);
    }
    if (view == View::crosses) cross();
    if (view == View::scaled) scale();
    merge();
  }

 private:
  static constexpr std::size_t most_loose = std::size_t{1} << 22;
  static constexpr int few_bits = 5;  // beside the 24 of a place
  static constexpr std::size_t few = std::size_t{1} << few_bits;
  struct Found {
    std::int32_t place;
    double value, pace = 1;
  };

  void add_value(Hash hash) {
    values_.found.push_back(hash);
    found_.push_back({at(hash), 1.0});
  }
  void cell(int column, std::int64_t kind, double x) {
    if (kind < 0 && x != 0 && !std::isnan(x)) found_.push_back({at(Hash(Hash::Kind::number, column)), x});
    if (values_.add_cell(column, kind, x)) found_.push_back({at(values_.found.back()), 1.0});
  }
  void cross() {
    const double values = static_cast<double>(values_.found.size()), crosses = static_cast<double>(values_.n_crosses());
    const double pace = crosses == 0 ? 1.0 : std::min(values / crosses, 1.0);
    values_.cross([&](Hash hash) { found_.push_back({at(hash), 1.0, pace}); });
  }

  void scale() {
    double largest = 0, squares = 0;  // squares of ratios: numbers may be as large as there are
    for (const Found& token : found_) largest = std::max(largest, std::fabs(token.value));
    if (largest == 0) return;
    for (const Found& token : found_) squares += (token.value / largest) * (token.value / largest);
    for (Found& token : found_) token.value = token.value / largest / std::sqrt(squares);
  }

  void add_text(std::string_view text, int column, View view) {
    counted_.clear();
    if (view == View::characters)
      add_runs(text, column);
    else
      add_words(text, column, view == View::pairs);
    count();
    double squares = 0;
    for (const Found& token : counted_) squares += token.value * token.value;
    if (squares == 0) return;
    const double scale = 1.0 / std::sqrt(squares);
    for (const Found& token : counted_) found_.push_back({token.place, token.value * scale});
  }
  void add_words(std::string_view text, int column, bool pairs) {
    const Hash start(Hash::Kind::word, column);
    Hash word = start;
    std::uint64_t before = 0;
    bool inside = false, any = false;
    const auto end = [&] {
      if (!inside) return;
      loose(word);
      if (pairs && any) loose(Hash(Hash::Kind::pair, column).add(before).add(word.value()));
      before = word.value();
      any = true;
      inside = false;
      word = start;
    };
    while (!text.empty()) {
      const char32_t c = next_point(text);
      const bool alone = stands_alone(c);
      if (alone || !is_word(c)) end();
      if (!is_word(c)) continue;
      word = word.add(fold_case(c));
      inside = true;
      if (alone) end();
    }
    end();
  }
  void add_runs(std::string_view text, int column) {
    const Hash start(Hash::Kind::run, column);
    const auto end = [&] {
      if (points_.size() < 2) return;
      points_.push_back(U' ');
      const std::size_t n = points_.size();
      for (std::size_t i = 0; i + 3 <= n; ++i) {
        Hash run = start.add(points_[i]).add(points_[i + 1]);
        for (std::size_t length = 3; length <= 5 && i + length <= n; ++length) loose(run = run.add(points_[i + length - 1]));
      }
    };
    points_.assign(1, U' ');
    while (!text.empty()) {
      const char32_t c = next_point(text);
      if (!is_space(c)) {
        points_.push_back(fold_case(c));
        continue;
      }
      end();
      points_.assign(1, U' ');
    }
    end();
  }

  std::int32_t at(Hash hash) const { return static_cast<std::int32_t>(hash.place(bits_)); }
  void loose(Hash hash) {
    counted_.push_back({at(hash), 1.0});
    if (counted_.size() >= most_loose) count();
  }
  static bool earlier(const Found& a, const Found& b) { return a.place < b.place; }
  void count() {  // whole numbers: the order among equals does not matter
    std::sort(counted_.begin(), counted_.end(), earlier);
    std::size_t kept = 0;
    for (const Found& token : counted_) {
      if (kept > 0 && counted_[kept - 1].place == token.place)
        counted_[kept - 1].value += token.value;
      else
        counted_[kept++] = token;
    }
    counted_.resize(kept);
  }
  // Those of one place are added up in the order in which they were found.
  void merge() {
    const std::size_t n = found_.size();
    if (n <= few)
      sort_few();
    else
      sort_many();
    place.resize(n);
    value.resize(n);
    pace.resize(n);
    std::size_t kept = 0;
    for (const std::uint64_t key : order_) {
      const Found& token = found_[key & 0xffffffffu];
      if (kept > 0 && place[kept - 1] == token.place) {
        value[kept - 1] += token.value;
        pace[kept - 1] = std::max(pace[kept - 1], token.pace);
        continue;
      }
      place[kept] = token.place;
      value[kept] = token.value;
      pace[kept++] = token.pace;
    }
    place.resize(kept);
    value.resize(kept);
    pace.resize(kept);
  }
  // Numbers that hold place and turn are quickly sorted.
  void sort_many() {
    order_.clear();
    for (std::size_t i = 0; i < found_.size(); ++i) order_.push_back(static_cast<std::uint64_t>(found_[i].place) << 32 | i);
    std::sort(order_.begin(), order_.end());
  }
  // Of few it is counted how many come before each: more work, of which a machine does much at once, and nothing to guess.
  void sort_few() {
    const std::size_t n = found_.size();
    std::array<std::int32_t, few> key, rank{};
    key.fill(std::numeric_limits<std::int32_t>::max());
    for (std::size_t i = 0; i < n; ++i) key[i] = found_[i].place << few_bits | static_cast<std::int32_t>(i);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < few; ++j) rank[j] += key[i] < key[j] ? 1 : 0;
    order_.resize(n);
    for (std::size_t i = 0; i < n; ++i) order_[static_cast<std::size_t>(rank[i])] = i;
  }

  int bits_ = 0;
  std::vector<Found> found_, counted_;
  std::vector<std::uint64_t> order_;
  Values values_;
  std::vector<char32_t> points_;
};

}  // namespace streamboost::words
