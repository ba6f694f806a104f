import {
  erfOf,
  geluOf,
  geluTanhOf,
  logistic,
  nearestEven,
  softplusOf,
} from "../../../conformance/src/kernels/formulas.js";
import type { UnaryKind } from "../../src/kernels/kinds.js";

/** A kernel of one input: what it computes, in float64, and where its method changes. */
export interface Measured {
  readonly exact: (x: number) => number;
  /** Numbers around which every pattern is measured in the short lane. */
  readonly breakpoints: readonly number[];
  /** The largest error that is let pass, in units in the last place: what was measured (README), and a little. */
  readonly ulp: number;
}

/** The ends of the range, and the zeros. */
const ENDS = [0, -0, 2 ** -126, -(2 ** -126), 3.4028234663852886e38, -3.4028234663852886e38, Infinity, -Infinity];

const plain = (exact: (x: number) => number, ulp = 0, breakpoints: readonly number[] = []): Measured => ({
  exact,
  breakpoints: [...ENDS, ...breakpoints],
  ulp,
});

/** Both signs of each. */
const both = (...sizes: number[]): number[] => sizes.flatMap((size) => [size, -size]);

export const MEASURED: { readonly [kind in UnaryKind]: Measured } = {
  neg: plain((x) => -x),
  abs: plain(Math.abs),
  sign: plain(Math.sign),
  floor: plain(Math.floor, 0, both(1, 2 ** 23)),
  ceil: plain(Math.ceil, 0, both(1, 2 ** 23)),
  round: plain(nearestEven, 0, both(0.5, 1.5, 2 ** 22, 2 ** 23)),
  trunc: plain(Math.trunc, 0, both(1, 2 ** 23)),
  sqrt: plain(Math.sqrt, 0.5),
  rsqrt: plain((x) => 1 / Math.sqrt(x), 0.501, [1, 4]),
  reciprocal: plain((x) => 1 / x, 0.5),
  relu: plain((x) => (x >= 0 || Number.isNaN(x) ? x : 0)),
  exp: plain(Math.exp, 1.1, [-104, -103.9721, -87.33655, 88.72284, 89, ...both(87.3, 0.34657359)]),
  expm1: plain(Math.expm1, 1.85, [-18, -17.32868, 88.72284, 89, ...both(0.34657359, 2 ** -24)]),
  log: plain(Math.log, 0.9, [1, Math.SQRT1_2, Math.SQRT2]),
  log1p: plain(Math.log1p, 0.9, [-1, 1, Math.SQRT1_2 - 1, Math.SQRT2 - 1, ...both(2 ** -24)]),
  sin: plain(Math.sin, 0.505, both(2 ** 20, Math.PI / 4, Math.PI / 2, Math.PI, 1e6 * Math.PI)),
  cos: plain(Math.cos, 0.505, both(2 ** 20, Math.PI / 4, Math.PI / 2, Math.PI, 1e6 * Math.PI)),
  tanh: plain(Math.tanh, 1.75, both(0.55, 9.010913, 10)),
  erf: plain(erfOf, 0.51, both(1, 3.9192059, 4)),
  sigmoid: plain(logistic, 2, [-103.97208, -87.33655, 17.32868, 40, ...both(110)]),
  silu: plain((x) => x * logistic(x), 2, [-108.5, -91.8, 17, 40, ...both(110)]),
  softplus: plain(softplusOf, 0.51, [-103.97208, -87.33655, 17]),
  gelu: plain(geluOf, 0.52, both(3, 13, 14.37, 15)),
  geluTanh: plain(geluTanhOf, 2, [6, ...both(3, 10.05, 10.3, 10.9)]),
};
