import { expect, test } from "vitest";
import { npzBytes, openNpz, type StreamedTensor } from "../src/interchange/index.js";
import { zipBytes } from "../src/interchange/zip-write.js";
import { denseOf } from "./support-values.js";

/** Keeps pieces where they lie, except those of zeros. */
async function sparse(pieces: AsyncIterable<Uint8Array>) {
  const kept: { readonly at: number; readonly bytes: Uint8Array }[] = [];
  let byteLength = 0;
  for await (const bytes of pieces) {
    if (bytes.some((byte) => byte !== 0)) kept.push({ at: byteLength, bytes: new Uint8Array(bytes) });
    byteLength += bytes.byteLength;
  }
  const slice = (start: number, end: number): Uint8Array => {
    const target = new Uint8Array(end - start);
    for (const { at, bytes } of kept) {
      if (at >= end || at + bytes.byteLength <= start) continue;
      const part = bytes.subarray(Math.max(0, start - at), end - at);
      target.set(part, Math.max(0, at - start));
    }
    return target;
  };
  return { byteLength, slice };
}

test("an archive beyond 4 GiB is written and read, its second tensor beyond that place too", async () => {
  const count = 2 ** 32 + 5;
  const zeros = new Uint8Array(16 * 1024 * 1024);
  const large: StreamedTensor = {
    descriptor: denseOf("uint8", [count], {}, count),
    *pieces() {
      for (let left = count; left > 0; left -= zeros.byteLength) yield zeros.subarray(0, left);
    },
  };
  const small = { descriptor: denseOf("uint8", [3], {}, 3), buffers: [Uint8Array.of(1, 2, 3)] };
  const source = await sparse(
    npzBytes([
      ["large", large],
      ["small", small],
    ]),
  );
  expect(source.byteLength).toBeGreaterThan(2 ** 32);
  const opened = await openNpz(source);
  expect((await opened.stored("small")).buffers[0]).toEqual(Uint8Array.of(1, 2, 3));
  let length = 0;
  for await (const piece of (await opened.tensor("large")).pieces(0)) length += piece.byteLength;
  expect(length).toBe(count);
});

test("70,000 entries are more than the narrow records count", async () => {
  const header = new Uint8Array();
  const files = Array.from({ length: 70_000 }, (_, k) => ({
    name: `${k}.npy`,
    header,
    byteLength: 0,
    pieces: () => [],
  }));
  const opened = await openNpz(await sparse(zipBytes(files, false)));
  expect(opened.names()).toHaveLength(70_000);
});
