#include "score.h"

#include "failure.h"
#include "log-sum-exp.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace optio {

namespace {

double now_ms() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Equal logits go by the token's id, so that the same numbers always give the same list.
void most_probable(const float * logits, int32_t vocab_size, uint32_t count, ReadValue & value) {
    if (count == 0) { return; }
    std::vector<int32_t> ids(static_cast<size_t>(vocab_size));
    std::iota(ids.begin(), ids.end(), 0);
    const auto end = ids.begin() + std::min<std::ptrdiff_t>(count, vocab_size);
    std::partial_sort(ids.begin(), end, ids.end(), [logits](int32_t a, int32_t b) {
        return logits[a] > logits[b] || (!(logits[a] < logits[b]) && a < b);
    });
    value.top.assign(ids.begin(), end);
    for (const int32_t id : value.top) { value.top_logits.push_back(logits[id]); }
}

} // namespace

Evaluation::Evaluation(Session & session, Plan plan) : session_(session), plan_(std::move(plan)) {
    const Run & root = plan_.runs[0];
    if (root.need > session_.context_tokens()) {
        JsonWriter details;
        details.begin_object().field("needed", root.need).field("available", session_.context_tokens()).end_object();
        throw Failure("context_too_long", "the longest path of the plan has " + std::to_string(root.need) + " tokens, " +
                                              std::to_string(root.need - session_.context_tokens()) + " more than the context of " +
                                              std::to_string(session_.context_tokens()), details.text());
    }
    if (root.levels > session_.sequences()) {
        throw Failure("invalid_plan", "the tree forks " + std::to_string(root.levels) + " times on one path, more than the " +
                                          std::to_string(session_.sequences()) + " sequences of this context");
    }
    values_.resize(plan_.reads);
    sequence_of_.assign(plan_.runs.size(), 0);
    for (int32_t i = static_cast<int32_t>(session_.sequences()) - 1; i > 0; i--) { free_.push_back(i); }
}

Evaluation::~Evaluation() {
    for (Level & level : levels_) { release(level); }
}

bool Evaluation::advance(Stop & stop) {
    const double start = now_ms();
    bool in_root = false;
    bool more = false;
    OnExit undo([this] { recover(); });
    if (!started_) { begin_root(); }
    in_root = root_next_ < plan_.runs[0].tokens.size();
    if (in_root) {
        root_batch(stop);
        more = root_next_ < plan_.runs[0].tokens.size() || !plan_.runs[0].children.empty();
    } else {
        more = branch_batch(stop);
    }
    undo.dismiss();
    (in_root ? prefill_ms_ : branches_ms_) += now_ms() - start;
    return more;
}

// Keeps of the cache what the root agrees with, and as little less as its reads ask for.
void Evaluation::begin_root() {
    started_ = true;
    const Run & root = plan_.runs[0];
    std::vector<int32_t> & cached = session_.cached();
    size_t keep = 0;
    if (plan_.reuse) {
        const size_t limit = std::min(cached.size(), root.reads.empty() ? root.tokens.size() : static_cast<size_t>(root.reads[0].at));
        while (keep < limit && cached[keep] == root.tokens[keep]) { keep++; }
    }
    if (keep < cached.size()) {
        const bool cut = keep > 0 && session_.truncatable() && llama_memory_seq_rm(session_.memory(), 0, static_cast<int32_t>(keep), -1);
        if (cut) {
            cached.resize(keep);
        } else {
            session_.forget();
            keep = 0;
        }
    }
    root_next_ = keep;
    reused_ = static_cast<uint32_t>(keep);
    if (!root.children.empty()) {
        levels_.emplace_back();
        levels_.back().ready = root.children;
    }
}

void Evaluation::root_batch(Stop & stop) {
    const Run & root = plan_.runs[0];
    const size_t end = add_tokens(root, root_next_, 0);
    evaluate(stop);
    session_.cached().insert(session_.cached().end(), root.tokens.begin() + static_cast<std::ptrdiff_t>(root_next_),
                             root.tokens.begin() + static_cast<std::ptrdiff_t>(end));
    root_next_ = end;
}

// Works down the levels until a batch was evaluated. Returns false when all is done.
bool Evaluation::branch_batch(Stop & stop) {
    bool worked = false;
    while (!levels_.empty()) {
        Level & level = levels_.back();
        if (level.run < level.wave.size()) {
            if (worked) { return true; }
            wave_batch(level, stop);
            worked = true;
        } else if (!level.wave.empty() && !level.descended) {
            descend(level);
        } else if (!level.wave.empty()) {
            release(level);
        } else if (level.taken < level.ready.size()) {
            admit(level);
        } else {
            levels_.pop_back();
        }
    }
    return false;
}

void Evaluation::admit(Level & level) {
    const uint32_t root_tokens = static_cast<uint32_t>(plan_.runs[0].tokens.size());
    const uint32_t cells = session_.context_tokens() - root_tokens - cells_;
    const auto run_at = [&](size_t i) -> const Run & { return plan_.runs[static_cast<size_t>(level.ready[i])]; };
    uint32_t deepest = 0;
    for (size_t i = level.taken; i < level.ready.size(); i++) { deepest = std::max(deepest, run_at(i).levels); }
    // Half of the sequences are left to the levels below, where there are any, so that these go in waves too.
    const size_t available = free_.size();
    const size_t below = deepest > 1 ? std::max<size_t>(available / 2, deepest - 1) : 0;
    const size_t limit = std::max<size_t>(available - std::min(below, available), 1);

    uint32_t need = 0;
    while (level.taken < level.ready.size() && level.wave.size() < limit) {
        const Run & run = run_at(level.taken);
        if (!level.wave.empty() && need + run.need > cells) { break; }
        const int32_t sequence = free_.back();
        free_.pop_back();
        const int32_t index = level.ready[level.taken++];
        llama_memory_seq_cp(session_.memory(), sequence_of_[static_cast<size_t>(run.parent)], sequence, -1, -1);
        sequence_of_[static_cast<size_t>(index)] = sequence;
        level.wave.push_back(index);
        level.sequences.push_back(sequence);
        need += run.need;
        cells_ += static_cast<uint32_t>(run.tokens.size());
    }
    level.run = 0;
    level.token = 0;
    level.descended = false;
}

void Evaluation::descend(Level & level) {
    level.descended = true;
    Level next;
    for (const int32_t index : level.wave) {
        const Run & run = plan_.runs[static_cast<size_t>(index)];
        next.ready.insert(next.ready.end(), run.children.begin(), run.children.end());
    }
    if (!next.ready.empty()) { levels_.push_back(std::move(next)); }
}

void Evaluation::release(Level & level) {
    for (size_t i = 0; i < level.wave.size(); i++) {
        llama_memory_seq_rm(session_.memory(), level.sequences[i], -1, -1);
        free_.push_back(level.sequences[i]);
        cells_ -= static_cast<uint32_t>(plan_.runs[static_cast<size_t>(level.wave[i])].tokens.size());
    }
    level.wave.clear();
    level.sequences.clear();
    level.run = 0;
}

void Evaluation::wave_batch(Level & level, Stop & stop) {
    while (level.run < level.wave.size()) {
        const Run & run = plan_.runs[static_cast<size_t>(level.wave[level.run])];
        level.token = add_tokens(run, level.token, level.sequences[level.run]);
        if (level.token < run.tokens.size()) { break; }
        level.run++;
        level.token = 0;
    }
    evaluate(stop);
}

// Adds a run's tokens to the batch until one of its limits is met; returns the index of the first token left out.
size_t Evaluation::add_tokens(const Run & run, size_t from, int32_t sequence) {
    auto read = std::lower_bound(run.reads.begin(), run.reads.end(), from,
                                 [](const PlanRead & r, size_t at) { return static_cast<size_t>(r.at) < at; });
    size_t i = from;
    for (; i < run.tokens.size() && batch_.size() < session_.batch_tokens(); i++) {
        const bool output = read != run.reads.end() && static_cast<size_t>(read->at) == i;
        if (output && batch_.outputs() == session_.output_rows()) { break; }
        const int32_t row = static_cast<int32_t>(batch_.size());
        batch_.add(run.tokens[i], static_cast<int32_t>(run.start + i), sequence, output);
        for (; read != run.reads.end() && static_cast<size_t>(read->at) == i; ++read) { outputs_.push_back({ row, &*read }); }
    }
    return i;
}

void Evaluation::evaluate(Stop & stop) {
    batch_.evaluate(session_, stop);
    read_outputs();
    evaluated_ += static_cast<uint32_t>(batch_.size());
    batch_.clear();
    outputs_.clear();
}

void Evaluation::read_outputs() {
    int32_t row = -1;
    const float * logits = nullptr;
    float total = 0;
    for (const Output & output : outputs_) {
        if (output.row != row) {
            row = output.row;
            logits = llama_get_logits_ith(session_.context(), row);
            if (logits == nullptr) { throw Failure("internal", "llama.cpp gave no logits where they were asked for"); }
            total = static_cast<float>(log_sum_exp(logits, static_cast<size_t>(session_.vocab_size())));
            if (!std::isfinite(total)) { throw Failure("non_finite_scores", "the model's output is not finite"); }
        }
        ReadValue & value = values_[output.read->slot];
        value.log_sum_exp = total;
        value.logits.reserve(output.read->ids.size());
        for (const int32_t id : output.read->ids) {
            const float logit = logits[id];
            if (!std::isfinite(logit)) { throw Failure("non_finite_scores", "the logit of token " + std::to_string(id) + " is not finite"); }
            value.logits.push_back(logit);
        }
        most_probable(logits, session_.vocab_size(), output.read->top, value);
    }
}

// After a failure: the memory holds again what `cached` says, or nothing.
void Evaluation::recover() {
    for (Level & level : levels_) { release(level); }
    levels_.clear();
    if (root_next_ >= plan_.runs[0].tokens.size()) { return; }
    const int32_t size = static_cast<int32_t>(session_.cached().size());
    const bool cut = size > 0 && session_.truncatable() && llama_memory_seq_rm(session_.memory(), 0, size, -1);
    if (!cut) { session_.forget(); }
}

} // namespace optio
