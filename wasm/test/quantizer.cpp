// Exports of the quantisers of activations, as compiled for WebAssembly, and of the reference that they must agree with.

#include <cstdint>

#define EXPORT(name) __attribute__((used, export_name(name)))

extern "C" {

void quantize_row_q8_0(const float * x, void * y, int64_t k);
void quantize_row_q8_1(const float * x, void * y, int64_t k);
void quantize_row_q8_0_ref(const float * x, void * y, int64_t k);
void quantize_row_q8_1_ref(const float * x, void * y, int64_t k);

EXPORT("q8_0") void q8_0(const float * x, void * y, int32_t k) { quantize_row_q8_0(x, y, k); }
EXPORT("q8_1") void q8_1(const float * x, void * y, int32_t k) { quantize_row_q8_1(x, y, k); }
EXPORT("q8_0_reference") void q8_0_reference(const float * x, void * y, int32_t k) { quantize_row_q8_0_ref(x, y, k); }
EXPORT("q8_1_reference") void q8_1_reference(const float * x, void * y, int32_t k) { quantize_row_q8_1_ref(x, y, k); }

}
