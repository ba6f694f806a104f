import type { Result } from "../src/table.mjs";
import { judge, type Measured, type Reach } from "../src/verdict.mjs";

/** A row as it is after it was measured. */
export function result(
  row: Result["row"],
  samples: Measured["samples"],
  reach: readonly Reach[],
  notes: readonly string[] = [],
): Result {
  const limit = "machine" in samples ? { limit: { name: "machine", work: 100 } } : {};
  const work = row.work === undefined ? {} : { work: row.work };
  const measured = { samples, ours: "strideweave", peers: ["peer"], ...work, ...limit };
  return { row, measured, judged: reach.map((one) => judge(one, measured)), notes };
}

/** A product that reaches one of its two aims, and a view that is too slow. */
export const RESULTS: readonly Result[] = [
  result(
    { id: "matmul", title: "a product", unit: "GFLOP/s", work: 100 },
    { strideweave: [2, 2, 2], peer: [3, 3, 3], machine: [1, 1, 1] },
    [
      { faster: 1.3, than: "best" },
      { share: 0.88, of: "registers" },
    ],
  ),
  result({ id: "view", title: "a <view>", unit: "µs" }, { strideweave: [0.1, 0.2, 0.3] }, [{ atMost: 0.06 }], ["warm"]),
];
