import { OPERATIONS } from "@sw/tensor/seam";
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

  it("has the kernel of every operation that has one, and leaves copy and cast to the dispatch", () => {
    const kinds = Object.values(OPERATIONS).filter(({ family }) => ["loops", "reduce", "axes"].includes(family));
    const wanted = kinds.map(({ kind }) => kind).filter((kind) => kind !== "copy" && kind !== "cast");
    expect(Object.keys(jsKernels.kernels).sort()).toEqual(wanted.sort());
  });
});
