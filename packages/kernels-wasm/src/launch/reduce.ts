import type { CoreExports, FoldCall } from "../kernels/core.js";
import type { FoldName } from "../kernels/kinds.js";
import { allOf, type Engine, type Family, type RoomKernel } from "./family.js";
import { eachPlace, joined, type Loop } from "./loops.js";
import type { Located } from "./working-room.js";

// What is kept is cut into blocks whose totals, in float64, fit the working memory. Every reduced loop is folded into them,
// along rows or down columns, whichever are contiguous.

/** Totals of one block. */
const TOTALS = 1024;
/** Elements of one call: an engine replaces slow first code between calls only. */
const MOST = 16_384;

const STILL: Loop = { extent: 1, to: 0, from: 0 };

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
  eachPlace(kept, out.at, plan.x, (outAt, xAt) => {
    for (let first = 0; first < totals.extent; first += TOTALS) {
      const count = Math.min(TOTALS, totals.extent - first);
      const [to, from] = [outAt + first * totals.to, xAt + first * totals.from];
      const foldAll = (way: Plan["way"]): boolean => {
        core.fillTotals(count, blocks, start);
        if (terms > 0) eachPlace(reduced, 0, from, (_, at) => foldBlock(core, fold, way, plan, count, blocks, at));
        return core.storeTotals(count, to, totals.to, blocks, divisor) !== 0;
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
      const at = x + j * totals.from + k * folded.from;
      const to = blocks + 8 * j;
      if (way === "Columns") (core[`${fold}Columns`] as FoldCall)(width, length, to, at, folded.from);
      else if (way === "Rows") (core[`${fold}Rows`] as FoldCall)(width, length, to, at, totals.from);
      else core[`${fold}Any`](width, length, to, at, totals.from, folded.from);
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
    const loop = { extent, to: out.strides[i]! * 4, from: x.strides[i]! * 4 };
    if (loop.to !== 0) kept.push(loop);
    else if (loop.from >= 0) reduced.push(loop);
    else {
      // The order of terms is free (S-23).
      reduced.push({ ...loop, from: -loop.from });
      start += (extent - 1) * loop.from;
    }
  }
  reduced.sort((a, b) => b.from - a.from);
  const [innerKept, innerReduced] = [joined(kept), joined(reduced)];
  const folded = innerReduced.pop() ?? { ...STILL, from: 4 };
  const column = innerKept.findLastIndex((loop) => loop.from === 4);
  const inColumns = folded.from !== 4 && column >= 0;
  const totals = innerKept.splice(inColumns ? column : -1, 1)[0] ?? STILL;
  const way = inColumns ? "Columns" : folded.from === 4 ? "Rows" : "Any";
  return { x: start, totals, kept: innerKept, folded, reduced: innerReduced, way };
}
