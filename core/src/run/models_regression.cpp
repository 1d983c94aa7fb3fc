// The ensembles of learners that answer numbers: one line each.
#include "streamboost/ensembles/bagging_regressor.hpp"
#include "streamboost/ensembles/gradient_boosting.hpp"
#include "streamboost/ensembles/streaming_gradient.hpp"
#include "streamboost/run/model_table.hpp"

namespace streamboost {

ModelTable models_regression() {
  return {
      {"bagging_regressor", make<BaggingRegressor>},
      {"gradient_boosting", make<GradientBoosting>},
      {"streaming_gradient", make<StreamingGradientClasses>},
      {"streaming_gradient_regressor", make<StreamingGradientNumbers>},
  };
}

}  // namespace streamboost
