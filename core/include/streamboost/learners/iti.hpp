// ITI: incremental decision trees that lose nothing. One tree per lane.
//
// Paper     Utgoff, Berkman, Clouse: Decision tree induction based on efficient tree restructuring (Machine Learning 29, 1997).
//           Oza: Online Ensemble Learning (2001) uses them as base models.
//
//   paper               here                             meaning
//   instance            instance_*                       one per distinct (x, y), with its summed weight; kept for ever
//   decision node       test, yes, no, table             binary test; weight per (column, value, class) of all that passed through
//   leaf                class counts, first instance     pure, or nothing separates its instances
//   best test           ItiScorer::best                  gain ratio | information gain | KS; ties by column, then value or cut
//   virtual pruning     bits, pruned                     minimum description length; nothing is deleted
//
//   learn     Add (x, y) along its path to the tables of the nodes and to the instances. At each node on the way the best test is found
//             again; where it is not the one installed, the subtree is grown anew from its instances. A leaf that has become
//             impure is grown likewise. So after every example the tree is the batch tree of the examples so far:
//               tree(S) = leaf, if S holds one class or no test separates it;
//                         else best test t of S over tree(S with t), tree(S without t).
//   tests     nominal "a = v", numeric "a < cut", cut midway between neighbouring values. A missing value makes every test on it
//             false, in learning and answering alike, and so does a value not met before.
//   pruning   With i the weight at the node, x of it outside the majority class, c classes and q candidate tests there:
//               leaf 1 + log2 c + x (log2 max(i, 1) + log2 max(c - 1, 1)),  decision 1 + log2 q + bits(yes) + bits(no);
//             a node whose leaf form is not longer answers for its subtree. Recomputed bottom up along the path.
//   answer    class counts of the leaf or pruned node; majority, lowest code among equals.
//
// Departures  The paper transposes tests up the tree where the best one changes; here the subtree is grown anew. Both end in the same
//             tree, which is a function of the examples alone; only the cost differs.
//             Weight k and k copies are the same. With whole weights (sums below 2^53) all sums are exact and the tree is that of any
//             order of the rows which first shows classes and values in the same order; with fractional weights up to rounding, where
//             near ties of scores and pruning could turn. Lossless with and without pruning; proportional (all weights times a
//             constant) only without: code lengths grow with counts.
//             Columns that appear later are missing in the examples so far.
//             Under max_bytes a tree lets examples pass that it may have no room for: it answers as before, and goes on learning only what
//             fits. A tree that finds no memory to grow becomes a leaf of all its examples until the next new one: nothing is lost.
// Cost        learn: path length x (tests x classes + columns log entries), and the growing where a test changed: instances below x
//             columns x depth. Memory: instances x columns, and distinct (value, class) pairs per decision node.
#pragma once
#include "streamboost/learners/explained.hpp"
#include "streamboost/learners/iti_check.hpp"
#include "streamboost/learners/tree_node.hpp"
#include "streamboost/learners/tree_shap.hpp"

namespace streamboost {

class ItiBank final : public Bank,
                      public LearnsThenAnswers,
                      public Explains,
                      public LearnsBatches,
                      public NeedsRoom,
                      public ShowsTrees,
                      public LimitsTrees,
                      public GrowsInPlace {
 public:
  using Params = ItiParams;

  ItiBank(Params params, Lanes lanes) : params_(params), lanes_(lanes), trees_(static_cast<std::size_t>(lanes.size())) {}

  Lanes lanes() const override { return lanes_; }
  IntakeNeeds needs() const override { return {}; }
  Abilities abilities() override { return abilities_of(*this); }
  NoteRoom make_notes() const override {
    auto notes = std::make_unique<Notes>();
    notes->work.x.reserve(columns_.width());
    notes->work.scorer.expect(columns_.classes);
    return {0, std::move(notes)};
  }
  std::unique_ptr<Bank> copy() const override { return std::make_unique<ItiBank>(*this); }
  double least_numbers(const Schema&) const override { return 12; }
  bool trained(int lane) const override { return trees_[static_cast<std::size_t>(lane)].n_instances() > 0; }

  void reserve(const Schema& schema) override {
    Journal unread;
    grow(schema, unread);
  }
  void grow(const Schema& schema, Journal& journal) override {
    ItiColumns now(schema);
    ItiWork work;
    if (now.width() != columns_.width())
      for (auto& tree : trees_) {
        ItiTree wider = tree;
        wider.widen(columns_, now, work);
        journal.assign(tree, std::move(wider));
      }
    journal.assign(columns_, std::move(now));
  }

  void expect(const RowBlock& rows, const double* weight) override {
    const auto n = static_cast<std::size_t>(
        weight == nullptr ? rows.n_rows : std::count_if(weight, weight + rows.n_rows, [](double w) { return w > 0; }));
    if (limited()) return;  // they find their room row by row
    for (auto& tree : trees_) tree.expect(columns_, n);
  }
  bool starved() const override { return starved_; }

  void ask(const Example& example, Request want, Answers& answers) const override {
    std::vector<double>& x = answers.own<Notes>().work.x;
    look(example.row, x);
    if (want == Request::distributions) std::fill(answers.distribution.begin(), answers.distribution.end(), 0.0);
    for (std::size_t i = 0; i < trees_.size(); ++i) {
      const ItiTable table = spoken(i, x);
      const Answer answer = to_verdict(table, example.n_classes);
      answers.vote[i] = answer.label;
      answers.margin[i] = answer.margin;
      if (want != Request::distributions) continue;
      double total = 0;
      for (std::size_t e = 0; e < table.size && table.column[e] < 0; ++e) total += table.weight[e];
      for (std::size_t e = 0; e < table.size && table.column[e] < 0; ++e)
        answers.distribution[static_cast<std::size_t>(table.label[e]) * answers.stride + i] = table.weight[e] / total;
    }
  }

  bool explain(const Example& example, const ExplainRequest& question, const double* factor, Answers& answers,
               Explained& out) const override {
    std::vector<double>& x = answers.own<Notes>().work.x;
    look(example.row, x);
    TreeShap tree;
    std::vector<double> mass;
    for (std::size_t i = 0; i < trees_.size(); ++i) {
      const std::vector<TreeNode> shown = show(static_cast<int>(i));
      const std::size_t k = columns_.classes;
      tree.nodes.assign(shown.size(), {});
      mass.assign(shown.size() * k, 0.0);
      for (std::size_t n = shown.size(); n-- > 0;) {
        TreeShap::Node& node = tree.nodes[n];
        double* mine = mass.data() + n * k;
        if (shown[n].branches == 0) {
          std::copy_n(shown[n].mass.data(), k, mine);
        } else {
          node.column = shown[n].column;
          node.first = shown[n].first;
          node.branches = shown[n].branches;
          const auto yes = static_cast<std::size_t>(node.first);
          const double cut = shown[n].kind == "nominal" ? shown[yes].value : shown[n].threshold;
          node.taken = columns_.passes(node.column, cut, x.data()) ? 0 : 1;
          for (std::size_t c = 0; c < 2 * k; ++c) mine[c % k] += mass[yes * k + c];
        }
        for (std::size_t c = 0; c < k; ++c) node.weight += mine[c];
        node.answer = question.of_masses(mine, 0.0);
      }
      if (question.shapley && tree.depth() > TreeShap::deepest) return false;
      out.base += factor[i] * (question.shapley ? tree.shapley(factor[i], out.column) : tree.along_path(factor[i], out.column));
    }
    return true;
  }

  void learn(const Example& example, Labels labels, const double* amount, Amount, Answers& answers) override {
    ItiWork& work = answers.own<Notes>().work;
    look(example.row, work.x);
    for (std::size_t i = 0; i < trees_.size(); ++i) {
      if (!(amount[i] > 0) || full(i, work)) continue;
      const int label = labels.of(static_cast<int>(i));
      if (waiting_.empty()) {
        teach(i, label, amount[i], work);
      } else {
        if (limited()) trees_[i].expect(columns_, 1);
        trees_[i].keep(columns_, work.x.data(), label, amount[i]);
        waiting_[i] = 1;
      }
    }
  }

  // The tree is a function of the examples, so those of a batch are only kept, and the trees grown once.
  void batch_begin() override { waiting_.assign(trees_.size(), 0); }
  void batch_end() override {
    ItiWork work;
    for (std::size_t i = 0; i < trees_.size(); ++i)
      if (waiting_[i]) trees_[i].rebuild(columns_, params_, work);
    waiting_.clear();
  }

  Answer learn_then_answer(int lane, const Example& example, double amount, Amount, Request, Answers& answers) override {
    const auto i = static_cast<std::size_t>(lane);
    ItiWork& work = answers.own<Notes>().work;
    look(example.row, work.x);
    if (amount > 0 && !full(i, work)) teach(i, example.label, amount, work);
    return to_verdict(spoken(i, work.x), example.n_classes_after);
  }

  bool short_of_memory() const override { return limited_; }
  std::pair<int, int> count_leaves(int lane) const override {
    const auto n = static_cast<int>((show(lane).size() + 1) / 2);
    return {n, 0};
  }
  double bytes_beyond() const override {
    double beyond = 0;
    for (const ItiTree& tree : trees_) beyond += std::max(0.0, tree.held() - params_.max_bytes);
    return beyond;
  }

  const ItiTree& tree(int lane) const { return trees_[static_cast<std::size_t>(lane)]; }
  const ItiColumns& columns() const { return columns_; }

  // The tree as it answers: pruned nodes are leaves.
  std::vector<TreeNode> show(int lane) const override {
    const ItiTree& tree = trees_[static_cast<std::size_t>(lane)];
    std::vector<TreeNode> out(1);
    std::vector<std::int32_t> number = {0};
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::int32_t n = number[i];
      if (tree.part(n, ItiTree::column) < 0 || tree.part(n, ItiTree::pruned)) {
        const ItiTable table = tree.table(n);
        out[i].kind = "leaf";
        out[i].mass.assign(columns_.classes, 0.0);
        for (std::size_t e = 0; e < table.size && table.column[e] < 0; ++e)
          out[i].mass[static_cast<std::size_t>(table.label[e])] = table.weight[e];
        continue;
      }
      const ItiTest test = tree.test(n);
      const bool nominal = columns_.is_nominal(static_cast<std::size_t>(test.column));
      out[i].kind = nominal ? "nominal" : "below";
      out[i].column = test.column;
      out[i].threshold = nominal ? 0 : test.cut;
      out[i].first = static_cast<int>(out.size());
      out[i].branches = 2;
      out[i].fallback = 1;
      out.resize(out.size() + 2);
      if (nominal) out[out.size() - 2].value = static_cast<int>(test.cut);
      number.push_back(tree.part(n, ItiTree::yes));
      number.push_back(tree.part(n, ItiTree::no));
    }
    return out;
  }

  void check() const override {
    ItiWork work;
    for (const ItiTree& tree : trees_) tree.check(columns_, params_, work);
  }

 protected:
  void begin(int lane) override { trees_[static_cast<std::size_t>(lane)].clear(); }
  void exchange(int lane, Bank& other) override {
    const auto i = static_cast<std::size_t>(lane);
    std::swap(trees_[i], static_cast<ItiBank&>(other).trees_[i]);
  }
  void fields(FieldVisitor& v) override {
    show(v, "instance_class", [](ItiTree& t) -> auto& { return t.instance_class; });
    show(v, "instance_next", [](ItiTree& t) -> auto& { return t.instance_next; });
    show(v, "instance_code", [](ItiTree& t) -> auto& { return t.instance_code; });
    show(v, "instance_number", [](ItiTree& t) -> auto& { return t.instance_number; });
    show(v, "instance_weight", [](ItiTree& t) -> auto& { return t.instance_weight; });
    show(v, "instance_index", [](ItiTree& t) -> auto& { return t.index; });
    show(v, "node", [](ItiTree& t) -> auto& { return t.node; });
    show(v, "node_real", [](ItiTree& t) -> auto& { return t.node_real; });
    show(v, "node_free", [](ItiTree& t) -> auto& { return t.free_node; });
    show(v, "entry_column", [](ItiTree& t) -> auto& { return t.pool.column; });
    show(v, "entry_class", [](ItiTree& t) -> auto& { return t.pool.label; });
    show(v, "entry_value", [](ItiTree& t) -> auto& { return t.pool.value; });
    show(v, "entry_weight", [](ItiTree& t) -> auto& { return t.pool.weight; });
    show(v, "entry_free", [](ItiTree& t) -> auto& { return t.pool.free; });
  }

 private:
  struct Notes final : BankNotes {
    ItiWork work;
  };

  // A visitor sees one field of all lanes, in place.
  template <class Field>
  void show(FieldVisitor& v, const char* name, Field field) {
    using T = typename std::remove_reference_t<decltype(field(trees_.front()))>::value_type;
    v(name, RaggedView<T>(trees_, field));
  }

  // A tree that has no room for an example lets it pass.
  bool full(std::size_t i, const ItiWork& work) {
    if (!trees_[i].full_for(columns_, work.x.data(), params_.max_bytes)) return false;
    return limited_ = true;
  }
  bool limited() const { return params_.max_bytes < 1e300; }
  void teach(std::size_t i, int label, double amount, ItiWork& work) {
    if (limited() && !grows_or_waits([&] { return trees_[i].expect(columns_, 1), true; }, starved_)) return;
    if (!trees_[i].learn(columns_, params_, work.x.data(), label, amount, work)) starved_ = true;
    grows_or_waits([&] { return trees_[i].trim(columns_, params_, work), true; }, starved_);
  }

  // The row as trees compare it: gaps marked, no negative zero, columns that it does not have missing.
  void look(const Row& row, std::vector<double>& x) const {
    x.assign(columns_.width(), ItiColumns::missing);
    const std::size_t n = std::min(x.size(), static_cast<std::size_t>(row.size));
    for (std::size_t j = 0; j < n; ++j) {
      const double value = row.value[j];
      if (std::isnan(value) || (columns_.is_nominal(j) && value < 0)) continue;
      x[j] = std::clamp(value, -ItiColumns::largest_input, ItiColumns::largest_input) + 0.0;
    }
  }

  ItiTable spoken(std::size_t i, const std::vector<double>& x) const { return trees_[i].table(trees_[i].route(columns_, x.data())); }

  static Answer to_verdict(const ItiTable& table, int n_classes) {
    Answer answer;
    double total = 0, highest = 0, difference = 0;
    for (std::size_t e = 0; e < table.size && table.column[e] < 0; ++e) {
      const double w = table.weight[e];
      total += w;
      if (table.label[e] < 2) difference += table.label[e] == 1 ? w : -w;
      if (answer.label < 0 || w > highest) {
        answer.label = table.label[e];
        highest = w;
      }
    }
    if (n_classes <= 2 && total > 0) answer.margin = difference / total;
    return answer;
  }

  Params params_;
  Lanes lanes_;
  ItiColumns columns_;
  std::vector<ItiTree> trees_;
  // Since the model was made or loaded:
  bool starved_ = false, limited_ = false;  // some tree has found no memory to grow; no room within its limit
  std::vector<char> waiting_;               // during a batch, [lane]: has kept something; otherwise empty
};

}  // namespace streamboost
