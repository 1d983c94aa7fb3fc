// Tokens of rows of numbers: the places of the columns, ascending, and those that share one added up in their order.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "streamboost/words/tokens.hpp"

namespace sb = streamboost;
using checking::check_bits;
using checking::check_equal;

namespace {

// So many columns in 2^8 places: many meet, and thirds show in which order they were added.
void places_of(int n_columns) {
  constexpr int bits = 8;
  std::vector<double> value;
  sb::Schema schema;
  for (int j = 0; j < n_columns; ++j) {
    value.push_back((j % 7 - 3) / 3.0);
    schema.n_values.push_back(sb::numeric_column);
  }
  std::vector<std::pair<std::int32_t, double>> expected;
  for (int j = 0; j < n_columns; ++j) {
    const double x = value[static_cast<std::size_t>(j)];
    if (x == 0) continue;
    const auto place = static_cast<std::int32_t>(sb::words::Hash(sb::words::Hash::Kind::number, j).place(bits));
    const auto known = std::find_if(expected.begin(), expected.end(), [&](const auto& token) { return token.first == place; });
    if (known == expected.end())
      expected.emplace_back(place, x);
    else
      known->second += x;
  }
  std::sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  sb::words::Tokens tokens;
  tokens.read({value.data(), nullptr, n_columns}, schema, true, sb::words::View::words, bits);
  const std::string where = std::to_string(n_columns) + " columns";
  check_equal(tokens.place.size(), expected.size(), where);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    check_equal(tokens.place[i], expected[i].first, where);
    check_bits(tokens.value[i], expected[i].second, where);
  }
}

}  // namespace

int main() {
  for (int n = 0; n < 300; ++n) places_of(n);
  return checking::finish();
}
