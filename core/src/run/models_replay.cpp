// Models without lanes: the factory of banks is left alone.
#include "streamboost/run/history_model.hpp"
#include "streamboost/run/model_table.hpp"
#include "streamboost/run/replay_model.hpp"

namespace streamboost {
namespace {

template <bool numbers>
std::unique_ptr<Model> make_replay(const Config& config, const Ensemble& ensemble, const BankFactory&, const std::vector<int>&) {
  return std::make_unique<ReplayModel>(ReplayModel::Params::read(config, ensemble.seed, numbers), ensemble);
}
std::unique_ptr<Model> make_history(const Config& config, const Ensemble& ensemble, const BankFactory&, const std::vector<int>&) {
  const auto delay = config.whole<std::int64_t>("delay");
  if (delay < 0 || delay > 100'000) throw std::invalid_argument("delay is out of range");
  return std::make_unique<HistoryModel>(ensemble, delay);
}

}  // namespace

ModelTable models_replay() { return {{"replay", make_replay<false>}, {"replay_regressor", make_replay<true>}, {"history", make_history}}; }

}  // namespace streamboost
