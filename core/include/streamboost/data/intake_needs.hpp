// What a bank wants to see of a row: the intake (run/intake.hpp) makes that view once for all lanes.
#pragma once

namespace streamboost {

enum class Scale { none, maxabs, standard, unit, automatic };

inline constexpr double usual_squared_slope = 0.1;

struct IntakeNeeds {
  bool coordinates = false;
  bool dense = true;
  bool unlabeled = false;     // rows without labels move the statistics
  bool fit_intercept = true;  // with coordinates, as all that follows
  Scale scale = Scale::none;
  double clip = 0;        // of Scale::automatic, in standard deviations
  bool unit_ball = true;  // divide by R
  bool rates = false;
  double rate = 1;                             // of rates
  double squared_slope = usual_squared_slope;  // of rates
};

}  // namespace streamboost
