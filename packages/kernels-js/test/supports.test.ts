import { DTYPES } from "@sw/tensor";
import { OPERATIONS, type OperationKind } from "@sw/tensor/seam";
import { describe, expect, it } from "vitest";
import { elementwise } from "../src/groups/elementwise.js";
import { jsKernels } from "../src/index.js";
import { allocate, type DType, FLOATS, HALVES, INTEGERS } from "./operands.js";

const ALL: readonly DType[] = [...FLOATS, ...INTEGERS, "bool", ...HALVES];

function takes(kernel: string, outputs: readonly DType[], inputs: readonly DType[]): boolean {
  const of = (dtype: DType) => allocate(dtype, [1]);
  return jsKernels.supports!(kernel, outputs.map(of), inputs.map(of), [], []);
}

describe("supports", () => {
  it("element-wise kernels take every dtype of their operation, 16-bit floats too", () => {
    for (const kind of Object.keys(elementwise.kernels)) {
      const { inputs, outputs, kinds } = OPERATIONS[kind as OperationKind];
      const of = (names: readonly string[], d: DType) => names.map((name) => (name.endsWith(":bool") ? "bool" : d));
      const taken = ALL.filter((d) => takes(kind, of(outputs, d), of(inputs, d)));
      const every = inputs.every((name) => name.endsWith(":bool"));
      expect(taken, kind).toEqual(every ? ALL : ALL.filter((d) => kinds.includes(DTYPES[d].kind)));
    }
  });

  it("the operands of one call have one dtype, but for those with a dtype of their own", () => {
    expect(takes("add", ["float32"], ["float32", "float64"])).toBe(false);
    expect(takes("add", ["int64"], ["int32", "int32"])).toBe(false);
    expect(takes("exp", ["float32"], ["float64"])).toBe(false);
    expect(takes("eq", ["float32"], ["float32", "float32"])).toBe(false);
    expect(takes("where", ["float32"], ["uint8", "float32", "float32"])).toBe(false);
    expect(takes("logicalAnd", ["bool"], ["bool", "uint8"])).toBe(false);
  });

  it("accumulate takes all numbers", () => {
    expect(ALL.filter((d) => !takes("accumulate", [d], [d]))).toEqual(["bool"]);
  });

  it("indexed kernels take every dtype, those that add numbers, by indices of int32 or int64", () => {
    for (const kernel of ["gather", "indexSelect"]) {
      expect(ALL.filter((d) => takes(kernel, [d], [d, "int32"]))).toEqual(ALL);
      expect(ALL.filter((d) => takes(kernel, ["float32"], ["float32", d]))).toEqual(["int32", "int64"]);
      expect(takes(kernel, ["float32"], ["float64", "int32"])).toBe(false);
    }
    for (const kernel of ["scatter", "scatterAdd", "indexAdd"]) {
      const refused = ALL.filter((d) => !takes(kernel, [d], ["int64", d]));
      expect(refused).toEqual(kernel === "scatter" ? [] : ["bool"]);
      expect(ALL.filter((d) => takes(kernel, ["float32"], [d, "float32"]))).toEqual(["int32", "int64"]);
      expect(takes(kernel, ["float32"], ["int32", "float64"])).toBe(false);
    }
  });

  it("the steps of optimisers take floats of one dtype", () => {
    expect(ALL.filter((d) => takes("sgdStep", [d], [d]))).toEqual([...FLOATS, ...HALVES]);
    expect(takes("sgdStep", ["float32", "float64"], ["float32"])).toBe(false);
    expect(takes("sgdStep", ["float32", "float32"], ["float32"])).toBe(true);
  });

  it("matmul takes floats of one dtype", () => {
    expect(ALL.filter((d) => takes("matmul", [d], [d, d]))).toEqual([...FLOATS, ...HALVES]);
    expect(takes("matmul", ["float32"], ["float32", "float64"])).toBe(false);
  });

  it("sum, prod and cumsum take floats into themselves, integers and bool into int64", () => {
    for (const kernel of ["sum", "prod", "cumsum"]) {
      for (const d of ALL) {
        const float = d.includes("float");
        expect(takes(kernel, [d], [d])).toBe(float || d === "int64");
        expect(takes(kernel, ["int64"], [d])).toBe(!float);
      }
      expect(takes(kernel, ["float64"], ["float32"])).toBe(false);
    }
  });

  it("mean takes floats into themselves, and integers of up to 32 bits and bool into a float", () => {
    for (const d of ALL) {
      const wide = d === "int64" || d === "uint64";
      const float = d.includes("float");
      expect(takes("mean", ["float32"], [d])).toBe(float ? d === "float32" : !wide);
      expect(takes("mean", [d], [d])).toBe(float);
    }
  });

  it("min and max take numbers; any and all take everything into bool", () => {
    for (const kernel of ["min", "max"]) expect(ALL.filter((d) => !takes(kernel, [d], [d]))).toEqual(["bool"]);
    for (const kernel of ["any", "all"]) {
      expect(ALL.filter((d) => !takes(kernel, ["bool"], [d]))).toEqual([]);
      expect(takes(kernel, ["uint8"], ["uint8"])).toBe(false);
    }
  });

  it("argmax, argmin, argsort and topK take numbers into int64", () => {
    for (const kernel of ["argmax", "argmin", "argsort", "topK"]) {
      expect(ALL.filter((d) => !takes(kernel, ["int64"], [d]))).toEqual(["bool"]);
      expect(takes(kernel, ["int32"], ["float32"])).toBe(false);
    }
  });

  it("what normalises takes every float dtype, with all of its optional operands or none", () => {
    const floats = ALL.filter((d) => d.includes("float"));
    for (const kernel of ["softmax", "logSoftmax", "variance", "norm", "logSumExp"]) {
      expect(ALL.filter((d) => takes(kernel, [d], [d]))).toEqual(floats);
      expect(takes(kernel, ["float32"], ["float64"])).toBe(false);
    }
    expect(ALL.filter((d) => takes("layerNorm", [d, d, d], [d, d, d]))).toEqual(floats);
    expect(ALL.filter((d) => takes("rmsNorm", [d], [d, d]))).toEqual(floats);
    expect(ALL.filter((d) => takes("batchNorm", [d, d, d], [d]))).toEqual(floats);
    expect(takes("batchNorm", ["float32"], ["float32"])).toBe(false);
    expect(takes("layerNorm", ["float32"], ["float32", "float64", "float32"])).toBe(false);
  });

  it("the losses take a float dtype and targets of int32 or int64", () => {
    for (const kernel of ["nllLoss", "nllLossBackward"]) {
      expect(ALL.filter((d) => takes(kernel, [d], [d, "int64"]))).toEqual([...FLOATS, ...HALVES]);
      expect(ALL.filter((d) => takes(kernel, ["float32"], ["float32", d]))).toEqual(["int32", "int64"]);
      expect(takes(kernel, ["float32"], ["float64", "int32"])).toBe(false);
      expect(takes(kernel, ["float32"], ["float32"])).toBe(false);
      expect(takes(kernel, ["int32"], ["int32", "int32"])).toBe(false);
    }
  });

  it("kernels over images take all floats, of one dtype, and no integers", () => {
    const floats = ["float32", "float64", "float16", "bfloat16"] as const;
    const counts = { conv2d: 2, conv2dInputBackward: 2, conv2dWeightBackward: 2, maxPool2d: 1, avgPool2d: 1 };
    const more = { avgPool2dBackward: 1, adaptiveAvgPool2d: 1, adaptiveAvgPool2dBackward: 1, attention: 3 };
    for (const [kernel, count] of Object.entries({ ...counts, ...more })) {
      const inputs = (d: DType): DType[] => new Array<DType>(count).fill(d);
      expect(ALL.filter((d) => takes(kernel, [d], inputs(d)))).toEqual([...floats]);
      expect(takes(kernel, ["float32"], inputs("float64"))).toBe(false);
      expect(takes(kernel, ["float32"], [])).toBe(false);
    }
    expect(takes("conv2d", ["float32"], ["float32", "float32", "float32"])).toBe(true);
    expect(takes("conv2d", ["float32"], ["float32", "float32", "float64"])).toBe(false);
    expect(takes("maxPool2d", ["float32", "int32"], ["float32"])).toBe(true);
    expect(takes("maxPool2d", ["float32", "int64"], ["float32"])).toBe(false);
  });

  it("attention takes a mask of its own dtype, or of bool", () => {
    const masks = ALL.filter((d) => takes("attention", ["float32"], ["float32", "float32", "float32", d]));
    expect(masks).toEqual(["float32", "bool"]);
    expect(takes("attention", ["float32"], ["float32", "float32", "bool"])).toBe(false);
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
