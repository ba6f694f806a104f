import type { DirectKernel, Operand } from "@sw/tensor/seam";
import type { BlockCall, ElementwiseExports } from "../kernels/core.js";
import { BINARY_KINDS, type BinaryKind, UNARY_KINDS, type UnaryKind } from "../kernels/kinds.js";
import { type Copies, DIRECT, eachTurn, nextLoop, runTiles, type Side, type Tiles } from "./tiles.js";

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
const GATHERED = 4096;

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
 * loops are cut into tiles, what is outside is walked.
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
  if (shape.includes(0)) return;
  // Loops of extent 1 say nothing, whatever their strides are.
  const inner = nextLoop(shape, shape.length - 1);
  const row = nextLoop(shape, inner - 1);
  const operands = engine.still === undefined ? [out, a] : [out, a, b];
  const sides = operands.map(
    (operand): Side => ({ row: stepOf(operand, row), step: stepOf(operand, inner), still: false }),
  );
  let { loop } = engine;
  // The last input that stands still is read as one element; another one is gathered.
  const still =
    engine.still === undefined || inner < 0 ? -1 : sides.findLastIndex(({ step }, k) => k > 0 && step === 0);
  if (still > 0) {
    sides[still] = { ...sides[still]!, still: true };
    loop = still === 1 ? engine.still!.first : engine.still!.second;
  }
  const tiles: Tiles = {
    rows: row < 0 ? 1 : shape[row]!,
    count: inner < 0 ? 1 : shape[inner]!,
    sides: inner < 0 ? sides.map((side) => ({ ...side, step: 4 })) : sides,
    outputs: 1,
    call: (rows, count, at, steps) => {
      const b = at.length - 1;
      loop(rows, count, at[0]!, steps[0]!, at[1]!, steps[1]!, at[b]!, steps[b]!);
    },
    copies: engine.copies,
    blocks: engine.blocks,
    blockElements: GATHERED,
  };
  const outer = loopsOutside(shape, row);
  const steps = operands.map((operand) => outer.map((loop) => stepOf(operand, loop)));
  eachTurn(
    outer.map((loop) => shape[loop]!),
    steps,
    [outAt, aAt, bAt].slice(0, operands.length),
    (at) => runTiles(tiles, at),
  );
}

/** The loops outside of a row that turn more than once. */
function loopsOutside(shape: readonly number[], row: number): number[] {
  const loops: number[] = [];
  for (let loop = 0; loop < row; loop++) if (shape[loop] !== 1) loops.push(loop);
  return loops;
}

/** Whether an operand of one loop, or of none, is contiguous. */
function isDense({ strides }: Operand): boolean {
  return strides.length === 0 || strides[0] === 1;
}

/** The stride of a loop in bytes. */
function stepOf(operand: Operand, loop: number): number {
  return loop < 0 ? 0 : operand.strides[loop]! * 4;
}
