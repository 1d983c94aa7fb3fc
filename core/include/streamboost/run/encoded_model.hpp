// What trees, neighbours and their like see of rows with words, identifiers or very many columns: at most so many columns.
//
//   dense rows    columns that hold no words, as they are, and for each identifier its target statistics (words/target_statistics.hpp); in the
//                 order first columns, their statistics, scores, columns that came later and their statistics
//   sparse rows   the first columns that were not 0 in some learned row, in the order of their appearance: frequent ones come early, and
//                 nothing is chosen again later; then scores
//   open rows     dense ones, which may bring an identifier or more than so many columns at any time: until then rows as they are. Statistics
//                 stand where the identifier came, scores where the first column is left out
//   scores        where there are texts or many columns: what a linear learner over all tokens (run/hashed_model.hpp) says of the row, the log
//                 odds of the classes that are described, or the number; so trees can correct it by the other columns, and by itself
//
// A row is seen with the statistics, choices and scores of before it; they move once it is learned. So any chunks give the same rows.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "streamboost/run/hashed_model.hpp"
#include "streamboost/run/view_model.hpp"
#include "streamboost/words/target_statistics.hpp"
#include "streamboost/words/tokens.hpp"

namespace streamboost {

class EncodedModel final : public ViewModel {
 public:
  struct Params {
    int most_columns;  // besides the statistics
    bool sparse;
    int score_bits;  // 0: no scores
    bool open;
    static Params read(const Config& c) {
      const int bits = c.whole<int>("score_bits");
      return {c.whole<int>("most_columns"), c.flag("sparse"), bits == 0 ? 0 : words::checked_bits(bits), c.flag("open")};
    }
  };

  EncodedModel(std::unique_ptr<Model> inside, const Params& params, const Ensemble& ensemble)
      : ViewModel(std::move(inside)), params_(params), ensemble_(ensemble) {
    if (params.most_columns < 1) throw std::invalid_argument("most_columns must be at least 1");
    ensemble_.part.reset();
  }

  std::unique_ptr<Growth> prepare(const Schema& schema) override {
    auto growth = std::make_unique<Widened>(*this);
    growth->intake.reserve(schema);
    growth->columns = Columns(growth->intake.schema(), params_, answers_numbers());
    if (growth->columns.n_scores > 0) {
      growth->scores = !scorer_;
      if (growth->scores) growth->first_scorer = make_scorer();
      growth->scorer = (scorer_ ? scorer_ : growth->first_scorer)->prepare(schema);
    }
    Schema seen = growth->columns.schema;
    if (params_.sparse) {
      growth->slot = slot_;
      growth->slot.resize(static_cast<std::size_t>(schema.width()), unseen);
    } else if (!started_ && !growth->columns.described.empty()) {  // they begin with the first identifier
      growth->statistics = words::TargetStatistics(growth->columns.outputs, answers_numbers(), statistics_bits());
      growth->starts = true;
    }
    seen.n_classes = schema.n_classes;
    seen.declared = schema.declared;
    growth->inside = inside_->prepare(seen);
    return growth;
  }

  void expect(const RowBlock& rows, const double* weight) override {
    chosen_.reserve(most());
    if (scorer_) scorer_->expect(rows, weight);
    Seen seen(*this, rows);
    {
      const Unchosen as_before(*this);
      for (int r = 0; params_.sparse && r < rows.n_rows; ++r) {
        list(rows.row(r), r, seen);
        if (weight == nullptr || weight[r] > 0) choose(rows.row(r));
      }
    }
    inside_->expect(seen.finished(), weight);
  }

  void learn(const RowBlock& rows, Truth truth, const double* weight, const OutputBuffers& out) override {
    if (params_.sparse) expect(rows, weight);
    Seen seen(*this, rows);
    if (!params_.sparse) {
      if (scorer_) scorer_->expect(rows, weight);
      inside_->expect(seen.finished(), weight);
    }
    if (scorer_) scorer_->learn(rows, truth, weight, seen.scores());
    see(rows, 0, truth, weight, seen);
    inside_->learn(seen.finished(), truth, weight, out);
  }

  // Sparse rows have no places before those before them are seen: then all of it is one station.
  int enlist(Flow& flow, const FlowInput& in) override {
    if (params_.sparse) return Model::enlist(flow, in);
    auto seen = std::make_shared<Seen>(*this, in.rows);
    const auto task = [this, &flow, in, seen](int c) {
      see(in.rows_of(flow, c), flow.first(c), in.truth.from(flow.first(c)), in.weight_of(flow, c), *seen);
    };
    FlowInput inside = in, scored = in;
    scored.answers = [&flow, seen](int c) { return seen->scores().from(flow.first(c), seen->n_said); };
    if (scorer_) inside.after = {scorer_->enlist(flow, scored)};
    inside.rows = seen->finished();
    inside.after = {flow.add(task, inside.after)};
    return inside_->enlist(flow, inside);
  }

  void predict(const RowBlock& rows, const OutputBuffers& out) const override {
    Seen seen(*this, rows);
    if (scorer_) scorer_->predict(rows, seen.scores());
    for (int r = 0; r < rows.n_rows; ++r) look(rows.row(r), r, seen);
    inside_->predict(seen.finished(), out);
  }

  void visit(FieldVisitor& v) override {
    inside_->visit(v);
    if (params_.open && !scorer_ && !started_) {  // rows as they are: the state, too, is that of the inside
      if (v.loads()) intake_.count_like(inside_->intake());
      return;
    }
    const std::string owner = std::exchange(v.owner, {});  // one name in all parts of an ensemble, with pools around it or without
    v.prefix = "encoded/";
    intake_.fields(v);
    if (started_) statistics_.fields(v);
    if (params_.sparse) {
      std::vector<std::int64_t> chosen(chosen_.begin(), chosen_.end());
      v.growing("chosen", chosen);
      if (v.loads()) take_choices(chosen);
    }
    if (scorer_) {
      v.owner = "encoded/scores/";
      scorer_->visit(v);
    }
    v.owner = owner;
    if (!v.loads()) return;
    check_inside();
    require(!scorer_ || scorer_->intake().n_learned() <= intake_.n_learned(), "examples learned by the scores");
    if (started_) statistics_.check();
  }
  std::size_t memory_bytes() override {
    return ViewModel::memory_bytes() + statistics_.bytes() + (scorer_ ? scorer_->memory_bytes() : 0) +
           (slot_.capacity() + chosen_.capacity()) * sizeof(std::int32_t);
  }

 protected:
  std::unique_ptr<Model> copy() const override { return std::unique_ptr<Model>(new EncodedModel(*this)); }
  void take(Model& other) override {
    auto& them = static_cast<EncodedModel&>(other);
    ViewModel::take(other);
    columns_ = std::move(them.columns_);
    statistics_ = std::move(them.statistics_);
    started_ = them.started_;
    slot_ = std::move(them.slot_);
    chosen_ = std::move(them.chosen_);
    scorer_ = std::move(them.scorer_);
  }

 private:
  static constexpr std::int32_t unseen = -1;
  EncodedModel(const EncodedModel& other)
      : ViewModel(other),
        params_(other.params_),
        ensemble_(other.ensemble_),
        columns_(other.columns_),
        statistics_(other.statistics_),
        started_(other.started_),
        slot_(other.slot_),
        chosen_(other.chosen_),
        scorer_(other.scorer_ ? copy_of(*other.scorer_) : nullptr) {}

  // Some of the columns that the inside sees: a column of the rows, the statistics of `n` identifiers, the scores, or nothing but a missing value.
  struct Piece {
    enum class Kind { column, statistics, scores, nothing } kind;
    std::int32_t at = 0, n = 1;  // of the column; of the first identifier among those that are described
  };

  // By the schema alone: it does not matter in how many steps it has grown. Of sparse rows none are known by their place.
  struct Columns {
    static constexpr std::size_t most_outputs = 3;
    std::vector<Piece> pieces;
    std::vector<std::int32_t> described;  // columns of the rows
    std::vector<std::int32_t> word;       // of each that is described: which of the cells of words, or -1
    std::size_t outputs = 1, n_scores = 0;
    Schema schema;
    Columns() = default;
    Columns(const Schema& rows, const Params& params, bool numbers) {
      if (!numbers)
        outputs = rows.declared ? std::clamp<std::size_t>(static_cast<std::size_t>(rows.n_classes), 2, most_outputs + 1) - 1 : most_outputs;
      const auto most = static_cast<std::size_t>(params.most_columns);
      const bool many = static_cast<std::size_t>(rows.width()) > most;
      n_scores = params.score_bits > 0 && (many || !params.open) ? outputs : 0;
      if (params.sparse) {
        schema.n_values.assign(most + n_scores, numeric_column);
        schema.first_width = params.most_columns + (n_scores > 0 ? 1 : 0);
        return;
      }
      std::size_t own = 0;
      std::int32_t words = 0, early_ones = 0;
      bool scored = n_scores == 0;
      const auto put_scores = [&] {
        if (std::exchange(scored, true)) return;
        pieces.push_back({Piece::Kind::scores});
      };
      const auto end_of_early = [&] {
        early_ones = static_cast<std::int32_t>(described.size());
        if (early_ones > 0) pieces.push_back({Piece::Kind::statistics, 0, early_ones});
        if (!params.open) put_scores();
        if (pieces.empty() && !params.open) pieces.push_back({Piece::Kind::nothing});
        schema.first_width = static_cast<int>(own) + 2 * early_ones + (n_scores > 0 && !params.open ? 1 : 0);
        if (schema.first_width == 0 && !params.open) schema.first_width = 1;
      };
      for (std::int32_t j = 0; j < rows.width(); ++j) {
        if (j == rows.first_width) end_of_early();
        const std::int64_t kind = rows.n_values[static_cast<std::size_t>(j)];
        if (kind == identifier_column || kind == coded_column) {
          if (j >= rows.first_width) pieces.push_back({Piece::Kind::statistics, static_cast<std::int32_t>(described.size())});
          described.push_back(j);
          word.push_back(kind == identifier_column ? words : unseen);
        }
        if (holds_words(kind)) {
          ++words;
        } else if (own < most) {
          pieces.push_back({Piece::Kind::column, j});
          ++own;
        } else if (params.open) {
          put_scores();
        }
      }
      if (rows.width() <= rows.first_width) end_of_early();
      for (const Piece& piece : pieces) {
        const bool column = piece.kind == Piece::Kind::column;
        schema.n_values.insert(schema.n_values.end(), size_of(piece), column ? seen_kind(rows, piece.at) : numeric_column);
      }
    }
    std::size_t size_of(const Piece& piece) const {
      if (piece.kind == Piece::Kind::statistics) return static_cast<std::size_t>(piece.n) * (outputs + 1);
      return piece.kind == Piece::Kind::scores ? n_scores : 1;
    }
    static std::int64_t seen_kind(const Schema& rows, std::int32_t j) {
      return std::max(rows.n_values[static_cast<std::size_t>(j)], numeric_column);
    }
  };

  struct Widened final : Grown {
    EncodedModel& own;
    Columns columns;
    words::TargetStatistics statistics;
    bool starts = false, scores = false;  // the first statistics, the first scorer
    std::unique_ptr<Model> first_scorer;
    std::unique_ptr<Growth> scorer;
    std::vector<std::int32_t> slot;
    explicit Widened(EncodedModel& m) : Grown(m), own(m) {}
    void exchange() noexcept override {
      Grown::exchange();
      std::swap(own.columns_, columns);
      std::swap(own.slot_, slot);
      if (scores) std::swap(own.scorer_, first_scorer);
      if (own.scorer_) Model::exchange(scorer.get(), *own.scorer_);
      if (!starts) return;
      std::swap(own.statistics_, statistics);
      own.started_ = !own.started_;
    }
    std::size_t bytes() override {
      return Grown::bytes() + slot.capacity() * sizeof(std::int32_t) + (starts ? statistics : own.statistics_).bytes() +
             (first_scorer || own.scorer_ ? bytes_of(scorer.get(), first_scorer ? *first_scorer : *own.scorer_) : 0);
    }
  };

  // The same rows as the inside sees them.
  struct Seen {
    std::vector<double> value;
    std::vector<std::int64_t> start;
    std::vector<std::int32_t> column;
    std::vector<std::pair<std::int32_t, double>> row;
    std::vector<std::int32_t> place;  // of the values of the row at hand that are described
    std::vector<double> said;         // [row]: by the scorer
    std::size_t n_said = 1;           // numbers of a row there
    Output kind = Output::number;
    RowBlock block;
    Seen(const EncodedModel& model, const RowBlock& rows) {
      block.n_rows = rows.n_rows;
      block.n_columns = model.columns_.schema.width();
      if (!model.answers_numbers()) {
        kind = Output::proba;
        n_said = static_cast<std::size_t>(model.intake_.schema().n_classes);
      }
      if (model.scorer_) said.resize(n_said * static_cast<std::size_t>(rows.n_rows));
      if (model.params_.sparse) {
        start.push_back(0);
        return;
      }
      value.resize(static_cast<std::size_t>(rows.n_rows) * static_cast<std::size_t>(block.n_columns),
                   std::numeric_limits<double>::quiet_NaN());
      place.resize(model.columns_.described.size());
    }
    OutputBuffers scores() { return {kind, nullptr, said.data()}; }
    const RowBlock& finished() {
      block.values = value.data();
      if (start.empty()) return block;
      if (column.empty()) column.push_back(no_column);  // a null pointer would say that the rows are dense
      block.row_start = start.data();
      block.columns = column.data();
      return block;
    }
  };

  std::unique_ptr<Model> make_scorer() const {
    return std::make_unique<HashedModel>(HashedModel::Params{words::View::words, params_.score_bits, params_.score_bits, answers_numbers()},
                                         ensemble_);
  }
  // Of open rows as many as each expert that may join has.
  int statistics_bits() const { return params_.open ? params_.score_bits + 2 : words::TargetStatistics::usual_bits; }
  std::size_t most() const { return static_cast<std::size_t>(params_.most_columns); }

  // Rows that are learned, the first of them row `first` of those seen.
  void see(const RowBlock& rows, int first, Truth truth, const double* weight, Seen& seen) {
    for (int r = 0; r < rows.n_rows; ++r) {
      look(rows.row(r), first + r, seen);
      const double w = count(truth, weight, r);
      if (w == 0) continue;
      if (params_.sparse)
        choose(rows.row(r));
      else if (started_)
        statistics_.learn(seen.place, truth.label ? truth.label[r] : truth.target[r], w);
    }
  }

  // The c-th score of row r.
  double score(int r, std::size_t c, const Seen& seen) const {
    const double* said = seen.said.data() + static_cast<std::size_t>(r) * seen.n_said;
    if (answers_numbers()) return said[0];
    const double p = c + 1 < seen.n_said ? said[c + 1] : 0.0;
    if (!(p > 0)) return std::numeric_limits<double>::quiet_NaN();  // a class that is not known
    constexpr double floor = 1e-6;
    return streamboost::log(std::max(p, floor)) - streamboost::log(std::max(1 - p, floor));
  }

  void look(const Row& row, int r, Seen& seen) const {
    if (params_.sparse) return list(row, r, seen);
    double* to = seen.value.data() + static_cast<std::size_t>(r) * static_cast<std::size_t>(seen.block.n_columns);
    for (std::size_t i = 0; i < seen.place.size(); ++i) seen.place[i] = place_of(row, i);
    for (const Piece& piece : columns_.pieces) {
      if (piece.kind == Piece::Kind::column) {
        *to++ = row.cell(piece.at);
        continue;
      }
      if (piece.kind == Piece::Kind::statistics)
        statistics_.describe(std::span(seen.place).subspan(static_cast<std::size_t>(piece.at), static_cast<std::size_t>(piece.n)), to);
      else if (piece.kind == Piece::Kind::scores)
        for (std::size_t c = 0; c < columns_.n_scores; ++c) to[c] = score(r, c, seen);
      to += columns_.size_of(piece);
    }
  }
  std::int32_t place_of(const Row& row, std::size_t i) const {
    using words::Hash;
    const int j = columns_.described[i];
    const int bits = statistics_bits();
    if (columns_.word[i] == unseen) {
      const double x = row.cell(j);
      return x == x ? static_cast<std::int32_t>(Hash::of_number(j, x).place(bits)) : words::TargetStatistics::missing;
    }
    const std::string_view text = row.words == nullptr ? std::string_view{} : row.words[columns_.word[i]];
    if (text.data() == nullptr) return words::TargetStatistics::missing;
    return static_cast<std::int32_t>(Hash(Hash::Kind::value, j).bytes(text).place(bits));
  }

  static bool is_there(double x) { return x != 0; }  // what is missing is there
  void list(const Row& row, int r, Seen& seen) const {
    seen.row.clear();
    for (int i = 0; i < row.size; ++i)
      if (const std::int32_t at = slot_[static_cast<std::size_t>(row.column(i))]; at != unseen && is_there(row.value[i]))
        seen.row.emplace_back(at, row.value[i]);
    std::sort(seen.row.begin(), seen.row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [at, x] : seen.row) {
      seen.column.push_back(at);
      seen.value.push_back(x);
    }
    for (std::size_t c = 0; c < columns_.n_scores; ++c) {
      seen.column.push_back(params_.most_columns + static_cast<std::int32_t>(c));
      seen.value.push_back(score(r, c, seen));
    }
    seen.start.push_back(static_cast<std::int64_t>(seen.value.size()));
  }
  void choose(const Row& row) {
    for (int i = 0; i < row.size && chosen_.size() < most(); ++i) {
      std::int32_t& at = slot_[static_cast<std::size_t>(row.column(i))];
      if (at != unseen || !is_there(row.value[i])) continue;
      at = static_cast<std::int32_t>(chosen_.size());
      chosen_.push_back(row.column(i));
    }
  }
  // Takes back what was chosen since it was made.
  class Unchosen {
   public:
    explicit Unchosen(EncodedModel& model) : model_(model), n_(model.chosen_.size()) {}
    Unchosen(const Unchosen&) = delete;
    Unchosen& operator=(const Unchosen&) = delete;
    ~Unchosen() {
      for (std::size_t i = n_; i < model_.chosen_.size(); ++i) model_.slot_[static_cast<std::size_t>(model_.chosen_[i])] = unseen;
      model_.chosen_.resize(n_);
    }

   private:
    EncodedModel& model_;
    std::size_t n_;
  };

  void take_choices(const std::vector<std::int64_t>& chosen) {
    require(chosen.size() <= most(), "chosen columns");
    chosen_.clear();
    std::fill(slot_.begin(), slot_.end(), unseen);
    for (const std::int64_t j : chosen) {
      require(j >= 0 && j < static_cast<std::int64_t>(slot_.size()) && slot_[static_cast<std::size_t>(j)] == unseen, "chosen columns");
      slot_[static_cast<std::size_t>(j)] = static_cast<std::int32_t>(chosen_.size());
      chosen_.push_back(static_cast<std::int32_t>(j));
    }
  }

  Params params_;
  Ensemble ensemble_;
  Columns columns_;
  words::TargetStatistics statistics_;
  bool started_ = false;              // there are statistics
  std::vector<std::int32_t> slot_;    // of sparse rows: what the inside calls each column
  std::vector<std::int32_t> chosen_;  // its inverse
  std::unique_ptr<Model> scorer_;     // null: no scores
};

}  // namespace streamboost
