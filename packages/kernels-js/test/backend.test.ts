import { describe, expect, it } from "vitest";
import { GROUPS } from "../src/groups.js";
import { jsKernels } from "../src/index.js";

describe("the groups", () => {
  it("say of every kernel what it takes, each kernel in one of them", () => {
    const kernels = GROUPS.flatMap((group) => Object.keys(group.kernels));
    expect(GROUPS.flatMap((group) => Object.keys(group.dtypes)).sort()).toEqual([...kernels].sort());
    expect(new Set(kernels).size).toBe(kernels.length);
  });
});

describe("jsKernels", () => {
  it("is a value of seam version 1 named js, without memory of its own", () => {
    expect(jsKernels.name).toBe("js");
    expect(jsKernels.seamVersion).toBe(1);
    expect(jsKernels.memory).toBeUndefined();
  });

  it("has the kernels of the path, and leaves copy and cast to the dispatch", () => {
    expect(Object.keys(jsKernels.kernels).sort()).toEqual([
      "accumulate",
      "add",
      "argmax",
      "div",
      "exp",
      "log",
      "logSoftmax",
      "matmul",
      "mean",
      "mul",
      "neg",
      "nllLoss",
      "nllLossBackward",
      "relu",
      "reluBackward",
      "sgdStep",
      "softmax",
      "sub",
      "sum",
    ]);
  });
});
