import type { WasmBackend } from "@sw/kernels-wasm";
import { expect } from "vitest";
import { noise, type Placed, type Placing, place, strayWrites, values } from "./operands.js";

/** The documented bound: γ(min(k, 256) + ⌈k / 256⌉) · Σ|a·b|. */
function gamma(k: number): number {
  const n = (Math.min(k, 256) + Math.ceil(k / 256)) * 2 ** -24;
  return n / (1 - n);
}

/** Checks the products of float32 that a backend computes. */
export function productChecks(backend: WasmBackend): {
  readonly multiply: (out: Placed, a: Placed, b: Placed) => void;
  readonly check: (out: Placed, a: Placed, b: Placed) => void;
  readonly checkPlaced: (
    sizes: readonly [m: number, k: number, n: number],
    batch?: readonly number[],
    out?: Placing,
    a?: Placing,
    b?: Placing,
  ) => void;
} {
  const { memory } = backend;

  function multiply(out: Placed, a: Placed, b: Placed): void {
    expect(backend.supports("matmul", [out], [a, b])).toBe(true);
    backend.kernels.matmul([out], [a, b], [], []);
  }

  /** Multiplies, and compares with float64 under the bound, and everything around the output. */
  function check(out: Placed, a: Placed, b: Placed): void {
    const rank = out.shape.length;
    const [m, n] = out.shape.slice(rank - 2) as [number, number];
    const k = a.shape[rank - 1]!;
    const left = values(a);
    const right = values(b);
    multiply(out, a, b);
    const got = values(out);
    const bound = gamma(k);
    for (let at = 0; at < got.length; at++) {
      const batch = Math.floor(at / (m * n));
      const i = Math.floor(at / n) % m;
      const j = at % n;
      let sum = 0;
      let size = 0;
      for (let p = 0; p < k; p++) {
        const term = left[(batch * m + i) * k + p]! * right[(batch * k + p) * n + j]!;
        sum += term;
        size += Math.abs(term);
      }
      if (!(Math.abs(got[at]! - sum) <= bound * size)) {
        throw new Error(
          `[${a.shape}]:[${a.strides}] · [${b.shape}]:[${b.strides}] at ${at}: got ${got[at]}, expected ${sum} within ${bound * size}`,
        );
      }
    }
    expect(strayWrites(out)).toBe(0);
  }

  function checkPlaced(
    [m, k, n]: readonly [number, number, number],
    batch: readonly number[] = [],
    out: Placing = {},
    a: Placing = {},
    b: Placing = {},
  ): void {
    check(
      place(memory, [...batch, m, n], () => -1, out),
      place(memory, [...batch, m, k], noise(1), a),
      place(memory, [...batch, k, n], noise(2), b),
    );
  }

  return { multiply, check, checkPlaced };
}
