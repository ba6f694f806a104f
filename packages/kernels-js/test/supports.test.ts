import { describe, expect, it } from "vitest";
import { jsKernels } from "../src/index.js";
import { allocate, type DType, FLOATS, INTEGERS } from "./operands.js";

const ALL: readonly DType[] = [...FLOATS, ...INTEGERS, "bool", "float16", "bfloat16"];

function takes(kernel: string, outputs: readonly DType[], inputs: readonly DType[]): boolean {
  const of = (dtype: DType) => allocate(dtype, [1]);
  return jsKernels.supports!(kernel, outputs.map(of), inputs.map(of), [], []);
}

describe("supports", () => {
  it("add, sub, mul, neg and accumulate take floats and integers of one dtype", () => {
    for (const kernel of ["add", "sub", "mul", "neg", "accumulate"]) {
      const taken = ALL.filter((d) => takes(kernel, [d], kernel === "neg" || kernel === "accumulate" ? [d] : [d, d]));
      expect(taken).toEqual([...FLOATS, ...INTEGERS]);
    }
    expect(takes("add", ["float32"], ["float32", "float64"])).toBe(false);
    expect(takes("add", ["int64"], ["int32", "int32"])).toBe(false);
  });

  it("the others take float32 and float64 of one dtype", () => {
    for (const kernel of ["relu", "exp", "log", "sgdStep", "softmax", "logSoftmax"]) {
      expect(ALL.filter((d) => takes(kernel, [d], [d]))).toEqual([...FLOATS]);
      expect(takes(kernel, ["float32"], ["float64"])).toBe(false);
    }
    for (const kernel of ["div", "reluBackward", "matmul"]) {
      expect(ALL.filter((d) => takes(kernel, [d], [d, d]))).toEqual([...FLOATS]);
      expect(takes(kernel, ["float32"], ["float32", "float64"])).toBe(false);
    }
    expect(takes("sgdStep", ["float32", "float64"], ["float32"])).toBe(false);
    expect(takes("sgdStep", ["float32", "float32"], ["float32"])).toBe(true);
  });

  it("sum takes floats into themselves, integers and bool into int64", () => {
    for (const d of ALL) {
      const float = d === "float32" || d === "float64";
      expect(takes("sum", [d], [d])).toBe(float || d === "int64");
      expect(takes("sum", ["int64"], [d])).toBe(!float && d !== "float16" && d !== "bfloat16");
    }
    expect(takes("sum", ["float64"], ["float32"])).toBe(false);
  });

  it("mean takes floats into themselves, and integers of up to 32 bits and bool into a float", () => {
    for (const d of ALL) {
      const wide = d === "int64" || d === "uint64" || d === "float16" || d === "bfloat16";
      const float = d === "float32" || d === "float64";
      expect(takes("mean", ["float32"], [d])).toBe(float ? d === "float32" : !wide);
      expect(takes("mean", [d], [d])).toBe(float);
    }
  });

  it("argmax takes numbers into int64", () => {
    expect(ALL.filter((d) => takes("argmax", ["int64"], [d]))).toEqual([...FLOATS, ...INTEGERS]);
    expect(takes("argmax", ["int32"], ["float32"])).toBe(false);
  });

  it("the losses take a float dtype and targets of any integer dtype", () => {
    for (const kernel of ["nllLoss", "nllLossBackward"]) {
      expect(ALL.filter((d) => takes(kernel, ["float32"], ["float32", d]))).toEqual([...INTEGERS]);
      expect(takes(kernel, ["float32"], ["float64", "int32"])).toBe(false);
      expect(takes(kernel, ["float32"], ["float32"])).toBe(false);
      expect(takes(kernel, ["int32"], ["int32", "int32"])).toBe(false);
    }
  });

  it("says no to kernels that do not exist, whatever their name, and to no operands", () => {
    for (const name of ["copy", "slice", "conv9d", "toString", "constructor", "__proto__", ""]) {
      expect(takes(name, ["float32"], ["float32"])).toBe(false);
    }
    expect(takes("add", [], [])).toBe(false);
    expect(takes("add", ["float32"], ["float32"])).toBe(false);
    expect(takes("neg", ["float32"], ["float32", "float32"])).toBe(false);
    expect(takes("sgdStep", ["float32", "float32", "float32"], ["float32"])).toBe(false);
    expect(takes("sum", ["int64"], [])).toBe(false);
  });
});
