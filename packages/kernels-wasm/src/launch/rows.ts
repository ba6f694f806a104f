import type { Operand } from "@sw/tensor/seam";
import type { CoreExports, RowCall } from "../kernels/core.js";
import { ABSENT } from "../kernels/kinds.js";
import { allOf, type Family, type RoomKernel } from "./family.js";
import { eachPlace, joined, type Loop } from "./loops.js";
import type { Located } from "./working-room.js";

/** Elements of one call: an engine replaces slow first code between calls only. */
const MOST = 16_384;

/** Of an operand along rows: where it begins, and its steps in bytes. */
interface Side {
  readonly at: number;
  readonly row: number;
}

const along = (call: (core: CoreExports) => RowCall): RoomKernel => ({
  objection: allOf("float32"),
  launch: ({ core }, room, [out], [x]) => {
    const result = room.locate(out!, hasRows(out!));
    const source = room.locate(x!, hasRows(x!));
    room.fill();
    const count = x!.shape.at(-1)!;
    const run = call(core);
    eachRun(result, source, (rows, to, from) => {
      const most = Math.max(1, Math.floor(MOST / count));
      for (let i = 0; i < rows; i += most) {
        run(Math.min(most, rows - i), count, to.at + i * to.row, to.row, from.at + i * from.row, from.row);
      }
    });
    room.giveBack();
  },
});

/** Rows that are side by side in every operand, as they are or in a copy. */
const normalising = (isCentred: boolean): RoomKernel => ({
  objection: allOf("float32"),
  launch: ({ core }, room, [out, normalised, inverse], [x, weight, bias], _ints, [epsilon]) => {
    const optional = (operand: Operand | undefined): number =>
      operand === undefined ? ABSENT : room.locate(operand).at;
    const [to, from] = [room.locate(out!).at, room.locate(x!).at];
    const [w, b, before, factors] = [optional(weight), optional(bias), optional(normalised), optional(inverse)];
    room.fill();
    const count = x!.shape.at(-1)!;
    const rows = x!.shape.slice(0, -1).reduce((product, extent) => product * extent, 1);
    // Weights are looked at in every call.
    const most = Math.max(1, Math.floor((4 * MOST) / count));
    const after = (at: number, elements: number): number => (at === ABSENT ? at : at + 4 * elements);
    for (let i = 0; i < rows; i += most) {
      const [outAt, xAt, beforeAt] = [to, from, before].map((at) => after(at, i * count)) as [number, number, number];
      const height = Math.min(most, rows - i);
      core.normalise(height, count, Number(isCentred), outAt, xAt, w, b, beforeAt, after(factors, i), epsilon!);
    }
    room.giveBack();
  },
});

export const ROWS: Family<"softmax" | "logSoftmax" | "layerNorm" | "rmsNorm"> = {
  layerNorm: normalising(true),
  rmsNorm: normalising(false),
  softmax: along((core) => core.softmax),
  logSoftmax: along((core) => core.logSoftmax),
};

/** Whether the elements of every row lie side by side. */
function hasRows({ shape, strides }: Pick<Located, "shape" | "strides">): boolean {
  return shape.at(-1) === 1 || strides.at(-1) === 1;
}

/** Visits runs of rows that are evenly apart in both operands. */
function eachRun(out: Located, x: Located, visit: (rows: number, out: Side, x: Side) => void): void {
  const loops: Loop[] = [];
  for (let axis = 0; axis < out.shape.length - 1; axis++) {
    const extent = out.shape[axis]!;
    if (extent !== 1) loops.push({ extent, to: out.strides[axis]! * 4, from: x.strides[axis]! * 4 });
  }
  const outer = joined(loops);
  const run = outer.pop() ?? { extent: 1, to: 0, from: 0 };
  eachPlace(outer, out.at, x.at, (to, from) => {
    visit(run.extent, { at: to, row: run.to }, { at: from, row: run.from });
  });
}
