import type { CoreExports, FoldCall } from "../kernels/core.js";
import type { FoldName } from "../kernels/kinds.js";
import { allOf, type Engine, type Family, type RoomKernel } from "./family.js";
import type { Located } from "./working-room.js";

// What is kept is cut into blocks whose totals, in float64, fit the working memory. Every reduced loop is folded into them,
// along rows or down columns, whichever are contiguous.

/** Totals of one block. */
const TOTALS = 1024;
/** Elements of one call: an engine replaces slow first code between calls only. */
const MOST = 16_384;

/** A loop, with its steps in bytes. */
interface Loop {
  readonly extent: number;
  readonly out: number;
  readonly x: number;
}

const STILL: Loop = { extent: 1, out: 0, x: 0 };

interface Reduction {
  readonly fold: FoldName;
  /** What totals begin with. */
  readonly start: number;
  readonly isMean: boolean;
}

/** The loops of a call, and how the innermost ones are folded. */
interface Plan {
  /** Where the input begins, once its reduced loops go forwards. */
  readonly x: number;
  /** The kept loop whose elements have totals side by side. */
  readonly totals: Loop;
  readonly kept: readonly Loop[];
  /** The reduced loop that a call goes along. */
  readonly folded: Loop;
  readonly reduced: readonly Loop[];
  readonly way: "Rows" | "Columns" | "Any";
}

const reduction = (fold: FoldName, start: number, isMean = false): RoomKernel => ({
  objection: allOf("float32"),
  launch: (engine, room, [out], [x]) => {
    const result = room.locate(out!, true);
    const source = room.locate(x!, true);
    room.fill();
    reduce(engine, { fold, start, isMean }, result, source);
    room.giveBack();
  },
});

export const REDUCTIONS: Family<"sum" | "mean" | "max" | "min"> = {
  sum: reduction("sum", 0),
  mean: reduction("sum", 0, true),
  max: reduction("max", Number.NEGATIVE_INFINITY),
  min: reduction("min", Number.POSITIVE_INFINITY),
};

function reduce({ core, blocks }: Engine, { fold, start, isMean }: Reduction, out: Located, x: Located): void {
  const plan = planOf(out, x);
  const { totals, kept, folded, reduced, way } = plan;
  const terms = reduced.reduce((count, { extent }) => count * extent, folded.extent);
  const divisor = isMean ? terms : 1;
  each(kept, out.at, plan.x, (outAt, xAt) => {
    for (let first = 0; first < totals.extent; first += TOTALS) {
      const count = Math.min(TOTALS, totals.extent - first);
      const [to, from] = [outAt + first * totals.out, xAt + first * totals.x];
      const foldAll = (way: Plan["way"]): boolean => {
        core.fillTotals(count, blocks, start);
        if (terms > 0) each(reduced, 0, from, (_, at) => foldBlock(core, fold, way, plan, count, blocks, at));
        return core.storeTotals(count, to, totals.out, blocks, divisor) !== 0;
      };
      // Sums of float32 may overflow where those of float64 do not.
      if (!foldAll(way) && fold === "sum" && way !== "Any") foldAll("Any");
    }
  });
}

/** Folds one reduced loop into the totals of a block. */
function foldBlock(
  core: CoreExports,
  fold: FoldName,
  way: Plan["way"],
  { totals, folded }: Plan,
  count: number,
  blocks: number,
  x: number,
): void {
  const along = Math.min(folded.extent, MOST);
  const across = Math.max(1, Math.floor(MOST / along));
  for (let j = 0; j < count; j += across) {
    const width = Math.min(across, count - j);
    for (let k = 0; k < folded.extent; k += along) {
      const length = Math.min(along, folded.extent - k);
      const at = x + j * totals.x + k * folded.x;
      const to = blocks + 8 * j;
      if (way === "Columns") (core[`${fold}Columns`] as FoldCall)(width, length, to, at, folded.x);
      else if (way === "Rows") (core[`${fold}Rows`] as FoldCall)(width, length, to, at, totals.x);
      else core[`${fold}Any`](width, length, to, at, totals.x, folded.x);
    }
  }
}

/** Joins loops and finds the two that are folded at once. */
function planOf(out: Located, x: Located): Plan {
  const kept: Loop[] = [];
  const reduced: Loop[] = [];
  let start = x.at;
  for (let i = 0; i < out.shape.length; i++) {
    const extent = out.shape[i]!;
    if (extent === 1) continue;
    const loop = { extent, out: out.strides[i]! * 4, x: x.strides[i]! * 4 };
    if (loop.out !== 0) kept.push(loop);
    else if (loop.x >= 0) reduced.push(loop);
    else {
      // The order of terms is free (S-23).
      reduced.push({ ...loop, x: -loop.x });
      start += (extent - 1) * loop.x;
    }
  }
  reduced.sort((a, b) => b.x - a.x);
  const [innerKept, innerReduced] = [joined(kept), joined(reduced)];
  const folded = innerReduced.pop() ?? { ...STILL, x: 4 };
  const column = innerKept.findLastIndex((loop) => loop.x === 4);
  const inColumns = folded.x !== 4 && column >= 0;
  const totals = innerKept.splice(inColumns ? column : -1, 1)[0] ?? STILL;
  const way = inColumns ? "Columns" : folded.x === 4 ? "Rows" : "Any";
  return { x: start, totals, kept: innerKept, folded, reduced: innerReduced, way };
}

/** Joins neighbouring loops that step through both operands as one. */
function joined(loops: readonly Loop[]): Loop[] {
  const result: Loop[] = [];
  for (const loop of loops) {
    const last = result.at(-1);
    if (last !== undefined && last.out === loop.out * loop.extent && last.x === loop.x * loop.extent) {
      result[result.length - 1] = { ...loop, extent: loop.extent * last.extent };
    } else result.push(loop);
  }
  return result;
}

/** Visits every coordinate of loops, with the places of both operands there. */
function each(
  loops: readonly Loop[],
  out: number,
  x: number,
  visit: (out: number, x: number) => void,
  depth = 0,
): void {
  const loop = loops[depth];
  if (loop === undefined) {
    visit(out, x);
    return;
  }
  for (let i = 0; i < loop.extent; i++) each(loops, out + i * loop.out, x + i * loop.x, visit, depth + 1);
}
