#pragma once

#include "frames.h"
#include "host.h"
#include "model.h"
#include "score.h"

#include <memory>
#include <vector>

namespace optio {

// Answers the protocol's requests, one after the other.
class Dispatcher {
  public:
    explicit Dispatcher(Host & host) : host_(host) {}

    // One whole request frame in, one result or error frame out. Never throws.
    std::vector<uint8_t> answer(const uint8_t * bytes, size_t size);
    // The error frame for a request that could not be read.
    static std::vector<uint8_t> refuse(uint16_t op, uint32_t id, const char * code, const std::string & message);

  private:
    using Handler = void (Dispatcher::*)(FrameReader &, FrameWriter &);
    static Handler handler_of(uint16_t op);

    void hello(FrameReader & in, FrameWriter & out);
    void load(FrameReader & in, FrameWriter & out);
    void tokenize(FrameReader & in, FrameWriter & out);
    void score(FrameReader & in, FrameWriter & out);
    void step(FrameReader & in, FrameWriter & out);
    void hidden(FrameReader & in, FrameWriter & out);
    void forget(FrameReader & in, FrameWriter & out);
    void unload(FrameReader & in, FrameWriter & out);
    void cancel(FrameReader & in, FrameWriter & out);
    void pieces(FrameReader & in, FrameWriter & out);

    void go_on(FrameWriter & out);
    Session & session();
    void drop_evaluation();

    // A plan that is being scored, with the clock that it was given.
    struct Running {
        Stop stop;
        Evaluation evaluation;
    };

    Host & host_;
    std::unique_ptr<Session> session_;
    std::unique_ptr<Running> running_; // after session_: it must go first
    bool cancelled_ = false;           // an unfinished score call was cancelled, and its next step says so
    FrameHeader header_;
};

} // namespace optio
