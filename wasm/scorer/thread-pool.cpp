#include "thread-pool.h"

#include "ggml-backend.h"

#include <algorithm>

namespace optio {

namespace {

ggml_threadpool_t pool = nullptr;
int pool_threads = 0;

// The pool lives in the CPU back end, which natively is a library chosen at run time: it is reached through its registry entry.
ggml_threadpool_t make_pool(int threads) {
    ggml_backend_dev_t cpu = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
    if (cpu == nullptr) { return nullptr; }
    auto * create = reinterpret_cast<decltype(&ggml_threadpool_new)>(
        ggml_backend_reg_get_proc_address(ggml_backend_dev_backend_reg(cpu), "ggml_threadpool_new"));
    if (create == nullptr) { return nullptr; }
    ggml_threadpool_params params = ggml_threadpool_params_default(threads);
    return create(&params);
}

} // namespace

int attach_thread_pool(llama_context * context, int threads) {
    if (threads <= 1) { return 1; }
    if (pool == nullptr) {
        pool = make_pool(threads);
        pool_threads = pool == nullptr ? 0 : threads;
    }
    if (pool == nullptr) { return threads; }
    llama_attach_threadpool(context, pool, pool);
    return std::min(threads, pool_threads);
}

int thread_pool_limit(int threads) { return pool == nullptr ? threads : std::min(threads, pool_threads); }

} // namespace optio
