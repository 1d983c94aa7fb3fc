// How a table of boosters is written: a name and `make<B>`, for models.hpp to look up. The boosters are compiled in families (core/src/run/
// models_*.cpp), because one file with all of them takes a core a minute.
#pragma once
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "streamboost/run/booster_runner.hpp"
#include "streamboost/run/pipeline.hpp"

namespace streamboost {

using Maker = std::unique_ptr<Model> (*)(const Config&, const Ensemble&, const BankFactory&, const std::vector<int>&);
using ModelTable = std::map<std::string, Maker>;

// Where the lanes are cut when nobody said: two blocks for each thread, so that they can be dealt out evenly, or one where that would make
// them small, as every row costs every block something. Trees stand alone; others are cut on multiples that leave no vector half empty.
inline std::vector<int> even_cuts(const Ensemble& ensemble, const BankFactory& bank, int grain) {
  std::vector<int> cuts;
  if (ensemble.threads < 2) return cuts;
  const BankHandle one(bank({0, 1}));
  const bool trees = one.can().trees != nullptr || one.can().limits != nullptr;
  const int multiple = trees ? grain : std::lcm(static_cast<int>(lane_multiple), grain), n = ensemble.n_estimators;
  const int least = trees ? 3 : multiple, pays = trees ? 3 : 2 * multiple;
  const int threads = std::min(ensemble.threads, Ensemble::most_threads);
  const std::int64_t units = (n + multiple - 1) / multiple;  // the last may not be full, and costs as much
  const std::int64_t blocks = std::min<std::int64_t>(n / (2 * threads) >= pays ? 2 * threads : std::min(threads, n / least), units);
  for (std::int64_t b = 1; b < blocks; ++b) cuts.push_back(static_cast<int>(units * b / blocks) * multiple);
  return cuts;
}

template <Booster B>
std::unique_ptr<Model> make(const Config& config, const Ensemble& ensemble, const BankFactory& bank, const std::vector<int>& cuts) {
  auto runner = std::make_unique<BoosterRunner<B>>(B(B::Params::read(config), ensemble));
  const std::vector<int> chosen =
      cuts.empty() && !ensemble.part ? even_cuts(ensemble, bank, runner->grain()) : cuts;  // a part is one worker
  return std::make_unique<Pipeline>(std::move(runner), ensemble, bank, chosen);
}

// AdaBoost.M1 trains one lane at a time while its bank works on all of a block: blocks of one vector's width waste nothing.
template <Booster B>
std::unique_ptr<Model> make_narrow(const Config& config, const Ensemble& ensemble, const BankFactory& bank, const std::vector<int>& cuts) {
  std::vector<int> all = cuts;
  const Lanes own = ensemble.lanes();
  for (int lane = own.begin + lane_multiple; cuts.empty() && lane < own.end; lane += lane_multiple) all.push_back(lane);
  return make<B>(config, ensemble, bank, all);
}

ModelTable models_binary();
ModelTable models_experts();
ModelTable models_multiclass();
ModelTable models_oza();
ModelTable models_regression();
ModelTable models_replay();
ModelTable models_hashed();

}  // namespace streamboost
