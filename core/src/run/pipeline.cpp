// How a pipeline is built, grows, is copied and saved.
#include "streamboost/run/pipeline.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

#include "streamboost/run/room.hpp"

namespace streamboost {
namespace {

constexpr int chunk_rows = 32;

void require_fit(const Abilities& can, bool numbers, const LearnerNeeds& needs) {
  if (can.numbers != numbers)
    throw std::invalid_argument(numbers ? "this ensemble needs learners that answer numbers"
                                        : "this ensemble needs learners that answer classes");
  if (needs.answers_after_learning && !can.answers_after_learning())
    throw std::invalid_argument("this ensemble needs learners that can answer again once they have learned an example");
  if (needs.costs && can.costs == nullptr) throw std::invalid_argument("costs='leaf_costs' needs learners that collect costs");
}

}  // namespace

Pipeline::Pipeline(std::unique_ptr<Runner> runner, const Ensemble& ensemble, const BankFactory& make_bank, const std::vector<int>& cuts)
    : runner_(std::move(runner)), ensemble_(ensemble), intake_(IntakeNeeds{}) {
  const Lanes own = ensemble_.lanes();
  std::vector<int> edges{own.begin};
  for (int cut : cuts) {
    if (cut <= edges.back() || cut >= own.end) throw std::invalid_argument("cuts must lie inside the ensemble, ascending");
    edges.push_back(cut);
  }
  edges.push_back(own.end);
  for (int edge : edges)
    if (edge % runner_->grain() != 0) throw std::invalid_argument("cuts must fall between groups of lanes that belong together");
  if (ensemble_.guard.on() && ensemble_.guard.on_drift == GuardParams::OnDrift::lane && !runner_->traits.restart)
    throw std::invalid_argument(
        "on_drift='lane' is for ensembles that remember something of a learner's place beside the learner itself, and this one does not: "
        "use on_drift='learner'");
  for (std::size_t b = 0; b + 1 < edges.size(); ++b) add_block({edges[b], edges[b + 1]}, make_bank);
  IntakeNeeds needs = blocks_.front()->bank->needs();
  needs.unlabeled = ensemble_.unlabeled;
  intake_ = Intake(needs);
  if (part()) register_part();
}

BankHandle Pipeline::fitting_bank(Lanes lanes, const BankFactory& make_bank) const {
  BankHandle bank(make_bank(lanes));
  require_fit(bank.can(), answers_numbers() || runner_->traits.regressors, runner_->learner_needs());
  return bank;
}

void Pipeline::add_block(Lanes lanes, const BankFactory& make_bank) {
  BankHandle bank = fitting_bank(lanes, make_bank);
  auto block = runner_->make_block(lanes);
  block->bank = std::move(bank);
  block->guard = DriftGuard(ensemble_.guard, lanes);
  if (block->guard.on()) block->bank->keep_births();
  if (block->guard.on() && ensemble_.guard.background) {
    block->spares = fitting_bank(lanes, make_bank);
    block->spares->keep_births();
  }
  block->events.stats.on = ensemble_.monitor && !block->bank.can().numbers && facts() == Facts::none;
  block->events.stats.prefixes = runner_->traits.watches_prefixes;
  block->events.kept = block->guard.on();
  block->events.reserve(static_cast<std::size_t>(lanes.size()));
  blocks_.push_back(std::move(block));
}

// What a call works with is made anew when it is needed.
Pipeline::Pipeline(const Pipeline& other)
    : runner_(other.runner_->copy()),
      ensemble_(other.ensemble_),
      intake_(other.intake_),
      memory_(other.memory_),
      reserved_(other.reserved_) {
  blocks_.reserve(other.blocks_.size());
  for (const auto& block : other.blocks_) blocks_.push_back(block->copy());
}

void Pipeline::take(Model& other) {
  auto& them = static_cast<Pipeline&>(other);
  intake_ = std::move(them.intake_);
  runner_ = std::move(them.runner_);
  memory_ = std::move(them.memory_);
  blocks_ = std::move(them.blocks_);
  forget_call_memory();
  broken_ = nullptr;
}

// Intake and combiner grow on copies, which then change places with what they were made of, and so do banks that cannot grow where they
// are. The others have grown when `prepare` returns, and are as before if nobody exchanges it.
struct Pipeline::Grown final : Growth {
  Pipeline& pipeline;
  Intake intake;
  std::unique_ptr<Runner> runner;
  std::vector<BankHandle> banks, spares;
  Journal journal;
  bool reserved = true, begun = false, placed = false;
  explicit Grown(Pipeline& p) : pipeline(p), intake(p.intake_) {}
  ~Grown() override {
    if (begun && !placed) give_back();
  }
  // As before, and without the room that was made: it may be more than the model is allowed.
  void give_back() noexcept {
    journal.undo();
    pipeline.forget_call_memory();
    for (const auto& block : pipeline.blocks_)
      for (BankHandle* bank : {&block->bank, &block->spares}) try {
          if (*bank && bank->can().grows != nullptr) *bank = BankHandle(bank->copy());
        } catch (const std::bad_alloc&) {  // then it keeps the room
        }
  }
  void add(BankHandle& bank, std::vector<BankHandle>& copies) {
    const bool in_place = bank && bank.can().grows != nullptr && pipeline.reserved_ && pipeline.intake_.schema().width() > 0;
    begun |= in_place;
    if (in_place) bank.can().grows->grow(intake.schema(), journal);
    copies.emplace_back(in_place ? nullptr : bank.copy());
    if (copies.back()) copies.back()->reserve(intake.schema());
  }
  void exchange() noexcept override {
    if (placed) journal.undo();
    placed = !placed;
    static_assert(std::is_nothrow_swappable_v<Intake> && std::is_nothrow_swappable_v<BankHandle>);
    std::swap(pipeline.intake_, intake);
    std::swap(pipeline.runner_, runner);
    for (std::size_t b = 0; b < banks.size(); ++b) {
      if (banks[b]) std::swap(pipeline.blocks_[b]->bank, banks[b]);
      if (spares[b]) std::swap(pipeline.blocks_[b]->spares, spares[b]);
    }
    std::swap(pipeline.reserved_, reserved);
    pipeline.forget_call_memory();
  }
  std::size_t bytes() override {
    MemoryCounter counter(true);
    const Lanes own = pipeline.ensemble_.lanes();
    counter.n_lanes_all = own.size();
    intake.fields(counter);
    runner->fields(counter);
    const auto come_to = [&](const auto& block) { counter.lanes = {block->lanes().begin - own.begin, block->lanes().end - own.begin}; };
    for (const auto& block : pipeline.blocks_) {
      come_to(block);
      block->state_fields(counter);
      block->events.stats.fields(counter);
      block->guard.fields(counter);
    }
    for (std::size_t b = 0; b < banks.size(); ++b)
      for (const BankHandle* each :
           {banks[b] ? &banks[b] : &pipeline.blocks_[b]->bank, spares[b] ? &spares[b] : &pipeline.blocks_[b]->spares}) {
        const BankHandle& bank = *each;
        if (!bank) continue;
        come_to(pipeline.blocks_[b]);
        if (const LimitsTrees* trees = bank.can().limits)
          counter.own(static_cast<std::size_t>(trees->bytes_beyond()));
        else
          bank->visit(counter);
        bank->count_unsaved(counter);
        bank->count_to_come(counter);
      }
    if (pipeline.runner_->traits.keeps_rows) counter.own(pipeline.remembered_rows() * (intake.schema().n_values.size() + 5) * 8);
    return counter.total() + sizeof(pipeline) + intake.unsaved_bytes() + runner->bytes(1);
  }
};

// How many rows it keeps until a batch phase has used them.
std::size_t Pipeline::remembered_rows() const {
  std::int64_t none = 0, most = 1;
  while (runner_->remembers(most - 1) && most < std::int64_t{1} << 40) most *= 2;
  while (none < most) {
    const std::int64_t middle = (none + most) / 2;
    if (runner_->remembers(middle))
      none = middle + 1;
    else
      most = middle;
  }
  return static_cast<std::size_t>(none);
}

// Of the tables of its learners, known before they are there: files hold numbers of four bytes at least.
double Pipeline::least_bytes(const Schema& schema) const {
  double bytes = 0;
  for (const auto& block : blocks_)
    for (const BankHandle* bank : {&block->bank, &block->spares})
      if (*bank && bank->can().limits == nullptr) bytes += 4.0 * (*bank)->lanes().size() * (*bank)->least_numbers(schema);
  return bytes;
}

std::unique_ptr<Growth> Pipeline::prepare(const Schema& schema) {
  require_sound();
  auto growth = std::make_unique<Grown>(*this);
  growth->intake.reserve(schema);
  if (reserved_ && growth->intake.schema() == intake_.schema()) return nullptr;
  const Schema& now = growth->intake.schema();
  Room::check(least_bytes(now));
  growth->runner = runner_->copy();
  growth->runner->reserve(now.n_classes);
  for (const auto& block : blocks_) {
    growth->add(block->bank, growth->banks);
    growth->add(block->spares, growth->spares);
  }
  return growth;
}

[[gnu::cold]] void Pipeline::visit(FieldVisitor& v) {
  const Lanes own = ensemble_.lanes();
  v.n_lanes_all = own.size();
  v.prefix = "intake/";
  intake_.fields(v);
  v.prefix = "combiner/";
  runner_->fields(v);
  if (runner_->traits.keeps_rows) {
    v.prefix = "rows/";
    memory_.fields(v);
  }
  for (auto& block : blocks_) {
    v.lanes = {block->lanes().begin - own.begin, block->lanes().end - own.begin};
    v.prefix = "bank/";
    block->bank->visit(v);
    v.prefix = "lane/";
    block->state_fields(v);
    v.prefix = "monitor/";
    block->events.stats.fields(v);
    v.prefix = "guard/";
    block->guard.fields(v);
    v.prefix = "spare/";
    if (block->spares) block->spares->visit(v);
  }
  if (v.loads()) check();
}

// What was loaded.
[[gnu::cold]] void Pipeline::check() const {
  intake_.check();
  runner_->check();
  if (runner_->traits.keeps_rows) {
    memory_.check(intake_.schema());
    require(memory_.size() == (runner_->remembers(intake_.n_learned()) ? intake_.n_learned() : 0), "number of remembered rows");
  }
  for (const auto& block : blocks_) {
    for (const BankHandle* bank : {&block->bank, &block->spares})
      if (*bank) (*bank)->check();
    block->check_state();
    block->guard.check(intake_.n_learned());
  }
}

// Other models keep what they have: of another plan they are not given here, of the same one they may have grown otherwise.
void Pipeline::swap_scratch(Model& other) noexcept {
  auto& them = static_cast<Pipeline&>(other);
  if (!(them.intake_.schema() == intake_.schema()) || them.blocks_.size() != blocks_.size()) return;
  std::swap(learn_memory_, them.learn_memory_);
  std::swap(ask_memory_, them.ask_memory_);
}

[[gnu::cold]] std::size_t Pipeline::memory_bytes() {
  MemoryCounter counter;
  visit(counter);
  for (const auto& block : blocks_)
    for (const BankHandle* bank : {&block->bank, &block->spares})
      if (*bank) (*bank)->count_unsaved(counter);
  return counter.total() + sizeof(*this) + intake_.unsaved_bytes() + runner_->bytes(blocks_.size());
}

// Everything a booster keeps per lane, what its combiner keeps, and what the monitor saw.
[[gnu::cold]] ModelReport Pipeline::report() {
  ModelReport report;
  const auto seen = static_cast<double>(intake_.n_learned());
  for (auto& block : blocks_)
    if (block->events.stats.on) block->events.stats.write_report(report, seen);
  for (auto& block : blocks_)
    if (block->guard.on()) block->guard.write_report(report, block->lanes(), intake_.n_learned());
  Saver saver;
  saver.n_lanes_all = ensemble_.n_estimators;
  for (auto& block : blocks_) {
    saver.lanes = block->lanes();
    block->state_fields(saver);
  }
  for (auto& [name, field] : saver.state) report.lanes[name] = field.real;
  runner_->write_report(report, intake_.n_learned());
  for (const BankHandle* bank : banks())
    if (const LimitsTrees* trees = bank->can().limits)
      for (int lane = 0; lane < (*bank)->lanes().size(); ++lane) {
        const auto [leaves, idle] = trees->count_leaves(lane);
        report.lanes["leaves"].push_back(leaves);
        report.lanes["idle_leaves"].push_back(idle);
      }
  return report;
}

[[gnu::cold]] bool Pipeline::starved() const {
  const auto hungry = [](const BankHandle& bank) { return bank.can().room != nullptr && bank.can().room->starved(); };
  return std::any_of(blocks_.begin(), blocks_.end(),
                     [&](const auto& block) { return hungry(block->bank) || hungry(block->spares) || block->guard.starved(); });
}

[[gnu::cold]] std::vector<const BankHandle*> Pipeline::banks() const {
  std::vector<const BankHandle*> all;
  for (const auto& block : blocks_) all.push_back(&block->bank);
  return all;
}

[[gnu::cold]] std::vector<const BankHandle*> Pipeline::spares() const {
  std::vector<const BankHandle*> all;
  for (const auto& block : blocks_)
    if (block->spares) all.push_back(&block->spares);
  return all;
}

// A batch that failed in the middle (a learner written in Python raised, or memory for a tree ran out) has left lanes behind that
// have learned different rows. Such a model answers nothing until it is loaded anew.
void Pipeline::require_sound() const {
  if (broken_) throw std::runtime_error(broken_);
}

void Pipeline::forget_call_memory() noexcept {
  learn_memory_ = CallMemory();
  ask_memory_ = CallMemory();
}

void Pipeline::prepare(CallMemory& memory, int n_rows) const {
  const int n = std::min(n_rows, chunk_rows);
  if (!memory.chunk || memory.chunk->capacity() < n) memory.chunk = runner_->make_chunk(intake_, ensemble_, static_cast<std::size_t>(n));
  if (memory.scratch.empty()) memory.scratch = make_scratch();
}

std::vector<Scratch> Pipeline::make_scratch() const {
  std::vector<Scratch> scratch(blocks_.size());
  const auto n_classes = static_cast<std::size_t>(std::max(intake_.schema().n_classes, 2));
  for (std::size_t b = 0; b < scratch.size(); ++b) {
    scratch[b].prepare(blocks_[b]->bank, blocks_[b]->spares, n_classes);
    if (runner_->traits.weighs_by_costs) scratch[b].reserve_costs(static_cast<std::size_t>(blocks_[b]->lanes().size()), n_classes);
  }
  return scratch;
}

void Pipeline::register_part() {
  part()->grain = runner_->grain();
  part()->one_by_one = one_by_one();
  part()->check = [this](const Carry& carry, std::int64_t n_learning) {
    runner_->check_carry(*part(), carry, intake_.n_learned(), n_learning);
  };
  part()->restart = [this](int lane, std::int64_t number) { restart_lane(blocks_, lane, number); };
}

}  // namespace streamboost
