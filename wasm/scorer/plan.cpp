#include "plan.h"

#include "failure.h"

#include <algorithm>

namespace optio {

namespace {

struct Node {
    int32_t parent = -1;
    std::vector<int32_t> tokens;
    std::vector<PlanRead> reads;
    int32_t children = 0;
};

[[noreturn]] void invalid(size_t node, const std::string & what) {
    throw Failure("invalid_plan", "node " + std::to_string(node) + " " + what);
}

void check_tokens(const std::vector<int32_t> & tokens, int32_t vocab_size, size_t node) {
    for (const int32_t token : tokens) {
        if (token < 0 || token >= vocab_size) { invalid(node, "names the token " + std::to_string(token) + ", which the vocabulary does not have"); }
    }
}

Node parse_node(FrameReader & in, size_t index, int32_t vocab_size, size_t & reads) {
    Node node;
    node.parent = in.i32();
    const bool placed = index == 0 ? node.parent == -1 : node.parent >= 0 && node.parent < static_cast<int32_t>(index);
    if (!placed) { invalid(index, "has the parent " + std::to_string(node.parent)); }
    node.tokens = in.i32s();
    check_tokens(node.tokens, vocab_size, index);
    const uint32_t count = in.count(12);
    for (uint32_t i = 0; i < count; i++) {
        PlanRead read;
        const uint32_t at = in.u32();
        if (at >= node.tokens.size()) { invalid(index, "is read at " + std::to_string(at) + ", but has " + std::to_string(node.tokens.size()) + " tokens"); }
        read.at = static_cast<int32_t>(at);
        read.top = in.u32();
        if (read.top > static_cast<uint32_t>(vocab_size)) { invalid(index, "asks for more tokens than the vocabulary has"); }
        read.ids = in.i32s();
        if (read.ids.empty() && read.top == 0) { invalid(index, "has a read that asks for nothing"); }
        check_tokens(read.ids, vocab_size, index);
        read.slot = reads++;
        node.reads.push_back(std::move(read));
    }
    return node;
}

void append(Run & run, Node & node) {
    const int32_t shift = static_cast<int32_t>(run.tokens.size());
    run.tokens.insert(run.tokens.end(), node.tokens.begin(), node.tokens.end());
    for (PlanRead & read : node.reads) {
        read.at += shift;
        run.reads.push_back(std::move(read));
    }
}

} // namespace

Plan Plan::parse(FrameReader & in, int32_t vocab_size) {
    Plan plan;
    const uint32_t flags = in.u32();
    if (flags > 3) { throw Failure("invalid_plan", "unknown flags " + std::to_string(flags)); }
    plan.reuse = (flags & 1) != 0;
    plan.step = (flags & 2) != 0;
    plan.deadline_ms = in.f64();
    const uint32_t count = in.count(12);
    if (count == 0) { throw Failure("invalid_plan", "a plan has at least a root"); }

    std::vector<Node> nodes;
    nodes.reserve(count);
    uint64_t tokens = 0;
    for (uint32_t i = 0; i < count; i++) {
        nodes.push_back(parse_node(in, i, vocab_size, plan.reads));
        if (i > 0) { nodes[static_cast<size_t>(nodes[i].parent)].children++; }
        tokens += nodes[i].tokens.size();
    }
    in.finish();
    plan.tokens = static_cast<uint32_t>(tokens);

    std::vector<int32_t> run_of(count, 0);
    for (uint32_t i = 0; i < count; i++) {
        const int32_t parent = nodes[i].parent;
        const bool continues = parent > 0 && nodes[static_cast<size_t>(parent)].children == 1;
        if (continues) {
            run_of[i] = run_of[static_cast<size_t>(parent)];
        } else {
            run_of[i] = static_cast<int32_t>(plan.runs.size());
            plan.runs.emplace_back();
            plan.runs.back().parent = parent < 0 ? -1 : run_of[static_cast<size_t>(parent)];
        }
        append(plan.runs[static_cast<size_t>(run_of[i])], nodes[i]);
    }
    for (size_t i = 0; i < plan.runs.size(); i++) {
        Run & run = plan.runs[i];
        std::stable_sort(run.reads.begin(), run.reads.end(), [](const PlanRead & a, const PlanRead & b) { return a.at < b.at; });
        if (run.parent < 0) { continue; }
        Run & parent = plan.runs[static_cast<size_t>(run.parent)];
        parent.children.push_back(static_cast<int32_t>(i));
        run.start = parent.start + static_cast<uint32_t>(parent.tokens.size());
    }
    for (size_t i = plan.runs.size(); i-- > 0;) {
        Run & run = plan.runs[i];
        for (const int32_t child : run.children) {
            run.need = std::max(run.need, plan.runs[static_cast<size_t>(child)].need);
            run.levels = std::max(run.levels, plan.runs[static_cast<size_t>(child)].levels + 1);
        }
        run.need += static_cast<uint32_t>(run.tokens.size());
    }
    return plan;
}

} // namespace optio
