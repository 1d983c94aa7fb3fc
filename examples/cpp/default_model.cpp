// The default model without Python: what StreamBoostClassifier() is, bit for bit.
//
// In a project of yours: add_subdirectory(streamboost), then target_link_libraries(program PRIVATE streamboost_core).
#include <cstdio>

#include "streamboost/run/plan.hpp"

using namespace streamboost;

// Points of the unit square. Which side of a line is class 1 changes half-way.
struct Points {
  std::vector<double> x;
  std::vector<std::int32_t> y;
};
Points draw_points(std::uint64_t n) {
  Points points;
  for (std::uint64_t t = 0; t < n; ++t) {
    const auto [a, b] = uniform_pair({/*seed=*/7, t, 0, Purpose::learner});
    points.x.insert(points.x.end(), {a, b});
    points.y.push_back((t < n / 2 ? a + b > 1 : a > b) ? 1 : 0);
  }
  return points;
}

int main() {
  const Points points = draw_points(4000);
  const auto n = static_cast<int>(points.y.size());
  std::vector<std::int32_t> answer(points.y.size());

  const auto model = make_model(default_classifier(/*seed=*/1));
  model->reserve({.first_width = 2, .n_values = {-1, -1}, .n_classes = 2, .declared = true});  // two columns of numbers, two classes
  const RowBlock rows{.n_rows = n, .n_columns = 2, .values = points.x.data()};
  model->learn(rows, points.y.data(), nullptr, {.output = Output::label, .label = answer.data()});  // each row is answered, then learned

  int right = 0;
  for (std::size_t t = 0; t < answer.size(); ++t) right += answer[t] == points.y[t] ? 1 : 0;
  std::printf("%d of %d rows were answered right before they were learned: %.1f %%\n", right, n, 100.0 * right / n);
  return right > 0.9 * n ? 0 : 1;
}
