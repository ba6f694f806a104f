// What does a walk cost beside index arithmetic for each element, and beside loops written by hand? Best of the rounds.
// Run: pnpm --filter @sw/layout build && node packages/layout/bench/walk.bench.mjs
import { indexOf, layout, rowMajor, strided } from "../dist/index.js";
import { forEachRun, odometer, rowMajorIndices } from "../dist/walk.js";

const ROUNDS = 60;
const WARMUP = 10;
const ROW_MAJOR = { order: "rowMajor" };

/** The processor time of this process: unlike a clock it leaves out what else the machine does. */
function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function floats(count) {
  const data = new Float64Array(count);
  for (let i = 0; i < count; i++) data[i] = ((i * 7919) % 1013) - 506;
  return data;
}

/** Index arithmetic as one writes it first: decode each ordinal, row-major, and multiply by the strides. */
function naiveIndex(ordinal, extents, strides) {
  let rest = ordinal;
  let index = 0;
  for (let axis = extents.length - 1; axis >= 0; axis--) {
    const extent = extents[axis];
    index += (rest % extent) * strides[axis];
    rest = Math.floor(rest / extent);
  }
  return index;
}

/** The sum of the elements in the order of the naive walk. */
function naiveSum(data, extents, strides) {
  let size = 1;
  for (const extent of extents) size *= extent;
  let sum = 0;
  for (let i = 0; i < size; i++) sum += data[naiveIndex(i, extents, strides)];
  return sum;
}

/** The loop over a run: all that a kernel needs to write. */
function sumRun(data, start, step, count) {
  let sum = 0;
  for (let i = 0, index = start; i < count; i++, index += step) sum += data[index];
  return sum;
}

function addRun(out, a, b, o, x, y, so, sx, sy, count) {
  for (let i = 0; i < count; i++, o += so, x += sx, y += sy) out[o] = a[x] + b[y];
}

function callbackSum(data, layouts, options) {
  let sum = 0;
  forEachRun(
    layouts,
    (starts, steps, count) => {
      sum += sumRun(data, starts[0], steps[0], count);
    },
    options,
  );
  return sum;
}

function runsSum(data, layouts, options) {
  const walk = odometer(layouts, options);
  let sum = 0;
  while (walk.nextRun()) sum += sumRun(data, walk.index, walk.steps[0], walk.count);
  return sum;
}

function elementsSum(data, layouts, options) {
  const walk = odometer(layouts, options);
  let sum = 0;
  while (walk.next()) sum += data[walk.index];
  return sum;
}

function generatorSum(data, l) {
  let sum = 0;
  for (const index of rowMajorIndices(l)) sum += data[index];
  return sum;
}

const CASES = [];

{
  const n = 1000;
  const data = floats(n * n);
  const transposed = strided([n, n], [1, n]);
  CASES.push({
    name: "transposed [1000,1000], row-major, summed",
    reference: "two loops by hand",
    ways: {
      "two loops by hand": () => {
        let sum = 0;
        for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) sum += data[i + j * n];
        return sum;
      },
      "naive index arithmetic": () => naiveSum(data, [n, n], [1, n]),
      "odometer by runs": () => runsSum(data, [transposed], ROW_MAJOR),
      forEachRun: () => callbackSum(data, [transposed], ROW_MAJOR),
      "odometer by elements": () => elementsSum(data, [transposed], ROW_MAJOR),
      rowMajorIndices: () => generatorSum(data, transposed),
      "fastest order, by runs": () => runsSum(data, [transposed]),
    },
  });
}

{
  // 1024 × 1024 in tiles of 8 × 8, each tile contiguous: runs of 8 in row-major order.
  const n = 1024;
  const data = floats(n * n);
  const tiles = layout(
    [
      [8, n / 8],
      [8, n / 8],
    ],
    [
      [8, 8 * n],
      [1, 64],
    ],
  );
  const leafExtents = [n / 8, 8, n / 8, 8];
  const leafStrides = [8 * n, 8, 64, 1];
  CASES.push({
    name: "[1024,1024] in tiles of [8,8], row-major, summed",
    reference: "four loops by hand",
    ways: {
      "four loops by hand": () => {
        let sum = 0;
        for (let a = 0; a < n / 8; a++)
          for (let b = 0; b < 8; b++)
            for (let c = 0; c < n / 8; c++) for (let d = 0; d < 8; d++) sum += data[a * 8 * n + b * 8 + c * 64 + d];
        return sum;
      },
      "naive index arithmetic": () => naiveSum(data, leafExtents, leafStrides),
      "indexOf of each coordinate": () => {
        let sum = 0;
        for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) sum += data[indexOf(tiles, [i, j])];
        return sum;
      },
      "odometer by runs": () => runsSum(data, [tiles], ROW_MAJOR),
      forEachRun: () => callbackSum(data, [tiles], ROW_MAJOR),
      "odometer by elements": () => elementsSum(data, [tiles], ROW_MAJOR),
      "fastest order, by runs": () => runsSum(data, [tiles]),
    },
  });
}

{
  // out[i,j] = a[i,j] + bias[j], a transposed: three operands in lock-step.
  const n = 1000;
  const a = floats(n * n);
  const bias = floats(n);
  const out = new Float64Array(n * n);
  const layouts = [rowMajor([n, n]), strided([n, n], [1, n]), strided([n, n], [0, 1])];
  const strides = layouts.map((l) => l.stride);
  const extents = [n, n];
  CASES.push({
    name: "[1000,1000] of three operands, added",
    reference: "two loops by hand",
    ways: {
      "two loops by hand": () => {
        for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) out[i * n + j] = a[i + j * n] + bias[j];
        return out[n + 1];
      },
      "naive index arithmetic": () => {
        for (let i = 0; i < n * n; i++) {
          out[naiveIndex(i, extents, strides[0])] =
            a[naiveIndex(i, extents, strides[1])] + bias[naiveIndex(i, extents, strides[2])];
        }
        return out[n + 1];
      },
      forEachRun: () => {
        forEachRun(layouts, (starts, steps, count) => {
          addRun(out, a, bias, starts[0], starts[1], starts[2], steps[0], steps[1], steps[2], count);
        });
        return out[n + 1];
      },
      "odometer by elements": () => {
        const walk = odometer(layouts);
        const at = walk.indices;
        while (walk.next()) out[at[0]] = a[at[1]] + bias[at[2]];
        return out[n + 1];
      },
    },
  });
}

{
  // Nests without a common refinement: an axis of 6 as (2,3) and as (3,2), runs of 2, 2 and 2.
  const n = 100_000;
  const data = floats(6 * n);
  const a = layout([n, [2, 3]], [6, [3, 1]]);
  const b = layout([n, [3, 2]], [6, [2, 1]]);
  CASES.push({
    name: "[100000,6] as (2,3) and as (3,2), dot product",
    reference: "naive index arithmetic",
    ways: {
      "naive index arithmetic": () => {
        let sum = 0;
        for (let i = 0; i < 6 * n; i++) {
          sum += data[naiveIndex(i, [n, 3, 2], [6, 1, 3])] * data[naiveIndex(i, [n, 2, 3], [6, 1, 2])];
        }
        return sum;
      },
      "odometer by runs": () => {
        const walk = odometer([a, b]);
        const [at, steps] = [walk.indices, walk.steps];
        let sum = 0;
        while (walk.nextRun()) {
          let x = at[0];
          let y = at[1];
          for (let i = 0; i < walk.count; i++, x += steps[0], y += steps[1]) sum += data[x] * data[y];
        }
        return sum;
      },
      "odometer by elements": () => {
        const walk = odometer([a, b]);
        const at = walk.indices;
        let sum = 0;
        while (walk.next()) sum += data[at[0]] * data[at[1]];
        return sum;
      },
    },
  });
}

for (const { name, reference, ways } of CASES) {
  const names = Object.keys(ways);
  const times = names.map(() => []);
  const expected = ways[reference]();
  // Interleaved, so that all ways meet the same weather.
  for (let round = 0; round < WARMUP + ROUNDS; round++) {
    for (let w = 0; w < names.length; w++) {
      const start = cpuMs();
      const result = ways[names[w]]();
      const taken = cpuMs() - start;
      if (result !== expected) throw new Error(`${name}, ${names[w]}: got ${result}, expected ${expected}`);
      if (round >= WARMUP) times[w].push(taken);
    }
  }
  const best = times.map((list) => Math.min(...list));
  const of = (way) => best[names.indexOf(way)];
  console.log(`\n${name}`);
  console.log("".padEnd(28), "ms".padStart(8), "× by hand".padStart(10), "naive / it".padStart(11));
  for (let w = 0; w < names.length; w++) {
    console.log(
      names[w].padEnd(28),
      best[w].toFixed(2).padStart(8),
      (best[w] / of(reference)).toFixed(2).padStart(10),
      (of("naive index arithmetic") / best[w]).toFixed(1).padStart(11),
    );
  }
}
