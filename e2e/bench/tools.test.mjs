import { describe, expect, it } from "vitest";
import { processorOptions } from "./tools/native-tools.mjs";

describe("processorOptions", () => {
  it("turns on what the processor has, and the parts of AVX512 only where ggml's whole set is there", () => {
    const flags = ["avx2", "fma", "f16c", "bmi2", "avx512f", "avx512bw", "avx512_vnni"];
    expect(processorOptions(flags)).toEqual([
      "-DGGML_AVX2=ON",
      "-DGGML_FMA=ON",
      "-DGGML_F16C=ON",
      "-DGGML_BMI2=ON",
      "-DGGML_AVX512=OFF",
      "-DGGML_AVX512_VBMI=OFF",
      "-DGGML_AVX512_VNNI=OFF",
      "-DGGML_AVX512_BF16=OFF",
    ]);
    const whole = processorOptions([...flags, "avx512cd", "avx512vl", "avx512dq"]);
    expect(whole).toContain("-DGGML_AVX512=ON");
    expect(whole).toContain("-DGGML_AVX512_VNNI=ON");
  });
  it("turns all off where nothing is known", () => {
    expect(processorOptions([]).every((option) => option.endsWith("=OFF"))).toBe(true);
  });
});
