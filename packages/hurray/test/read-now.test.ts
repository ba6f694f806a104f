import { Arena, BufferPool, heapMemory } from "@sw/buffer";
import { wasmMemory } from "@sw/buffer/wasm";
import { arange, cast, type Tensor } from "@sw/tensor";
import { expect, test } from "vitest";
import { encodeHurray, type HurraySource, openHurray } from "../src/index.js";
import { bytesTensor, dataAt, sparseFile } from "./sparse-file.js";
import { thrown } from "./support.js";

const MIB = 1024 * 1024;

/** Whether the bytes of a tensor are those of the file from there on. */
function isFrom(t: Tensor, start: number): boolean {
  const bytes = t.buffer.view(Uint8Array);
  for (let k = 0; k < bytes.byteLength; k += 997) if (bytes[k] !== dataAt(start + k)) return false;
  return bytes.at(-1) === dataAt(start + bytes.byteLength - 1);
}

/** What happens in each turn of the event loop, until it is stopped. */
function eachTurn(work: () => void): () => void {
  let next = setImmediate(function again() {
    work();
    next = setImmediate(again);
  });
  return () => clearImmediate(next);
}

test("data goes straight into the memory of the tensor, 32 MiB at a time, even where that grows in between", async () => {
  for (const wasm of [false, true]) {
    const pool = new BufferPool({ source: wasm ? wasmMemory({ initialBytes: 65536 }) : heapMemory() });
    const source = sparseFile({ t: bytesTensor([80n * 1048576n]) });
    const file = await openHurray(source);
    source.reads.length = 0;
    const stop = eachTurn(() => void pool.allocate(8 * MIB));
    const loaded = await file.load("t", { memory: pool });
    stop();
    expect(source.reads.map(([, byteLength]) => byteLength)).toEqual([
      file.entry("t").descriptorLength,
      32 * MIB,
      32 * MIB,
      16 * MIB,
    ]);
    expect(isFrom(loaded.tensor, Number(file.entry("t").dataOffset))).toBe(true);
    expect(loaded.copied).toBe(true);
  }
});

test("one tensor of many touches its descriptor and its data, and no other byte", async () => {
  const names = Array.from({ length: 64 }, (_, k) => `layer ${k}`);
  const source = sparseFile(Object.fromEntries(names.map((name) => [name, bytesTensor([4n * 1048576n])])));
  const file = await openHurray(source);
  const opened = source.reads.reduce((sum, [, byteLength]) => sum + byteLength, 0);
  expect(opened).toBeLessThan(64 + 40 + 64 * 48);
  source.reads.length = 0;
  await file.tensor("layer 37");
  const { descriptorOffset, descriptorLength, dataOffset } = file.entry("layer 37");
  expect(source.reads).toEqual([
    [Number(descriptorOffset), descriptorLength],
    [Number(dataOffset), 4 * MIB],
  ]);
});

test("small tensors do not wait for the event loop, and large ones let other work run every 32 MiB", async () => {
  const large = Array.from({ length: 32 }, (_, k) => [`${k}`, bytesTensor([4n * 1048576n])]);
  const file = await openHurray(sparseFile({ small: bytesTensor([1024n]), ...Object.fromEntries(large) }));
  let turns = 0;
  const stop = eachTurn(() => turns++);
  for (let k = 0; k < 100; k++) await file.tensor("small");
  // One, where reads before these have made it due.
  expect(turns).toBeLessThanOrEqual(1);
  turns = 0;
  for (let k = 0; k < 32; k++) await file.tensor(`${k}`);
  stop();
  expect(turns).toBeGreaterThanOrEqual(3);
  expect(turns).toBeLessThanOrEqual(5);
});

test("SW_BUFFER_STALE an arena that is reset between stretches gets nothing written to its next buffer", async () => {
  const arena = new Arena(new BufferPool({ source: heapMemory() }), { chunkBytes: 64 * MIB });
  const file = await openHurray(sparseFile({ t: bytesTensor([40n * 1048576n]) }));
  let stranger: Uint8Array | undefined;
  const stop = eachTurn(() => {
    if (stranger !== undefined) return;
    arena.reset();
    stranger = arena
      .allocate(40 * MIB)
      .view(Uint8Array)
      .fill(7);
  });
  const error = await thrown(() => file.tensor("t", { memory: arena }));
  stop();
  expect(error["code"]).toBe("SW_BUFFER_STALE");
  expect(stranger!.every((byte) => byte === 7)).toBe(true);
});

test("a signal ends a load between stretches, and the memory is returned", async () => {
  const pool = new BufferPool({ source: heapMemory() });
  const control = new AbortController();
  const file = await openHurray(sparseFile({ t: bytesTensor([40n * 1048576n]) }));
  const stop = eachTurn(() => control.abort(new Error("enough")));
  const error = await thrown(() => file.tensor("t", { memory: pool, signal: control.signal }));
  stop();
  expect([error.message, pool.statistics().live]).toEqual(["enough", 0]);
});

test("packed elements, shared bytes and errors are as they are from any source", async () => {
  const flags = cast(arange(100), "bool");
  const bytes = encodeHurray({ flags, w: arange(6) });
  const source: HurraySource = {
    byteLength: bytes.byteLength,
    slice: (start, end) => bytes.subarray(start, end),
    readNow: () => {
      throw new Error("the disk is gone");
    },
  };
  const file = await openHurray(source);
  expect((await file.tensor("flags")).toArray()).toEqual(flags.toArray());
  expect((await file.load("w", { copy: "never" })).copied).toBe(false);
  const pool = new BufferPool({ source: heapMemory() });
  expect((await thrown(() => file.tensor("w", { memory: pool }))).message).toBe("the disk is gone");
  expect(pool.statistics().live).toBe(0);
});
