import type { Operand } from "@sw/tensor/seam";
import { describe, expect, it } from "vitest";
import { allocate, broadcast, FLOATS, operand, PLACINGS, permuted, read, rounded, run } from "./operands.js";
import binary from "./vectors/binary.json" with { type: "json" };
import matmul from "./vectors/matmul.json" with { type: "json" };
import reduceSoftmax from "./vectors/reduce_softmax.json" with { type: "json" };
import unary from "./vectors/unary.json" with { type: "json" };

interface Dense {
  readonly s: readonly number[];
  readonly d: readonly (number | string)[];
}

interface Case {
  readonly op: string;
  readonly note?: string;
  readonly attrs?: {
    readonly axes?: "all" | readonly number[];
    readonly axis?: number;
  };
  readonly in?: { readonly [name: string]: Dense };
  readonly out?: Dense;
  readonly g?: Dense;
  readonly grads?: { readonly [name: string]: Dense };
}

type Dtype = (typeof FLOATS)[number];

const casesOf = (file: { readonly cases: readonly unknown[] }, ops: readonly string[]): Case[] =>
  (file.cases as Case[]).filter((c) => ops.includes(c.op) && c.in !== undefined);

const numbers = (t: Dense): number[] => t.d.map(Number);
const load = (dtype: Dtype, t: Dense, placing = PLACINGS[0]!): Operand => operand(dtype, t.s, numbers(t), placing);

/**
 * The vectors carry 15 digits of a float64. What remains of a kernel's result is its own rounding: half an ULP of the
 * dtype, and for float64 the error bound of a short sum.
 */
function expectClose(dtype: Dtype, got: readonly unknown[], expected: Dense): void {
  const list = numbers(expected);
  expect(got).toHaveLength(list.length);
  const scale = list.reduce((max, x) => (Number.isFinite(x) ? Math.max(max, Math.abs(x)) : max), 0);
  list.forEach((want, i) => {
    const value = got[i] as number;
    if (!Number.isFinite(want) || want === 0) {
      if (want === 0 && value !== 0) expect(Math.abs(value)).toBeLessThanOrEqual(1e-15 * scale);
      else expect(value).toBe(dtype === "float32" ? rounded(dtype, want) : want);
      return;
    }
    const bound = dtype === "float32" ? 2 ** -24 * Math.abs(want) + 2 ** -150 : 0;
    const limit = bound + 5e-15 * Math.max(Math.abs(want), scale * 1e-1);
    if (Math.abs(want) < 3.4e38 || dtype === "float64") {
      expect(Math.abs(value - want), `element ${i}: got ${value}, expected ${want}`).toBeLessThanOrEqual(limit);
    }
  });
}

/** Every case in both dtypes and every placing; values that float32 cannot hold are for float64 only. */
function each(cases: readonly Case[], body: (c: Case, dtype: Dtype, placing: (typeof PLACINGS)[number]) => void): void {
  expect(cases.length).toBeGreaterThan(0);
  for (const c of cases) {
    const wide = Object.values(c.in!).some((t) => numbers(t).some((x) => !Object.is(Math.fround(x), x)));
    for (const dtype of wide ? (["float64"] as const) : FLOATS) for (const placing of PLACINGS) body(c, dtype, placing);
  }
}

describe("numeric vectors", () => {
  for (const op of ["add", "sub", "mul", "div"]) {
    it(`binary: ${op}`, () => {
      each(casesOf(binary, [op]), (c, dtype, placing) => {
        const out = allocate(dtype, c.out!.s, placing);
        const inputs = [c.in!["a"]!, c.in!["b"]!].map((t) => broadcast(load(dtype, t, placing), c.out!.s));
        run(op, [out], inputs);
        expectClose(dtype, read(out), c.out!);
      });
    });
  }

  for (const op of ["neg", "relu", "exp", "log"]) {
    it(`unary: ${op}`, () => {
      each(casesOf(unary, [op]), (c, dtype, placing) => {
        const out = allocate(dtype, c.out!.s, placing);
        run(op, [out], [load(dtype, c.in!["x"]!, placing)]);
        expectClose(dtype, read(out), c.out!);
        if (op !== "relu" || c.g === undefined) return;
        const gradient = allocate(dtype, c.out!.s, placing);
        run("reluBackward", [gradient], [load(dtype, c.g), out]);
        expectClose(dtype, read(gradient), c.grads!["x"]!);
      });
    });
  }

  it("matmul", () => {
    each(casesOf(matmul, ["matmul"]), (c, dtype, placing) => {
      const [a, b] = [c.in!["a"]!, c.in!["b"]!];
      // A vector is a row on the left and a column on the right; its axis is gone from the result.
      const left = a.s.length === 1 ? { ...a, s: [1, ...a.s] } : a;
      const right = b.s.length === 1 ? { ...b, s: [...b.s, 1] } : b;
      const batch = c.out!.s.slice(0, c.out!.s.length - (a.s.length > 1 ? 1 : 0) - (b.s.length > 1 ? 1 : 0));
      const [m, k, n] = [left.s.at(-2)!, left.s.at(-1)!, right.s.at(-1)!];
      const out = allocate(dtype, [...batch, m, n], placing);
      run(
        "matmul",
        [out],
        [
          broadcast(load(dtype, left, placing), [...batch, m, k]),
          broadcast(load(dtype, right, placing), [...batch, k, n]),
        ],
      );
      expectClose(dtype, read(out), c.out!);
    });
  });

  for (const op of ["sum", "mean"]) {
    it(`reduce: ${op}`, () => {
      each(casesOf(reduceSoftmax, [op]), (c, dtype, placing) => {
        const input = load(dtype, c.in!["x"]!, placing);
        const rank = input.shape.length;
        const all = input.shape.map((_, axis) => axis);
        const axes = c.attrs!.axes === "all" ? all : c.attrs!.axes!.map((axis) => (axis + rank) % rank);
        const kept = all.filter((axis) => !axes.includes(axis));
        const ordered = permuted(input, [...kept, ...axes]);
        const own = allocate(
          dtype,
          kept.map((axis) => input.shape[axis]!),
          placing,
        );
        run(op, [{ ...own, shape: ordered.shape, strides: [...own.strides, ...axes.map(() => 0)] }], [ordered]);
        expectClose(dtype, read(own), c.out!);
      });
    });
  }

  for (const [op, name] of [
    ["softmax", "softmax"],
    ["log_softmax", "logSoftmax"],
  ] as const) {
    it(`normalise: ${name}`, () => {
      each(casesOf(reduceSoftmax, [op]), (c, dtype, placing) => {
        const rank = c.in!["x"]!.s.length;
        const axis = (c.attrs!.axis! + rank) % rank;
        const order = [...Array.from({ length: rank }, (_, a) => a).filter((a) => a !== axis), axis];
        const out = allocate(dtype, c.out!.s, placing);
        run(name, [permuted(out, order)], [permuted(load(dtype, c.in!["x"]!, placing), order)], [rank - 1]);
        expectClose(dtype, read(out), c.out!);
      });
    });
  }
});
