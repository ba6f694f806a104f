import { type Tensor, tensor } from "@sw/tensor";
import { expect } from "vitest";

/** The dtypes that kernels over images take. */
export const DTYPES = ["float32", "float64", "float16", "bfloat16"] as const;
export type Float = (typeof DTYPES)[number];

/** A tensor as the vectors write it. */
export interface Dense {
  readonly s: readonly number[];
  readonly d: readonly (number | string)[];
}

/** One vector; what its `attrs` are, the operation knows. */
export interface Vector<Attributes> {
  readonly op: string;
  readonly attrs: Attributes;
  readonly in: { readonly [name: string]: Dense };
  readonly out: Dense;
  readonly indices?: readonly number[];
  readonly g: Dense;
  readonly grads: { readonly [name: string]: Dense };
}

/** Reads the vectors of one operation. */
export function vectorsOf<A>(file: { readonly cases: readonly unknown[] }, op: string): readonly Vector<A>[] {
  const found = (file.cases as readonly Vector<A>[]).filter((one) => one.op === op);
  expect(found.length).toBeGreaterThan(0);
  return found;
}

export const numbers = (t: Dense): number[] => t.d.map(Number);

/** The elements of a tensor, row-major. */
export const elements = (t: Tensor): number[] => [t.toArray()].flat(9) as number[];

/** Ways in which the same elements lie in memory. */
const FORMS: readonly (<D extends Float>(t: Tensor<D>) => Tensor<D>)[] = [
  (t) => t,
  (t) => t.T.contiguous().T,
  (t) =>
    t.shape.reduce(
      (view, _, axis) => view.flip(axis),
      t.shape.reduce((view, _, axis) => view.flip(axis), t).contiguous(),
    ),
];

/** Runs a check in every dtype and every form. */
export function inEveryForm(check: (load: (t: Dense) => Tensor<Float>, dtype: Float) => void): void {
  for (const dtype of DTYPES) {
    for (const form of FORMS) check((t) => form(tensor(numbers(t), { shape: t.s, dtype }) as Tensor<Float>), dtype);
  }
}

/** The largest relative error of one rounding, and the smallest positive number. */
const ROUNDINGS: { readonly [D in Float]: readonly [relative: number, smallest: number] } = {
  float64: [2 ** -53, 2 ** -1074],
  float32: [2 ** -24, 2 ** -149],
  float16: [2 ** -11, 2 ** -24],
  bfloat16: [2 ** -8, 2 ** -133],
};

/**
 * The vectors carry 15 digits of a float64. What remains of a kernel's result is its own rounding: half an ULP of the
 * dtype, and for float64 the error bound of a short sum.
 */
export function expectClose(got: Tensor, expected: Dense): void {
  expect(got.shape).toEqual(expected.s);
  const [relative, smallest] = ROUNDINGS[got.dtype as Float];
  const list = numbers(expected);
  const scale = list.reduce((max, x) => (Number.isFinite(x) ? Math.max(max, Math.abs(x)) : max), 1);
  const values = elements(got);
  list.forEach((want, i) => {
    const value = values[i]!;
    if (Number.isFinite(want)) {
      const limit = relative * Math.abs(want) + smallest / 2 + 5e-15 * scale;
      expect(Math.abs(value - want), `element ${i}: got ${value}, expected ${want}`).toBeLessThanOrEqual(limit);
    } else {
      expect(value).toBe(want);
    }
  });
}
