import { jsKernels } from "@sw/kernels-js";
import { wasmKernelsSync } from "@sw/kernels-wasm";
import type { Program, ProgramStep } from "@sw/tensor/seam";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { BINARY_KINDS, UNARY_KINDS } from "../../src/kernels/kinds.js";
import { noise, type Placed, place, strayWrites, values } from "../operands.js";

const backend = wasmKernelsSync({ initialBytes: 2 ** 26 });
const { memory } = backend;

const step = (kind: string, ...operands: number[]): ProgramStep => ({ kind, operands });
const program = (
  inputs: number,
  constants: readonly number[],
  steps: readonly ProgramStep[],
  outputs: readonly number[],
  reduce?: "sum" | "mean" | "min" | "max",
): Program => ({
  inputs: new Array(inputs).fill("float32"),
  constants: constants.map((value) => ({ dtype: "float32" as const, value })),
  steps,
  outputs,
  ...(reduce === undefined ? {} : { reduce }),
});

/** relu(a·b + c) */
const CHAIN = program(3, [], [step("mul", 0, 1), step("add", 3, 2), step("relu", 4)], [5]);

/** Runs a program, and gives the elements of its outputs. */
function run(p: Program, outputs: readonly Placed[], inputs: readonly Placed[]): number[][] {
  const kernel = backend.compile?.(p);
  expect(kernel).toBeTypeOf("function");
  expect(backend.supports("program", outputs, inputs)).toBe(true);
  const { inUse } = memory;
  kernel!(outputs, inputs, [], []);
  expect(memory.inUse).toBe(inUse);
  for (const out of outputs) expect(strayWrites(out)).toBe(0);
  return outputs.map(values);
}

/** The same by single kernels of the backend, one after another: a program has their bits. */
function oneByOne({ constants, steps, outputs }: Program, inputs: readonly Placed[]): number[][] {
  const { shape } = inputs[0]!;
  const all = [...inputs];
  for (const { value } of constants) all.push(place(memory, shape, () => value as number));
  for (const { kind, operands, floats = [] } of steps) {
    const out = place(memory, shape, () => 0);
    const from = operands.map((k) => all[k]!);
    backend.kernels[kind as "add"]([out], from, [], floats);
    all.push(out);
  }
  return outputs.map((k) => values(all[k]!));
}

describe("S-48 programs", () => {
  test("S-51 every kind of step has the bits of its kernel", () => {
    for (const kind of UNARY_KINDS) {
      const p = program(2, [2], [step("mul", 0, 2), step(kind, 3), step("sub", 4, 1)], [4, 5]);
      const inputs = [place(memory, [3, 37], noise(1)), place(memory, [3, 37], noise(2))];
      const outputs = [place(memory, [3, 37], () => 0), place(memory, [3, 37], () => 0)];
      expect(run(p, outputs, inputs)).toEqual(oneByOne(p, inputs));
    }
    for (const kind of BINARY_KINDS) {
      const p = program(2, [0.5], [step(kind, 0, 1), step(kind, 3, 2)], [4, 3]);
      const inputs = [place(memory, [5, 9], noise(3)), place(memory, [5, 9], noise(4))];
      const outputs = [place(memory, [5, 9], () => 0), place(memory, [5, 9], () => 0)];
      expect(run(p, outputs, inputs)).toEqual(oneByOne(p, inputs));
    }
  });

  test("S-52 operands of any order, direction, gap and broadcasting", () => {
    const placing = fc.record({
      order: fc.shuffledSubarray([0, 1, 2], { minLength: 3, maxLength: 3 }),
      reversed: fc.subarray([0, 1, 2]),
      skip: fc.nat(3),
      gap: fc.constantFrom(1, 1, 2),
    });
    const input = fc.tuple(placing, fc.subarray([0, 1, 2]));
    const shape = fc.tuple(
      fc.integer({ min: 0, max: 5 }),
      fc.integer({ min: 1, max: 70 }),
      fc.integer({ min: 1, max: 40 }),
    );
    const property = fc.property(
      shape,
      placing,
      fc.array(input, { minLength: 3, maxLength: 3 }),
      (extents, out, given) => {
        const inputs = given.map(([p, broadcast], k) => place(memory, extents, noise(k), { ...p, broadcast }));
        const outputs = [place(memory, extents, () => 0, out)];
        const before = inputs.map(values);
        const wanted = before[0]!.map((x, i) =>
          Math.max(0, Math.fround(Math.fround(x * before[1]![i]!) + before[2]![i]!)),
        );
        expect(run(CHAIN, outputs, inputs)).toEqual([wanted]);
      },
    );
    fc.assert(property, { numRuns: 150 });
  });

  test("choices by masks, of NaN and infinities too", () => {
    const p = program(
      3,
      [1],
      [
        step("lt", 0, 1),
        step("isNaN", 2),
        step("logicalOr", 4, 5),
        step("logicalNot", 6),
        step("where", 7, 0, 3),
        step("clamp", 8, 1, 2),
        { kind: "leakyRelu", operands: [0], floats: [0.25] },
      ],
      [8, 9, 10],
    );
    const special = [0, -0, 1, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const at = (i: number, by: number): number => special[Math.floor(i / by) % special.length]!;
    const inputs = [1, 7, 49].map((by) => place(memory, [343], (i) => at(i, by)));
    const outputs = [0, 0, 0].map(() => place(memory, [343], () => 0));
    const reference = outputs.map((out) => ({ ...out, data: Float32Array.from(out.data) }));
    jsKernels.compile!(p)!(reference, inputs, [], []);
    expect(run(p, outputs, inputs)).toEqual(reference.map(values));
  });

  test("an output may be the very same elements as an input", () => {
    const p = program(2, [], [step("add", 0, 1), step("sub", 0, 1)], [2, 3]);
    const [a, b] = [place(memory, [1001], noise(1)), place(memory, [1001], noise(2))];
    const [x, y] = [values(a), values(b)];
    run(p, [b, a], [a, b]);
    expect(values(b)).toEqual(x.map((v, i) => Math.fround(v + y[i]!)));
    expect(values(a)).toEqual(x.map((v, i) => Math.fround(v - y[i]!)));
  });

  test("no loops are one element, and a loop of nothing is none", () => {
    for (const shape of [[], [1], [1, 1, 1], [0], [3, 0]]) {
      const inputs = [1, 2, 3].map((seed) => place(memory, shape, noise(seed)));
      expect(run(CHAIN, [place(memory, shape, () => 7)], inputs)).toEqual(oneByOne(CHAIN, inputs));
    }
  });
});

describe("programs that end in a reduction", () => {
  const kinds = ["sum", "mean", "min", "max"] as const;

  test("S-52 along rows, down columns and through several loops, within the bound of the reduction", () => {
    const property = fc.property(
      fc.array(fc.integer({ min: 1, max: 24 }), { minLength: 1, maxLength: 4 }),
      fc.nat(4),
      fc.constantFrom(...kinds),
      fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
      fc.boolean(),
      (shape, keep, reduce, still, turned) => {
        const kept = Math.min(keep, shape.length);
        const order = shape.map((_, axis) => axis);
        if (turned) order.reverse();
        const broadcast = order.filter((axis) => still[axis]);
        const inputs = [place(memory, shape, noise(1), { order }), place(memory, shape, noise(2), { broadcast })];
        checkReduced(reduce, shape, kept, inputs);
      },
    );
    fc.assert(property, { numRuns: 300 });
  });

  test("of more elements than a block has and more totals than are kept at a time", () => {
    for (const reduce of kinds) {
      for (const [shape, kept] of [
        [[3, 9001], 1],
        [[9001], 0],
        [[2500, 3], 1],
        [[3, 2500, 5], 2],
      ] as const) {
        const order = shape.map((_, axis) => axis).reverse();
        const b = place(memory, shape, noise(2));
        checkReduced(reduce, shape, kept, [place(memory, shape, noise(1)), b]);
        checkReduced(reduce, shape, kept, [
          place(memory, shape, noise(1), { order }),
          place(memory, shape, noise(2), { order }),
        ]);
      }
    }
  });

  test("sums that overflow in float32 on the way are those of float64, along rows and columns", () => {
    const big = 3e38;
    const p = program(2, [], [step("add", 0, 1)], [2], "sum");
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const x = place(memory, [2, 64], (i) => (i % 64 < 32 ? big : -big), { order });
      const zero = place(memory, [2, 64], () => 0, { order });
      expect(reduced(p, [2, 64], 1, [x, zero])).toEqual([0, 0]);
    }
  });

  test("of no elements are what they begin with", () => {
    const p = program(2, [], [step("mul", 0, 1)], [2], "sum");
    const inputs = [place(memory, [3, 0], () => 0), place(memory, [3, 0], () => 0)];
    expect(reduced(p, [3, 0], 1, inputs)).toEqual([0, 0, 0]);
    expect(reduced({ ...p, reduce: "mean" }, [3, 0], 1, inputs)).toEqual([Number.NaN, Number.NaN, Number.NaN]);
  });

  function reduced(p: Program, shape: readonly number[], kept: number, inputs: readonly Placed[]): number[] {
    const keptShape = shape.slice(0, kept);
    const out = place(memory, keptShape, () => Number.NaN);
    const strides = [...out.strides, ...shape.slice(kept).map(() => 0)];
    const kernel = backend.compile!(p)!;
    kernel([{ ...out, shape, strides }], inputs, [], []);
    expect(strayWrites(out)).toBe(0);
    return values(out);
  }

  function checkReduced(
    reduce: (typeof kinds)[number],
    shape: readonly number[],
    kept: number,
    inputs: readonly Placed[],
  ): void {
    const p = program(2, [3], [step("mul", 0, 1), step("sub", 3, 2)], [4], reduce);
    const got = reduced(p, shape, kept, inputs);
    const [a, b] = inputs.map(values) as [number[], number[]];
    const terms = shape.slice(kept).reduce((x, y) => x * y, 1);
    const all = a.map((x, i) => Math.fround(Math.fround(x * b[i]!) - 3));
    expect(got.length).toBe(all.length / terms);
    for (const [i, result] of got.entries()) {
      const part = all.slice(i * terms, (i + 1) * terms);
      if (reduce === "max") expect(result).toBe(part.reduce((x, y) => Math.max(x, y)));
      else if (reduce === "min") expect(result).toBe(part.reduce((x, y) => Math.min(x, y)));
      else {
        const by = reduce === "mean" ? terms : 1;
        const sum = part.reduce((x, y) => x + y, 0) / by;
        const size = part.reduce((x, y) => x + Math.abs(y), 0) / by;
        const bound = (17 + 2 * Math.ceil(Math.log2(terms))) * 2 ** -24 * size;
        expect(Math.abs(result - sum)).toBeLessThanOrEqual(bound);
      }
    }
  }
});

describe("what is compiled", () => {
  test("once for a structure and a way that operands move, whatever the constants and the shapes are", () => {
    const compiled = vi.spyOn(WebAssembly, "Module");
    try {
      const times = (by: number, n: number): number[][] => {
        const p = program(1, [by], [step("mul", 0, 1), step("expm1", 2)], [3]);
        return run(p, [place(memory, [n], () => 0)], [place(memory, [n], () => 0)]);
      };
      times(2, 5);
      times(3, 7);
      times(-0, 1000);
      expect(compiled).toHaveBeenCalledTimes(1);
    } finally {
      compiled.mockRestore();
    }
  });

  test("nothing of other dtypes, of masks that are reduced or chosen between, and of steps that there are not", () => {
    const refused: Program[] = [
      { ...CHAIN, inputs: ["float64", "float64", "float64"] },
      program(2, [], [step("lt", 0, 1)], [2], "sum"),
      {
        ...program(1, [], [step("neg", 0)], [1]),
        constants: [{ dtype: "bool", value: 1 }],
        outputs: [2],
        steps: [step("neg", 0)],
      },
      program(1, [], [{ kind: "elu", operands: [0], floats: [1] }], [1]),
      program(2, [], [step("lt", 0, 1), step("gt", 0, 1), step("eq", 2, 3), step("where", 4, 0, 1)], [5]),
    ];
    for (const p of refused) expect(backend.compile!(p)).toBeUndefined();
  });

  test("operands that live elsewhere are copied in and out", () => {
    const { staged } = backend;
    const before = staged["program"] ?? 0;
    const on = (seed: number): Placed => {
      const placed = place(memory, [4, 5], noise(seed));
      return { ...placed, data: Float32Array.from(placed.data) };
    };
    const inputs = [on(1), place(memory, [4, 5], noise(2)), on(3)];
    const out = on(4);
    backend.compile!(CHAIN)!([out], inputs, [], []);
    const [a, b, c] = inputs.map(values) as [number[], number[], number[]];
    expect(values(out)).toEqual(a.map((x, i) => Math.max(0, Math.fround(Math.fround(x * b[i]!) + c[i]!))));
    expect(staged["program"]).toBe(before + 3);
  });

  test("a kernel on operands that are not taken throws before it writes", () => {
    const inputs = [1, 2, 3].map((seed) => place(memory, [4], noise(seed)));
    const out = { dtype: "float64" as const, data: new Float64Array(4), offset: 0, shape: [4], strides: [1] };
    expect(backend.supports("program", [out], inputs)).toBe(false);
    expect(() => backend.compile!(CHAIN)!([out], inputs, [], [])).toThrow(
      expect.objectContaining({ code: "SW_WASM_OPERAND", kernel: "program", reason: "dtype" }),
    );
    expect([...out.data]).toEqual([0, 0, 0, 0]);
  });
});
