import { arange } from "@sw/tensor";
import { describe, expect, test } from "vitest";
import { decodeDescriptor, encodeDescriptor, encodeHurray, openHurray, store } from "../src/index.js";
import { readItems } from "../src/stream/index.js";
import { bytesOf, thrown, vectors } from "./support.js";

/** A file whose metadata announces more than it has, at a place of its section. */
function metadataWith(place: number): Uint8Array {
  const bytes = encodeHurray({ a: arange(3) }, { metadata: { list: [1n, 2n] } });
  const view = new DataView(bytes.buffer);
  const kvOffset = Number(view.getBigUint64(bytes.length - 24, true));
  view.setUint32(kvOffset + place, 0xffffffff, true);
  return bytes;
}

const { descriptor } = store(arange(3));
const vector = (id: string): Uint8Array => bytesOf(vectors(kindOf(id)).find((c) => c.id === id)!);

function kindOf(id: string): string {
  if (id.startsWith("badfile")) return "invalid-file";
  return id.startsWith("badstream") ? "invalid-stream" : "invalid-descriptor";
}

/** Reads all that is announced. */
async function read(bytes: Uint8Array): Promise<void> {
  if (new TextDecoder().decode(bytes.subarray(0, 8)) === "HRRYFILE") {
    const file = await openHurray(bytes);
    for (const name of file.names()) await file.buffers(name);
    return;
  }
  for await (const item of readItems([bytes])) expect(item).toBeDefined();
}

// What crashes the reference program, or makes it allocate what is declared (decision 0010).
const CRASHES: readonly (readonly [what: string, rule: string, bytes: () => Uint8Array])[] = [
  ["alignment 0 in a file with several buffers", "R130", () => vector("badfile-align-0-multibuffer")],
  ["an index whose end is beyond 2^64", "R134", () => vector("badfile-index-length-max")],
  ["2^64 - 1 entries in an index", "R138", () => vector("badfile-index-count-max")],
  ["2^32 - 1 metadata entries", "R148", () => metadataWith(0)],
  ["2^32 - 1 elements in a metadata array", "R148", () => metadataWith(4 + 2 + 4 + 1 + 1)],
  ["4 GiB of metadata", "R146", () => vector("badfile-kv-length-max")],
  ["a descriptor of 4 GiB in a file", "R144", () => vector("badfile-dlen-max")],
  ["a descriptor of 17 MiB in a stream", "R156", () => vector("badstream-descriptor-17MiB")],
  ["a buffer of 2^62 bytes in a stream", "R156", () => vector("badstream-buffer-2e62")],
  ["a buffer of 8 GiB of which 64 bytes arrive", "R155", () => vector("badstream-buffer-8GiB-declared")],
  ["four thousand million members", "R121", () => vector("badstream-torn-huge-count")],
  ["a private type of width 0", "R90", () => vector("bad-ext-width-0")],
  ["a product of sizes beyond 2^64", "R65", () => vector("bad-small-bp-pool-overflow")],
  ["more stored values than there are bytes", "R65", () => vector("bad-small-coo-nnz-overflow")],
  ["pages of no tokens", "R36", () => vector("bad-bp-page-0")],
];

describe("what crashes the reference program is refused", () => {
  for (const [what, rule, bytes] of CRASHES) {
    test(`${rule} ${what}`, async () => {
      const error = await thrown(() => read(bytes()));
      expect([error.name, error["rule"]]).toEqual(["HurrayFormatError", rule]);
    });
  }

  test("R65 Morton bits whose sum is beyond 2^32", async () => {
    const bits = [0xffffffff, 0xffffffff];
    const wide = { ...descriptor, shape: [2n, 2n], layout: { kind: "morton", bits } } as const;
    const error = await thrown(() => encodeDescriptor(wide));
    expect([error.name, error["rule"]]).toEqual(["HurrayFormatError", "R65"]);
  });
});

test("R1 a descriptor of a later minor version that is shorter than it says is refused, whatever it holds", async () => {
  const bytes = encodeDescriptor({ ...descriptor, versionMinor: 1, tail: new Uint8Array(8) });
  expect(decodeDescriptor(bytes).tail).toHaveLength(8);
  expect((await thrown(() => decodeDescriptor(bytes.subarray(0, -1))))["rule"]).toBe("R1");
});
