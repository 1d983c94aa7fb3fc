#include "streamboost/run/models.hpp"

#include <numeric>

#include "streamboost/ensembles/adaboost_ol.hpp"
#include "streamboost/ensembles/adaboost_olm.hpp"
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
std::vector<int> narrow(const Ensemble& ensemble, const std::vector<int>& cuts) {
  if (!cuts.empty()) return cuts;
  std::vector<int> all;
  for (int lane = lane_multiple; lane < ensemble.n_estimators; lane += lane_multiple) all.push_back(lane);
  return all;
}

}  // namespace

std::unique_ptr<Model> make_model(const std::string& booster, const Config& config, const Ensemble& ensemble, const BankFactory& bank,
                                  const std::vector<int>& cuts) {
  if (booster == "single") return make<Single>(config, ensemble, bank, cuts);
  if (booster == "bagging") return make<Bagging>(config, ensemble, bank, cuts);
  if (booster == "oza") return make<OzaBoost>(config, ensemble, bank, cuts);
  if (booster == "osboost") return make<OSBoost>(config, ensemble, bank, cuts);
  if (booster == "osboost_ocp") return make<OSBoostOCP>(config, ensemble, bank, cuts);
  if (booster == "osboost_exp") return make<OSBoostEXP>(config, ensemble, bank, cuts);
  if (booster == "ogboost") return make<OGBoost>(config, ensemble, bank, cuts);
  if (booster == "online_bbm") return make<OnlineBBM>(config, ensemble, bank, cuts);
  if (booster == "adaboost_ol") return make<AdaBoostOL>(config, ensemble, bank, cuts);
  if (booster == "mbbm") return make<MBBM>(config, ensemble, bank, cuts);
  if (booster == "adaboost_olm") return make<AdaBoostOLM>(config, ensemble, bank, cuts);
  if (booster == "bayes") return make<Bayes>(config, ensemble, bank, cuts);
  if (booster == "weighted_majority") return make<WeightedMajority>(config, ensemble, bank, cuts);
  if (booster == "hedge") return make<ExpertHedge>(config, ensemble, bank, cuts);
  if (booster == "winnow") return make<Winnow>(config, ensemble, bank, cuts);
  if (booster == "arcx4") return make<ArcX4>(config, ensemble, bank, cuts);
  if (booster == "blocked") return make<BlockedBoost>(config, ensemble, bank, cuts);
  if (booster == "primed") return make<PrimedBoost>(config, ensemble, bank, narrow(ensemble, cuts));
  if (booster == "batch_bagging") return make<BatchBagging>(config, ensemble, bank, cuts);
  throw std::invalid_argument("unknown booster '" + booster + "'");
}

}  // namespace streamboost
