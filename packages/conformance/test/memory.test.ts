import { type Block, heapMemory, type MemorySource, sharedMemory } from "@sw/buffer";
import { wasmMemory } from "@sw/buffer/wasm";
import { describe, expect, test } from "vitest";
import { type MemoryCandidate, memoryKit, run } from "../src/index.js";
import { codesOf } from "./support.js";

const MIB = 2 ** 20;
const smallWasm: MemoryCandidate = Object.assign(() => wasmMemory({ initialBytes: 65_536, maximumBytes: 8 * MIB }), {
  limit: 8 * MIB,
});

describe("the sources of @sw/buffer pass the kit", () => {
  test.each([
    ["heap", heapMemory as MemoryCandidate],
    ["shared", sharedMemory as MemoryCandidate],
    ["wasm", smallWasm],
    ["wasm", Object.assign(() => wasmMemory({ ...SHARED }), { limit: 8 * MIB }) as MemoryCandidate],
  ])("%s", async (name, candidate) => {
    const report = await run(memoryKit, candidate);
    expect(report.failed.map(({ error }) => error.message)).toEqual([]);
    expect(report.candidate).toBe(name);
    const skipped =
      candidate.limit === undefined ? ["memory/exhausted", "memory/exhausted-callback", "memory/churn"] : [];
    expect(report.skipped.map(({ id }) => id)).toEqual(skipped);
    expect(report.passed).toHaveLength(11 - skipped.length);
  });
});

const SHARED = { initialBytes: 65_536, maximumBytes: 8 * MIB, shared: true };

/** Our own source, changed. */
function changed(
  change: (memory: MemorySource) => Partial<MemorySource>,
  base: MemoryCandidate = smallWasm,
): MemoryCandidate {
  const make = (): MemorySource => {
    const memory = base();
    const own = change(memory);
    return Object.defineProperties(Object.create(memory) as MemorySource, Object.getOwnPropertyDescriptors(own));
  };
  return Object.assign(make, base.limit === undefined ? {} : { limit: base.limit });
}

/** A heap of one array buffer whose blocks follow one another, with the rest left to the defect. */
function bump(next: (at: number, size: number) => number, free: (give: (at: number) => void, block: Block) => void) {
  return (): MemorySource => {
    const buffer = new ArrayBuffer(16 * MIB);
    const given: number[] = [];
    let at = 64;
    return {
      name: "bump",
      epoch: 0,
      allocate(byteLength) {
        if (!Number.isInteger(byteLength)) throw new TypeError("no integer");
        if (byteLength < 0 || byteLength >= 2 ** 31)
          throw Object.assign(new RangeError("size"), { code: "SW_BUFFER_SIZE" });
        const again = byteLength <= 256 ? given.pop() : undefined;
        const address = again ?? at;
        if (again === undefined) at = next(at, Math.max(256, byteLength));
        return { address, byteLength };
      },
      free: (block) => free((address) => given.push(address), block),
      bytes: () => buffer,
    };
  };
}

const line = (size: number): number => Math.ceil(size / 64) * 64;

const WRONG: readonly (readonly [what: string, candidate: MemoryCandidate, caughtBy: string, code?: string])[] = [
  [
    "gives blocks at any address",
    bump(
      (at, size) => at + size + 4,
      () => {},
    ),
    "memory/alignment",
  ],
  [
    "lets blocks overlap",
    bump(
      (at, size) => at + line(size) - 64,
      () => {},
    ),
    "memory/disjoint",
  ],
  [
    "gives a block that was freed twice to two",
    bump(
      (at, size) => at + line(size),
      (give, { address, byteLength }) => byteLength <= 256 && give(address),
    ),
    "memory/freed-twice",
  ],
  [
    "gives less than was asked for",
    changed((memory) => ({
      allocate: (size) => {
        const block = memory.allocate(size);
        if (size !== 65_537) return block;
        return Object.create(block, { byteLength: { value: 1 } }) as Block;
      },
    })),
    "memory/alignment",
  ],
  ["never says that windows became invalid", changed(() => ({ epoch: 7 })), "memory/epoch"],
  [
    "counts its epoch down",
    changed((memory) => ({
      get epoch() {
        return -memory.epoch;
      },
    })),
    "memory/epoch",
  ],
  [
    "takes a size as it comes",
    changed((memory) => ({ allocate: (size) => memory.allocate(Math.max(0, Math.ceil(Number(size)) || 0) % 2 ** 20) })),
    "memory/sizes-refused",
    "SW_CONFORMANCE_ACCEPTED",
  ],
  ["never gets back what was freed", changed(() => ({ free: () => {} })), "memory/exhausted"],
  [
    "answers with an error of its own where it has no more",
    changed((memory) => ({
      allocate: (size) => {
        try {
          return memory.allocate(size);
        } catch (error) {
          throw (error as { code?: string }).code === "SW_BUFFER_OUT_OF_MEMORY" ? new Error("full") : error;
        }
      },
    })),
    "memory/exhausted",
    "SW_CONFORMANCE_THROWN",
  ],
  [
    "asks nobody before it refuses",
    changed(() => ({
      get onExhausted() {
        return undefined;
      },
      set onExhausted(_) {},
    })),
    "memory/exhausted-callback",
    "SW_CONFORMANCE_THROWN",
  ],
];

describe("a source that", () => {
  test.each(WRONG.map(([what, candidate, caughtBy, code]) => ({ what, candidate, caughtBy, code })))(
    "$what is caught",
    async ({ candidate, caughtBy, code }) => {
      const report = await run(memoryKit, candidate);
      expect(codesOf(report)).toMatchObject({ [caughtBy]: code ?? "SW_CONFORMANCE_VALUE" });
    },
  );
});

test("what makes no memory is refused", async () => {
  await expect(run(memoryKit, heapMemory() as unknown as MemoryCandidate)).rejects.toThrow(
    "run: the candidate makes no memory: got object, expected a function that returns a MemorySource.",
  );
});
