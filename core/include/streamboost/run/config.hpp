// Parameters by name, as they come from the estimators. Python has judged the values; here only a broken contract throws.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace streamboost {

class Config {
 public:
  using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<double>>;
  std::map<std::string, Value> values;

  double number(const char* name, double otherwise) const {
    const Value* v = find(name);
    if (v == nullptr) return otherwise;
    if (const auto* x = std::get_if<double>(v)) return *x;
    if (const auto* i = std::get_if<std::int64_t>(v)) return static_cast<double>(*i);
    throw std::invalid_argument(std::string(name) + " must be a number");
  }
  bool flag(const char* name, bool otherwise) const {
    const Value* v = find(name);
    if (v == nullptr) return otherwise;
    if (const auto* b = std::get_if<bool>(v)) return *b;
    throw std::invalid_argument(std::string(name) + " must be true or false");
  }
  const std::vector<double>* array(const char* name) const {
    const Value* v = find(name);
    return v == nullptr ? nullptr : std::get_if<std::vector<double>>(v);
  }
  // The option that goes with the word; the first one if the parameter is absent.
  template <class E>
  E choice(const char* name, std::initializer_list<std::pair<const char*, E>> options) const {
    const Value* v = find(name);
    if (v == nullptr) return options.begin()->second;
    if (const auto* word = std::get_if<std::string>(v))
      for (const auto& [text, value] : options)
        if (*word == text) return value;
    throw std::invalid_argument(std::string("unknown value for ") + name);
  }

 private:
  const Value* find(const char* name) const {
    const auto it = values.find(name);
    return it == values.end() || std::holds_alternative<std::monostate>(it->second) ? nullptr : &it->second;
  }
};

}  // namespace streamboost
