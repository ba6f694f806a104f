import fc from "fast-check";
import { expect } from "vitest";
import { BufferPool, type BufferPoolOptions, type DataBuffer, type MemorySource, sizeClassOf } from "../src/index.js";

/** A buffer that is out: its bytes all hold `mark`. */
export interface Held {
  readonly buffer: DataBuffer;
  readonly generation: number;
  readonly byteLength: number;
  readonly mark: number;
  /** Whether it lies in the pool's own source. */
  readonly inside: boolean;
}

const MARKS = 251;
/** How often all memory is read again; the counts are compared after every command. */
const LOOK_EVERY = 50;

/** Aligned, apart from each other, and holding what was written: the three laws of memory. */
export function checkMemory(held: readonly Held[]): void {
  const byMemory = new Map<ArrayBufferLike, Held[]>();
  for (const one of held) {
    const { buffer, generation, byteLength, mark } = one;
    const bytes = buffer.view(Uint8Array);
    const isWhole = buffer.isLive(generation) && bytes.length === byteLength && buffer.address % 64 === 0;
    if (!isWhole || bytes.some((byte) => byte !== mark)) {
      expect({ live: buffer.isLive(generation), address: buffer.address, bytes: [...bytes] }).toBe(
        `live, aligned, ${byteLength} times ${mark}`,
      );
    }
    // An empty buffer overlaps nothing, wherever it is.
    if (byteLength === 0) continue;
    const memory = buffer.source.bytes(buffer.block);
    const group = byMemory.get(memory);
    if (group === undefined) byMemory.set(memory, [one]);
    else group.push(one);
  }
  for (const group of byMemory.values()) {
    group.sort((a, b) => a.buffer.address - b.buffer.address);
    for (let i = 1; i < group.length; i += 1) {
      const before = group[i - 1]!;
      const end = before.buffer.address + before.byteLength;
      if (group[i]!.buffer.address < end) expect(group[i]!.buffer.address).toBeGreaterThanOrEqual(end);
    }
  }
}

/** Writes a new mark into a buffer that was just handed out. */
export function mark(buffer: DataBuffer, byteLength: number, marks: number, inside: boolean): Held {
  buffer.beginWrite(buffer.generation);
  buffer.view(Uint8Array).fill(marks % MARKS);
  return { buffer, generation: buffer.generation, byteLength, mark: marks % MARKS, inside };
}

/** A pool as lists and sums, with no memory behind it. */
export class PoolModel {
  readonly pool: BufferPool;
  readonly maxIdleBytes: number;
  readonly limit: number;
  readonly overflows: boolean;
  readonly held: Held[] = [];
  readonly stale: Held[] = [];
  /** How many wait, by the bytes of their class. */
  readonly idle = new Map<number, number>();
  readonly counts = { live: 0, liveBytes: 0, idle: 0, idleBytes: 0, peakBytes: 0, hits: 0, created: 0, freed: 0 };
  overflow = 0;
  overflowBytes = 0;
  /** Whether a buffer from outside was released since the last new one. */
  returned = false;
  marks = 0;
  commands = 0;

  constructor(options: BufferPoolOptions & { readonly source: MemorySource; readonly maxIdleBytes: number }) {
    this.pool = new BufferPool(options);
    this.maxIdleBytes = options.maxIdleBytes;
    this.overflows = options.overflow !== undefined;
    this.limit = this.overflows ? (options.softLimitBytes ?? 0) : Number.POSITIVE_INFINITY;
  }

  /** Whether a request is served inside; counts it as the pool must. */
  rented(byteLength: number, isTransient: boolean): boolean {
    const { counts } = this;
    const room = sizeClassOf(byteLength);
    const waiting = this.idle.get(room) ?? 0;
    if (waiting > 0) {
      this.idle.set(room, waiting - 1);
      counts.idle -= 1;
      counts.idleBytes -= room;
      counts.hits += 1;
    } else {
      const outside = this.overflows && isTransient;
      const left = this.limit - counts.liveBytes - room;
      const isTiny = outside && byteLength <= 64 && !this.returned;
      this.returned = false;
      // What waits is given up only where that makes room.
      if (!isTiny && left >= 0) this.trimmed(left);
      if (outside && (isTiny || left < 0)) {
        this.overflow += 1;
        this.overflowBytes += byteLength;
        return false;
      }
      counts.created += 1;
    }
    counts.live += 1;
    counts.liveBytes += room;
    counts.peakBytes = Math.max(counts.peakBytes, counts.liveBytes);
    return true;
  }

  released(held: Held): void {
    if (!held.inside) {
      this.returned = true;
      return;
    }
    const { counts } = this;
    const room = sizeClassOf(held.byteLength);
    counts.live -= 1;
    counts.liveBytes -= room;
    if (counts.idleBytes + room > this.maxIdleBytes) {
      counts.freed += 1;
      return;
    }
    this.idle.set(room, (this.idle.get(room) ?? 0) + 1);
    counts.idle += 1;
    counts.idleBytes += room;
  }

  trimmed(idleBytes: number): void {
    const { counts } = this;
    for (const room of [...this.idle.keys()].sort((a, b) => b - a)) {
      let waiting = this.idle.get(room)!;
      for (; waiting > 0 && counts.idleBytes > idleBytes; waiting -= 1) {
        counts.idle -= 1;
        counts.idleBytes -= room;
        counts.freed += 1;
      }
      this.idle.set(room, waiting);
    }
  }

  /** Compares the pool with the model. */
  check(): void {
    this.commands += 1;
    const all = this.commands % LOOK_EVERY === 0;
    const actual = this.pool.statistics();
    const { counts, overflow, overflowBytes } = this;
    const misses = counts.created + overflow;
    const expected: { [name: string]: unknown } = { ...counts, misses, overflow, overflowBytes, forgotten: 0 };
    for (const name of Object.keys(expected)) {
      if (actual[name as keyof typeof actual] !== expected[name]) expect(actual).toMatchObject(expected);
    }
    if (!all) return;
    checkMemory(this.held);
    const live = new Map<number, number>();
    for (const { byteLength, inside } of this.held) {
      const room = sizeClassOf(byteLength);
      if (inside) live.set(room, (live.get(room) ?? 0) + 1);
    }
    const rooms = [...new Set([...live.keys(), ...this.idle.keys()])].sort((a, b) => a - b);
    const classes = rooms.map((byteLength) => ({
      byteLength,
      live: live.get(byteLength) ?? 0,
      idle: this.idle.get(byteLength) ?? 0,
    }));
    expect(actual.classes).toEqual(classes.filter(({ live, idle }) => live + idle > 0));
  }
}

/** A step of a run over a pool, as plain data, so that ten million of them are cheap. */
export type PoolCommand =
  | { readonly name: "rent"; readonly byteLength: number; readonly zero: boolean; readonly transient: boolean }
  | { readonly name: "release" | "release stale" | "trim"; readonly pick: number };

export const poolCommand: fc.Arbitrary<PoolCommand> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      name: fc.constant("rent" as const),
      byteLength: fc.oneof(fc.integer({ min: 0, max: 2000 }), fc.constantFrom(8, 64, 300)),
      zero: fc.boolean(),
      transient: fc.boolean(),
    }),
  },
  { weight: 6, arbitrary: fc.record({ name: fc.constant("release" as const), pick: fc.nat(1000) }) },
  { weight: 2, arbitrary: fc.record({ name: fc.constant("release stale" as const), pick: fc.nat(1000) }) },
  { weight: 1, arbitrary: fc.record({ name: fc.constant("trim" as const), pick: fc.nat(3000) }) },
);

/** Does a step on the pool and on the model, and compares them. */
export function runPoolCommand(model: PoolModel, command: PoolCommand): void {
  const { pool, held, stale } = model;
  if (command.name === "rent") {
    const { byteLength, zero, transient } = command;
    const inside = model.rented(byteLength, transient);
    const buffer = pool.allocate(byteLength, { zero, transient });
    const isZero = !zero || buffer.view(Uint8Array).every((byte) => byte === 0);
    if (!isZero || buffer.version !== 0 || (buffer.source === pool.source) !== inside) {
      expect({ isZero, version: buffer.version, inside: !inside }).toEqual({ isZero: true, version: 0, inside });
    }
    model.marks += 1;
    held.push(mark(buffer, byteLength, model.marks, inside));
  } else if (command.name === "release" && held.length > 0) {
    const at = command.pick % held.length;
    const gone = held[at]!;
    held[at] = held[held.length - 1]!;
    held.pop();
    gone.buffer.release(gone.generation);
    model.released(gone);
    stale[command.pick % 100] = gone;
  } else if (command.name === "release stale") {
    const gone = stale[command.pick % 100];
    gone?.buffer.release(gone.generation);
    if (gone?.buffer.isLive(gone.generation)) expect(gone.generation).toBe("stale for good");
  } else if (command.name === "trim") {
    model.trimmed(command.pick);
    pool.trim(command.pick);
  }
  model.check();
}
