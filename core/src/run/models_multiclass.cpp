// The boosters of many classes and the adaptive ensembles: one line each.
#include "streamboost/ensembles/ada_olmr.hpp"
#include "streamboost/ensembles/adaboost_olm.hpp"
#include "streamboost/ensembles/adaptive_bagging.hpp"
#include "streamboost/ensembles/agnostic.hpp"
#include "streamboost/ensembles/bandit_boost.hpp"
#include "streamboost/ensembles/mbbm.hpp"
#include "streamboost/ensembles/online_bmr.hpp"
#include "streamboost/run/model_table.hpp"

namespace streamboost {

ModelTable models_multiclass() {
  return {
      {"mbbm", make<MBBM>},
      {"adaboost_olm", make<AdaBoostOLM>},
      {"bandit_boost", make<BanditBoost>},
      {"online_bmr", make<OnlineBMR>},
      {"ada_olmr", make<AdaOLMR>},
      {"adaptive_bagging", make<AdaptiveBagging>},
      {"agnostic", make<Agnostic>},
  };
}

}  // namespace streamboost
