import type { AllocateOptions, Allocator, DataBuffer, MemorySource } from "@sw/buffer";
import type { Tensor } from "@sw/tensor";
import { current, type Scope, withScope } from "@sw/tensor/seam";

/** What a scratch knows of a buffer that it handed out. */
interface Made {
  readonly generation: number;
  /** How many of the cotangents that are still to be read lie in it. */
  held: number;
}

/**
 * The memory of a computation that hands out copies: it remembers what is allocated, so that all of it goes back to
 * its allocator, at the latest at the end, also when that comes by a throw. Views share memory, so that buffers are
 * counted, not tensors.
 */
export class Scratch implements Allocator {
  /** Named as that of an arena, so that a scratch within a scratch takes from the pool too. */
  readonly pool: Allocator;
  /** Whether what was made stays: history that is written on the way reads it later. */
  readonly stays: boolean;
  readonly made: Map<DataBuffer, Made> = new Map();
  /** What was made since the last sweep. */
  fresh: DataBuffer[] = [];

  constructor(pool: Allocator, stays: boolean) {
    this.pool = pool;
    this.stays = stays;
  }

  /**
   * Runs a function with the scratch in force, and gives back all that it allocated.
   *
   * @param use - is told the memory outside, for what is to stay.
   */
  static run<T>(use: (memory: Allocator) => T): T {
    const { memory } = current();
    return new Scratch(behind(memory), false).enclose({}, () => use(memory));
  }

  /** Runs a function with this scratch in force, and gives everything back; what was to stay, where it throws. */
  enclose<T>(patch: Partial<Scope>, use: () => T): T {
    let result: T;
    try {
      result = withScope({ ...patch, memory: this }, () => use() as never) as T;
    } catch (error) {
      quietly(() => this.release());
      throw error;
    }
    if (!this.stays) this.release();
    return result;
  }

  get source(): MemorySource {
    return this.pool.source;
  }

  allocate(byteLength: number, options?: AllocateOptions): DataBuffer {
    const buffer = this.pool.allocate(byteLength, options);
    this.made.set(buffer, { generation: buffer.generation, held: 0 });
    this.fresh.push(buffer);
    return buffer;
  }

  reclaim(buffer: DataBuffer): void {
    this.pool.reclaim(buffer);
  }

  /** What is known of a tensor's memory, if it was made here and nobody returned it. */
  of({ buffer, generation }: Tensor): Made | undefined {
    const made = this.made.get(buffer);
    return made?.generation === generation ? made : undefined;
  }

  /** Counts a cotangent that is still to be read. */
  hold(t: Tensor): void {
    const made = this.of(t);
    if (made !== undefined) made.held += 1;
  }

  /** Counts a cotangent out, and returns its memory where it was the last in it. */
  drop(t: Tensor): void {
    const made = this.of(t);
    if (made === undefined) return;
    made.held -= 1;
    if (made.held === 0) this.give(t.buffer);
  }

  /** Takes a tensor's memory over from another scratch, if that made it. */
  adopt(t: Tensor, from: Scratch): void {
    const made = from.of(t);
    if (made === undefined) return;
    from.made.delete(t.buffer);
    this.made.set(t.buffer, { generation: made.generation, held: 0 });
    this.fresh.push(t.buffer);
  }

  /** Whether a tensor is the only one in memory that was made here, and may be written. */
  isSole(t: Tensor): boolean {
    return !this.stays && this.of(t)?.held === 1;
  }

  /** Returns what was made since the last sweep and is not held. */
  sweep(): void {
    const { fresh } = this;
    this.fresh = [];
    releaseAll(fresh.map((buffer) => () => this.made.get(buffer)?.held === 0 && this.give(buffer)));
  }

  /** Returns a buffer, unless it is to stay. */
  give(buffer: DataBuffer): void {
    if (this.stays) return;
    const made = this.made.get(buffer);
    this.made.delete(buffer);
    if (made !== undefined) buffer.release(made.generation);
  }

  /** Gives everything back, also when that finds an error (a write past the end), and then throws the first. */
  release(): void {
    const calls = [...this.made].map(
      ([buffer, made]) =>
        () =>
          buffer.release(made.generation),
    );
    this.made.clear();
    this.fresh = [];
    releaseAll(calls);
  }
}

/** The memory behind an arena, which takes nothing back before its reset; any other memory is its own. */
export function behind(memory: Allocator): Allocator {
  return (memory as { readonly pool?: Allocator }).pool ?? memory;
}

/**
 * Runs a step of a rule that goes on in many, and returns at once what it made beside its results, and those of the step
 * before, which went into them. Where history is written, that reads all of it later, and nothing is returned.
 */
export function tidied<T extends readonly (Tensor | undefined)[]>(
  before: readonly (Tensor | undefined)[],
  step: () => T,
): T {
  const outer = current().memory as Scratch;
  if (outer.stays) return step();
  const own = new Scratch(outer.pool, false);
  return own.enclose({}, () => {
    const results = step();
    for (const t of results) if (t !== undefined) outer.adopt(t, own);
    for (const t of before) if (t !== undefined) outer.give(t.buffer);
    return results;
  });
}

/** Makes all calls, whichever of them throw, and throws the first of their errors. */
export function releaseAll(calls: readonly (() => unknown)[]): void {
  const errors: unknown[] = [];
  for (const call of calls) {
    try {
      call();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** Cleans up while an error is under way, which came first and is the one to be heard. */
export function quietly(call: () => void): void {
  try {
    call();
  } catch {
    // See above.
  }
}
