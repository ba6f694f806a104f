// How many compositions, coalescings and divisions of GEMM tilings a second, beside the definitions written down
// plainly? And does the time for each leaf stay level as layouts get longer? Best of the rounds.
// Run: pnpm --filter @sw/layout build && node packages/layout/bench/algebra.bench.mjs
import { coalesceByMode, logicalDivide, zippedDivide } from "../dist/algebra.js";
import { coalesce, compose, isInjective, layout, leaves, parseLayout } from "../dist/index.js";

const ROUNDS = 80;
const WARMUP = 20;
const ROUND_MS = 2; // short, so that some rounds are not interrupted

// ---- The textbook: layouts as lists of [extent, stride], every rule as it is stated, nothing checked or shared.

const flat = (l) => {
  const strides = leaves(l.stride);
  return leaves(l.shape).map((extent, i) => [extent, strides[i]]);
};

/** Drop extents of 1; while two neighbours are one progression, make them one. */
function textbookCoalesce(modes) {
  let list = modes.filter(([extent]) => extent !== 1);
  for (let i = 0; i + 1 < list.length; ) {
    const [[s0, d0], [s1, d1]] = [list[i], list[i + 1]];
    if (d1 === s0 * d0) list = [...list.slice(0, i), [s0 * s1, d0], ...list.slice(i + 2)];
    else i++;
  }
  return list.length === 0 ? [[1, 0]] : list;
}

/** Layout `a` after one mode s:d: divide d out of the extents of `a`, then take s elements of what is left. */
function textbookComposeMode(a, [s, d]) {
  if (d === 0) return [[s, 0]];
  let skip = d;
  const left = a.map(([extent, stride]) => {
    const step = Math.min(skip, extent);
    skip = Math.ceil(skip / extent);
    return [Math.ceil(extent / step), stride * step];
  });
  left[left.length - 1][0] = Number.POSITIVE_INFINITY;
  let take = s;
  const kept = left.map(([extent, stride]) => {
    const count = Math.min(take, extent);
    take = Math.ceil(take / count);
    return [count, stride];
  });
  return textbookCoalesce(kept);
}

/** Composition distributes over the modes of the inner layout. */
function textbookCompose(a, b) {
  const outer = textbookCoalesce(a);
  return b.map((mode) => textbookComposeMode(outer, mode));
}

/** Sort by stride; each gap below a stride is a mode, and the last fills up to the cotarget. */
function textbookComplement(modes, cotarget) {
  const sorted = modes.filter(([s, d]) => s !== 1 && d !== 0).sort((x, y) => x[1] - y[1]);
  const out = [];
  let span = 1;
  for (const [s, d] of sorted) {
    out.push([d / span, span]);
    span = s * d;
  }
  out.push([Math.ceil(cotarget / span), span]);
  return textbookCoalesce(out);
}

/** A divided by B: A after (B, complement of B in the size of A). */
function textbookDivide(a, b) {
  const size = a.reduce((product, [extent]) => product * extent, 1);
  return textbookCompose(a, [...b, ...textbookComplement(b, size)]);
}

// ---- Measuring.

/** The processor time of this process: unlike a clock it leaves out what else the machine does. */
function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The best time of one call, in nanoseconds. */
function best(fn) {
  let calls = 1;
  const round = () => {
    const start = cpuMs();
    for (let i = 0; i < calls; i++) fn();
    return cpuMs() - start;
  };
  while (round() < ROUND_MS) calls *= 2;
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < WARMUP + ROUNDS; i++) {
    const taken = round();
    if (i >= WARMUP) least = Math.min(least, taken);
  }
  return (least / calls) * 1e6;
}

// ---- The tilings of a GEMM: C = A B' in blocks of 128 × 128 × 8, tiles copied by 32 × 8 threads, computed by 16 × 16.

const P = parseLayout;
const matrix = P("(5120,4096):(1,5120)");
const tile = P("(128,8):(1,128)");
const padded = P("(128,8):(1,132)");
const core = P("((8,16),(4,2)):((4,64),(1,32))"); // in pieces of 8 × 4, each contiguous
const accumulators = P("(128,128):(1,128)");
const copying = P("((32,8),4):((1,128),32)"); // (thread, value) onto a tile
const fragment = P("((4,8),(2,2)):((32,1),(16,8))"); // (thread, value) of a 16 × 8 instruction

function requireSame(name, ours, theirs) {
  const [a, b] = [textbookCoalesce(flat(ours)), textbookCoalesce(theirs)].map(String);
  if (a !== b) throw new Error(`${name}: results differ: got ${a}, expected ${b}`);
}

const rows = [];

for (const [name, a, b] of [
  ["flat, two by two", P("(6,2):(8,2)"), P("(4,3):(3,1)")],
  ["tile after threads", tile, P("(32,8):(1,128)")],
  ["padded tile after (thread, value), depth 2", padded, copying],
  ["row-major tile after a fragment, depth 2", P("(16,8):(8,1)"), fragment],
  ["tile of pieces after (thread, value), both depth 2", core, copying],
]) {
  const [x, y] = [flat(a), flat(b)];
  requireSame(name, compose(a, b), textbookCompose(x, y).flat());
  rows.push([`compose: ${name}`, best(() => compose(a, b)), best(() => textbookCompose(x, y))]);
}

for (const [name, l] of [
  ["matrix", matrix],
  ["tile of pieces, depth 2", core],
  ["one progression, depth 2", P("((4,8),(2,16)):((1,4),(32,64))")],
]) {
  const x = flat(l);
  requireSame(name, coalesce(l), textbookCoalesce(x));
  rows.push([`coalesce: ${name}`, best(() => coalesce(l)), best(() => textbookCoalesce(x))]);
}

for (const [name, a, b] of [
  ["tile by threads", tile, P("(32,8):(1,128)")],
  ["tile of pieces by depth 2", core, P("((8,4),2):((1,128),8)")],
]) {
  const [x, y] = [flat(a), flat(b)];
  requireSame(name, logicalDivide(a, b), textbookDivide(x, y).flat());
  rows.push([`logicalDivide: ${name}`, best(() => logicalDivide(a, b)), best(() => textbookDivide(x, y))]);
}

for (const [name, l, tiler] of [
  ["matrix into blocks of 128 × 8", matrix, [128, 8]],
  ["tile over 32 × 8 threads", padded, [32, 8]],
  ["accumulators over 16 × 16 threads", accumulators, [16, 16]],
]) {
  // By mode; the textbook's halves of each mode are only gathered.
  const modes = flat(l);
  const byMode = () => {
    const halves = modes.map((mode, i) => textbookDivide([mode], [[tiler[i], 1]]));
    return [halves.map(([first]) => first), halves.map(([, rest]) => rest)];
  };
  requireSame(name, zippedDivide(l, tiler), byMode().flat(2));
  rows.push([`zippedDivide: ${name}`, best(() => zippedDivide(l, tiler)), best(byMode)]);
}

console.log("GEMM tilings".padEnd(56), "ops/s".padStart(12), "textbook".padStart(12), "ratio".padStart(7));
for (const [name, ours, plain] of rows) {
  const rate = (ns) => Math.round(1e9 / ns).toLocaleString("en");
  console.log(
    name.padEnd(56),
    rate(ours).padStart(12),
    rate(plain).padStart(12),
    (plain / ours).toFixed(2).padStart(7),
  );
}

// ---- Growth: time for each leaf. A level row is linear; one that doubles is quadratic.

/** A dense layout of n leaves of extent 2, the strides of neighbours swapped, so that nothing coalesces. */
function long(n) {
  // A size holds 52 factors of 2 at most: beyond 48, extents of 1 are strewn in.
  const shape = [];
  const stride = [];
  const twos = Math.min(n, 48);
  for (let i = 0; i < n; i++) {
    const isTwo = Math.floor(((i + 1) * twos) / n) > Math.floor((i * twos) / n);
    const position = Math.floor((i * twos) / n);
    const swapped = position % 2 === 0 ? Math.min(position + 1, twos - 1) : position - 1;
    shape.push(isTwo ? 2 : 1);
    stride.push(isTwo ? 2 ** swapped : 0);
  }
  return layout(shape, stride);
}

/** The same leaves as modes of depth 2, four in each. */
function nested(l) {
  const group = (list) => Array.from({ length: list.length / 4 }, (_, i) => list.slice(4 * i, 4 * i + 4));
  return layout(group(l.shape), group(l.stride));
}

const SIZES = [4, 8, 16, 32, 64];
const growth = {
  compose: (l) => () => compose(l, l),
  "compose, depth 2": (l) => {
    const deep = nested(l);
    return () => compose(deep, deep);
  },
  coalesce: (l) => () => coalesce(l),
  coalesceByMode: (l) => {
    const deep = nested(l);
    return () => coalesceByMode(deep);
  },
  "logicalDivide by its first half": (l) => {
    const half = layout(l.shape.slice(0, l.rank / 2), l.stride.slice(0, l.rank / 2));
    return () => logicalDivide(l, half);
  },
  isInjective: (l) => () => isInjective(l),
};
console.log(`\n${"ns a leaf, at so many leaves".padEnd(34)}`, ...SIZES.map((n) => String(n).padStart(8)));
for (const [name, prepare] of Object.entries(growth)) {
  const cells = SIZES.map((n) => (best(prepare(long(n))) / n).toFixed(1).padStart(8));
  console.log(name.padEnd(34), ...cells);
}
