#pragma once

#include "llama.h"

namespace optio {

// Attaches a pool of worker threads to a context. Without one ggml starts and joins threads for every graph.
// One pool serves the whole life of the program: it is made by the first call with more than one thread, and kept, because a
// module's workers cannot be taken back while a call runs. Returns how many threads the context will use.
int attach_thread_pool(llama_context * context, int threads);

// The most threads that the pool can serve: any number before it is made.
int thread_pool_limit(int threads);

} // namespace optio
