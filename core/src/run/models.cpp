#include "streamboost/run/models.hpp"

#include <map>
#include <numeric>

#include "streamboost/ensembles/adaboost_ol.hpp"
#include "streamboost/ensembles/adaboost_olm.hpp"
#include "streamboost/ensembles/adaptive_bagging.hpp"
#include "streamboost/ensembles/arcx4.hpp"
#include "streamboost/ensembles/bagging.hpp"
#include "streamboost/ensembles/batch_bagging.hpp"
#include "streamboost/ensembles/bayes.hpp"
#include "streamboost/ensembles/bbm.hpp"
#include "streamboost/ensembles/blocked.hpp"
#include "streamboost/ensembles/expert_hedge.hpp"
#include "streamboost/ensembles/mbbm.hpp"
#include "streamboost/ensembles/ogboost.hpp"
#include "streamboost/ensembles/osboost.hpp"
#include "streamboost/ensembles/osboost_exp.hpp"
#include "streamboost/ensembles/osboost_ocp.hpp"
#include "streamboost/ensembles/oza.hpp"
#include "streamboost/ensembles/primed.hpp"
#include "streamboost/ensembles/single.hpp"
#include "streamboost/ensembles/weighted_majority.hpp"
#include "streamboost/ensembles/winnow.hpp"

namespace streamboost {
namespace {

// Where the lanes are cut when nobody said: one block per thread, on multiples that leave no vector half empty.
std::vector<int> even_cuts(const Ensemble& ensemble, int grain) {
  std::vector<int> cuts;
  const int multiple = std::lcm(static_cast<int>(lane_multiple), grain), n = ensemble.n_estimators;
  const int threads = std::min(ensemble.threads, n);
  for (int t = 1; t < threads; ++t) {
    const auto share = static_cast<int>(static_cast<std::int64_t>(n) * t / threads);
    const int cut = (share + multiple / 2) / multiple * multiple;
    if (cut > (cuts.empty() ? 0 : cuts.back()) && cut < n) cuts.push_back(cut);
  }
  return cuts;
}

template <class Booster>
std::unique_ptr<Model> make(const Config& config, const Ensemble& ensemble, const BankFactory& bank, const std::vector<int>& cuts) {
  Booster booster(Booster::Params::read(config), ensemble);
  int grain = 1;
  if constexpr (requires { booster.grain(); }) grain = booster.grain();
  const std::vector<int> chosen = cuts.empty() ? even_cuts(ensemble, grain) : cuts;
  return std::make_unique<Pipeline<Booster>>(std::move(booster), ensemble, bank, chosen);
}

// AdaBoost.M1 trains one lane at a time while its bank works on all of a block: blocks of one vector's width waste nothing.
template <class Booster>
std::unique_ptr<Model> make_narrow(const Config& config, const Ensemble& ensemble, const BankFactory& bank, const std::vector<int>& cuts) {
  std::vector<int> all = cuts;
  for (int lane = lane_multiple; cuts.empty() && lane < ensemble.n_estimators; lane += lane_multiple) all.push_back(lane);
  return make<Booster>(config, ensemble, bank, all);
}

// The table of boosters: one line each.
using Maker = std::unique_ptr<Model> (*)(const Config&, const Ensemble&, const BankFactory&, const std::vector<int>&);
const std::map<std::string, Maker> boosters{
    {"single", make<Single>},
    {"bagging", make<Bagging>},
    {"adaptive_bagging", make<AdaptiveBagging>},
    {"oza", make<OzaBoost>},
    {"osboost", make<OSBoost>},
    {"osboost_ocp", make<OSBoostOCP>},
    {"osboost_exp", make<OSBoostEXP>},
    {"ogboost", make<OGBoost>},
    {"online_bbm", make<OnlineBBM>},
    {"adaboost_ol", make<AdaBoostOL>},
    {"mbbm", make<MBBM>},
    {"adaboost_olm", make<AdaBoostOLM>},
    {"bayes", make<Bayes>},
    {"weighted_majority", make<WeightedMajority>},
    {"hedge", make<ExpertHedge>},
    {"winnow", make<Winnow>},
    {"arcx4", make<ArcX4>},
    {"blocked", make<BlockedBoost>},
    {"primed", make_narrow<PrimedBoost>},
    {"batch_bagging", make<BatchBagging>},
};

}  // namespace

std::unique_ptr<Model> make_model(const std::string& booster, const Config& config, const Ensemble& ensemble, const BankFactory& bank,
                                  const std::vector<int>& cuts) {
  const auto found = boosters.find(booster);
  if (found == boosters.end()) throw std::invalid_argument("unknown booster '" + booster + "'");
  auto model = found->second(config, ensemble, bank, cuts);
  config.check_all_read(booster);
  return model;
}

std::vector<std::string> booster_names() {
  std::vector<std::string> names;
  for (const auto& [name, maker] : boosters) names.push_back(name);
  return names;
}

}  // namespace streamboost
