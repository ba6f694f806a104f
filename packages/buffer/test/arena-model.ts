import fc from "fast-check";
import { expect } from "vitest";
import { Arena, type BufferPool } from "../src/index.js";
import { checkMemory, type Held, mark } from "./pool-model.js";

/** A step of a run over an arena, as plain data. */
export type ArenaCommand =
  | { readonly name: "allocate"; readonly byteLength: number; readonly zero: boolean }
  | { readonly name: "release" | "release stale"; readonly pick: number }
  | { readonly name: "reset" | "run" };

export const arenaCommand: fc.Arbitrary<ArenaCommand> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      name: fc.constant("allocate" as const),
      byteLength: fc.oneof(fc.integer({ min: 0, max: 3000 }), fc.constantFrom(0, 64, 4096, 5000)),
      zero: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ name: fc.constant("release" as const), pick: fc.nat(1000) }) },
  { weight: 2, arbitrary: fc.record({ name: fc.constant("release stale" as const), pick: fc.nat(1000) }) },
  { weight: 1, arbitrary: fc.record({ name: fc.constantFrom("reset" as const, "run" as const) }) },
);

/** An arena as a list and two sums. */
export class ArenaModel {
  readonly arena: Arena;
  readonly pool: BufferPool;
  held: Held[] = [];
  stale: Held[] = [];
  liveBytes = 0;
  usedBytes = 0;
  resets = 0;
  marks = 0;
  commands = 0;

  constructor(pool: BufferPool, chunkBytes: number) {
    this.pool = pool;
    this.arena = new Arena(pool, { chunkBytes });
  }

  check(): void {
    this.commands += 1;
    const { live, liveBytes, usedBytes, chunks, resets } = this.arena.statistics();
    const fits =
      live === this.held.length &&
      liveBytes === this.liveBytes &&
      usedBytes === this.usedBytes &&
      resets === this.resets &&
      this.pool.account.counts.live === chunks;
    if (!fits) {
      const expected = { live: this.held.length, liveBytes: this.liveBytes, usedBytes: this.usedBytes };
      expect({ live, liveBytes, usedBytes, resets, chunks }).toEqual({
        ...expected,
        resets: this.resets,
        chunks: this.pool.account.counts.live,
      });
    }
    if (this.commands % 50 === 0) checkMemory(this.held);
  }
}

/** Does a step on the arena and on the model, and compares them. */
export function runArenaCommand(model: ArenaModel, command: ArenaCommand): void {
  const { arena, held } = model;
  if (command.name === "allocate") {
    const buffer = arena.allocate(command.byteLength, { zero: command.zero });
    if (command.zero && buffer.view(Uint8Array).some((byte) => byte !== 0)) expect("dirty").toBe("zero");
    model.marks += 1;
    held.push(mark(buffer, command.byteLength, model.marks, true));
    model.liveBytes += command.byteLength;
    model.usedBytes += Math.max(64, Math.ceil(command.byteLength / 64) * 64);
  } else if (command.name === "release" && held.length > 0) {
    const [gone] = held.splice(command.pick % held.length, 1);
    gone!.buffer.release(gone!.generation);
    model.liveBytes -= gone!.byteLength;
    model.stale.push(gone!);
  } else if (command.name === "release stale" && model.stale.length > 0) {
    const gone = model.stale[command.pick % model.stale.length]!;
    gone.buffer.release(gone.generation);
    if (gone.buffer.isLive(gone.generation)) expect(gone.generation).toBe("stale for good");
  } else if (command.name === "reset") {
    checkMemory(held);
    arena.reset();
    if (held.some(({ buffer, generation }) => buffer.isLive(generation))) expect("live").toBe("stale");
    model.stale = held;
    model.held = [];
    model.liveBytes = 0;
    model.usedBytes = 0;
    model.resets += 1;
  } else if (command.name === "run") {
    arena.end(arena.begin());
  }
  model.check();
}
