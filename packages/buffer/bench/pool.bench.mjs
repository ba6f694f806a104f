// What do renting and releasing cost in a warm pool, allocating in a warm arena, and counting a write?
//   pnpm build && node packages/buffer/bench/pool.bench.mjs [folder of the built package]
import process from "node:process";

const folder = process.argv[2] ?? "../dist";
const { Arena, BufferPool } = await import(`${folder}/index.js`);
const { wasmMemory } = await import(`${folder}/wasm.js`);

const CALLS = 10_000;
const ROUNDS = 500;
const LIMIT = 30;

const pool = new BufferPool({ source: wasmMemory({ initialBytes: 2 ** 26 }), checked: false });
const arena = new Arena(pool);
const buffer = pool.allocate(64);
const sizes = [60, 100, 500, 1000, 5000, 10_000, 50_000, 100_000];

const questions = {
  "rent and release, one class": () => {
    for (let i = 0; i < CALLS; i += 1) {
      const rented = pool.allocate(1000);
      rented.release(rented.generation);
    }
  },
  "rent and release, eight classes": () => {
    for (let i = 0; i < CALLS; i += 1) {
      const rented = pool.allocate(sizes[i & 7]);
      rented.release(rented.generation);
    }
  },
  "rent and release, transient": () => {
    for (let i = 0; i < CALLS; i += 1) {
      const rented = pool.allocate(1000, TRANSIENT);
      rented.release(rented.generation);
    }
  },
  "arena: allocate, reset every 1000": () => {
    for (let i = 0; i < CALLS; i += 1) {
      if (i % 1000 === 0) arena.reset();
      arena.allocate(200);
    }
  },
  "write gate": () => {
    const { generation } = buffer;
    for (let i = 0; i < CALLS; i += 1) buffer.beginWrite(generation, "add");
  },
};
const TRANSIENT = Object.freeze({ transient: true });

const best = {};
// Rounds take turns, so that a noisy moment of the machine hits all questions alike.
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, run] of Object.entries(questions)) {
    const start = performance.now();
    run();
    const ns = ((performance.now() - start) * 1e6) / CALLS;
    best[name] = Math.min(best[name] ?? Number.POSITIVE_INFINITY, ns);
  }
}

process.stdout.write(`best of ${ROUNDS} rounds of ${CALLS} calls\n`);
let isSlow = false;
for (const [name, ns] of Object.entries(best)) {
  isSlow ||= ns > LIMIT;
  process.stdout.write(`${name.padEnd(36)}${ns.toFixed(1).padStart(7)} ns\n`);
}
process.stdout.write(isSlow ? `over the limit of ${LIMIT} ns\n` : `all within ${LIMIT} ns\n`);
process.exit(isSlow ? 1 : 0);
