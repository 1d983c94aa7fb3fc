// Where the counts of TAN and BAN stand: a row for every value of an attribute, of two, and for two parents of three. The algorithm: tan.hpp.
#pragma once
#include <cstddef>
#include <vector>

#include "streamboost/data/schema.hpp"

namespace streamboost {

// One to three attributes (ascending) with their values.
struct TanCell {
  std::size_t n = 0, attribute[3] = {0, 0, 0}, value[3] = {0, 0, 0};
  void add(std::size_t a, std::size_t v) {
    std::size_t at = n++;
    for (; at > 0 && attribute[at - 1] > a; --at) {
      attribute[at] = attribute[at - 1];
      value[at] = value[at - 1];
    }
    attribute[at] = a;
    value[at] = v;
  }
};

// Rows of the count table (times classes): all single values, then pairs, then triples; a function of the schema.
struct TanLayout {
  std::vector<std::size_t> values, single, pair, triple;
  std::size_t rows = 0;
  TanLayout() = default;
  TanLayout(const Schema& schema, bool triples) {
    for (auto v : schema.n_values) values.push_back(static_cast<std::size_t>(v));
    const std::size_t a = values.size();
    for (std::size_t i = 0; i < a; ++i) {
      single.push_back(rows);
      rows += values[i];
    }
    for (std::size_t i = 0; i < a; ++i)
      for (std::size_t j = i + 1; j < a; ++j) {
        pair.push_back(rows);
        rows += values[i] * values[j];
      }
    if (!triples) return;
    for (std::size_t i = 0; i < a; ++i)
      for (std::size_t j = i + 1; j < a; ++j)
        for (std::size_t k = j + 1; k < a; ++k) {
          triple.push_back(rows);
          rows += values[i] * values[j] * values[k];
        }
  }
  std::size_t pair_at(std::size_t i, std::size_t j) const {  // pairs before (i, .), then j within
    const std::size_t a = values.size();
    return i * (2 * a - i - 1) / 2 + (j - i - 1);
  }
  std::size_t triple_at(std::size_t i, std::size_t j, std::size_t k) const {
    const std::size_t a = values.size(), rest = a - i - 1;  // attributes after i
    const auto choose3 = [](std::size_t n) { return n < 3 ? 0 : n * (n - 1) * (n - 2) / 6; };
    return choose3(a) - choose3(a - i) + (j - i - 1) * (2 * rest - (j - i - 1) - 1) / 2 + (k - j - 1);
  }
  std::size_t row(const TanCell& c) const {
    if (c.n == 1) return single[c.attribute[0]] + c.value[0];
    const std::size_t v = c.value[0] * values[c.attribute[1]] + c.value[1];
    if (c.n == 2) return pair[pair_at(c.attribute[0], c.attribute[1])] + v;
    return triple[triple_at(c.attribute[0], c.attribute[1], c.attribute[2])] + v * values[c.attribute[2]] + c.value[2];
  }
  template <class Visit>
  void each(Visit visit) const {
    const std::size_t a = values.size();
    for (std::size_t i = 0; i < a; ++i)
      for (std::size_t v = 0; v < values[i]; ++v) {
        TanCell one;
        one.add(i, v);
        visit(row(one), one);
        for (std::size_t j = i + 1; j < a; ++j)
          for (std::size_t w = 0; w < values[j]; ++w) {
            TanCell two = one;
            two.add(j, w);
            visit(row(two), two);
            if (triple.empty()) continue;
            for (std::size_t k = j + 1; k < a; ++k)
              for (std::size_t u = 0; u < values[k]; ++u) {
                TanCell three = two;
                three.add(k, u);
                visit(row(three), three);
              }
          }
      }
  }
};

}  // namespace streamboost
