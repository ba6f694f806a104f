import type { DirectKernel, Operand } from "@sw/tensor/seam";
import type { BlockCall, ElementwiseExports } from "../kernels/core.js";
import { BINARY_KINDS, type BinaryKind, UNARY_KINDS, type UnaryKind } from "../kernels/kinds.js";

/** What brings elements together and apart. */
type Copies = Pick<ElementwiseExports, "move4" | "turn4">;

/** What an element-wise kernel needs beside its operands. */
export interface ElementwiseEngine {
  readonly loop: BlockCall;
  /** Of two inputs: the loops in which one of them stands still. */
  readonly still: { readonly first: BlockCall; readonly second: BlockCall } | undefined;
  readonly copies: Copies;
  /** Working memory of `BLOCKS_BYTES`. */
  readonly blocks: number;
}

/** Elements of an operand of other strides that are brought together at a time. */
const GATHERED = 1024;
/** Elements of one call where nothing is: an engine replaces slow first code between calls only. */
const DIRECT = 16_384;
/** Columns of a block whose operand is contiguous along the rows: as many as keep to a few cache lines. */
const TILE = 32;

const BLOCK_BYTES = GATHERED * 4;
/** The working memory: a block for each operand. */
export const BLOCKS_BYTES: number = 3 * BLOCK_BYTES;

export function unaryEngine(core: ElementwiseExports, kind: UnaryKind, blocks: number): ElementwiseEngine {
  return { loop: core[`${kind}_v`], still: undefined, copies: core, blocks };
}

export function binaryEngine(core: ElementwiseExports, kind: BinaryKind, blocks: number): ElementwiseEngine {
  return {
    loop: core[`${kind}_vv`],
    still: { first: core[`${kind}_sv`], second: core[`${kind}_vs`] },
    copies: core,
    blocks,
  };
}

/** The direct kernel of a kind (S-60): its loop, without rows. */
export function denseKernel(core: ElementwiseExports, kind: string): DirectKernel | undefined {
  const two = BINARY_KINDS.find((name) => name === kind);
  const one = UNARY_KINDS.find((name) => name === kind);
  const loop = two === undefined ? one && core[`${one}_v`] : core[`${two}_vv`];
  if (loop === undefined) return undefined;
  return (count, out, a, b) => {
    let done = 0;
    for (; count - done > DIRECT; done += DIRECT) loop(1, DIRECT, out + 4 * done, 0, a + 4 * done, 0, b + 4 * done, 0);
    loop(1, count - done, out + 4 * done, 0, a + 4 * done, 0, b + 4 * done, 0);
  };
}

/**
 * Calls the loop that fits operands of one shape, given with their addresses; of one input, `b` is `a`. The two innermost
 * loops are cut into blocks, of which the operands that are not contiguous along the inner loop are gathered first, and
 * the output scattered. What is outside is walked here.
 */
export function launchElementwise(
  engine: ElementwiseEngine,
  out: Operand,
  outAt: number,
  a: Operand,
  aAt: number,
  b: Operand,
  bAt: number,
): void {
  const { shape } = out;
  if (shape.length <= 1 && isDense(out) && isDense(a) && isDense(b)) {
    const count = shape.length === 0 ? 1 : shape[0]!;
    // Most calls are this one: nothing is made for it.
    if (count > 0 && count <= DIRECT) {
      engine.loop(1, count, outAt, 0, aAt, 0, bAt, 0);
      return;
    }
  }
  for (let loop = 0; loop < shape.length; loop++) if (shape[loop] === 0) return;
  // Loops of extent 1 say nothing, whatever their strides are.
  const inner = nextLoop(shape, shape.length - 1);
  const row = nextLoop(shape, inner - 1);
  const plan = planOf(engine, out, a, b, inner, row);
  let outer = nextLoop(shape, row - 1);
  if (outer < 0) {
    runRows(plan, outAt, aAt, bAt);
    return;
  }
  const counter = new Array<number>(outer + 1).fill(0);
  do {
    runRows(plan, outAt, aAt, bAt);
    for (outer = counter.length - 1; outer >= 0; outer--) {
      const count = counter[outer]! + 1;
      const turned = count === shape[outer]!;
      const steps = turned ? 1 - count : 1;
      outAt += steps * stepOf(out, outer);
      aAt += steps * stepOf(a, outer);
      bAt += steps * stepOf(b, outer);
      counter[outer] = turned ? 0 : count;
      if (!turned) break;
    }
  } while (outer >= 0);
}

/** Whether an operand of one loop, or of none, is contiguous. */
function isDense({ strides }: Operand): boolean {
  return strides.length === 0 || strides[0] === 1;
}

/** How the two innermost loops are run. Steps are in bytes. */
interface Plan {
  readonly engine: ElementwiseEngine;
  readonly call: BlockCall;
  readonly rows: number;
  readonly count: number;
  readonly blockRows: number;
  readonly blockCount: number;
  readonly out: Side;
  readonly a: Side;
  readonly b: Side;
}

/** An operand along the two innermost loops. */
interface Side {
  readonly row: number;
  readonly step: number;
  /** Whether its elements are brought together. */
  readonly apart: boolean;
}

function planOf(engine: ElementwiseEngine, out: Operand, a: Operand, b: Operand, inner: number, row: number): Plan {
  const rows = row < 0 ? 1 : out.shape[row]!;
  const count = inner < 0 ? 1 : out.shape[inner]!;
  const still = inner < 0 ? undefined : engine.still;
  const bStill = still !== undefined && stepOf(b, inner) === 0;
  const aStill = still !== undefined && !bStill && stepOf(a, inner) === 0;
  const call = bStill ? still.second : aStill ? still.first : engine.loop;
  const sides = {
    out: sideOf(out, inner, row, false),
    a: sideOf(a, inner, row, aStill),
    b: sideOf(b, inner, row, bStill),
  };
  const { out: o, a: x, b: y } = sides;
  const most = o.apart || x.apart || y.apart ? GATHERED : DIRECT;
  const turned = isTurned(o) || isTurned(x) || isTurned(y);
  const blockCount = Math.min(count, turned ? TILE : most);
  const blockRows = Math.min(rows, Math.floor(most / blockCount));
  return { engine, call, rows, count, blockRows, blockCount, ...sides };
}

function sideOf(operand: Operand, inner: number, row: number, still: boolean): Side {
  const step = stepOf(operand, inner);
  return { row: stepOf(operand, row), step, apart: inner >= 0 && step !== 4 && !still };
}

/** Whether neighbours along the rows are nearer than those along the inner loop. */
function isTurned({ row, step, apart }: Side): boolean {
  return apart && row !== 0 && Math.abs(row) < Math.abs(step);
}

function runRows(plan: Plan, out: number, a: number, b: number): void {
  const { rows, count, blockRows, blockCount } = plan;
  for (let i = 0; i < rows; i += blockRows) {
    const height = Math.min(blockRows, rows - i);
    for (let j = 0; j < count; j += blockCount) {
      const width = Math.min(blockCount, count - j);
      runBlock(
        plan,
        height,
        width,
        out + i * plan.out.row + j * plan.out.step,
        a + i * plan.a.row + j * plan.a.step,
        b + i * plan.b.row + j * plan.b.step,
      );
    }
  }
}

function runBlock(plan: Plan, rows: number, count: number, out: number, a: number, b: number): void {
  const { engine, call } = plan;
  const { copies, blocks } = engine;
  const step = count * 4;
  let [outAt, outRow, aAt, aRow, bAt, bRow] = [out, plan.out.row, a, plan.a.row, b, plan.b.row];
  if (plan.a.apart) {
    [aAt, aRow] = [blocks, step];
    copy(copies, rows, count, aAt, step, 4, a, plan.a.row, plan.a.step);
  }
  // Of one input the second side is the first.
  if (plan.b.apart && engine.still !== undefined) {
    [bAt, bRow] = [blocks + BLOCK_BYTES, step];
    copy(copies, rows, count, bAt, step, 4, b, plan.b.row, plan.b.step);
  }
  if (plan.out.apart) [outAt, outRow] = [blocks + 2 * BLOCK_BYTES, step];
  call(rows, count, outAt, outRow, aAt, aRow, bAt, bRow);
  if (plan.out.apart) copy(copies, rows, count, out, plan.out.row, plan.out.step, outAt, step, 4);
}

/** Copies `rows` × `count` elements; of what is contiguous along the other loop on each side, the squares are turned. */
function copy(
  copies: Copies,
  rows: number,
  count: number,
  to: number,
  toRow: number,
  toStep: number,
  from: number,
  fromRow: number,
  fromStep: number,
): void {
  if (toRow === 4 && fromStep === 4) {
    copy(copies, count, rows, to, toStep, toRow, from, fromStep, fromRow);
    return;
  }
  const turned = toStep === 4 && fromRow === 4;
  const height = turned ? rows & ~3 : 0;
  const width = turned ? count & ~3 : 0;
  if (height === 0 || width === 0) {
    copies.move4(rows, count, to, toRow, toStep, from, fromRow, fromStep);
    return;
  }
  copies.turn4(height, width, to, toRow, from, fromStep);
  if (width < count) {
    copies.move4(height, count - width, to + 4 * width, toRow, 4, from + width * fromStep, 4, fromStep);
  }
  if (height < rows) {
    copies.move4(rows - height, count, to + height * toRow, toRow, 4, from + height * 4, 4, fromStep);
  }
}

/** Finds the loop at `from` or outside of it that turns more than once, or -1. */
function nextLoop(shape: readonly number[], from: number): number {
  let loop = from;
  while (loop >= 0 && shape[loop] === 1) loop--;
  return loop;
}

/** The stride of a loop in bytes. */
function stepOf(operand: Operand, loop: number): number {
  return loop < 0 ? 0 : operand.strides[loop]! * 4;
}
