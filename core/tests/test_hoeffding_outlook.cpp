// What is seen with fewer digits agrees with the exact search: an attempt that is called in vain would not have split.
#include "parameters.hpp"
#include "streamboost/learners/hoeffding_outlook.hpp"
#include "test_model.hpp"

using namespace testing;
using checking::check;

namespace {

constexpr std::uint64_t seed = 11;
double draw(std::uint64_t leaf, std::uint32_t what) { return uniform({seed, leaf, what, Purpose::learner}); }

// A leaf with d columns and k classes, from alike to far apart; some classes have no values on a column, or one value only. Every fourth
// leaf has nominal columns too, every eighth nothing else.
struct Leaf {
  HoeffdingColumns columns;
  std::vector<std::vector<double>> cells;
  std::vector<const double*> block;

  Leaf(std::uint64_t number, int d, int k) {
    Schema schema;
    schema.first_width = d;
    schema.n_values.assign(static_cast<std::size_t>(d), -1);
    for (std::size_t j = 0; j < static_cast<std::size_t>(d) && number % 4 == 1; ++j)
      if (j % 2 == 0 || number % 8 == 1) schema.n_values[j] = 2 + static_cast<std::int64_t>(j) % 7;
    schema.n_classes = k;
    columns = HoeffdingColumns(schema, 1, 0, seed, 0, 0);
    std::uint32_t at = 0;
    const auto next = [&] { return draw(number, at++); };
    const double apart = 4 * next(), scale = number % 5 == 0 ? 1e7 : 1;
    for (int c = 0; c < k; ++c) {
      cells.emplace_back(columns.size, 0.0);
      double* cell = cells.back().data();
      const double weight = 1 + 200 * next() * next();
      for (std::size_t column : columns.nominal) {
        const auto& mine = columns.all[column];
        for (std::size_t v = 0; v < mine.values; ++v) {
          const double share = next();
          const double n = share < 0.2 ? 0 : weight * share * share * share;
          cell[mine.place + 1 + v] = n;
          cell[mine.place] += n;
        }
      }
      for (std::size_t q = 0; q < columns.numeric.size(); ++q) {
        const double kind = next(), mean = apart * next() + (number % 3 == 0 ? 1e5 : 0), deviation = kind < 0.05 ? 0 : next();
        if (kind > 0.95) continue;
        const double low = mean - deviation * 3 * next(), high = mean + deviation * 3 * next();
        const double n = number % 2 == 0 ? weight : weight * (0.5 + next());
        const double values[] = {mean * scale, 1, n, n * deviation * deviation * scale * scale, low * scale, high * scale};
        for (std::size_t r = 0; r < 6; ++r) cell[r * columns.width + q] = values[r];
      }
    }
    for (const auto& c : cells) block.push_back(c.data());
  }
};

void look_at_leaves(const char* nominal) {
  const HoeffdingParams params = HoeffdingParams::read(config_of("hoeffding", words({{"nominal_split", nominal}})));
  SplitWork work;
  SplitOutlook::Work rough;
  int clear = 0, seen = 0;
  for (std::uint64_t number = 0; number < 2000; ++number) {
    const int d = 2 + static_cast<int>(40 * draw(number, 1u << 20)), k = 2 + static_cast<int>(8 * draw(number, (1u << 20) + 1));
    const Leaf leaf(number, d, k);
    constexpr double chance = 0.02;
    std::vector<std::int64_t> candidates, numeric;
    for (int j = 0; j < d; ++j) {
      candidates.push_back(j);
      if (!leaf.columns.all[static_cast<std::size_t>(j)].nominal) numeric.push_back(j);
    }
    SplitSearch exact(params, leaf.columns, leaf.block, chance, work);
    exact.run(candidates.data(), candidates.size());
    const double lead = exact.best.merit - exact.second;
    const auto in_vain = [&](double bound) {
      SplitOutlook outlook(params, leaf.columns, leaf.block, rough);
      for (std::size_t p : leaf.columns.nominal) outlook.enter_nominal(leaf.columns.all[p], chance);
      return outlook.in_vain(numeric.data(), numeric.size(), bound);
    };
    check(!in_vain(lead - 1e-9), "a split that the bound allows is never called in vain");
    check(exact.columns >= 2 || !in_vain(10), "a column that is alone splits at once");
    if (exact.columns < 2) continue;
    check(in_vain(10), "no lead is that large");
    ++clear;
    seen += in_vain(lead + 3 * SplitOutlook::error) ? 1 : 0;
  }
  check(clear > 1700, "most leaves have two columns to choose from");
  check(seen > clear * 9 / 10, "what is clear is nearly always seen");
}

}  // namespace

int main() {
  for (const char* nominal : {"both", "multiway", "binary"}) look_at_leaves(nominal);
  return checking::finish();
}
