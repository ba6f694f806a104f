import { Arena, BufferPool, heapMemory } from "@sw/buffer";
import { wasmMemory } from "@sw/buffer/wasm";
import { arange, cast, type Tensor } from "@sw/tensor";
import { describe, expect, test } from "vitest";
import { encodeHurray, type HurraySource, openHurray } from "../src/index.js";
import { thrown } from "./support.js";

/** Three pieces of 1 MiB, the last one short. */
const W = arange(600_000);
const FLAGS = cast(arange(100_000), "bool");
const BYTES = encodeHurray({ w: W, flags: FLAGS });

/** Whether two tensors have the same bytes; quicker than comparing elements. */
function same(a: Tensor, b: Tensor): boolean {
  return Buffer.compare(a.buffer.view(Uint8Array), b.buffer.view(Uint8Array)) === 0;
}

type Turn = (piece: number) => void;

/** A source that reads into given memory, or gives slices; before each piece of data something else happens. */
const SOURCES: { readonly [name: string]: (turn: Turn) => HurraySource } = {
  "read into given memory": (turn) => ({ ...slices(turn), readInto: into(turn) }),
  "given in slices": (turn) => slices(turn),
};

function slices(turn: Turn): HurraySource {
  let piece = 0;
  const slice = async (start: number, end: number): Promise<Uint8Array> => {
    await Promise.resolve();
    if (end - start > 10_000) turn(piece++);
    return BYTES.slice(start, end);
  };
  return { byteLength: BYTES.byteLength, slice };
}

function into(turn: Turn): (start: number, target: Uint8Array) => Promise<void> {
  let piece = 0;
  return async (start, target) => {
    await Promise.resolve();
    if (target.byteLength > 10_000) turn(piece++);
    target.set(BYTES.subarray(start, start + target.byteLength));
  };
}

for (const [name, source] of Object.entries(SOURCES)) {
  describe(`data ${name}`, () => {
    test("comes whole into the heap and into WebAssembly memory that grows between pieces", async () => {
      for (const wasm of [false, true]) {
        const pool = new BufferPool({ source: wasm ? wasmMemory({ initialBytes: 65536 }) : heapMemory() });
        const file = await openHurray(source(() => pool.allocate(8 * 1024 * 1024)));
        const w = await file.tensor("w", { memory: pool });
        expect(same(w, W)).toBe(true);
        expect(same(await file.tensor("flags", { memory: pool }), FLAGS)).toBe(true);
      }
    });

    test("SW_BUFFER_STALE an arena that is reset while a tensor is read gets nothing written to its next buffer", async () => {
      for (const at of [0, 1, 2]) {
        const arena = new Arena(new BufferPool({ source: heapMemory() }), { chunkBytes: 4 * 1024 * 1024 });
        let stranger: Uint8Array | undefined;
        const reset: Turn = (piece) => {
          if (piece !== at) return;
          arena.reset();
          const buffer = arena.allocate(2_400_000);
          stranger = buffer.view(Uint8Array).fill(7);
        };
        const file = await openHurray(source(reset));
        const error = await thrown(() => file.tensor("w", { memory: arena }));
        expect(error["code"]).toBe("SW_BUFFER_STALE");
        expect(stranger!.every((byte) => byte === 7)).toBe(true);
        expect(arena.statistics().live).toBe(1);
      }
    });

    test("a signal ends a load between pieces, and the memory is returned", async () => {
      const pool = new BufferPool({ source: heapMemory() });
      const control = new AbortController();
      const reason = new Error("enough");
      let pieces = 0;
      const file = await openHurray(
        source(() => {
          pieces++;
          control.abort(reason);
        }),
      );
      expect(await thrown(() => file.tensor("w", { memory: pool, signal: control.signal }))).toBe(reason);
      expect([pieces, pool.statistics().live]).toEqual([1, 0]);
    });
  });
}

test("bytes that are not aligned are read once when they may be shared, and packed ones not at all for sharing", async () => {
  const reads: number[] = [];
  const odd = new Uint8Array(BYTES.byteLength + 1);
  odd.set(BYTES, 1);
  const file = await openHurray({
    byteLength: BYTES.byteLength,
    slice: (start: number, end: number) => {
      reads.push(end - start);
      return odd.subarray(start + 1, end + 1);
    },
  });
  const { descriptorLength } = file.entry("w");
  reads.length = 0;
  const { tensor, ...report } = await file.load("w", { copy: "if-needed" });
  expect(report).toEqual({ copied: true, realigned: true, unpacked: false });
  expect(same(tensor, W)).toBe(true);
  expect(reads).toEqual([descriptorLength, 2_400_000]);
  reads.length = 0;
  const flags = await file.load("flags", { copy: "if-needed" });
  expect([flags.unpacked, reads.length]).toEqual([true, 2]);
});
