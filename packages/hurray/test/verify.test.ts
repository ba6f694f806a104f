import { tensor } from "@sw/tensor";
import { describe, expect, test } from "vitest";
import { type Descriptor, encodeDescriptor } from "../src/descriptor/index.js";
import { FILE_HEADER_LENGTH, TRAILER_LENGTH } from "../src/file/frame.js";
import { encodeHurray } from "../src/index.js";
import { type Finding, type VerifyOptions, verify } from "../src/verify/index.js";
import { expectTyped, mutate } from "./mutate.js";
import { bytesOf, officialFolder, randomOf, thrown, type VectorCase, vectors } from "./support.js";
import { denseOf, handle } from "./support-values.js";

async function findings(input: Parameters<typeof verify>[0], options?: VerifyOptions): Promise<Finding[]> {
  const list: Finding[] = [];
  for await (const finding of verify(input, options)) list.push(finding);
  return list;
}

async function rules(input: Parameters<typeof verify>[0], options?: VerifyOptions): Promise<(string | undefined)[]> {
  const all = await findings(input, options);
  return all.filter(({ severity }) => severity === "violation").map(({ rule }) => rule);
}

/** Who registered every private layout, scheme and rule. */
const accept = (): boolean => true;

const ruleOf = (c: VectorCase): string => c.spec.rule!.split(" ")[0]!;

/** A descriptor as a stream: with buffers of zeros, as many as it declares, where that is not absurd. */
function asStream(c: VectorCase): Uint8Array {
  const bytes = bytesOf(c);
  return new Uint8Array(Buffer.concat([bytes, new Uint8Array(4096)]));
}

test("the data of a tensor whose descriptor is broken is no padding", async () => {
  const bytes = encodeHurray({ w: tensor([1, 2, 3]) });
  bytes[76] = 0x80;
  expect(await findings(bytes)).toMatchObject([{ severity: "violation", rule: "R8", name: "w", byteOffset: 74 }]);
});

test("A17 half of a metadata section in the trailer locates none, and is remarked on; a promised one breaks R147", async () => {
  const halves: readonly (readonly [offset: bigint, length: number])[] = [
    [2n ** 32n, 0],
    [0n, 7],
  ];
  for (const [offset, length] of halves) {
    const bytes = encodeHurray({ w: tensor([1, 2, 3]) });
    const view = new DataView(bytes.buffer, bytes.byteOffset + bytes.length - TRAILER_LENGTH);
    view.setBigUint64(16, offset, true);
    view.setUint32(24, length, true);
    const byteOffset = bytes.length - TRAILER_LENGTH + 16;
    const message = `half of a metadata section is named: got offset ${offset}, length ${length}, expected both 0 or neither.`;
    expect(await findings(bytes)).toEqual([{ severity: "note", field: "kv_offset", byteOffset, message }]);
    bytes[12] = bytes[12]! | 1;
    expect(await findings(bytes)).toMatchObject([{ severity: "violation", rule: "R147", byteOffset }]);
  }
});

describe("what is valid has no violation", () => {
  for (const c of vectors("file")) {
    test(`${c.id}`, async () => {
      expect(await rules(bytesOf(c), { accept })).toEqual([]);
    });
  }
  for (const c of vectors("stream", "values", "lookup", "dequant")) {
    test(`${c.id}`, async () => {
      expect(await rules(bytesOf(c), { accept, as: "stream" })).toEqual([]);
    });
  }
  test("the official files and streams", async () => {
    const folder = officialFolder();
    if (folder === undefined) return;
    const { readdirSync, readFileSync } = await import("node:fs");
    for (const name of readdirSync(folder, { recursive: true }) as string[]) {
      if (/\.hrry$/.test(name)) expect(await rules(new Uint8Array(readFileSync(`${folder}${name}`))), name).toEqual([]);
    }
  });
});

describe("what is invalid has its rule", () => {
  for (const c of vectors("invalid-file")) {
    test(`${ruleOf(c)} ${c.id}`, async () => {
      expect(await rules(bytesOf(c), { as: "file" })).toContain(ruleOf(c));
    });
  }
  for (const c of vectors("invalid-stream")) {
    test(`${ruleOf(c)} ${c.id}`, async () => {
      // A source says how long it is, so that a buffer that it cannot hold ends the stream, whatever a receiver allows.
      const expected = c.id === "badstream-buffer-2e62" ? "R155" : ruleOf(c);
      expect(await rules(bytesOf(c), { as: "stream" })).toContain(expected);
    });
  }
  for (const c of vectors("invalid-buffers")) {
    test(`${ruleOf(c)} ${c.id}, at its byte of the stream`, async () => {
      const all = (await findings(bytesOf(c))).filter(({ rule }) => rule === ruleOf(c));
      expect(all).toHaveLength(1);
      expect(all[0]!.byteOffset).toBeGreaterThanOrEqual((c as unknown as { dataOffset: number }).dataOffset);
      expect(all[0]!.byteOffset).toBeLessThan(c.byteLength);
    });
  }
  for (const c of vectors("invalid-descriptor")) {
    test(`${ruleOf(c)} ${c.id}`, async () => {
      // Of a stream that ends within a descriptor R155 says so, or R156 that it is longer than is accepted.
      if (ruleOf(c) === "R1")
        expect(["R155", "R156"]).toEqual(expect.arrayContaining(await rules(bytesOf(c), { as: "stream" })));
      else expect(await rules(asStream(c), { as: "stream" })).toContain(ruleOf(c));
    });
  }
});

const base: Descriptor = denseOf("float32", [2, 3], {}, 24);

/** The bytes of a descriptor with changes, and its buffer. */
function changed(d: Descriptor, ...changes: readonly (readonly [at: number, value: number])[]): Uint8Array {
  const bytes = encodeDescriptor(d);
  const all = new Uint8Array(bytes.byteLength + d.buffers.reduce((sum, b) => sum + Number(b.byteSize), 0));
  all.set(bytes);
  for (const [at, value] of changes) all[at] = value;
  return all;
}

const STATISTICS = {
  computedMask: 0,
  nnz: 0n,
  sparsityRatio: 0,
  valueMin: 0,
  valueMax: 0,
  valueAbsMax: 0,
  valueMean: 0,
  valueStddev: 0,
  nmN: 0,
  nmM: 0,
  hasNan: false,
  hasInf: false,
};

describe("two faults in different sections are both reported", () => {
  // Header 20, shape 16, byte offset 8, buffer table 1 + 16.
  const handlesAt = 45;
  const withStatistics: Descriptor = { ...base, statistics: STATISTICS };
  const statisticsAt = handlesAt + 16;

  test("R8 in the header, R63 in a handle, R89 in the statistics", async () => {
    const bytes = changed(withStatistics, [13, 0x80], [handlesAt + 15, 1], [statisticsAt + 4, 1]);
    expect(await rules(bytes)).toEqual(["R8", "R63", "R89"]);
  });

  test("R65 buffers that are too small show behind R88 in the statistics", async () => {
    const bytes = changed(withStatistics, [handlesAt, 20], [statisticsAt, 0x40]).slice(0, -4);
    expect((await rules(bytes)).sort()).toEqual(["R65", "R88"]);
  });

  test("R59 and R60 two handles of one table", async () => {
    const two = { ...base, typeTag: 0x10, buffers: [handle(24), handle(8)] };
    const d: Descriptor = { ...two, quantisation: { scheme: "perChannel", axis: 0, scaleBuffer: 1 } };
    expect(await rules(changed(d, [handlesAt + 13, 3], [handlesAt + 16 + 13, 1]))).toEqual(["R59", "R60"]);
  });

  test("R69 a scheme of a later version beside R86 a shard outside its parent", async () => {
    const d: Descriptor = {
      ...base,
      typeTag: 0x10,
      quantisation: { scheme: "perTensor", scale: 1, zeroPoint: 0 },
      shard: { parentShape: [4n, 3n], offset: [0n, 0n] },
    };
    const at = handlesAt + 16 + 4;
    expect(await rules(changed(d, [at + 1, 2], [at + 16 + 16, 3]))).toEqual(["R69", "R86"]);
  });

  test("R18 a byte offset of a sparse tensor hides no R65", async () => {
    const d = denseOf("float32", [2, 3], {
      layout: { kind: "csr", nnz: 1n },
      buffers: [handle(4), handle(8), handle(24)],
    });
    // The payload of CSR takes 16 bytes.
    expect(await rules(changed(d, [36, 8], [handlesAt + 16, 3]).slice(0, -1))).toEqual(["R18", "R65"]);
  });

  test("of a file: header, index, metadata, and descriptors of two tensors", async () => {
    const bytes = encodeHurray(
      { a: tensor([1, 2, 3]), b: tensor([4, 5]), c: tensor([6]) },
      { metadata: { ok: true, text: "é", later: 1 } },
    );
    const view = new DataView(bytes.buffer);
    const trailer = bytes.byteLength - TRAILER_LENGTH;
    const index = Number(view.getBigUint64(trailer, true));
    const kv = Number(view.getBigUint64(trailer + 16, true));
    bytes[40] = 1; // R129
    bytes[trailer + 33] = 1; // R133
    bytes[index + 8 + 34] = 1; // the flags of "a": R142
    bytes[kv + 4 + 4 + 1] = 2; // the value of "ok": R152
    const text = Buffer.from(bytes).indexOf("é", kv);
    bytes[text] = 0xff; // R154
    const b = Number(view.getBigUint64(index + 8 + 35 + 3, true));
    const c = Number(view.getBigUint64(index + 8 + 70 + 3, true));
    bytes[FILE_HEADER_LENGTH + 13] = 0x80; // R8 of "a"
    bytes[b + 4] = 2; // R3
    bytes[c + 14] = 0xff; // R9
    const all = await findings(bytes);
    const violations = all.filter(({ severity }) => severity === "violation");
    expect(violations.map(({ rule, name }) => [rule, name])).toEqual([
      ["R129", undefined],
      ["R133", undefined],
      ["R152", undefined],
      ["R154", undefined],
      ["R142", undefined],
      ["R8", "a"],
      ["R3", "b"],
      ["R9", "c"],
    ]);
    for (const { byteOffset, message } of all) {
      expect(byteOffset).toBeLessThan(bytes.byteLength);
      expect(message).toMatch(/^[^:]+: got .*, expected .*\.$/);
    }
  });
});

describe("what readers accept comes as a note", () => {
  test("A41 regions that overlap, and padding that is not zero", async () => {
    const bytes = encodeHurray({ a: tensor([1, 2, 3]), b: tensor([4, 5, 6]) });
    const view = new DataView(bytes.buffer);
    const index = Number(view.getBigUint64(bytes.byteLength - TRAILER_LENGTH, true));
    const dataOffset = (k: number): number => index + 8 + 35 * k + 3 + 8 + 4;
    view.setBigUint64(dataOffset(1), view.getBigUint64(dataOffset(0), true), true);
    bytes[2000] = 9;
    const all = await findings(bytes);
    const notes = all.filter(({ severity }) => severity === "note").map(({ field, byteOffset }) => [field, byteOffset]);
    expect(notes).toEqual([
      ["padding", 2000],
      ["region", 4096],
      ["padding", expect.any(Number)],
    ]);
    expect(all.map(({ rule }) => rule).filter((rule) => rule !== undefined)).toEqual(["R136"]);
  });

  test("data beyond the limit, a descriptor and an index beyond theirs", async () => {
    const c = vectors("invalid-buffers")[0]!;
    const all = await findings(bytesOf(c), { maximumDataBytes: 10 });
    expect(all).toEqual([
      expect.objectContaining({
        severity: "note",
        name: "#0",
        message: expect.stringMatching(/^not checked: got \d+ bytes, expected at most 10\.$/),
      }),
    ]);
    const file = encodeHurray({ a: tensor([1]) });
    expect(await findings(file, { maximumSectionBytes: 10 })).toEqual([
      expect.objectContaining({ severity: "note", field: "index" }),
    ]);
    expect(await findings(file, { maximumDescriptorBytes: 10 })).toEqual([
      expect.objectContaining({ severity: "note", field: "descriptor", name: "a" }),
      expect.objectContaining({ severity: "note", field: "padding" }),
    ]);
  });
});

describe("composites", () => {
  const head = (patch: Partial<Descriptor> & { layout: Descriptor["layout"] }): Descriptor => ({
    ...base,
    buffers: [],
    ...patch,
  });
  const member = (offset: number, rows: number, patch: Partial<Descriptor> = {}): Descriptor => ({
    ...base,
    shape: [BigInt(rows), 3n],
    shard: { parentShape: [4n, 3n], offset: [BigInt(offset), 0n] },
    ...patch,
  });
  const stream = (...list: Descriptor[]): Uint8Array => new Uint8Array(Buffer.concat(list.map((d) => changed(d))));
  const partition = (memberCount: number): Descriptor =>
    head({ shape: [4n, 3n], layout: { kind: "composite", rule: "partition", combine: "none", memberCount } });

  test("R112, R113 two members that do not fit are both reported, and no cover then", async () => {
    const bytes = stream(
      partition(2),
      member(0, 2, { shard: { parentShape: [5n, 3n], offset: [0n, 0n] } }),
      member(0, 2, { typeTag: 0x14 }),
    );
    expect((await findings(bytes)).map(({ rule, name }) => [rule, name])).toEqual([
      ["R112", "#1"],
      ["R113", "#2"],
    ]);
  });

  test("R118 an overlap is the head's, and a later tensor is checked all the same", async () => {
    const bytes = stream(partition(2), member(0, 2), member(1, 2), base);
    bytes[bytes.byteLength - 24 - 61 + 13] = 0x80;
    expect((await findings(bytes)).map(({ rule, name }) => [rule, name])).toEqual([
      ["R118", "#0"],
      ["R8", "#3"],
    ]);
  });

  test("R121 a stream that ends within a composite", async () => {
    expect((await findings(stream(partition(3), member(0, 2)))).map(({ rule, name }) => [rule, name])).toEqual([
      ["R121", "#0"],
    ]);
  });

  test("a broken member counts; a broken head in a composite makes the rest unknowable, and a note says so", async () => {
    const broken = stream(partition(2), member(0, 2), member(2, 2), base);
    // The flags of the second member.
    const second = encodeDescriptor(partition(2)).byteLength + changed(member(0, 2)).byteLength;
    broken[second + 13] = 0x80;
    expect(await rules(broken)).toEqual(["R8"]);
    const inner = stream(partition(2), partition(1), member(0, 2));
    inner[encodeDescriptor(partition(2)).byteLength + 13] = 0x80;
    expect((await findings(inner)).map(({ severity, rule, name }) => [severity, rule, name])).toEqual([
      ["violation", "R8", "#1"],
      ["note", undefined, "#0"],
    ]);
  });

  test("a descriptor of any layout that ends anywhere is told of, and read nowhere else", async () => {
    const whole = encodeDescriptor(partition(2));
    for (let tag = 0; tag < 256; tag++) {
      for (let length = 24; length < whole.length; length++) {
        const bytes = whole.slice(0, length);
        bytes[15] = tag;
        new DataView(bytes.buffer).setUint32(6, length, true);
        const all = await findings(bytes, { as: "stream", accept });
        expect(all.some(({ rule, byteOffset }) => rule === "R43" && byteOffset === 0)).toBe(false);
        expect(all.length, `tag ${tag}, ${length} bytes`).toBeGreaterThan(0);
      }
    }
  });

  test("a cover that takes too many steps is a note", async () => {
    const all = await findings(stream(partition(2), member(0, 2), member(2, 2)), { coverSteps: 1 });
    expect(all).toEqual([
      expect.objectContaining({ severity: "note", message: expect.stringMatching(/^not checked: /) }),
    ]);
  });
});

test("what has no length, no bytes or nothing to read", async () => {
  expect(() => verify(7 as never)).toThrow(TypeError);
  expect(await rules(new Uint8Array())).toEqual(["R125"]);
  expect(await rules(new Uint8Array(), { as: "stream" })).toEqual([]);
  const signal = AbortSignal.abort(new Error("enough"));
  expect(await thrown(() => findings(encodeHurray({ a: tensor([1]) }), { signal }))).toMatchObject({
    message: "enough",
  });
  const short = { byteLength: 1000, slice: () => new Uint8Array(3) };
  expect(await thrown(() => findings(short))).toMatchObject({ code: "SW_HURRAY_SOURCE_SHORT" });
});

test("how far it has come is told after each tensor", async () => {
  const bytes = encodeHurray({ a: tensor([1]), b: tensor([2]) });
  const told: number[] = [];
  await findings(bytes, {
    onProgress: (done, total) => {
      expect(total).toBe(bytes.byteLength);
      told.push(done);
    },
  });
  expect(told).toEqual([64, 4104, bytes.byteLength]);
});

test("hostile: of 10⁴ mutations each gives findings or a typed error, and reads no more than a few times its bytes", async () => {
  const seeds = [
    ...vectors("file", "stream", "values", "lookup", "dequant", "invalid-file", "invalid-stream", "invalid-buffers"),
  ]
    .map(bytesOf)
    .filter(({ byteLength }) => byteLength < 30_000 && byteLength > 8);
  const random = randomOf(20_261_130);
  for (let i = 0; i < 10_000; i++) {
    const bytes = mutate(seeds[i % seeds.length]!, random, 200);
    let read = 0;
    const source = {
      byteLength: bytes.byteLength,
      slice: (start: number, end: number) => {
        read += end - start;
        return bytes.subarray(start, end);
      },
    };
    try {
      const list = await findings(source, { coverSteps: 10_000, maximumDataBytes: 1 << 20 });
      for (const { byteOffset } of list) expect(byteOffset).toBeLessThanOrEqual(bytes.byteLength);
    } catch (error) {
      expectTyped(error, i);
    }
    expect(read).toBeLessThanOrEqual(16 * bytes.byteLength + 4096);
  }
});
