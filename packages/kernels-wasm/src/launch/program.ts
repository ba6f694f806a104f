import type { Operand, Program } from "@sw/tensor/seam";
import type { Pattern } from "../emit/block-loop.js";
import { emitProgram, masksOf, structureOf } from "../emit/program.js";
import type { FoldCall } from "../kernels/core.js";
import type { FoldName } from "../kernels/kinds.js";
import { castLocated, stagesOf } from "./cast.js";
import type { Engine, RoomKernel } from "./family.js";
import { eachTurn, runTiles, type Side, type TakeTile, type TileCall, type Tiles } from "./tiles.js";
import type { Located, WorkingRoom } from "./working-room.js";

// A fused program: one loop, emitted when it is first called with inputs that move so. With a reduction its results go to a
// block, tile by tile, and are folded there as the reductions fold rows and columns.

/** Elements of the block of an operand. */
const BLOCK = 4096;
/** Totals of float64 that are kept at a time. */
const TOTALS = 1024;

const REDUCTIONS: { readonly [kind in NonNullable<Program["reduce"]>]: { readonly fold: FoldName; start: number } } = {
  sum: { fold: "sum", start: 0 },
  mean: { fold: "sum", start: 0 },
  max: { fold: "max", start: Number.NEGATIVE_INFINITY },
  min: { fold: "min", start: Number.POSITIVE_INFINITY },
};

interface Exports {
  readonly values: (...numbers: readonly number[]) => void;
}

/**
 * The kernel of a program, or `undefined` where it has steps or dtypes that there are not.
 *
 * @param constantsOf - gives its constants, by what a call has as `floats`.
 */
export function programKernel(
  program: Program,
  constantsOf: (floats: readonly number[]) => readonly number[] = () =>
    program.constants.map(({ value }) => value as number),
): RoomKernel | undefined {
  const isMask = masksOf(program);
  if (isMask === undefined) return undefined;
  const outputDTypes = program.outputs.map((output) => (isMask[output] ? "bool" : "float32"));
  const structure = structureOf(program);
  const { reduce } = program;
  const loopOf =
    (engine: Engine): LoopOf =>
    (sides) => {
      const patterns = sides.slice(program.outputs.length).map(({ still }): Pattern => (still ? "scalar" : "vector"));
      const key = `${structure}; ${patterns.map((pattern) => pattern[0]).join("")}`;
      const { values } = engine.variants.get<Exports>(key, (module) => emitProgram(module, program, patterns));
      const numbers = new Array<number>(2 + 2 * sides.length);
      return (rows, count, at, rowSteps) => {
        numbers[0] = rows;
        numbers[1] = count;
        for (let k = 0; k < at.length; k++) {
          numbers[2 + 2 * k] = at[k]!;
          numbers[3 + 2 * k] = rowSteps[k]!;
        }
        values(...numbers);
      };
    };
  return {
    objection: (outputs, inputs) => {
      const isTaken =
        outputs.every(({ dtype }, k) => dtype === outputDTypes[k]) &&
        inputs.every(({ dtype }, k) => dtype === program.inputs[k]);
      return isTaken ? undefined : "dtype";
    },
    launch: (engine, room, outputs, inputs, _ints, floats) => {
      const constants = constantsOf(floats);
      const operands = [...outputs, ...inputs];
      const places = operands.map((operand) => room.locate(operand, true));
      // What is of bool has a copy of 0 and 1 in float32 for the time of the call.
      const located = places.map((place, k) => (operands[k]!.dtype === "bool" ? widePlace(room, place) : place));
      const { shape } = located[0]!;
      const still = shape.map(() => 0);
      const numbers = constants.length > 0 ? room.take(4 * constants.length) : 0;
      for (let k = 0; k < constants.length; k++) located.push({ at: numbers + 4 * k, shape, strides: still });
      const run = reduce === undefined ? planLoops(room, outputs.length, located) : planTotals(room, reduce, located);
      room.fill();
      room.floats().set(constants, numbers / 4);
      const bools = located.flatMap((wide, k) => (places[k] !== undefined && places[k] !== wide ? [k] : []));
      for (const k of bools) if (k >= outputs.length) castLocated(engine, WIDENED, 4, located[k]!, 1, places[k]!);
      run(engine, loopOf(engine));
      for (const k of bools) if (k < outputs.length) castLocated(engine, NARROWED, 1, places[k]!, 4, located[k]!);
      room.giveBack();
    },
  };
}

const WIDENED = stagesOf("float32", "bool")!;
const NARROWED = stagesOf("bool", "float32")!;

/** Room for as many elements of float32 as an operand has: a loop in which it stands still has one. */
function widePlace(room: WorkingRoom, { shape, strides }: Located): Located {
  const wide = new Array<number>(shape.length).fill(0);
  let step = 1;
  for (let loop = shape.length - 1; loop >= 0; loop--) {
    if (strides[loop] === 0) continue;
    wide[loop] = step;
    step *= Math.max(1, shape[loop]!);
  }
  return { at: room.take(4 * step), shape, strides: wide };
}

/** Takes operands that a program may have; a program itself takes those that it says. */
export const programObjection: RoomKernel["objection"] = (outputs, inputs) => {
  const isOther = ({ dtype }: Operand): boolean => dtype !== "float32" && dtype !== "bool";
  return outputs.some(isOther) || inputs.some(isOther) ? "dtype" : undefined;
};

/** Finds the loop for operands that move so along the loops of a tile. */
type LoopOf = (sides: readonly Side[]) => TileCall;
/** Runs a program, whose operands are where they were located, and whose room is taken. */
type Run = (engine: Engine, loopOf: LoopOf) => void;

/** The loops of a call that turn more than once, with the steps of each operand in bytes; `undefined` if there are no elements. */
interface Loops {
  readonly extents: number[];
  readonly steps: number[][];
}

function loopsOf(shape: readonly number[], operands: readonly Located[]): Loops {
  const loops = shape.flatMap((extent, loop) => (extent === 1 ? [] : [loop]));
  return {
    extents: loops.map((loop) => shape[loop]!),
    steps: operands.map(({ strides }) => loops.map((loop) => strides[loop]! * 4)),
  };
}

/** Takes loops out of a nest by their numbers. */
function pick({ extents, steps }: Loops, loops: readonly number[]): Loops {
  return {
    extents: loops.map((loop) => extents[loop]!),
    steps: steps.map((own) => loops.map((loop) => own[loop]!)),
  };
}

/** The operands along two loops of a nest; -1 is none. What is not moved by the inner one is read once a row. */
function sidesOf({ steps }: Loops, outputs: number, row: number, inner: number): Side[] {
  return steps.map((own, k): Side => {
    const step = inner < 0 ? 4 : own[inner]!;
    return { row: row < 0 ? 0 : own[row]!, step, still: k >= outputs && step === 0 };
  });
}

function planLoops(room: WorkingRoom, outputs: number, operands: readonly Located[]): Run {
  const { shape } = operands[0]!;
  if (shape.includes(0)) return () => {};
  const nest = loopsOf(shape, operands);
  const last = nest.extents.length - 1;
  const sides = sidesOf(nest, outputs, last - 1 < 0 ? -1 : last - 1, last);
  const blocks = sides.some(({ step, still }) => step !== 4 && !still) ? room.take(sides.length * BLOCK * 4) : 0;
  const outer = pick(nest, [...nest.extents.keys()].slice(0, Math.max(0, last - 1)));
  return ({ core: copies }, loopOf) => {
    const tiles: Tiles = {
      rows: last < 1 ? 1 : nest.extents[last - 1]!,
      count: last < 0 ? 1 : nest.extents[last]!,
      sides,
      outputs,
      call: loopOf(sides),
      copies,
      blocks,
      blockElements: BLOCK,
    };
    const at = operands.map((operand) => operand.at);
    eachTurn(outer.extents, outer.steps, at, (here) => runTiles(tiles, here));
  };
}

function planTotals(room: WorkingRoom, reduce: NonNullable<Program["reduce"]>, operands: readonly Located[]): Run {
  const { fold, start } = REDUCTIONS[reduce];
  const { shape } = operands[0]!;
  const nest = loopsOf(shape, operands);
  const all = [...nest.extents.keys()];
  const kept = all.filter((loop) => nest.steps[0]![loop] !== 0);
  const reduced = all.filter((loop) => nest.steps[0]![loop] === 0);
  const terms = reduced.reduce((count, loop) => count * nest.extents[loop]!, 1);
  if (kept.some((loop) => nest.extents[loop] === 0)) return () => {};
  /** How many inputs are contiguous along a loop. */
  const contiguous = (loop: number): number => nest.steps.slice(1).filter((own) => own[loop] === 4).length;
  const best = (loops: readonly number[]): number =>
    loops.reduce((found, loop) => (found >= 0 && contiguous(found) > contiguous(loop) ? found : loop), -1);
  const [keptLoop, reducedLoop] = [best(kept), best(reduced)];
  const inColumns = keptLoop >= 0 && (reducedLoop < 0 || contiguous(keptLoop) > contiguous(reducedLoop));
  const [row, inner] = inColumns ? [reducedLoop, keptLoop] : [keptLoop, reducedLoop];
  const sides = sidesOf(nest, 1, row, inner);
  const blocks = room.take(sides.length * BLOCK * 4);
  const totals = room.take(TOTALS * 8);
  const outer = pick(
    nest,
    kept.filter((loop) => loop !== keptLoop),
  );
  const around = pick(
    nest,
    reduced.filter((loop) => loop !== reducedLoop),
  );
  const extentOf = (loop: number): number => (loop < 0 ? 1 : nest.extents[loop]!);
  const stepsOf = (loop: number): number[] => nest.steps.map((own) => (loop < 0 ? 0 : own[loop]!));
  const keptSteps = stepsOf(keptLoop);
  const divisor = reduce === "mean" ? terms : 1;
  return ({ core }, loopOf) => {
    const call = terms === 0 ? () => {} : loopOf(sides);
    /** Folds a tile into its totals; element by element where what comes together in float32 has overflowed. */
    const takeTile = (isWide: boolean): TakeTile => {
      const rowsOf = core[`${fold}Rows`] as FoldCall;
      const columnsOf = core[`${fold}Columns`] as FoldCall;
      return (i, j, rows, count, block) => {
        const to = totals + 8 * (inColumns ? j : i);
        const step = count * 4;
        if (isWide && inColumns) core[`${fold}Any`](count, rows, to, block, 4, step);
        else if (isWide) core[`${fold}Any`](rows, count, to, block, step, 4);
        else if (inColumns) columnsOf(count, rows, to, block, step);
        else rowsOf(rows, count, to, block, step);
      };
    };
    const tilesOf = (width: number, isWide: boolean): Tiles => ({
      rows: inColumns ? extentOf(reducedLoop) : width,
      count: inColumns ? width : extentOf(reducedLoop),
      sides,
      outputs: 1,
      call,
      copies: core,
      blocks,
      blockElements: BLOCK,
      take: takeTile(isWide),
    });
    eachTurn(
      outer.extents,
      outer.steps,
      operands.map(({ at }) => at),
      (here) => {
        for (let first = 0; first < extentOf(keptLoop); first += TOTALS) {
          const width = Math.min(TOTALS, extentOf(keptLoop) - first);
          const from = here.map((at, k) => at + first * keptSteps[k]!);
          const foldAll = (isWide: boolean): boolean => {
            core.fillTotals(width, totals, start);
            const tiles = tilesOf(width, isWide);
            if (terms > 0) eachTurn(around.extents, around.steps, [...from], (at) => runTiles(tiles, at));
            return core.storeTotals(width, from[0]!, keptSteps[0]!, totals, divisor) !== 0;
          };
          if (!foldAll(false) && fold === "sum") foldAll(true);
        }
      },
    );
  };
}
