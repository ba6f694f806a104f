/** Additions that nobody disposes, 12 GB of results, or 3 GB. */
const dropping = (what) => ["dropped", what, "30000"];
const quickly = (what) => ["dropped", what, "7500"];
/** Megabytes of tensors that are held while results are dropped. */
const LIVE = 0.8;

/**
 * Rows about memory. Each contestant is a program of `tasks/`, run in a process of its own with the arguments given; it
 * prints a number for each of its measures, and a row reads one of these.
 */
export const MEMORY = [
  {
    id: "dropped-memory",
    title: "12 GB of sums (a quick run: 3 GB) that nobody disposes, in a loop that never yields: growth of the RSS",
    unit: "MB",
    reach: [{ atMost: 2 * LIVE + 64 }],
    programs: { strideweave: dropping("dropped") },
    quick: { strideweave: quickly("dropped") },
    measure: "growth",
  },
  {
    id: "dropped-time",
    title: "the same: time beside that of disposing",
    unit: "µs",
    reach: [{ faster: 1 / 5, than: "disposed" }],
    programs: { strideweave: dropping("dropped"), disposed: dropping("disposed") },
    quick: { strideweave: quickly("dropped"), disposed: quickly("disposed") },
    measure: "time",
  },
  {
    id: "training-memory",
    title: "10⁴ training steps (a quick run: 10³): growth of the RSS after the first tenth",
    unit: "MB",
    reach: [{ atMost: 8 }],
    programs: { strideweave: ["training", "10000"] },
    quick: { strideweave: ["training", "1000"] },
    once: true,
    measure: "growth",
  },
  {
    id: "soak",
    title: "10⁶ operations of many kinds: what the pool still lends afterwards",
    unit: "buffers",
    reach: [{ atMost: 0 }],
    programs: { strideweave: ["soak", "1000000"] },
    once: true,
    asked: true,
    measure: "lent",
  },
];
