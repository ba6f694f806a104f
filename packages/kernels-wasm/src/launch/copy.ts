import type { CoreExports, MoveCall, TurnCall } from "../kernels/core.js";
import { eachTurn, longestLoop, type Nest, nestOf, type Side } from "./nest.js";

/** Elements of one call: an engine replaces slow first code between calls only. */
const MOVED = 16_384;
/** A run, or the loop that is made the inner one, is at least so long. */
const SHORT = 16;
/** The part of a plane that is turned at a time, in bytes: cache lines of the target, each written at once, by runs of the source. */
const LINE_BYTES = 64;
const RUN_BYTES = 1024;

/** The bytes of an element. */
export type Size = 1 | 2 | 4 | 8;

/** Copies elements of a size, bit for bit: those of `from` to the places of `to`, for any steps (in bytes). */
export function copyStrided(core: CoreExports, size: number, shape: readonly number[], to: Side, from: Side): void {
  const nest = nestOf(shape, to, from);
  if (nest !== undefined) copyNest(core, size as Size, nest);
}

function copyNest(core: CoreExports, size: Size, nest: Nest): void {
  const { extents, to, from } = nest;
  const last = extents.length - 1;
  if (last < 0) {
    movePlane(core, size, 1, 1, to.at, 0, 0, from.at, 0, 0);
    return;
  }
  const run = extents[last]! * size;
  const dense = to.steps[last] === size;
  if (dense && run >= SHORT && (from.steps[last] === size || from.steps[last] === 0)) {
    const row = longestLoop(extents, last);
    const [rows, toRow, fromRow] = row < 0 ? [1, 0, 0] : [extents[row]!, to.steps[row]!, from.steps[row]!];
    const fill = from.steps[last] === 0;
    eachTurn(nest, last, row, (toAt, fromAt) => {
      if (fill) core.fillRuns(rows, run, toAt, toRow, fromAt, fromRow, size);
      else core.copyRuns(rows, run, toAt, toRow, fromAt, fromRow);
    });
    return;
  }
  const turned = dense ? from.steps.findIndex((step, loop) => loop !== last && Math.abs(step) === size) : -1;
  let row = turned >= 0 ? turned : longestLoop(extents, last);
  let inner = last;
  if (turned < 0 && row >= 0 && extents[inner]! < SHORT) [inner, row] = [row, inner];
  const [rows, toRow, fromRow] = row < 0 ? [1, 0, 0] : [extents[row]!, to.steps[row]!, from.steps[row]!];
  eachTurn(nest, inner, row, (toAt, fromAt) => {
    const steps = [to.steps[inner]!, from.steps[inner]!] as const;
    copyPlane(core, size, rows, extents[inner]!, toAt, toRow, steps[0], fromAt, fromRow, steps[1]);
  });
}

/** Copies a plane: squares are turned where the sides are contiguous along different loops. */
export function copyPlane(
  core: CoreExports,
  size: Size,
  rows: number,
  count: number,
  to: number,
  toRow: number,
  toStep: number,
  from: number,
  fromRow: number,
  fromStep: number,
): void {
  if (fromRow === -size && toStep === size) {
    // The source backwards is forwards into the target's rows from the last one on.
    copyPlane(
      core,
      size,
      rows,
      count,
      to + (rows - 1) * toRow,
      -toRow,
      toStep,
      from + (rows - 1) * fromRow,
      size,
      fromStep,
    );
    return;
  }
  if (toRow === size && fromStep === size && toStep !== size) {
    copyPlane(core, size, count, rows, to, toStep, toRow, from, fromStep, fromRow);
    return;
  }
  const side = size === 1 ? 8 : 16 / size;
  const turned = toStep === size && fromRow === size && rows >= side && count >= side;
  const height = turned ? rows - (rows % side) : 0;
  const width = turned ? count - (count % side) : 0;
  if (turned) {
    const turn: TurnCall = core[`turn${size}`];
    const [lines, columns] = [RUN_BYTES / size, LINE_BYTES / size];
    for (let i = 0; i < height; i += lines) {
      const tall = Math.min(lines, height - i);
      for (let j = 0; j < width; j += columns) {
        turn(
          tall,
          Math.min(columns, width - j),
          to + i * toRow + j * size,
          toRow,
          from + i * size + j * fromStep,
          fromStep,
        );
      }
    }
    if (width < count) {
      movePlane(
        core,
        size,
        height,
        count - width,
        to + width * size,
        toRow,
        size,
        from + width * fromStep,
        size,
        fromStep,
      );
    }
  }
  if (height < rows) {
    movePlane(
      core,
      size,
      rows - height,
      count,
      to + height * toRow,
      toRow,
      toStep,
      from + height * fromRow,
      fromRow,
      fromStep,
    );
  }
}

/** Copies a plane element by element. */
function movePlane(
  core: CoreExports,
  size: Size,
  rows: number,
  count: number,
  to: number,
  toRow: number,
  toStep: number,
  from: number,
  fromRow: number,
  fromStep: number,
): void {
  const move: MoveCall = core[`move${size}`];
  const wide = Math.min(count, MOVED);
  const tall = Math.max(1, Math.floor(MOVED / wide));
  for (let i = 0; i < rows; i += tall) {
    for (let j = 0; j < count; j += wide) {
      const [toAt, fromAt] = [to + i * toRow + j * toStep, from + i * fromRow + j * fromStep];
      move(Math.min(tall, rows - i), Math.min(wide, count - j), toAt, toRow, toStep, fromAt, fromRow, fromStep);
    }
  }
}
