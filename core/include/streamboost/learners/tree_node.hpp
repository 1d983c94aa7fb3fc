// A tree as the outside sees it: what drawings are made of.
#pragma once
#include <string>
#include <vector>

namespace streamboost {

struct TreeNode {
  std::string kind;  // leaf, numeric (<=, >), below (<, >=), nominal
  int column = -1, first = -1, branches = 0, fallback = 0, value = -1;
  double threshold = 0;
  std::vector<double> mass;  // leaves: weight per class
  std::vector<int> named;    // a nominal split of two branches: the values that go to the first; empty: its children say
};

}  // namespace streamboost
