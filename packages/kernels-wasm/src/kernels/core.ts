import { ModuleBuilder } from "../assembler/index.js";
import { emitFillTotals, emitFoldAny, emitFoldColumns, emitFoldRows, emitStoreTotals } from "../emit/fold.js";
import { emitNormalise } from "../emit/norm.js";
import { emitOptimisers } from "../emit/optimise.js";
import { emitPools } from "../emit/pool.js";
import { emitSoftmax } from "../emit/softmax.js";
import { memoryLimits } from "../memory-limits.js";
import { TILE_COLUMNS, TILE_ROWS } from "./blocking.js";
import { type CastExports, emitCasts } from "./casts.js";
import { emitDotProduct } from "./dot.js";
import { emitElementwise } from "./elementwise.js";
import { FOLDS, type FoldName, type LoopName } from "./kinds.js";
import { emitLineProduct } from "./line.js";
import { emitBlockProduct } from "./matmul.js";
import { emitMovement, type MovementExports } from "./movement.js";
import { emitPack } from "./pack.js";
import { FLOAT32, FLOAT64 } from "./tile.js";
import { emitAddPlane, emitCopyPlane, emitFiniteProbe, emitPackTaps, emitPackWindows } from "./windows.js";

/** What the core module exports. All numbers are integers; addresses and steps are in bytes. */
export interface CoreExports extends ElementwiseExports, FoldExports, MovementExports, CastExports, OptimiserExports {
  readonly packRows: PackCall;
  readonly packColumns: PackCall;
  readonly packWindows: PackWindowsCall;
  readonly packTaps: PackWindowsCall;
  readonly copyPlane: PlaneCall;
  readonly addPlane: (...planes: [...Parameters<PlaneCall>, factor: number]) => void;
  readonly lineProduct: (
    columns: number,
    depth: number,
    y: number,
    a: number,
    aStep: number,
    b: number,
    bStep: number,
  ) => void;
  readonly dotProduct: (columns: number, depth: number, y: number, a: number, b: number, bColumn: number) => void;
  readonly finiteProbe: (count: number, at: number) => number;
  readonly blockProduct: BlockProductCall;
  readonly packWideRows: PackCall;
  readonly averagePool: PoolCall;
  readonly maxPool: PoolCall;
  readonly maxPoolIndices: PoolCall;
  readonly normalise: NormaliseCall;
  readonly softmax: RowCall;
  readonly logSoftmax: RowCall;
  readonly packWideColumns: PackCall;
  readonly wideBlockProduct: BlockProductCall;
}

/** What goes along contiguous rows: see `emitSoftmax`. */
export type RowCall = (rows: number, count: number, out: number, outRow: number, x: number, xRow: number) => void;

/** Steps over elements side by side: see `emitOptimisers`. Numbers are f64, flags 0 or 1. */
export interface OptimiserExports {
  readonly sgd: (
    count: number,
    parameter: number,
    gradient: number,
    learningRate: number,
    weightDecay: number,
    decays: number,
  ) => void;
  readonly sgdMomentum: (
    count: number,
    parameter: number,
    velocity: number,
    gradient: number,
    learningRate: number,
    momentum: number,
    weightDecay: number,
    decays: number,
    nesterov: number,
  ) => void;
  readonly adam: (
    count: number,
    parameter: number,
    first: number,
    second: number,
    gradient: number,
    learningRate: number,
    beta1: number,
    beta2: number,
    epsilon: number,
    weightDecay: number,
    correction1: number,
    correction2: number,
    rest1: number,
    rest2: number,
    kept: number,
    decays: number,
  ) => void;
}

/** See `emitPools`. */
export type PoolCall = (
  rows: number,
  columns: number,
  out: number,
  outRow: number,
  x: number,
  xRow: number,
  kernelRows: number,
  kernelColumns: number,
  line: number,
  columnStep: number,
  divisor: number,
  image: number,
  indices: number,
) => void;

/** See `emitNormalise`. */
export type NormaliseCall = (
  rows: number,
  count: number,
  isCentred: number,
  out: number,
  x: number,
  weight: number,
  bias: number,
  normalised: number,
  inverse: number,
  epsilon: number,
) => void;

/** A product of `emitBlockProduct`. */
export type BlockProductCall = (
  rows: number,
  columns: number,
  depth: number,
  a: number,
  aPanel: number,
  aRow: number,
  aStep: number,
  b: number,
  bPanel: number,
  bStep: number,
  c: number,
  cRow: number,
  cColumn: number,
  tile: number,
  accumulate: number,
) => void;

/** A packing of windows: see `emitPackWindows` and `emitPackTaps`. */
export type PackWindowsCall = (
  target: number,
  table: number,
  depth: number,
  count: number,
  at: number,
  left: number,
  columns: number,
  columnStep: number,
  rowSkip: number,
) => void;

/** A pass over two planes. */
export type PlaneCall = (
  rows: number,
  columns: number,
  to: number,
  toRow: number,
  toColumn: number,
  from: number,
  fromRow: number,
  fromColumn: number,
) => void;

/** The loops of expressions, and what brings operands of any strides to them. */
export interface ElementwiseExports extends Readonly<Record<LoopName, BlockCall>> {
  readonly move4: MoveCall;
  readonly turn4: TurnCall;
}

/** What folds elements into totals of float64: of rows, of columns, and of any steps. */
export interface FoldExports
  extends Readonly<Record<`${FoldName}${"Rows" | "Columns"}`, FoldCall>>,
    Readonly<Record<`${FoldName}Any`, (...operands: [...Parameters<FoldCall>, xStep: number]) => void>> {
  readonly fillTotals: (count: number, totals: number, value: number) => void;
  readonly storeTotals: (count: number, out: number, outStep: number, totals: number, divisor: number) => number;
}

/** A fold of `emitFoldRows` or `emitFoldColumns`. */
export type FoldCall = (across: number, along: number, totals: number, x: number, xRow: number) => void;

/** A loop of `emitBlockLoop`; one of a single input takes no more than that. */
export type BlockCall = (
  rows: number,
  count: number,
  out: number,
  outStep: number,
  a: number,
  aStep: number,
  b: number,
  bStep: number,
) => void;

/** A copy of `emitMove`. */
export type MoveCall = (
  rows: number,
  count: number,
  to: number,
  toRow: number,
  toStep: number,
  from: number,
  fromRow: number,
  fromStep: number,
) => void;

/** A copy of `emitTurn`. */
export type TurnCall = (rows: number, count: number, to: number, toRow: number, from: number, fromStep: number) => void;

/** A packing of `emitPack`. */
export type PackCall = (
  target: number,
  source: number,
  panelStep: number,
  depthStep: number,
  count: number,
  depth: number,
) => void;

/** Assembles the core module, for a memory that is shared or not. */
export function assembleCore(isShared = false): Uint8Array<ArrayBuffer> {
  return buildCore(isShared).toBytes();
}

/** Builds the module that the package carries. It works on the memory it is given as `env.memory`. */
export function buildCore(isShared = false): ModuleBuilder {
  const module = new ModuleBuilder();
  module.importMemory("env", "memory", memoryLimits(isShared));
  emitElementwise(module);
  emitMovement(module);
  emitCasts(module);
  emitPack(module, "packRows", TILE_ROWS);
  emitPack(module, "packColumns", TILE_COLUMNS);
  emitBlockProduct(module, "blockProduct", FLOAT32);
  emitPack(module, "packWideRows", TILE_ROWS, 8);
  emitPack(module, "packWideColumns", TILE_COLUMNS / 2, 8);
  emitBlockProduct(module, "wideBlockProduct", FLOAT64);
  emitLineProduct(module, "lineProduct");
  emitDotProduct(module, "dotProduct");
  emitPackWindows(module, "packWindows");
  emitPackTaps(module, "packTaps");
  emitCopyPlane(module, "copyPlane");
  emitAddPlane(module, "addPlane");
  emitFiniteProbe(module, "finiteProbe");
  emitPools(module);
  emitNormalise(module, "normalise");
  emitOptimisers(module);
  emitSoftmax(module, "softmax", false);
  emitSoftmax(module, "logSoftmax", true);
  emitFillTotals(module);
  emitStoreTotals(module);
  for (const fold of FOLDS) {
    emitFoldRows(module, fold);
    emitFoldColumns(module, fold);
    emitFoldAny(module, fold);
  }
  return module;
}
