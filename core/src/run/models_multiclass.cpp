// The boosters of many classes and the adaptive ensembles: one line each.
#include "streamboost/ensembles/adaboost_olm.hpp"
#include "streamboost/ensembles/adaptive_bagging.hpp"
#include "streamboost/ensembles/agnostic.hpp"
#include "streamboost/ensembles/mbbm.hpp"
#include "streamboost/run/model_table.hpp"

namespace streamboost {

ModelTable models_multiclass() {
  return {
      {"mbbm", make<MBBM>},
      {"adaboost_olm", make<AdaBoostOLM>},
      {"adaptive_bagging", make<AdaptiveBagging>},
      {"agnostic", make<Agnostic>},
  };
}

}  // namespace streamboost
