import { add, rand, randn, type Tensor } from "@sw/tensor";
import type { DifferentiableKind } from "@sw/tensor/seam";

/** Operands that gradients are checked on. */
export type F64 = Tensor<"float64">;

/** What is checked of an operation: functions, each with inputs. */
export type Check = readonly [fn: (...x: readonly F64[]) => F64, inputs: F64[]];
export type Checks = { readonly [K in DifferentiableKind]?: () => Check[] };

let seed = 0;
export const normal = (shape: number[]): F64 => randn(shape, { seed: ++seed, dtype: "float64" });
/** Away from 0, where relu has a corner and log a pole. */
export const positive = (shape: number[]): F64 => add(rand(shape, { seed: ++seed, dtype: "float64" }), 0.5);

/** Operands whose memory is not in order: transposed, reversed, broadcast, with gaps. */
export const forms = (make: (shape: number[]) => F64): F64[] => [
  make([3, 4]),
  make([4, 3]).T,
  make([3, 4]).flip(1),
  make([3, 1]).expand([3, 4]),
  make([6, 8]).slice(0, 0, 6, 2).slice(1, 1, 8, 2),
];

/** The same with few elements, every rank from 0 to 5, and no elements. Extents of the last axis are 3. */
export const every = (make: (shape: number[]) => F64): F64[] => [
  make([2, 3]),
  make([3, 2]).T,
  make([2, 3]).flip(1).flip(0),
  make([2, 1]).expand([2, 3]),
  make([4, 6]).slice(0, 0, 4, 2).slice(1, 1, 6, 2),
  make([]),
  make([3]),
  make([1, 2, 3]).permute([1, 0, 2]),
  make([1, 1, 2, 3]),
  make([2, 1, 1, 1, 3]),
  make([0, 3]),
];

/** A check of a function of one operand, on all forms. */
export const unary = (fn: (x: F64) => F64, make: (shape: number[]) => F64 = normal): Check[] =>
  every(make).map((x) => [(a) => fn(a as F64), [x]]);

/** A check of a function of two operands, each on all forms, the other of one axis. */
export const binary = (
  fn: (a: F64, b: F64) => F64,
  first: (shape: number[]) => F64 = normal,
  second: (shape: number[]) => F64 = normal,
): Check[] => [
  ...every(first).map((x): Check => [(a, b) => fn(a as F64, b as F64), [x, second([3])]]),
  ...every(second).map((x): Check => [(a, b) => fn(a as F64, b as F64), [first([3]), x]]),
];

/** Images, `[n, c, h, w]`, whose memory is not in order, and one of no elements. */
export const images = (shape: readonly [number, number, number, number], make = normal): F64[] => {
  const [n, c, h, w] = shape;
  return [
    make([n, c, h, w]),
    make([n, h, w, c]).permute([0, 3, 1, 2]),
    make([n, c, h, w]).flip(3).flip(2),
    make([1, c, h, 1]).expand([n, c, h, w]),
    make([0, c, h, w]),
  ];
};
