#pragma once

#include "batch.h"
#include "model.h"
#include "plan.h"

#include <vector>

namespace optio {

struct ReadValue {
    float log_sum_exp = 0;
    std::vector<float> logits;
    std::vector<int32_t> top; // most probable first
    std::vector<float> top_logits;
};

// The evaluation of one plan, a batch at a time, so that it can stop between batches.
//
// The root is evaluated in sequence 0 and stays there for the next plan. Every other run gets a sequence that begins as a copy of
// its parent's (the cells are shared, nothing is copied). Runs are taken in waves: a wave is as many siblings as fit into the
// sequences and cells that are left when each may still go down its own longest path; their children are the next level, which
// is done before the wave gives its sequences back. So a tree of any size fits as soon as its longest path does.
class Evaluation {
  public:
    // Throws Failure "context_too_long", "invalid_plan"; nothing was done then.
    Evaluation(Session & session, Plan plan);
    // Gives every sequence but the root's back.
    ~Evaluation();

    Evaluation(const Evaluation &) = delete;
    Evaluation & operator=(const Evaluation &) = delete;

    // Evaluates the next batch. Returns whether anything is left to do. After a Failure the evaluation is over.
    bool advance(Stop & stop);

    const Plan & plan() const { return plan_; }
    uint32_t evaluated() const { return evaluated_; }
    // Tokens that have to be evaluated in all, those found in the cache left out.
    uint32_t total() const { return plan_.tokens - reused_; }
    uint32_t reused() const { return reused_; }
    double prefill_ms() const { return prefill_ms_; }
    double branches_ms() const { return branches_ms_; }
    const std::vector<ReadValue> & values() const { return values_; }

  private:
    // Runs whose parents are evaluated, and the wave of them that is being worked on.
    struct Level {
        std::vector<int32_t> ready;
        size_t taken = 0;
        std::vector<int32_t> wave;
        std::vector<int32_t> sequences; // of the wave's runs
        size_t run = 0;                 // where the next batch begins: index into the wave,
        size_t token = 0;               // and into the run's tokens
        bool descended = false;
    };
    struct Output {
        int32_t row;
        const PlanRead * read;
    };

    void begin_root();
    void root_batch(Stop & stop);
    bool branch_batch(Stop & stop);
    void admit(Level & level);
    void descend(Level & level);
    void release(Level & level);
    void wave_batch(Level & level, Stop & stop);
    void evaluate(Stop & stop);
    void read_outputs();
    size_t add_tokens(const Run & run, size_t from, int32_t sequence);
    void recover();

    Session & session_;
    Plan plan_;
    Batch batch_;
    std::vector<Output> outputs_;
    std::vector<ReadValue> values_;
    std::vector<Level> levels_;
    std::vector<int32_t> sequence_of_; // by run
    std::vector<int32_t> free_;        // sequences nobody uses
    uint32_t cells_ = 0;               // tokens that sequences other than 0 hold
    size_t root_next_ = 0;
    bool started_ = false;
    uint32_t evaluated_ = 0;
    uint32_t reused_ = 0;
    double prefill_ms_ = 0;
    double branches_ms_ = 0;
};

} // namespace optio
