// The boosters of two classes: one line each.
#include "streamboost/ensembles/adaboost_ol.hpp"
#include "streamboost/ensembles/bayes.hpp"
#include "streamboost/ensembles/bbm.hpp"
#include "streamboost/ensembles/defensive.hpp"
#include "streamboost/ensembles/ogboost.hpp"
#include "streamboost/ensembles/osboost.hpp"
#include "streamboost/ensembles/osboost_exp.hpp"
#include "streamboost/ensembles/osboost_ocp.hpp"
#include "streamboost/run/model_table.hpp"

namespace streamboost {

ModelTable models_binary() {
  return {
      {"osboost", make<OSBoost>}, {"osboost_ocp", make<OSBoostOCP>}, {"osboost_exp", make<OSBoostEXP>},
      {"ogboost", make<OGBoost>}, {"online_bbm", make<OnlineBBM>},   {"adaboost_ol", make<AdaBoostOL>},
      {"bayes", make<Bayes>},     {"defensive", make<Defensive>},
  };
}

}  // namespace streamboost
