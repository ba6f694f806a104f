// What does a view cost: where its geometry is new, and where the same one was derived before?
//   pnpm build && node packages/tensor/bench/views.bench.mjs [folder of the built package]
import { spawnSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { getHeapStatistics } from "node:v8";

const folder = process.argv[2] ?? "../dist";
const { zeros } = await import(`${folder}/index.js`);

const CALLS = 2000;
const ROUNDS = 3000;
/** The limits, in nanoseconds: 15 and 30 million a second. */
const NEW = 1000 / 15;
const AGAIN = 1000 / 30;
const BYTES = 300;
/** What the yardstick below takes on the machine that the limits were set for, in nanoseconds. */
const THERE = 4.3;

const m = zeros([64, 48]);
const x = zeros([8, 16, 12, 10]);
const orders = [
  [0, 2, 1, 3],
  [3, 1, 0, 2],
];
const shapes = [[48, 64], [3072], [16, 4, 48], [2, 32, 3, 16]];
let kept;

/** Tensors that no view was made of yet. */
let fresh;
const prepare = () => {
  fresh = Array.from({ length: CALLS }, () => x.flip(0));
};

/** Each question is a loop of its own: [name, limit, loop, what comes before it]. */
const questions = [
  [
    "permute rank 4, first",
    NEW,
    () => {
      for (let i = 0; i < CALLS; i++) kept = fresh[i].permute(orders[1]);
    },
    prepare,
  ],
  [
    "select rank 4, first",
    NEW,
    () => {
      for (let i = 0; i < CALLS; i++) kept = fresh[i].select(1, 3);
    },
    prepare,
  ],
  [
    "permute rank 2, again",
    AGAIN,
    () => {
      for (let i = 0; i < CALLS; i++) kept = m.permute([1, 0]);
    },
  ],
  [
    "T, again",
    AGAIN,
    () => {
      for (let i = 0; i < CALLS; i++) kept = m.T;
    },
  ],
  [
    "permute rank 4, again",
    AGAIN,
    () => {
      for (let i = 0; i < CALLS; i++) kept = x.permute([0, 2, 1, 3]);
    },
  ],
  [
    "permute rank 4, new",
    NEW,
    () => {
      for (let i = 0; i < CALLS; i++) kept = x.permute(orders[i & 1]);
    },
  ],
  [
    "transpose rank 4, new",
    NEW,
    () => {
      for (let i = 0; i < CALLS; i++) kept = x.transpose(i & 1, 2);
    },
  ],
  [
    "slice rank 2, again",
    AGAIN,
    () => {
      for (let i = 0; i < CALLS; i++) kept = m.slice(0, i & 31, (i & 31) + 16);
    },
  ],
  [
    "slice rank 2, new",
    NEW,
    () => {
      for (let i = 0; i < CALLS; i++) kept = m.slice(0, 0, 16 + (i & 31));
    },
  ],
  [
    "slice rank 4, new",
    NEW,
    () => {
      for (let i = 0; i < CALLS; i++) kept = x.slice(i & 1, 0, 4 + (i & 3));
    },
  ],
  [
    "select rank 2, again",
    AGAIN,
    () => {
      for (let i = 0; i < CALLS; i++) kept = m.select(0, i & 63);
    },
  ],
  [
    "select rank 4, new",
    NEW,
    () => {
      for (let i = 0; i < CALLS; i++) kept = x.select(i & 3, i & 7);
    },
  ],
  [
    "reshape rank 2, again",
    AGAIN,
    () => {
      for (let i = 0; i < CALLS; i++) kept = m.reshape([48, 64]);
    },
  ],
  [
    "reshape, new",
    NEW,
    () => {
      for (let i = 0; i < CALLS; i++) kept = m.reshape(shapes[i & 3]);
    },
  ],
];

// Bytes are counted in a process of their own, whose new space is so large that no scavenge takes any away.
const COUNT = "--count-bytes";
if (process.argv.includes(COUNT)) {
  const nothing = () => {};
  const [base, ...bytes] = [["", 0, nothing], ...questions].map(([, , run, before = nothing]) => {
    for (let warm = 0; warm < 200; warm++) {
      before();
      run();
    }
    before();
    const start = getHeapStatistics().used_heap_size;
    run();
    return (getHeapStatistics().used_heap_size - start) / CALLS;
  });
  process.stdout.write(JSON.stringify(bytes.map((each) => each - base)));
  process.exit(0);
}
const flags = ["--min-semi-space-size=512", "--max-semi-space-size=512"];
const counted = spawnSync(process.execPath, [...flags, fileURLToPath(import.meta.url), folder, COUNT]);
const bytes = JSON.parse(counted.stdout.toString());

/**
 * What the machine does at this moment: an object as large as a handle, of what is at hand. The limits are for a machine
 * that makes one in 4.3 ns, as the one of the design's figures does; times are scaled to that before they are judged.
 */
class Fields {
  constructor(a, b, c, d, e, f) {
    this.a = a;
    this.b = b;
    this.c = c;
    this.d = d;
    this.e = e;
    this.f = f;
    this.g = undefined;
  }
}
const yardstick = [
  "an object of seven fields",
  undefined,
  () => {
    for (let i = 0; i < CALLS; i++) kept = new Fields(m.dtype, m.buffer, m.generation, m.offset, m.layout, m.shape);
  },
];

const best = new Map();
for (let round = 0; round < ROUNDS; round++) {
  // Rounds take turns, so that a noisy moment of the machine hits all questions alike.
  for (const [name, , run, before] of [yardstick, ...questions]) {
    before?.();
    const start = performance.now();
    run();
    const ns = ((performance.now() - start) * 1e6) / CALLS;
    best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, ns));
  }
}

const { log } = console;
const scale = THERE / best.get(yardstick[0]);
log(`best of ${ROUNDS} rounds of ${CALLS} calls; NumPy takes 60 to 110 ns, peers in JavaScript 20 to 2600`);
log(`${yardstick[0]}: ${best.get(yardstick[0]).toFixed(1)} ns, ${THERE} where the limits were set`);
log(`${"".padEnd(28)}     ns  scaled   limit   bytes`);
let isOver = kept === undefined;
questions.forEach(([name, limit], at) => {
  const ns = best.get(name);
  const over = ns * scale > limit || bytes[at] > BYTES;
  isOver ||= over;
  const columns = [ns, ns * scale, limit].map((each) => each.toFixed(1).padStart(8)).join("");
  log(`${name.padEnd(27)}${columns}${bytes[at].toFixed(0).padStart(8)}${over ? "  over" : ""}`);
});
process.exit(isOver ? 1 : 0);
