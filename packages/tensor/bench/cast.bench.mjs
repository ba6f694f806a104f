// How long does `cast` of 10⁶ elements take beside a typed-array copy, for all 169 ordered pairs of dtypes?
//
// The peer is the host's own copy between the two arrays' classes, `target.set(source)`: it converts between all classes
// of numbers (to integers by wrapping where we saturate), and moves bytes where they are the same. Between numbers and
// bigints the host has none: there the peer is a plain copy of the wider of the two arrays.
//
// A loop slows down for good once it has met several array classes. So each pair is measured twice: `alone` in a process
// of its own, and `after all` in one that has cast every pair before. Both are the best of the rounds, in processor time;
// cast and peer take turns.
// Run: pnpm --filter @sw/tensor build && node packages/tensor/bench/cast.bench.mjs [from] [to]
import { execFileSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { DTYPES } from "../dist/index.js";
import { choose, numberToBfloat16, numberToHalf, OPERATIONS } from "../dist/seam.js";

const COUNT = 1_000_000;
const ROUNDS = 40;
const WARM = 60_000;
const NAMES = Object.keys(DTYPES);
const LIMIT = 3;

/** Floats within ±1000, integers of all sizes, and as many of one bool as of the other; the same in each run. */
function elements(dtype) {
  const { kind, array } = DTYPES[dtype];
  const data = new array(COUNT);
  let state = 1;
  if (kind === "float") {
    const encode = { float16: numberToHalf, bfloat16: numberToBfloat16 }[dtype] ?? ((x) => x);
    for (let i = 0; i < COUNT; i++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      data[i] = encode((state / 2 ** 31) * 1000 - 1000);
    }
    return data;
  }
  const bytes = new Uint8Array(data.buffer);
  for (let i = 0; i < bytes.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[i] = kind === "bool" ? state >>> 31 : state >>> 24;
  }
  return data;
}

const operand = (dtype, data, size = data.length) => ({ dtype, data, offset: 0, shape: [size], strides: [1] });

/** The host's copy from one array to the other, or of the wider one where it has none. */
function peerOf(target, source) {
  const big = (array) => array instanceof BigInt64Array || array instanceof BigUint64Array;
  if (big(target) === big(source)) return () => target.set(source);
  const wider = target.BYTES_PER_ELEMENT > source.BYTES_PER_ELEMENT ? target : source;
  const copy = new wider.constructor(wider.length);
  return () => copy.set(wider);
}

/** The processor time of this process, in nanoseconds: unlike a clock it leaves out what else the machine does. */
function processorTime() {
  const { user, system } = process.cpuUsage();
  return 1000 * (user + system);
}

function nanoseconds(fn) {
  const start = processorTime();
  fn();
  return (processorTime() - start) / COUNT;
}

/** The best of the rounds: nanoseconds an element of the cast, and of its peer. */
function measure(from, to) {
  const source = elements(from);
  const target = new DTYPES[to].array(COUNT);
  const [out, input] = [operand(to, target), operand(from, source)];
  const cast = choose(OPERATIONS.cast, [out], [input], [], []);
  const peer = peerOf(target, source);
  let best = Number.POSITIVE_INFINITY;
  let peerBest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    best = Math.min(
      best,
      nanoseconds(() => cast([out], [input], [], [])),
    );
    peerBest = Math.min(peerBest, nanoseconds(peer));
  }
  return { from, to, cast: best, peer: peerBest, ratio: best / peerBest };
}

/** Casts every pair, so that every loop has met what it can meet. */
function warmAll() {
  const sources = NAMES.map((name) => [name, elements(name)]);
  for (let pass = 0; pass < 3; pass++) {
    for (const [from, data] of sources) {
      for (const to of NAMES) {
        const [out, input] = [operand(to, new DTYPES[to].array(WARM)), operand(from, data, WARM)];
        choose(OPERATIONS.cast, [out], [input], [], [])([out], [input], [], []);
      }
    }
  }
}

function child(...args) {
  const file = fileURLToPath(import.meta.url);
  return JSON.parse(execFileSync(process.execPath, [file, ...args], { encoding: "utf8" }));
}

function report(pairs) {
  const alone = pairs.map(({ from, to }) => child("--alone", from, to));
  const after = child("--after-all", JSON.stringify(pairs));
  console.log("ns per element; × is the ratio to the typed-array copy\n");
  console.log(`${"from".padEnd(9)} ${"to".padEnd(9)}    copy   alone       ×   after all       ×`);
  alone.forEach((a, k) => {
    const b = after[k];
    const row = [
      a.peer.toFixed(3),
      a.cast.toFixed(2),
      a.ratio.toFixed(1),
      b.cast.toFixed(2).padStart(11),
      b.ratio.toFixed(1),
    ];
    console.log(`${a.from.padEnd(9)} ${a.to.padEnd(9)} ${row.map((text) => text.padStart(7)).join(" ")}`);
  });
  for (const [name, list] of [
    ["alone", alone],
    ["after all", after],
  ]) {
    const sorted = [...list].sort((a, b) => b.ratio - a.ratio);
    const within = list.filter(({ ratio }) => ratio <= LIMIT).length;
    const worst = sorted.slice(0, 8).map((p) => `${p.from} to ${p.to} ${p.ratio.toFixed(1)}`);
    const slowest = Math.max(...list.map(({ cast }) => cast));
    console.log(
      `\n${name}: ${within} of ${list.length} within ${LIMIT}×, median ${sorted[sorted.length >> 1].ratio.toFixed(1)}×, slowest ${slowest.toFixed(1)} ns an element`,
    );
    console.log(`worst: ${worst.join(", ")}`);
  }
}

const [first, second, third] = process.argv.slice(2);
if (first === "--alone") console.log(JSON.stringify(measure(second, third)));
else if (first === "--after-all") {
  warmAll();
  console.log(JSON.stringify(JSON.parse(second).map(({ from, to }) => measure(from, to))));
} else {
  const wanted = (name, given) => given === undefined || given === "any" || given === name;
  report(
    NAMES.flatMap((from) => NAMES.map((to) => ({ from, to }))).filter(
      (p) => wanted(p.from, first) && wanted(p.to, second),
    ),
  );
}
