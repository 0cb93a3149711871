// For kernels.test.mjs and the timing of kernels: a product of matrices through ggml's graph, and its parts by themselves.

#include "kernels/arithmetic.h"
#include "kernels/matmul.h"
#include "kernels/vector-math.h"

#include "ggml-backend.h"
#include "ggml-cpu.h"
#include "ggml.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <emscripten/emscripten.h>

using namespace optio::kernels;

extern "C" {

/** Fills ggml's tables; the first call. */
EMSCRIPTEN_KEEPALIVE void start() { ggml_cpu_init(); }

EMSCRIPTEN_KEEPALIVE int find_type(const char * name) {
    for (int type = 0; type < GGML_TYPE_COUNT; type++) {
        const char * other = ggml_type_name(static_cast<ggml_type>(type));
        if (other != nullptr && strcmp(name, other) == 0) { return type; }
    }
    return -1;
}

EMSCRIPTEN_KEEPALIVE int32_t row_bytes(int type, int k) { return static_cast<int32_t>(ggml_row_size(static_cast<ggml_type>(type), k)); }

EMSCRIPTEN_KEEPALIVE void quantize(int type, const float * weights, void * out, int rows, int k) {
    ggml_quantize_chunk(static_cast<ggml_type>(type), weights, out, 0, rows, k, nullptr);
}

EMSCRIPTEN_KEEPALIVE void dequantize(int type, const void * weights, float * out, int rows, int k) {
    const auto * traits = ggml_get_type_traits(static_cast<ggml_type>(type));
    for (int row = 0; row < rows; row++) {
        const auto * from = static_cast<const uint8_t *>(weights) + row * ggml_row_size(static_cast<ggml_type>(type), k);
        traits->to_float(from, out + static_cast<size_t>(row) * k, k);
    }
}

/** Which relaxed dot product the engine has, as a number of DotProduct. */
EMSCRIPTEN_KEEPALIVE int dot_product() { return static_cast<int>(find_dot_product()); }

/** A pool that stays, as the scorer's does: a thread that was started and joined is free again only when JavaScript has had its turn. */
static ggml_threadpool * pool_of(int threads) {
    static ggml_threadpool * pools[4] = {};
    if (pools[threads] == nullptr) {
        ggml_threadpool_params params = ggml_threadpool_params_default(threads);
        pools[threads] = ggml_threadpool_new(&params);
    }
    return pools[threads];
}

/** As the model runs it: through a graph of one node, on 1 to 3 threads. */
EMSCRIPTEN_KEEPALIVE int graph_product(int type, const void * weights, const float * activations, float * out, int rows, int columns,
                                       int k, int threads) {
    const size_t bytes = ggml_row_size(static_cast<ggml_type>(type), k) * columns;
    const size_t room  = bytes + sizeof(float) * (static_cast<size_t>(rows) * (k + columns)) + (16 << 20);
    ggml_context * context = ggml_init({ room + static_cast<size_t>(rows) * k * 4, nullptr, false });
    if (context == nullptr) { return 1; }
    ggml_tensor * w = ggml_new_tensor_2d(context, static_cast<ggml_type>(type), k, columns);
    ggml_tensor * a = ggml_new_tensor_2d(context, GGML_TYPE_F32, k, rows);
    memcpy(w->data, weights, bytes);
    memcpy(a->data, activations, sizeof(float) * static_cast<size_t>(rows) * k);
    ggml_tensor * product = ggml_mul_mat(context, w, a);
    ggml_cgraph * graph = ggml_new_graph(context);
    ggml_build_forward_expand(graph, product);
    ggml_cplan plan = ggml_graph_plan(graph, threads, pool_of(threads));
    std::vector<uint8_t> work(plan.work_size);
    plan.work_data = work.data();
    const ggml_status status = ggml_graph_compute(graph, &plan);
    memcpy(out, product->data, sizeof(float) * static_cast<size_t>(rows) * columns);
    ggml_free(context);
    return status == GGML_STATUS_SUCCESS ? 0 : 2;
}

/** By the kernels alone, as if the engine's dot product were the given one; `times` times. */
EMSCRIPTEN_KEEPALIVE int kernel_product(int type, const void * weights, const float * activations, float * out, int rows, int columns,
                                        int k, int dot, int times) {
    const WeightFormat * format = weight_format(static_cast<ggml_type>(type));
    if (format == nullptr) { return 1; }
    Matmul matmul;
    choose_layout(matmul, *format, k, static_cast<DotProduct>(dot));
    matmul.weights           = static_cast<const uint8_t *>(weights);
    matmul.weight_stride     = ggml_row_size(static_cast<ggml_type>(type), k);
    matmul.activations       = reinterpret_cast<const uint8_t *>(activations);
    matmul.activation_stride = sizeof(float) * k;
    matmul.result            = reinterpret_cast<uint8_t *>(out);
    matmul.result_stride     = sizeof(float) * columns;
    matmul.rows              = rows;
    matmul.columns           = columns;
    std::vector<uint8_t> packed(matmul.packed_bytes());
    void * scratch = aligned_alloc(64, (strip_bytes() + 63) & ~static_cast<size_t>(63));
    for (int i = 0; i < times; i++) {
        for (int tile = 0; tile < matmul.tiles(); tile++) { pack_activations(matmul, tile, packed.data()); }
        for (int strip = 0; strip < matmul.strips(); strip++) {
            multiply_strip(matmul, packed.data(), strip, static_cast<uint8_t *>(scratch));
        }
    }
    free(scratch);
    return 0;
}

EMSCRIPTEN_KEEPALIVE void exponentials(const float * x, float * out, int count) {
    for (int i = 0; i < count; i += 4) { wasm_v128_store(out + i, optio_f32x4_exp(wasm_v128_load(x + i))); }
}

EMSCRIPTEN_KEEPALIVE void to_halves(const float * x, uint16_t * out, int count) {
    for (int i = 0; i < count; i += 4) { optio_store_halves(out + i, wasm_v128_load(x + i)); }
}

EMSCRIPTEN_KEEPALIVE void from_halves(const uint16_t * x, float * out, int count) {
    for (int i = 0; i < count; i += 4) { wasm_v128_store(out + i, optio_f32x4_load_halves(x + i)); }
}

EMSCRIPTEN_KEEPALIVE void transpose_halves(const uint16_t * x, float * out, int rows, int dims) {
    optio_transpose_halves(out, rows, x, sizeof(uint16_t) * dims, rows, dims);
}

}
