#include "dispatch.h"

#include "failure.h"
#include "hidden.h"
#include "utf8.h"

#include <new>

#ifndef OPTIO_LLAMA_RELEASE
#error "OPTIO_LLAMA_RELEASE names the release of llama.cpp that is linked"
#endif

namespace optio {

namespace {

// A message may quote a damaged file: it is kept short and valid.
constexpr size_t kMessageBytes = 1000;

std::vector<uint8_t> error_frame(const FrameHeader & header, const std::string & code, const std::string & message, const std::string & details) {
    const std::string text = valid_utf8(std::string_view(message).substr(0, kMessageBytes));
    return FrameWriter(Kind::error, header.op, header.id).string(code).string(text).string(details).finish();
}

} // namespace

Dispatcher::Handler Dispatcher::handler_of(uint16_t op) {
    switch (static_cast<Op>(op)) {
        case Op::hello: return &Dispatcher::hello;
        case Op::load: return &Dispatcher::load;
        case Op::tokenize: return &Dispatcher::tokenize;
        case Op::score: return &Dispatcher::score;
        case Op::step: return &Dispatcher::step;
        case Op::hidden: return &Dispatcher::hidden;
        case Op::forget: return &Dispatcher::forget;
        case Op::unload: return &Dispatcher::unload;
        case Op::cancel: return &Dispatcher::cancel;
        case Op::pieces: return &Dispatcher::pieces;
    }
    return nullptr;
}

std::vector<uint8_t> Dispatcher::answer(const uint8_t * bytes, size_t size) {
    header_ = {};
    try {
        if (size < kHeaderBytes) { throw Failure("protocol_mismatch", "a frame of " + std::to_string(size) + " bytes has no header"); }
        header_ = read_header(bytes);
        if (size_t{ header_.length } + 4 != size || header_.length > kMaxFrameBytes) {
            throw Failure("protocol_mismatch", "the frame says that " + std::to_string(header_.length) + " bytes follow, but " +
                                                   std::to_string(size - 4) + " do");
        }
        if (header_.kind != static_cast<uint16_t>(Kind::request)) {
            throw Failure("protocol_mismatch", "a frame of kind " + std::to_string(header_.kind) + " is no request");
        }
        const Handler handler = handler_of(header_.op);
        if (handler == nullptr) { throw Failure("protocol_mismatch", "unknown op " + std::to_string(header_.op)); }
        FrameReader in(bytes + kHeaderBytes, size - kHeaderBytes);
        FrameWriter out(Kind::result, header_.op, header_.id);
        (this->*handler)(in, out);
        return out.finish();
    } catch (const Failure & failure) {
        return error_frame(header_, failure.code(), failure.what(), failure.details());
    } catch (const std::bad_alloc &) {
        drop_evaluation();
        return error_frame(header_, "out_of_memory", "not enough memory", "{}");
    } catch (const std::exception & error) {
        drop_evaluation();
        return error_frame(header_, "internal", error.what(), "{}");
    } catch (...) {
        drop_evaluation();
        return error_frame(header_, "internal", "an unknown exception", "{}");
    }
}

std::vector<uint8_t> Dispatcher::refuse(uint16_t op, uint32_t id, const char * code, const std::string & message) {
    FrameHeader header;
    header.op = op;
    header.id = id;
    return error_frame(header, code, message, "{}");
}

Session & Dispatcher::session() {
    if (!session_) { throw Failure("not_loaded", "no model is loaded"); }
    return *session_;
}

void Dispatcher::drop_evaluation() { running_.reset(); }

void Dispatcher::hello(FrameReader & in, FrameWriter & out) {
    const uint32_t version = in.u32();
    in.finish();
    if (version != kProtocolVersion) {
        JsonWriter details;
        details.begin_object().field("protocol", kProtocolVersion).end_object();
        throw Failure("protocol_mismatch", "this scorer speaks version " + std::to_string(kProtocolVersion) + " of the protocol, not " +
                                               std::to_string(version), details.text());
    }
    JsonWriter json;
    json.begin_object();
    json.field("protocol", kProtocolVersion);
    json.field("llamaRelease", OPTIO_LLAMA_RELEASE);
    json.field("target", host_.target());
    json.field("variant", host_.variant());
    json.field("systemInfo", llama_print_system_info());
    json.end_object();
    out.string(json.text());
}

void Dispatcher::load(FrameReader & in, FrameWriter & out) {
    const LoadOptions options = LoadOptions::from_json(in.string(), host_.max_threads());
    in.finish();
    drop_evaluation();
    cancelled_ = false;
    session_.reset();
    session_ = std::make_unique<Session>(host_, options, [&](float fraction) {
        host_.emit(FrameWriter(Kind::progress, header_.op, header_.id).f32(fraction).finish());
    });
    JsonWriter json;
    json.begin_object().field("threads", session_->threads()).key("model");
    session_->describe(json);
    json.end_object();
    out.string(json.text());
}

void Dispatcher::tokenize(FrameReader & in, FrameWriter & out) {
    const Session & loaded = session();
    const uint32_t count = in.count(8);
    out.u32(count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t special = in.u32();
        if (special > 1) { throw Failure("protocol_mismatch", "\"special\" is 0 or 1, not " + std::to_string(special)); }
        out.i32s(loaded.tokenize(in.string(), special == 1));
    }
    in.finish();
}

void Dispatcher::pieces(FrameReader & in, FrameWriter & out) {
    const Session & loaded = session();
    const std::vector<int32_t> tokens = in.i32s();
    in.finish();
    out.u32(static_cast<uint32_t>(tokens.size()));
    for (const int32_t token : tokens) { out.string(loaded.piece(token)); }
}

void Dispatcher::score(FrameReader & in, FrameWriter & out) {
    Session & loaded = session();
    drop_evaluation();
    cancelled_ = false;
    Plan plan = Plan::parse(in, loaded.vocab_size());
    Stop stop(host_);
    stop.set_deadline(plan.deadline_ms);
    running_.reset(new Running{ stop, { loaded, std::move(plan) } });
    go_on(out);
}

void Dispatcher::step(FrameReader & in, FrameWriter & out) {
    in.finish();
    session();
    if (cancelled_) {
        cancelled_ = false;
        throw Failure("aborted", "the call was cancelled");
    }
    if (!running_) { throw Failure("protocol_mismatch", "no score call is unfinished"); }
    go_on(out);
}

void Dispatcher::go_on(FrameWriter & out) {
    Evaluation & evaluation = running_->evaluation;
    const bool step = evaluation.plan().step;
    bool more = true;
    OnExit drop([this] { drop_evaluation(); });
    do {
        more = evaluation.advance(running_->stop);
        if (more && !step) {
            host_.emit(FrameWriter(Kind::progress, header_.op, header_.id).u32(evaluation.evaluated()).u32(evaluation.total()).finish());
        }
    } while (more && !step);
    drop.dismiss();
    out.u32(more ? 0 : 1).u32(evaluation.evaluated()).u32(evaluation.total());
    if (more) { return; }
    out.u32(evaluation.reused()).f64(evaluation.prefill_ms()).f64(evaluation.branches_ms());
    out.u32(static_cast<uint32_t>(evaluation.values().size()));
    for (const ReadValue & value : evaluation.values()) {
        out.f32(value.log_sum_exp).f32s(value.logits.data(), value.logits.size());
        out.i32s(value.top).f32s(value.top_logits.data(), value.top_logits.size());
    }
    drop_evaluation();
}

void Dispatcher::hidden(FrameReader & in, FrameWriter & out) {
    Session & loaded = session();
    const std::vector<int32_t> tokens = in.i32s();
    const std::vector<int32_t> positions = in.i32s();
    const double deadline_ms = in.f64();
    in.finish();
    drop_evaluation();
    Stop stop(host_);
    stop.set_deadline(deadline_ms);
    const std::vector<std::vector<float>> rows = hidden_states(loaded, tokens, positions, stop);
    out.u32(static_cast<uint32_t>(rows.size()));
    for (const std::vector<float> & row : rows) { out.f32s(row.data(), row.size()); }
}

void Dispatcher::forget(FrameReader & in, FrameWriter &) {
    in.finish();
    Session & loaded = session();
    drop_evaluation();
    loaded.forget();
}

void Dispatcher::unload(FrameReader & in, FrameWriter &) {
    in.finish();
    drop_evaluation();
    cancelled_ = false;
    session_.reset();
}

void Dispatcher::cancel(FrameReader & in, FrameWriter &) {
    in.finish();
    cancelled_ = running_ != nullptr;
    drop_evaluation();
}

} // namespace optio
