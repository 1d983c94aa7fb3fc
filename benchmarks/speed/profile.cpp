// One model over a generated stream, for a profiler: profile.py compiles it with the core and its symbols.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../../core/tests/parameters.hpp"
#include "streamboost/run/models.hpp"

using namespace streamboost;

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const std::string booster = argv[1], learner = argv[2];
  const int n = std::atoi(argv[3]), n_values = std::atoi(argv[4]), d = 20;
  const Config of_booster = testing::config_of(booster), of_learner = testing::config_of(learner);
  const Ensemble ensemble{100, 7, false, true};
  const auto model =
      make_model(booster, of_booster, ensemble, [&](Lanes lanes) { return make_bank(learner, of_learner, lanes, ensemble); }, {});
  Schema schema;
  schema.first_width = d;
  schema.n_values.assign(d, n_values > 0 ? n_values : -1);
  schema.n_classes = 2;
  schema.declared = true;
  model->reserve(schema);
  std::vector<double> x(static_cast<std::size_t>(n) * d);
  std::vector<std::int32_t> y(static_cast<std::size_t>(n)), answer(static_cast<std::size_t>(n));
  for (int r = 0; r < n; ++r) {
    const auto row = static_cast<std::uint64_t>(r);
    y[static_cast<std::size_t>(r)] = uniform({1, row, 0, Purpose::tie}) < 0.5 ? 0 : 1;
    for (int j = 0; j < d; ++j) {
      const double shifted =
          normal({2, row, static_cast<std::uint32_t>(j), Purpose::start}) + (y[static_cast<std::size_t>(r)] ? 0.25 : -0.25);
      double& cell = x[static_cast<std::size_t>(r * d + j)];
      cell = n_values > 0 ? static_cast<double>(std::min(n_values - 1, std::max(0, static_cast<int>(shifted + n_values / 2.0)))) : shifted;
    }
  }
  RowBlock rows;
  rows.n_rows = n;
  rows.n_columns = d;
  rows.values = x.data();
  OutputBuffers answers;
  answers.output = Output::label;
  answers.label = answer.data();
  model->learn(rows, y.data(), nullptr, answers);
  int wrong = 0;
  for (std::size_t r = 0; r < answer.size(); ++r) wrong += answer[r] != y[r];
  std::printf("error %.4f\n", static_cast<double>(wrong) / n);
}
