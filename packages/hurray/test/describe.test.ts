import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type DescribedField,
  decodeDescriptor,
  describeBytes,
  descriptorLength,
  encodeDescriptor,
  LAYOUT_NAMES,
} from "../src/descriptor/index.js";
import { descriptors } from "./descriptor-arbitrary.js";
import { bytesOf, thrown, vectors, verdictOf } from "./support.js";

/** Every byte belongs to one field, in order. */
function expectCover(fields: readonly DescribedField[], length: number): void {
  let end = 0;
  for (const { byteOffset, byteLength } of fields) {
    expect(byteOffset).toBe(end);
    expect(byteLength).toBeGreaterThan(0);
    end += byteLength;
  }
  expect(end).toBe(length);
}

/** The values of the fields of a name, one or one for each place. */
function valuesOf(fields: readonly DescribedField[], name: string): DescribedField["value"][] {
  return fields.filter(({ field }) => field.replace(/[[(].*$/, "") === name).map(({ value }) => value);
}

/** Compares what is described with what the decoder reads. */
function expectDecoded(bytes: Uint8Array): void {
  const fields = describeBytes(bytes);
  const d = decodeDescriptor(bytes, { accept: () => true });
  expectCover(fields, descriptorLength(bytes));
  expect(fields.some(({ field }) => field === "unread")).toBe(false);
  const has = (name: string, values: readonly unknown[]): void => expect(valuesOf(fields, name)).toEqual(values);
  has("shape", d.shape);
  has("byte_offset", [d.byteOffset]);
  has(
    "byte_size",
    d.buffers.map((buffer) => buffer.byteSize),
  );
  has(
    "memory_class",
    d.buffers.map((buffer) => buffer.memoryClass),
  );
  const { layout, quantisation: q, shard, statistics, extensionType, memberRole } = d;
  has("strides", layout.kind === "strided" ? layout.strides : []);
  has("morton_bits", layout.kind === "morton" ? layout.bits : []);
  has("hilbert_order", layout.kind === "hilbert" ? [layout.order] : []);
  has("mode_order", layout.kind === "csf" ? layout.modeOrder : []);
  has("num_seqs", layout.kind === "blockPaged" ? [layout.numSeqs] : []);
  has("member_count", layout.kind === "composite" ? [layout.memberCount] : []);
  has("extension_layout_id", layout.kind === "private" ? [layout.id] : []);
  if (layout.kind === "tiled") expect(valuesOf(fields, "tile_shape").slice(0, d.shape.length)).toEqual(layout.tile);
  has("scale", q?.scheme === "perTensor" ? [q.scale] : []);
  has("scale_buffer_index", q !== undefined && "scaleBuffer" in q ? [q.scaleBuffer] : []);
  has("block_size", q !== undefined && "blockSize" in q ? [q.blockSize] : []);
  has("padding", q?.padding === undefined ? [] : [q.padding]);
  has("shard_offset", shard?.offset ?? []);
  has("value_stddev", statistics === undefined ? [] : [statistics.valueStddev]);
  has("exponent_bias", extensionType === undefined ? [] : [extensionType.exponentBias]);
  has("member_role", memberRole === undefined ? [] : [memberRole === "base" ? 1 : 0]);
  has("later sections", d.tail === undefined ? [] : [d.tail]);
}

describe("describeBytes", () => {
  for (const c of vectors("descriptor", "odd-descriptor")) {
    test(`${c.id}: every byte belongs to one field, whose value is the decoder's`, () => {
      expectDecoded(bytesOf(c));
    });
  }

  test("any descriptor: the same", () => {
    fc.assert(fc.property(descriptors, (d) => expectDecoded(encodeDescriptor(d))));
  });

  test("a descriptor that breaks rules is described all the same, unless its first ten bytes are none", () => {
    for (const c of vectors("invalid-descriptor")) {
      const bytes = bytesOf(c);
      const verdict = verdictOf(() => describeBytes(bytes));
      if (verdict === "accept") expectCover(describeBytes(bytes), descriptorLength(bytes));
      else expect(["R1", "R2", "R3", "R4", "R5"]).toContain(verdict);
    }
  });

  test("any bytes of any declared length are covered once, in as many fields as bytes at most", () => {
    const seeds = vectors("descriptor").map(bytesOf);
    const mutations = fc.record({
      bytes: fc.constantFrom(...seeds),
      changes: fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }),
      cut: fc.nat(100),
    });
    fc.assert(
      fc.property(mutations, ({ bytes, changes, cut }) => {
        const changed = bytes.slice(0, Math.max(20, bytes.byteLength - cut));
        for (const [at, value] of changes) changed[10 + (at % (changed.byteLength - 10))] = value;
        new DataView(changed.buffer).setUint32(6, changed.byteLength, true);
        expectCover(describeBytes(changed), changed.byteLength);
      }),
    );
  });

  test("notes say what numbers mean: names of tags, dynamic sizes, what is not computed", () => {
    const notes = (id: string): Record<string, string> =>
      Object.fromEntries(
        describeBytes(bytesOf(vectors("descriptor").find((c) => c.id === id)!)).flatMap(({ field, note }) =>
          note === undefined ? [] : [[field, note]],
        ),
      );
    for (const c of vectors("descriptor")) {
      const described = notes(c.id);
      expect(described["layout_tag"]).toBe(LAYOUT_NAMES[c.expect.layout.tag] ?? "private");
      if (!c.expect.type.startsWith("extension")) expect(described["type_tag"]).toBe(c.expect.type);
    }
    const dynamic = vectors("descriptor").find((c) => c.id.includes("dynamic"))!;
    expect(Object.values(notes(dynamic.id))).toContain("dynamic");
  });

  test("byte offsets count from a base, and bytes after the descriptor are not looked at", () => {
    const bytes = bytesOf(vectors("descriptor")[0]!);
    const longer = new Uint8Array(bytes.byteLength + 100).fill(7);
    longer.set(bytes);
    const fields = describeBytes(longer, { base: 4096 });
    expect(fields[0]).toEqual({
      byteOffset: 4096,
      byteLength: 4,
      section: "header",
      field: "magic",
      value: Uint8Array.from([0x48, 0x52, 0x52, 0x59]),
      note: "HRRY",
    });
    expectCover(
      fields.map((field) => ({ ...field, byteOffset: field.byteOffset - 4096 })),
      bytes.byteLength,
    );
  });

  test("R1, R2 bytes that begin no descriptor, or not all of one, are refused where that shows", async () => {
    const bytes = bytesOf(vectors("descriptor")[0]!);
    expect(await thrown(() => describeBytes(bytes.subarray(0, 30), { base: 64, operation: "inspect" }))).toMatchObject({
      rule: "R1",
      byteOffset: 70,
      message: expect.stringMatching(/^inspect: /),
    });
    expect(await thrown(() => describeBytes(new Uint8Array(64)))).toMatchObject({ rule: "R2" });
  });
});
