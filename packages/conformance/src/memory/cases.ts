import { type Block, BufferPool, type MemorySource } from "@sw/buffer";
import type { Case } from "../case.js";
import { type Checks, checksOf } from "../expect.js";
import { type Random, random, seedOf } from "../random.js";
import type { MemoryCandidate } from "./kit.js";

/** Every block starts at a multiple of this. */
const ALIGNMENT = 64;
const SIZES: readonly number[] = [
  ...Array.from({ length: 130 }, (_, i) => i),
  ...[255, 256, 257, 4095, 4096, 4097, 65_535, 65_536, 65_537, 131_071, 131_072, 200_000],
];

interface MemoryCase {
  readonly name: string;
  readonly needs?: readonly string[];
  readonly check: (checks: Checks, candidate: MemoryCandidate, source: Random) => void;
}

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown } | undefined)?.code;
}

const isOutOfMemory = (error: unknown): boolean => codeOf(error) === "SW_BUFFER_OUT_OF_MEMORY";
const isBlockError = (error: unknown): boolean => codeOf(error) === "SW_BUFFER_BLOCK";

/** The bytes of a block, over the array buffer of this moment. */
function windowOf(memory: MemorySource, block: Block): Uint8Array {
  return new Uint8Array(memory.bytes(block), block.address, block.byteLength);
}

function checkBlock(checks: Checks, memory: MemorySource, block: Block, asked: number): void {
  const { address, byteLength } = block;
  const isPlace = Number.isInteger(address) && address >= 0 && address % ALIGNMENT === 0;
  checks.holds(isPlace, "a block's address", address, `a multiple of ${ALIGNMENT}, and never negative`);
  checks.holds(byteLength >= asked, `a block of ${asked} bytes is smaller`, byteLength, "at least what was asked for");
  const { byteLength: whole } = memory.bytes(block);
  const end = address + byteLength;
  checks.holds(end <= whole, "a block ends behind its memory", `${end} of ${whole}`, "an array buffer that holds it");
}

/** Lends blocks that are written and looked at again, so that two that share a byte are found. */
class Lent {
  readonly blocks: { readonly block: Block; readonly byte: number }[] = [];
  readonly checks: Checks;
  readonly memory: MemorySource;
  next = 1;
  constructor(checks: Checks, memory: MemorySource) {
    this.checks = checks;
    this.memory = memory;
  }

  take(byteLength: number): Block {
    const block = this.memory.allocate(byteLength);
    checkBlock(this.checks, this.memory, block, byteLength);
    const byte = 1 + (this.next % 251);
    this.next += 1;
    windowOf(this.memory, block).fill(byte);
    this.blocks.push({ block, byte });
    return block;
  }

  /** Looks at a block's bytes once more, and gives it back. */
  giveBack(index: number): void {
    const [lent] = this.blocks.splice(index, 1);
    this.look(lent!);
    this.memory.free(lent!.block);
  }

  look({ block, byte }: { readonly block: Block; readonly byte: number }): void {
    const bytes = windowOf(this.memory, block);
    const changed = bytes.findIndex((value) => value !== byte);
    const got = changed < 0 ? byte : `${bytes[changed]} at byte ${changed}`;
    this.checks.holds(changed < 0, "a block that is in use was changed", got, `${byte} in all of it`);
  }

  lookAtAll(): void {
    for (const one of this.blocks) this.look(one);
  }

  giveBackAll(): void {
    while (this.blocks.length > 0) this.giveBack(this.blocks.length - 1);
  }
}

/** Takes what there is, in equal blocks, until the source refuses. */
function exhaust(lent: Lent, limit: number, size: number): unknown {
  for (let taken = 0; taken <= 2 * limit; taken += size) {
    try {
      lent.take(size);
    } catch (error) {
      return error;
    }
  }
  return undefined;
}

const CASES: readonly MemoryCase[] = [
  {
    name: "alignment",
    check(checks, candidate) {
      const memory = candidate();
      for (const size of SIZES) checkBlock(checks, memory, memory.allocate(size), size);
    },
  },
  {
    name: "disjoint",
    check(checks, candidate) {
      const lent = new Lent(checks, candidate());
      for (const size of SIZES) lent.take(size);
      lent.lookAtAll();
      lent.giveBackAll();
    },
  },
  {
    name: "reuse",
    check(checks, candidate, source) {
      const lent = new Lent(checks, candidate());
      for (let step = 0; step < 2000; step++) {
        const isFull = lent.blocks.length > 40;
        if (isFull || (lent.blocks.length > 0 && source.next() < 0.45)) {
          lent.giveBack(source.integer(0, lent.blocks.length - 1));
        } else {
          lent.take(source.next() < 0.1 ? source.integer(0, 20_000) : source.integer(0, 300));
        }
      }
      lent.lookAtAll();
      lent.giveBackAll();
    },
  },
  {
    // A window is good as long as the epoch stays; the block's bytes outlive every window.
    name: "epoch",
    check(checks, candidate) {
      const memory = candidate();
      const lent = new Lent(checks, memory);
      lent.take(1000);
      for (let i = 0; i < 24; i++) {
        const { block } = lent.blocks[0]!;
        const before = memory.epoch;
        const window = windowOf(memory, block);
        checks.holds(Number.isFinite(before), "the epoch", before, "a number");
        lent.take(1000 * (i + 1));
        const after = memory.epoch;
        checks.holds(after >= before, "the epoch went back", `${after} after ${before}`, "a number that only grows");
        if (after !== before) continue;
        const isGood = window.byteLength === block.byteLength && memory.bytes(block) === window.buffer;
        checks.holds(isGood, "a window is no longer good", "the same epoch as before", "another epoch");
      }
      lent.lookAtAll();
      lent.giveBackAll();
    },
  },
  {
    name: "sizes-refused",
    check(checks, candidate) {
      const memory = candidate();
      const isType = (error: unknown): boolean => error instanceof TypeError;
      const isSize = (error: unknown): boolean => error instanceof RangeError && codeOf(error) === "SW_BUFFER_SIZE";
      for (const size of [1.5, Number.NaN, Number.POSITIVE_INFINITY, "64", null, undefined, 8n]) {
        checks.refused(() => memory.allocate(size as number), `allocate(${String(size)})`, "a TypeError", isType);
      }
      for (const size of [-1, -64, 2 ** 31, 2 ** 32, 2 ** 53]) {
        checks.refused(() => memory.allocate(size), `allocate(${size})`, "a RangeError SW_BUFFER_SIZE", isSize);
      }
      // What was refused took nothing.
      const lent = new Lent(checks, memory);
      for (let i = 0; i < 20; i++) lent.take(100);
      lent.giveBackAll();
    },
  },
  {
    // A source that cannot tell may do nothing; one that can refuses. Neither may lend the bytes to two.
    name: "freed-twice",
    check(checks, candidate) {
      const memory = candidate();
      const lent = new Lent(checks, memory);
      for (let i = 0; i < 4; i++) lent.take(256);
      const { block } = lent.blocks[1]!;
      lent.giveBack(1);
      tryBadFree(checks, () => memory.free(block), "free of a block that was given back");
      for (let i = 0; i < 8; i++) lent.take(256);
      lent.lookAtAll();
      lent.giveBackAll();
    },
  },
  {
    name: "foreign-block",
    check(checks, candidate) {
      const lent = new Lent(checks, candidate());
      const others = new Lent(checks, candidate());
      lent.take(256);
      others.take(256);
      tryBadFree(checks, () => lent.memory.free(others.blocks[0]!.block), "free of a block of another source");
      const stranger: Block = { address: 128, byteLength: 256 };
      tryBadFree(checks, () => lent.memory.free(stranger), "free of what is no block");
      for (let i = 0; i < 8; i++) {
        lent.take(256);
        others.take(256);
      }
      lent.lookAtAll();
      others.lookAtAll();
      lent.giveBackAll();
      others.giveBackAll();
    },
  },
  {
    name: "pool",
    check(checks, candidate, source) {
      const pool = new BufferPool({ source: candidate() });
      for (let round = 0; round < 3; round++) {
        const buffers = Array.from({ length: 50 }, () => pool.allocate(source.integer(0, 5000), { zero: true }));
        for (const buffer of buffers) buffer.release(buffer.generation);
      }
      const { live, liveBytes } = pool.statistics();
      checks.same({ live, liveBytes }, { live: 0, liveBytes: 0 }, "what a pool on the source lends in the end");
      pool.trim();
      pool.dispose();
    },
  },
  {
    name: "exhausted",
    needs: ["limit"],
    check(checks, candidate) {
      const lent = new Lent(checks, candidate());
      const limit = candidate.limit!;
      const size = Math.ceil(limit / 8 / ALIGNMENT) * ALIGNMENT;
      // Twice: a refusal takes nothing, and what was given back is there again.
      let most = 0;
      for (let round = 0; round < 2; round++) {
        const error = exhaust(lent, limit, size);
        checks.refused(
          throwing(error),
          "more than the limit",
          "an OutOfMemoryError SW_BUFFER_OUT_OF_MEMORY",
          isOutOfMemory,
        );
        const found = lent.blocks.length;
        checks.holds(found > 0 && found >= most, "blocks until the source refuses", found, `${most}, as before`);
        most = found;
        lent.lookAtAll();
        lent.giveBackAll();
      }
    },
  },
  {
    name: "exhausted-callback",
    needs: ["limit"],
    check(checks, candidate) {
      const memory = candidate();
      const lent = new Lent(checks, memory);
      const limit = candidate.limit!;
      const size = Math.ceil(limit / 8 / ALIGNMENT) * ALIGNMENT;
      exhaust(lent, limit, size);
      let calls = 0;
      memory.onExhausted = () => {
        calls += 1;
        if (lent.blocks.length > 0) lent.giveBack(0);
      };
      lent.take(size);
      checks.holds(calls > 0, "calls of onExhausted before a request is refused", calls, "at least one");
      memory.onExhausted = undefined;
      lent.lookAtAll();
      lent.giveBackAll();
    },
  },
  {
    // Ten times the limit in all, never more than an eighth of it at once: what is given back comes back.
    name: "churn",
    needs: ["limit"],
    check(checks, candidate, source) {
      const memory = candidate();
      const most = Math.floor(candidate.limit! / 8);
      for (let taken = 0; taken < 10 * candidate.limit!; ) {
        const size = source.integer(most >> 1, most);
        memory.free(memory.allocate(size));
        taken += size;
      }
      const lent = new Lent(checks, memory);
      lent.take(most);
      lent.giveBackAll();
    },
  },
];

const throwing = (error: unknown) => (): void => {
  if (error !== undefined) throw error;
};

/** A bad `free` is refused by the code of the contract, or nothing happens. */
function tryBadFree(checks: Checks, work: () => void, what: string): void {
  let thrown: unknown;
  try {
    work();
  } catch (error) {
    thrown = error;
  }
  const isRight = thrown === undefined || isBlockError(thrown);
  checks.holds(isRight, what, thrown, "a BufferStateError SW_BUFFER_BLOCK, or nothing at all");
}

/** Builds the cases of `memoryKit`. */
export function memoryCases(): readonly Case<MemoryCandidate>[] {
  return CASES.map(({ name, needs = [], check }) => {
    const id = `memory/${name}`;
    return {
      id,
      since: "0.1.0",
      subject: "memory",
      needs,
      run(candidate) {
        const checks = checksOf(id);
        check(checks, candidate, random(seedOf(id)));
        return checks.outcome();
      },
    };
  });
}
