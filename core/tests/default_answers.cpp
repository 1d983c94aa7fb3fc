// Rows from standard input, learned by a default model; its answers to standard output, as the bits of doubles. tests/laws/
// test_default_plan.py compares them with Python's.
//
// usage: default_answers classifier|regressor SEED < rows
// Input: n, columns, classes, then per column the number of its values (-1: numbers), all int64; then n rows of doubles, each with its
// label or target behind.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "streamboost/run/plan.hpp"

using namespace streamboost;

namespace {

template <class T>
std::vector<T> take(std::size_t n) {
  std::vector<T> values(n);
  if (std::fread(values.data(), sizeof(T), n, stdin) != n) std::exit(1);
  return values;
}

}  // namespace

int main(int, char** argument) {
  const bool numbers = argument[1] == std::string("regressor");
  const auto seed = std::strtoull(argument[2], nullptr, 10);
  const auto sizes = take<std::int64_t>(3);
  const auto n = static_cast<std::size_t>(sizes[0]), d = static_cast<std::size_t>(sizes[1]), k = static_cast<std::size_t>(sizes[2]);
  const auto model = make_model(numbers ? default_regressor(seed) : default_classifier(seed));
  model->reserve({static_cast<int>(d), take<std::int64_t>(d), static_cast<int>(k), true});
  for (std::size_t t = 0; t < n; ++t) {
    const auto row = take<double>(d + 1);
    const auto label = static_cast<std::int32_t>(row[d]);
    std::vector<double> answer(numbers ? 1 : k);
    const RowBlock rows{1, static_cast<int>(d), row.data()};
    model->learn(rows, numbers ? Truth::of_numbers(&row[d]) : Truth(&label), nullptr,
                 {numbers ? Output::number : Output::proba, nullptr, answer.data()});
    std::fwrite(answer.data(), sizeof(double), answer.size(), stdout);
  }
}
