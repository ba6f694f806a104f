import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  Arena,
  BufferPool,
  type DataBuffer,
  heapMemory,
  type PoolStatistics,
  sizeClassOf,
  wasmMemory,
} from "../src/index.js";

/** What the model knows of a buffer that is out: its bytes all hold `mark`. */
interface Held {
  readonly buffer: DataBuffer;
  readonly generation: number;
  readonly byteLength: number;
  readonly mark: number;
}

/** A pool as a list and a few sums, with no memory behind it. */
interface Model {
  held: Held[];
  stale: Held[];
  idle: Map<number, number>;
  counts: { hits: number; misses: number; freed: number; peakBytes: number };
  readonly maxIdleBytes: number;
  marks: number;
}

interface Real {
  readonly pool: BufferPool;
}

function bytesOf(model: Model): number {
  return model.held.reduce((sum, { byteLength }) => sum + sizeClassOf(byteLength), 0);
}

function idleOf(model: Model): { idle: number; idleBytes: number } {
  let [idle, idleBytes] = [0, 0];
  for (const [bytes, count] of model.idle) {
    idle += count;
    idleBytes += bytes * count;
  }
  return { idle, idleBytes };
}

function expected(model: Model): PoolStatistics {
  const { hits, misses, freed, peakBytes } = model.counts;
  return {
    live: model.held.length,
    liveBytes: bytesOf(model),
    ...idleOf(model),
    peakBytes,
    hits,
    misses,
    created: misses,
    freed,
  };
}

/** Aligned, apart from each other, and holding what was written: the three laws of memory. */
function checkMemory(held: readonly Held[]): void {
  for (const { buffer, generation, byteLength, mark } of held) {
    expect(buffer.isLive(generation)).toBe(true);
    expect(buffer.address % 64).toBe(0);
    const bytes = buffer.view(Uint8Array);
    expect(bytes.length).toBe(byteLength);
    if (bytes.some((byte) => byte !== mark)) expect([...bytes]).toEqual(new Array(byteLength).fill(mark));
  }
  const byMemory = new Map<ArrayBufferLike, Held[]>();
  for (const one of held) {
    const memory = one.buffer.source.bytes(one.buffer.block);
    byMemory.set(memory, [...(byMemory.get(memory) ?? []), one]);
  }
  for (const group of byMemory.values()) {
    group.sort((a, b) => a.buffer.address - b.buffer.address);
    for (let i = 1; i < group.length; i += 1) {
      const before = group[i - 1]!;
      expect(group[i]!.buffer.address).toBeGreaterThanOrEqual(before.buffer.address + before.byteLength);
    }
  }
}

class Rent implements fc.Command<Model, Real> {
  readonly byteLength: number;
  readonly zero: boolean;
  constructor(byteLength: number, zero: boolean) {
    this.byteLength = byteLength;
    this.zero = zero;
  }
  check(): boolean {
    return true;
  }
  run(model: Model, { pool }: Real): void {
    const bytes = sizeClassOf(this.byteLength);
    const waiting = model.idle.get(bytes) ?? 0;
    const buffer = pool.allocate(this.byteLength, { zero: this.zero });
    if (waiting > 0) {
      model.idle.set(bytes, waiting - 1);
      model.counts.hits += 1;
    } else {
      model.counts.misses += 1;
    }
    if (this.zero) expect(buffer.view(Uint8Array).every((byte) => byte === 0)).toBe(true);
    expect(buffer.version).toBe(0);
    model.marks += 1;
    const mark = model.marks % 251;
    buffer.beginWrite(buffer.generation);
    buffer.view(Uint8Array).fill(mark);
    model.held.push({ buffer, generation: buffer.generation, byteLength: this.byteLength, mark });
    model.counts.peakBytes = Math.max(model.counts.peakBytes, bytesOf(model));
    expect(pool.statistics()).toEqual(expected(model));
    checkMemory(model.held);
  }
  toString(): string {
    return `rent(${this.byteLength}${this.zero ? ", zero" : ""})`;
  }
}

class Release implements fc.Command<Model, Real> {
  readonly pick: number;
  constructor(pick: number) {
    this.pick = pick;
  }
  check(model: Readonly<Model>): boolean {
    return model.held.length > 0;
  }
  run(model: Model, { pool }: Real): void {
    const [held] = model.held.splice(this.pick % model.held.length, 1);
    held!.buffer.release(held!.generation);
    model.stale.push(held!);
    const bytes = sizeClassOf(held!.byteLength);
    if (idleOf(model).idleBytes + bytes > model.maxIdleBytes) model.counts.freed += 1;
    else model.idle.set(bytes, (model.idle.get(bytes) ?? 0) + 1);
    expect(pool.statistics()).toEqual(expected(model));
    checkMemory(model.held);
  }
  toString(): string {
    return `release(${this.pick})`;
  }
}

class ReleaseStale implements fc.Command<Model, Real> {
  readonly pick: number;
  constructor(pick: number) {
    this.pick = pick;
  }
  check(model: Readonly<Model>): boolean {
    return model.stale.length > 0;
  }
  run(model: Model, { pool }: Real): void {
    const { buffer, generation } = model.stale[this.pick % model.stale.length]!;
    expect(buffer.isLive(generation)).toBe(false);
    buffer.release(generation);
    expect(pool.statistics()).toEqual(expected(model));
    checkMemory(model.held);
  }
  toString(): string {
    return `releaseStale(${this.pick})`;
  }
}

class Trim implements fc.Command<Model, Real> {
  check(): boolean {
    return true;
  }
  run(model: Model, { pool }: Real): void {
    model.counts.freed += idleOf(model).idle;
    model.idle.clear();
    pool.trim();
    expect(pool.statistics()).toEqual(expected(model));
    checkMemory(model.held);
  }
  toString(): string {
    return "trim()";
  }
}

const poolCommands = fc.commands(
  [
    fc.tuple(fc.integer({ min: 0, max: 2000 }), fc.boolean()).map(([n, zero]) => new Rent(n, zero)),
    fc.constantFrom(8, 64, 300).map((n) => new Rent(n, false)),
    fc.nat(1000).map((pick) => new Release(pick)),
    fc.nat(1000).map((pick) => new Release(pick)),
    fc.nat(1000).map((pick) => new ReleaseStale(pick)),
    fc.constant(new Trim()),
  ],
  { maxCommands: 60 },
);

describe("laws", () => {
  test.each([
    ["the heap", heapMemory],
    ["a WebAssembly memory that grows", () => wasmMemory({ initialBytes: 0, maximumBytes: 2 ** 26 })],
  ])("a pool over %s counts exactly, and its live buffers never overlap or lose a byte", (_name, makeSource) => {
    fc.assert(
      fc.property(poolCommands, fc.constantFrom(0, 1000, 2 ** 31), (commands, maxIdleBytes) => {
        fc.modelRun(() => {
          const counts = { hits: 0, misses: 0, freed: 0, peakBytes: 0 };
          const model: Model = { held: [], stale: [], idle: new Map(), counts, maxIdleBytes, marks: 0 };
          return { model, real: { pool: new BufferPool({ source: makeSource(), maxIdleBytes }) } };
        }, commands);
      }),
      { numRuns: 60 },
    );
  });

  test("an arena over a memory that grows keeps the three laws, and its count, in every run", () => {
    const step = fc.record({
      byteLength: fc.integer({ min: 0, max: 5000 }),
      release: fc.boolean(),
      pick: fc.nat(1000),
    });
    fc.assert(
      fc.property(fc.array(fc.array(step, { maxLength: 20 }), { maxLength: 5 }), (runs) => {
        const pool = new BufferPool({ source: wasmMemory({ initialBytes: 0, maximumBytes: 2 ** 26 }) });
        const arena = new Arena(pool, { chunkBytes: 4096 });
        let marks = 0;
        for (const steps of runs) {
          const held: Held[] = [];
          for (const { byteLength, release, pick } of steps) {
            if (release && held.length > 0) {
              const [gone] = held.splice(pick % held.length, 1);
              gone!.buffer.release(gone!.generation);
              expect(gone!.buffer.isLive(gone!.generation)).toBe(false);
            }
            const buffer = arena.allocate(byteLength);
            marks += 1;
            buffer.view(Uint8Array).fill(marks % 251);
            held.push({ buffer, generation: buffer.generation, byteLength, mark: marks % 251 });
            checkMemory(held);
            const liveBytes = held.reduce((sum, one) => sum + one.byteLength, 0);
            expect(arena.statistics()).toMatchObject({ live: held.length, liveBytes });
          }
          arena.reset();
          expect(held.some(({ buffer, generation }) => buffer.isLive(generation))).toBe(false);
          expect(arena.statistics()).toMatchObject({ live: 0, liveBytes: 0, usedBytes: 0 });
          expect(pool.statistics()).toMatchObject({ live: arena.statistics().chunks });
        }
        arena.dispose();
        expect(pool.statistics()).toMatchObject({ live: 0, liveBytes: 0 });
      }),
      { numRuns: 60 },
    );
  });
});
