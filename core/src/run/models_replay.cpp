// Replayed gradient boosting: no learners, so the factory of banks is left alone.
#include "streamboost/run/model_table.hpp"
#include "streamboost/run/replay_model.hpp"

namespace streamboost {
namespace {

template <bool numbers>
std::unique_ptr<Model> make_replay(const Config& config, const Ensemble& ensemble, const BankFactory&, const std::vector<int>&) {
  return std::make_unique<ReplayModel>(ReplayModel::Params::read(config, ensemble.seed, numbers), ensemble);
}

}  // namespace

ModelTable models_replay() { return {{"replay", make_replay<false>}, {"replay_regressor", make_replay<true>}}; }

}  // namespace streamboost
