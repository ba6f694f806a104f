import { add, rand, randn, type Tensor } from "@sw/tensor";
import type { DifferentiableKind } from "@sw/tensor/seam";

/** Operands that gradients are checked on. */
export type F64 = Tensor<"float64">;

/** What is checked of an operation: functions, each with inputs. */
export type Check = readonly [fn: (...x: readonly F64[]) => F64, inputs: F64[]];
export type Checks = { readonly [K in DifferentiableKind]?: () => Check[] };
export type Pending = readonly DifferentiableKind[];

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
