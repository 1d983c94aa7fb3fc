// Parameters by name, as they come from the estimators, which declare, judge and default them. Nothing has a default here: what is
// missing, misspelt or of the wrong kind is a broken contract and throws, and so is a name that nobody reads.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace streamboost {

class Config {
 public:
  using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<double>>;
  static constexpr std::monostate none{};
  std::map<std::string, Value> values;

  Config() = default;
  Config(std::initializer_list<std::pair<const std::string, Value>> given) : values(given) {}

  double number(const char* name) const {
    if (const auto found = number_or_none(name)) return *found;
    throw std::invalid_argument(std::string(name) + " must be a number");
  }
  // For parameters that may be None.
  std::optional<double> number_or_none(const char* name) const {
    const Value& v = find(name);
    if (std::holds_alternative<std::monostate>(v)) return std::nullopt;
    if (const auto* x = std::get_if<double>(&v)) return *x;
    if (const auto* i = std::get_if<std::int64_t>(&v)) return static_cast<double>(*i);
    throw std::invalid_argument(std::string(name) + " must be a number");
  }
  bool has(const char* name) const { return values.contains(name); }  // of parameters that come in groups
  template <class Whole = std::int64_t>
  Whole whole(const char* name) const {
    if (const auto* i = std::get_if<std::int64_t>(&find(name))) return static_cast<Whole>(*i);
    throw std::invalid_argument(std::string(name) + " must be a whole number");
  }
  bool flag(const char* name) const {
    if (const auto* b = std::get_if<bool>(&find(name))) return *b;
    throw std::invalid_argument(std::string(name) + " must be true or false");
  }
  // Null if the parameter is something else than numbers.
  const std::vector<double>* array(const char* name) const { return std::get_if<std::vector<double>>(&find(name)); }
  // The option that goes with the word.
  template <class E>
  E choice(const char* name, std::initializer_list<std::pair<const char*, E>> options) const {
    if (const auto* word = std::get_if<std::string>(&find(name)))
      for (const auto& [text, value] : options)
        if (*word == text) return value;
    throw std::invalid_argument(std::string("unknown value for ") + name);
  }
  // Whether the parameter is this word.
  bool is(const char* name, const char* word) const {
    const auto* given = std::get_if<std::string>(&find(name));
    return given != nullptr && *given == word;
  }
  // After reading: every name that was given must have been asked for.
  void check_all_read(const std::string& reader) const {
    for (const auto& [name, value] : values)
      if (!read_.contains(name)) throw std::invalid_argument(reader + " has no parameter '" + name + "'");
  }

 private:
  mutable std::set<std::string> read_;

  const Value& find(const char* name) const {
    const auto it = values.find(name);
    if (it == values.end()) throw std::invalid_argument(std::string("the parameter '") + name + "' is missing");
    read_.insert(name);
    return it->second;
  }
};

}  // namespace streamboost
