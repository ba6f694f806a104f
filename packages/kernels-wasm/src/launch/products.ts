import { FUSED_TILE_ROWS, TILE_ROWS } from "../kernels/blocking.js";
import type { CoreExports } from "../kernels/core.js";
import type { FusedExports } from "../kernels/fused-product.js";
import type { Engine } from "./family.js";

/** A matrix in memory: the address of element (0, 0) and the steps in bytes. */
export interface Matrix {
  at: number;
  readonly row: number;
  readonly column: number;
}

/**
 * What the product needs beside its operands: its functions, the size of its elements, and the address of the working
 * memory. Blocks of float64 have half the rows and half the columns.
 */
export interface ProductEngine {
  readonly core: Pick<
    CoreExports,
    "packRows" | "packColumns" | "blockProduct" | "lineProduct" | "dotProduct" | "copyPlane" | "addPlane"
  >;
  readonly bytes: 4 | 8;
  readonly scratch: number;
  /** Rows of a panel of A. */
  readonly tileRows: number;
  /** Threads that take parts of large products, where there are some. */
  threads?: Threads;
}

/** Runs a product in parts, by threads: see `ThreadPool.share`. */
export interface Threads {
  share(
    bytes: 4 | 8,
    rows: number,
    columns: number,
    depth: number,
    a: Matrix,
    b: Matrix,
    c: Matrix,
    accumulate: number,
    multiply: (columns: number, b: Matrix, c: Matrix) => void,
  ): boolean;
}

/** The products of both float dtypes, on the same working memory; of float32 with the functions of `fused`, where it is. */
export function productEngines(
  core: CoreExports,
  scratch: number,
  fused: (() => FusedExports) | undefined,
): Engine["products"] {
  const { packWideRows: packRows, packWideColumns: packColumns, wideBlockProduct: blockProduct } = core;
  const float32: ProductEngine = { core, bytes: 4, scratch, tileRows: TILE_ROWS };
  const float64: ProductEngine = { ...float32, core: { ...core, packRows, packColumns, blockProduct }, bytes: 8 };
  if (fused === undefined) return { float32, float64 };
  let withFused: ProductEngine["core"] | undefined;
  return {
    float64,
    float32: {
      ...float32,
      tileRows: FUSED_TILE_ROWS,
      get core() {
        withFused ??= { ...core, ...fused() };
        return withFused;
      },
    },
  };
}
