import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { arange, type Tensor } from "@sw/tensor";
import { expect, test } from "vitest";
import { FileWriter, openHurray, type StoredTensor, store } from "../src/index.js";
import { readItem } from "../src/stream/index.js";
import { quantize, relayout, toNumbers, valuesOf } from "../src/values/index.js";

/** What the reference program's reader made of the file below, to the byte. */
const SEEN = JSON.parse(readFileSync(new URL("./fixtures/reference-reader.json", import.meta.url), "utf8")) as {
  sha256: string;
  tensors: { name: string; layout: string; values: number[] | null; reencode: string }[];
};

/** A file with a tensor of each layout that its reader has values of, others, a quantised one, and a composite. */
async function write(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const sink = { write: (bytes: Uint8Array) => void chunks.push(bytes.slice()) };
  const writer = new FileWriter(sink, { sortedIndex: true, metadata: {} });
  const t = arange(64).reshape([8, 8]);
  const s = store(t);
  await writer.add("rm", t);
  await writer.add("cm", t.T);
  await writer.add("rev", t.flip(0));
  for (const kind of ["hilbert", "morton", "coo", "csr", "csc"] as const) await writer.add(kind, relayout(s, { kind }));
  const inner = { tile: [2n, 2n], outer: "columnMajor", inner: "rowMajor" } as const;
  await writer.add("tiled", relayout(s, { kind: "tiled", tile: [4n, 4n], outer: "rowMajor", inner }));
  const values = Float32Array.from({ length: 64 }, (_, i) => i / 3 - 5);
  await writer.add("q", quantize(values, [8, 8], { scheme: "perChannel", storage: "int4", axis: 0 }));
  const shard = (half: Tensor, row: bigint): StoredTensor => {
    const { descriptor, buffers } = store(half.contiguous());
    return { descriptor: { ...descriptor, shard: { parentShape: [8n, 8n], offset: [row, 0n] } }, buffers };
  };
  const layout = { kind: "composite", rule: "partition", combine: "none", memberCount: 2 } as const;
  const members = [shard(t.slice(0, 0, 4), 0n), shard(t.slice(0, 4, 8), 4n)];
  await writer.add("comp", { descriptor: { ...s.descriptor, layout, buffers: [] }, members });
  await writer.finish({ step: 3n, x: 1.5 });
  return new Uint8Array(Buffer.concat(chunks));
}

test("the file that the reference program's reader has opened is what is written, with the values that it found", async () => {
  const bytes = await write();
  expect(createHash("sha256").update(bytes).digest("hex")).toBe(SEEN.sha256);
  const file = await openHurray(bytes);
  expect(file.names()).toEqual(SEEN.tensors.map(({ name }) => name));
  for (const { name, values, reencode } of SEEN.tensors) {
    expect(reencode).toBe("same bytes");
    if (values === null) continue;
    const { type, elements } = valuesOf(await readItem(file, name));
    expect([...toNumbers(type, elements)], name).toEqual(values);
  }
});
