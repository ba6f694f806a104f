import type { Operand } from "@sw/tensor/seam";
import { loadRows, storeRows } from "./generated/stations.js";
import type { Block, BlockRow, DType, FourRow, ThreeRow, TwoRow, TypedArray } from "./rows.js";
import { blockScratch } from "./scratch.js";

/** How many elements pass at once. */
const BLOCK = 512;

/**
 * Dtypes without rows of their own, and the dtype of the rows that compute them, in blocks. A 16-bit float is computed in
 * float64 and rounded once; float32 between would round it twice. A narrow integer is computed in 32 bits, of which its
 * array keeps the low ones when it is stored: the same, modulo 2^8 or 2^16.
 */
const STATIONS: { readonly [D in DType]?: "float64" | "int32" } = {
  float16: "float64",
  bfloat16: "float64",
  int8: "int32",
  uint8: "int32",
  int16: "int32",
  uint16: "int32",
};

/** Whether a dtype has no rows of its own. */
export function isStaged(dtype: DType): boolean {
  return STATIONS[dtype] !== undefined;
}

/** An operand on its way, and the block that it passes through where it has one. */
interface Stage {
  readonly data: TypedArray;
  readonly strides: readonly number[];
  /** The stride of the innermost loop. */
  readonly along: number;
  /** Where the innermost loop begins. */
  at: number;
  readonly block: Block | undefined;
  readonly load: BlockRow | undefined;
  readonly store: BlockRow | undefined;
}

function stageOf(operand: Operand, position: number): Stage {
  const { dtype, data, offset, strides } = operand;
  const station = STATIONS[dtype];
  const staged = station !== undefined;
  return {
    data,
    strides,
    along: strides[strides.length - 1] ?? 1,
    at: offset,
    block: staged ? blockScratch(station, position, BLOCK) : undefined,
    load: staged ? loadRows[dtype] : undefined,
    store: staged ? storeRows[dtype] : undefined,
  };
}

/**
 * Does what `driveTwo` to `driveFour` do for operands of which some pass through blocks; bool ones, and those of other
 * dtypes with rows, stay in their place. An output may be the same elements as an input; it shares no element with itself.
 *
 * @param operands - outputs first, all of one shape.
 * @param outputs - how many of them are outputs.
 * @param updates - whether the row reads its outputs.
 */
export function driveStaged(
  row: TwoRow | ThreeRow | FourRow,
  operands: readonly Operand[],
  outputs: number,
  updates: boolean,
  ints: readonly number[],
  floats: readonly number[],
): void {
  const { shape } = operands[0]!;
  const last = shape.length - 1;
  const length = last < 0 ? 1 : shape[last]!;
  let turns = length === 0 ? 0 : 1;
  for (let k = 0; k < last; k++) turns *= shape[k]!;
  const stages = operands.map(stageOf);
  const call = callOf(row, stages, ints, floats);
  const counter = new Array<number>(Math.max(last, 0)).fill(0);
  for (let turn = 0; turn < turns; turn++) {
    for (let start = 0; start < length; start += BLOCK) {
      const n = Math.min(BLOCK, length - start);
      for (let k = updates ? 0 : outputs; k < stages.length; k++) {
        const { load, block, data, at, along } = stages[k]!;
        load?.(n, block!, data, at + start * along, along);
      }
      call(n, start);
      for (let k = 0; k < outputs; k++) {
        const { store, block, data, at, along } = stages[k]!;
        store?.(n, block!, data, at + start * along, along);
      }
    }
    for (let k = last - 1; k >= 0; k--) {
      const extent = shape[k]!;
      const count = counter[k]! + 1;
      const done = count === extent;
      counter[k] = done ? 0 : count;
      for (const stage of stages) stage.at += done ? stage.strides[k]! * (1 - extent) : stage.strides[k]!;
      if (!done) break;
    }
  }
}

/** Calls the row on `n` elements, which are `start` elements into the innermost loop; its arguments are made once. */
function callOf(
  row: TwoRow | ThreeRow | FourRow,
  stages: readonly Stage[],
  ints: readonly number[],
  floats: readonly number[],
): (n: number, start: number) => void {
  const run = row as (...all: unknown[]) => void;
  const all: unknown[] = [0];
  for (const { block, data, along } of stages) all.push(block ?? data, 0, block === undefined ? along : 1);
  all.push(ints, floats);
  return (n, start) => {
    all[0] = n;
    stages.forEach(({ block, at, along }, k) => {
      if (block === undefined) all[3 * k + 2] = at + start * along;
    });
    run(...all);
  };
}
