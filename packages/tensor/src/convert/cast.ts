import type { Operand } from "../backend.js";
import { DTYPES, type DType, type DTypeInfo, type TypedArray } from "../dtype.js";
import { type BlockPlace, isRun, walkBlocks } from "./blocks.js";
import { copyBlock, copyElements, type ElementBits, elementBits } from "./copy.js";
import { isPlain, type Plan, runPlan } from "./plan.js";
import { gatherWindow, scatterWindow } from "./scratch.js";
import { CHUNK } from "./stations.js";
import { planFor } from "./tables.js";

/** What one call of `castInto` knows of its operands. */
interface CastJob {
  readonly to: DType;
  readonly from: DType;
  readonly target: TypedArray;
  readonly source: TypedArray;
  /** Undefined where the host's own `set` between two typed arrays does it. */
  readonly plan: Plan | undefined;
  targetBits: ElementBits | undefined;
  sourceBits: ElementBits | undefined;
  readonly outTile: BlockPlace;
  readonly inTile: BlockPlace;
  readonly dense: BlockPlace;
}

/** Columns of a tile of a transposed operand, so that a tile uses whole cache lines on both sides. */
const TILE_COLUMNS = 64;

/**
 * Converts every element of `input` to the dtype of `out`, for all pairs of dtypes and any strides.
 *
 * The rules are those of OneModel section 10: float to float rounds to nearest even, float64 to a 16-bit format
 * through float32 (D10); integers are rounded once to a float; a float truncates toward zero to an integer,
 * saturates, and NaN becomes 0; an integer wraps; anything but 0 is `true`. A NaN keeps sign and top payload
 * bits among the formats of at most 32 bits; between float32 and float64 they are the host's affair.
 *
 * Shapes must be equal and the two must not overlap in memory. Cost: one pass; no allocation that grows with the size,
 * but for tables of at most 256 KiB a pair, kept once many elements of 8 or 16 bits were cast.
 */
export function castInto(out: Operand, input: Operand): void {
  const to = DTYPES[out.dtype];
  const from = DTYPES[input.dtype];
  if (sameBits(to, from)) {
    copyElements(out, input, to.byteLength);
    return;
  }
  const job: CastJob = {
    to: out.dtype,
    from: input.dtype,
    target: out.data,
    source: input.data,
    plan: isHostSet(to, from) ? undefined : planFor(to, from, sizeOf(out.shape)),
    targetBits: undefined,
    sourceBits: undefined,
    outTile: { start: 0, row: out.strides.at(-2) ?? 0, column: out.strides.at(-1) ?? 0 },
    inTile: { start: 0, row: input.strides.at(-2) ?? 0, column: input.strides.at(-1) ?? 0 },
    dense: { start: 0, row: 0, column: 1 },
  };
  walkBlocks(out, input, job, castBlock);
}

/** Tells whether a cast leaves the bits as they are. Bytes of `bool` become 0 or 1 even then. */
function sameBits(to: DTypeInfo, from: DTypeInfo): boolean {
  if (to.name === from.name) return to.kind !== "bool";
  return isInteger(to) && isInteger(from) && to.byteLength === from.byteLength;
}

function isInteger(info: DTypeInfo): boolean {
  return info.kind === "int" || info.kind === "uint";
}

/** Tells whether the host's `set` between two typed arrays is the rule. */
function isHostSet(to: DTypeInfo, from: DTypeInfo): boolean {
  return isPlain(from) && isPlain(to) && (isInteger(from) || !isInteger(to));
}

function sizeOf(shape: readonly number[]): number {
  let size = 1;
  for (let axis = 0; axis < shape.length; axis++) size *= shape[axis]!;
  return size;
}

function castBlock(job: CastJob, out: BlockPlace, input: BlockPlace, rows: number, columns: number): void {
  const { outTile, inTile } = job;
  const count = rows * columns;
  if (isRun(out, rows, columns) && isRun(input, rows, columns)) {
    castRun(job, job.target, out.start, job.source, input.start, count);
    return;
  }
  const transposed = Math.abs(input.row) < Math.abs(input.column) && rows > 1;
  const tileColumns = Math.min(columns, transposed ? TILE_COLUMNS : CHUNK);
  const tileRows = Math.min(rows, Math.max(1, Math.floor(CHUNK / tileColumns)));
  for (let r = 0; r < rows; r += tileRows) {
    for (let c = 0; c < columns; c += tileColumns) {
      outTile.start = out.start + r * out.row + c * out.column;
      inTile.start = input.start + r * input.row + c * input.column;
      castTile(job, Math.min(tileRows, rows - r), Math.min(tileColumns, columns - c));
    }
  }
}

/** Casts a tile of at most a chunk: strided elements are gathered before, and scattered after. */
function castTile(job: CastJob, rows: number, columns: number): void {
  const { outTile, inTile, dense } = job;
  dense.row = columns;
  let source = job.source;
  let s = inTile.start;
  if (!isRun(inTile, rows, columns)) {
    const window = gatherWindow(job.from);
    job.sourceBits ??= elementBits(job.source, DTYPES[job.from].byteLength);
    copyBlock(window.bits, dense, job.sourceBits, inTile, rows, columns);
    source = window.data;
    s = 0;
  }
  if (isRun(outTile, rows, columns)) {
    castRun(job, job.target, outTile.start, source, s, rows * columns);
    return;
  }
  const window = scatterWindow(job.to);
  castRun(job, window.data, 0, source, s, rows * columns);
  job.targetBits ??= elementBits(job.target, DTYPES[job.to].byteLength);
  copyBlock(job.targetBits, outTile, window.bits, dense, rows, columns);
}

/** Casts `count` neighbouring elements. */
function castRun({ plan }: CastJob, target: TypedArray, t: number, source: TypedArray, s: number, count: number): void {
  if (plan !== undefined) runPlan(plan, target, t, source, s, count);
  else (target as Float64Array).set((source as Float64Array).subarray(s, s + count), t);
}
