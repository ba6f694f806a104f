import { describe, expect, test } from "vitest";
import { type Descriptor, decodeDescriptor, encodeDescriptor } from "../src/descriptor/index.js";
import { bytesOf, thrown, vectors, verdictOf } from "./support.js";

/** The rules for descriptors that the format marks P. */
const RELAXED = ["R10", "R13", "R14", "R32", "R35", "R44", "R68"];

describe("permissive mode", () => {
  for (const c of vectors("invalid-descriptor")) {
    const rule = c.spec.rule!.split(" ")[0]!;
    const relaxed = RELAXED.includes(rule);
    test(`${rule} ${c.id} is ${relaxed ? "passed over" : "refused all the same"}`, () => {
      const bytes = bytesOf(c);
      if (!relaxed) {
        expect(verdictOf(() => decodeDescriptor(bytes, { mode: "permissive" }))).toBe(rule);
        return;
      }
      const descriptor = decodeDescriptor(bytes, { mode: "permissive" });
      expect(descriptor.opaque).toBe(true);
      expect(encodeDescriptor(descriptor)).toEqual(bytes);
    });
  }

  test("what a strict reader accepts is read the same, and is not opaque", () => {
    for (const c of vectors("descriptor", "odd-descriptor").filter((c) => c.spec.rule === undefined)) {
      const bytes = bytesOf(c);
      expect(decodeDescriptor(bytes, { mode: "permissive" })).toEqual(decodeDescriptor(bytes));
    }
  });

  test("R14 a private layout that nobody registered is opaque; one that is accepted is not", () => {
    for (const c of vectors("descriptor").filter((c) => c.spec.rule !== undefined)) {
      const bytes = bytesOf(c);
      const { opaque, ...rest } = decodeDescriptor(bytes, { mode: "permissive" });
      expect(opaque).toBe(true);
      expect(decodeDescriptor(bytes, { mode: "permissive", accept: () => true })).toEqual(rest);
    }
  });

  test("A31 of an unknown layout header, shape, byte offset and the raw remainder are given", () => {
    const c = vectors("invalid-descriptor").find((v) => v.id === "bad-layout-41")!;
    const bytes = bytesOf(c);
    const { layout, shape, buffers } = decodeDescriptor(bytes, { mode: "permissive" });
    const at = 20 + 8 * shape.length + 8;
    expect(layout).toEqual({ kind: "unknown", tag: 0x41, flags: bytes[10], rest: bytes.slice(at) });
    expect(buffers).toEqual([]);
  });
});

const HANDLE = { byteSize: 64n, alignment: 64, deviceTag: 0, syncMode: 0, memoryClass: 0 };
const PRIVATE: Descriptor = {
  versionMinor: 0,
  typeTag: 0x11,
  shape: [8n],
  byteOffset: 200n,
  layout: { kind: "private", tag: 0xf3, id: 77n, data: Uint8Array.of(1, 2, 3) },
  buffers: [HANDLE, HANDLE, HANDLE],
};

describe("private layouts, schemes and rules", () => {
  test("R14 exactly the ids that the caller accepts pass, and the predicate is told what they are", async () => {
    const bytes = encodeDescriptor(PRIVATE);
    const asked: unknown[] = [];
    const accept = (what: string, id: bigint): boolean => {
      asked.push([what, id]);
      return id === 77n;
    };
    expect(decodeDescriptor(bytes, { accept })).toEqual(PRIVATE);
    expect(asked).toEqual([["layout", 77n]]);
    const error = await thrown(() => decodeDescriptor(bytes, { accept: (_what, id) => id === 78n }));
    expect(error).toMatchObject({
      rule: "R14",
      code: "SW_HURRAY_DESCRIPTOR_INVALID",
      field: "extension_layout_id",
      byteOffset: 36,
      given: 77n,
    });
  });

  test("A40 a private layout has any number of buffers, but not none, and no parameters in buffer 0", async () => {
    const quantised = (scaleBuffer: number): Descriptor => ({
      ...PRIVATE,
      buffers: [HANDLE, { ...HANDLE, byteSize: 32n }, HANDLE],
      quantisation: { scheme: "perChannel", axis: 0, scaleBuffer },
    });
    const bytes = encodeDescriptor(quantised(1));
    expect(decodeDescriptor(bytes, { accept: () => true })).toEqual(quantised(1));
    expect(await thrown(() => encodeDescriptor(quantised(0)))).toMatchObject({ rule: "R84" });
    expect(await thrown(() => encodeDescriptor(quantised(3)))).toMatchObject({ rule: "R83" });
    expect(await thrown(() => encodeDescriptor({ ...PRIVATE, buffers: [] }))).toMatchObject({ rule: "R52" });
  });

  test("R68 a private scheme is kept as it is; its version, flags and buffers are the parties' own", async () => {
    const data = Uint8Array.of(9, 8, 7);
    const d: Descriptor = {
      ...PRIVATE,
      byteOffset: 0n,
      layout: { kind: "rowMajor" },
      quantisation: { scheme: "private", tag: 0xf7, version: 9, flags: 0x8001, data },
    };
    const bytes = encodeDescriptor(d);
    expect(decodeDescriptor(bytes, { accept: (what, id) => what === "scheme" && id === 0xf7n })).toEqual(d);
    expect(await thrown(() => decodeDescriptor(bytes))).toMatchObject({ rule: "R68", field: "scheme_tag" });
    expect(decodeDescriptor(bytes, { mode: "permissive" })).toEqual({ ...d, opaque: true });
    bytes[bytes.length - 7] = 0xff;
    const refused = await thrown(() => decodeDescriptor(bytes, { mode: "permissive", accept: () => true }));
    expect(refused).toMatchObject({ rule: "R67" });
  });

  test("R44 a private rule keeps its operation; R47 a composite that is still open is refused in every mode", async () => {
    const head = (rule: number, memberCount: number): Descriptor => ({
      ...PRIVATE,
      byteOffset: 0n,
      layout: { kind: "composite", rule, combine: 200, memberCount },
      buffers: [],
    });
    const bytes = encodeDescriptor(head(0xf5, 3));
    const rules: bigint[] = [];
    const accept = (what: string, id: bigint): boolean => what === "rule" && rules.push(id) > 0;
    expect(decodeDescriptor(bytes, { accept })).toEqual(head(0xf5, 3));
    expect(rules).toEqual([0xf5n]);
    expect(await thrown(() => decodeDescriptor(bytes))).toMatchObject({ rule: "R44" });
    bytes.fill(0xff, bytes.length - 5, bytes.length - 1);
    expect(await thrown(() => decodeDescriptor(bytes, { mode: "permissive" }))).toMatchObject({ rule: "R47" });
  });

  test("a tag that belongs to another layout or scheme is not written", async () => {
    const layout = { kind: "private", tag: 1, id: 0n, data: new Uint8Array(0) } as const;
    expect((await thrown(() => encodeDescriptor({ ...PRIVATE, layout })))["code"]).toMatch(/^SW_HURRAY_/);
    const quantisation = { scheme: "private", tag: 1, version: 1, flags: 0, data: new Uint8Array(12) } as const;
    const plain: Descriptor = { ...PRIVATE, byteOffset: 0n, layout: { kind: "rowMajor" }, buffers: [HANDLE] };
    expect((await thrown(() => encodeDescriptor({ ...plain, quantisation })))["code"]).toMatch(/^SW_HURRAY_/);
    const scaled = Uint8Array.of(0, 0, 128, 63, 0, 0, 0, 0, 0, 0, 0, 0);
    const asPerTensor = { ...quantisation, data: scaled };
    expect(await thrown(() => encodeDescriptor({ ...plain, quantisation: asPerTensor }))).toMatchObject({
      code: "SW_HURRAY_VALUE",
      field: "tag",
    });
  });
});
