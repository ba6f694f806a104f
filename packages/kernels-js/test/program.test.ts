import { explain, type Tensor, tensor, withKernels } from "@sw/tensor";
import { allocateRowMajor, type Backend, type Program, runProgram } from "@sw/tensor/seam";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsKernels } from "../src/index.js";
import { BLOCK } from "../src/program.js";

/** The same kernels, which compile nothing. */
const { compile: _, ...single }: Backend = jsKernels;

type DType = "float32" | "float64" | "float16" | "bfloat16" | "int32" | "int64" | "uint8";
const DTYPES: readonly DType[] = ["float32", "float64", "float16", "bfloat16", "int32", "int64", "uint8"];

const numberOf = (dtype: DType, x: number): number | bigint =>
  dtype === "int64" ? BigInt(Math.round(x)) : dtype.includes("float") ? x : Math.abs(Math.round(x));

/** Programs over three inputs and a constant of one dtype: any steps of two operands, then a choice between two values. */
function programs(dtype: DType): fc.Arbitrary<Program> {
  const kinds = ["add", "sub", "mul", "minimum", "maximum"];
  return fc
    .tuple(
      fc.array(fc.record({ kind: fc.constantFrom(...kinds), a: fc.nat(), b: fc.nat() }), {
        minLength: 1,
        maxLength: 6,
      }),
      fc.integer({ min: -4, max: 9 }),
      fc.constantFrom(undefined, "sum", "min", "max") as fc.Arbitrary<Program["reduce"]>,
    )
    .map(([drawn, constant, reduce]) => {
      const steps = drawn.map(({ kind, a, b }, k) => ({ kind, operands: [a % (4 + k), b % (4 + k)] }));
      const last = 3 + steps.length;
      steps.push({ kind: "lt", operands: [last, 0] }, { kind: "where", operands: [last + 1, 3, last] });
      return {
        inputs: [dtype, dtype, dtype],
        constants: [{ dtype, value: numberOf(dtype, constant) }],
        steps,
        outputs: reduce === undefined ? [last + 2, last + 1, last] : [last + 2],
        ...(reduce === undefined ? {} : { reduce }),
      };
    });
}

function filled(dtype: DType, shape: readonly number[], seed: number): Tensor {
  const count = shape.reduce((n, extent) => n * extent, 1);
  const values = Array.from({ length: count }, (_, i) => numberOf(dtype, (((i + seed) * 37) % 23) / 3 - 2));
  return tensor(values as number[], { dtype: dtype as "float32", shape });
}

/** Runs a program on views of every kind, and reads its outputs. */
function outputsOf(program: Program, chain: readonly Backend[], dtype: DType, shape: readonly number[]): unknown[] {
  const [m, n] = shape as [number, number];
  return withKernels(chain, () => {
    const inputs = [
      filled(dtype, [n, m], 1).T,
      filled(dtype, [m, 2 * n], 2)
        .slice(1, 0, 2 * n, 2)
        .flip(1),
      filled(dtype, [n], 3),
    ];
    const sum = dtype.includes("float") ? dtype : "int64";
    const dtypes = program.reduce === "sum" ? [sum] : [dtype, "bool", dtype];
    const extents = program.reduce === undefined ? shape : [n];
    const outputs = program.outputs.map((_, k) =>
      allocateRowMajor(inputs[0] as Tensor, "test", dtypes[k] as "float32", extents),
    );
    const { calls } = explain(() => runProgram(program, outputs, inputs, [0]));
    expect(calls[0]?.backend).toBe(chain[0] === jsKernels ? "js" : "built-in");
    return outputs.map((out) => out.toArray());
  });
}

describe("S-51: a fused program", () => {
  for (const dtype of DTYPES) {
    it(`gives the bits of its steps run one by one, of ${dtype}, on any strides`, () => {
      fc.assert(
        fc.property(
          programs(dtype),
          fc.integer({ min: 1, max: 5 }),
          fc.integer({ min: 1, max: 7 }),
          (program, m, n) => {
            const steps = outputsOf(program, [single], dtype, [m, n]);
            expect(outputsOf(program, [jsKernels], dtype, [m, n])).toEqual(steps);
          },
        ),
        { numRuns: 40 },
      );
    });
  }

  it("goes over more elements than a block has, of one axis and along a long one", () => {
    const program: Program = {
      inputs: ["float32", "float32", "float32"],
      constants: [],
      steps: [
        { kind: "mul", operands: [0, 1] },
        { kind: "sub", operands: [3, 2] },
        { kind: "exp", operands: [4] },
      ],
      outputs: [5],
    };
    for (const shape of [
      [1, 2 * BLOCK + 1],
      [3, BLOCK],
      [2, BLOCK + 17],
    ]) {
      const steps = outputsOf(program, [single], "float32", shape);
      expect(outputsOf(program, [jsKernels], "float32", shape)).toEqual(steps);
    }
  });

  it("rounds each step to its dtype: in float16, 2048 + 1 - 2048 is 0", () => {
    const program: Program = {
      inputs: ["float16"],
      constants: [{ dtype: "float16", value: 1 }],
      steps: [
        { kind: "add", operands: [0, 1] },
        { kind: "sub", operands: [2, 0] },
      ],
      outputs: [3],
    };
    withKernels([jsKernels], () => {
      const x = tensor([2048, 1], { dtype: "float16" });
      const out = tensor([7, 7], { dtype: "float16" });
      runProgram(program, [out], [x]);
      expect(out.toArray()).toEqual([0, 1]);
    });
  });

  it("may write into an input, of no axes too, and keeps nothing of a call", () => {
    const program: Program = {
      inputs: ["float64"],
      constants: [{ dtype: "float64", value: 3 }],
      steps: [
        { kind: "mul", operands: [0, 1] },
        { kind: "add", operands: [2, 0] },
      ],
      outputs: [3],
    };
    withKernels([jsKernels], () => {
      const x = tensor([1, 2], { dtype: "float64" });
      runProgram(program, [x], [x]);
      expect(x.toArray()).toEqual([4, 8]);
      const scalar = tensor(5, { dtype: "float64" });
      runProgram(program, [scalar], [scalar]);
      expect([scalar.toArray(), x.toArray()]).toEqual([20, [4, 8]]);
    });
  });

  it("is not compiled where a step has no kernel", () => {
    const program: Program = {
      inputs: ["float32"],
      constants: [],
      steps: [{ kind: "copy", operands: [0] }],
      outputs: [1],
    };
    expect(jsKernels.compile?.(program)).toBeUndefined();
  });

  it("of no elements is not run; a sum of none is 0", () => {
    const program: Program = {
      inputs: ["float32"],
      constants: [],
      steps: [{ kind: "relu", operands: [0] }],
      outputs: [1],
      reduce: "sum",
    };
    withKernels([jsKernels], () => {
      const out = tensor([7, 7]);
      runProgram(program, [out], [tensor([], { shape: [0, 2] })], [0]);
      expect(out.toArray()).toEqual([0, 0]);
    });
  });
});
