import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type KvEntry, kvEntries, readKv, writeKv } from "../src/file/kv.js";
import { plainMetadata, typedMetadata } from "../src/file/metadata.js";
import { encodeHurray, type MetadataInput, openHurray } from "../src/index.js";
import { thrown } from "./support.js";

const reread = (entries: readonly KvEntry[]): KvEntry[] => kvEntries(readKv(writeKv(entries, "test"), "test"));

test("law: metadata of every type is read as it was written", () => {
  const scalar = fc.oneof(
    fc.record({ type: fc.constant("string" as const), value: fc.string({ unit: "grapheme" }) }),
    fc.record({ type: fc.constant("int64" as const), value: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }) }),
    fc.record({ type: fc.constant("uint64" as const), value: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }) }),
    fc.record({ type: fc.constant("float64" as const), value: fc.double() }),
    fc.record({ type: fc.constant("bool" as const), value: fc.boolean() }),
    fc.record({ type: fc.constant("bytes" as const), value: fc.uint8Array() }),
  );
  const array = fc.tuple(scalar, fc.nat({ max: 3 })).map(([s, count]) => ({
    type: "array" as const,
    elementType: s.type,
    value: Array.from({ length: count }, () => s.value),
  }));
  const keys = fc.uniqueArray(fc.string({ unit: "grapheme", minLength: 1 }), { maxLength: 6 });
  fc.assert(
    fc.property(keys, fc.array(fc.oneof(scalar, array), { minLength: 6, maxLength: 6 }), (names, values) => {
      const entries = names.map((key, k) => ({ key, ...values[k]! })) as KvEntry[];
      expect(reread(entries)).toEqual(entries);
    }),
    { numRuns: 200 },
  );
});

describe("plain values", () => {
  test("come back as they were, whatever their value: numbers as float64, bigints as 64-bit integers", async () => {
    const metadata = {
      title: "δοκιμή 🦙",
      accuracy: 1,
      negativeZero: -0,
      seed: 7n,
      lowest: -(2n ** 63n),
      highest: 2n ** 64n - 1n,
      done: true,
      raw: Uint8Array.of(0, 255),
      losses: [0.5, 0.25],
      mixedSigns: [-1n, 2n],
      large: [1n, 2n ** 63n],
      nothing: [],
      ["__proto__"]: "an ordinary key",
    };
    const file = await openHurray(encodeHurray({}, { metadata }));
    expect(file.metadata).toEqual(metadata);
    expect(Object.is(file.metadata["negativeZero"], -0)).toBe(true);
    expect(file.kv.find((e) => e.key === "seed")?.type).toBe("int64");
    expect(file.kv.find((e) => e.key === "highest")?.type).toBe("uint64");
    expect(file.kv.find((e) => e.key === "large")).toMatchObject({ elementType: "uint64" });
    expect(file.header.hasMetadata).toBe(true);
  });

  test("exact types can be asked for", () => {
    const typed: MetadataInput = {
      step: { type: "uint64", value: 3n },
      empty: { type: "array", elementType: "int64", value: [] },
    };
    expect(typedMetadata(typed, "test")).toEqual([
      { key: "step", type: "uint64", value: 3n },
      { key: "empty", type: "array", elementType: "int64", value: [] },
    ]);
    expect(plainMetadata(reread(typedMetadata(typed, "test")))).toEqual({ step: 3n, empty: [] });
  });

  test("values of other types are type errors, and mixed arrays value errors", async () => {
    for (const value of [null, undefined, { a: 1 }, [null], new Date(0), [[1]]]) {
      const error = await thrown(() => encodeHurray({}, { metadata: { key: value } as unknown as MetadataInput }));
      expect(error).toBeInstanceOf(TypeError);
    }
    const mixed = await thrown(() => encodeHurray({}, { metadata: { key: [1, "a"] } }));
    expect(mixed).toMatchObject({ code: "SW_HURRAY_VALUE", field: "key" });
    expect(mixed.message).toBe(
      'encodeHurray: metadata "key" mixes types in one array: got float64 and string, expected elements of one type.',
    );
  });
});

describe("what cannot be written is refused", () => {
  const refused: readonly (readonly [string, object, string])[] = [
    ["an empty key", { key: "", type: "bool", value: true }, "SW_HURRAY_VALUE"],
    ["a key of 65,536 bytes", { key: "k".repeat(65536), type: "bool", value: true }, "SW_HURRAY_VALUE"],
    ["half a surrogate pair", { key: "k", type: "string", value: "\ud800" }, "SW_HURRAY_VALUE"],
    ["an int64 of 2^63", { key: "k", type: "int64", value: 2n ** 63n }, "SW_HURRAY_VALUE"],
    ["a negative uint64", { key: "k", type: "uint64", value: -1n }, "SW_HURRAY_VALUE"],
    ["a number as int64", { key: "k", type: "int64", value: 3 }, "TypeError"],
    ["text as float64", { key: "k", type: "float64", value: "3" }, "TypeError"],
    ["a number as bool", { key: "k", type: "bool", value: 1 }, "TypeError"],
    ["a number as text", { key: "k", type: "string", value: 1 }, "TypeError"],
    ["a list as bytes", { key: "k", type: "bytes", value: [1] }, "TypeError"],
    ["an unknown type", { key: "k", type: "int32", value: 1 }, "TypeError"],
    ["arrays of arrays", { key: "k", type: "array", elementType: "array", value: [] }, "TypeError"],
  ];
  for (const [what, entry, code] of refused) {
    test(what, async () => {
      const error = await thrown(() => writeKv([entry as KvEntry], "test"));
      expect(error["code"] ?? error.name).toBe(code);
    });
  }

  test("a repeated key", async () => {
    const entry: KvEntry = { key: "k", type: "bool", value: true };
    expect(await thrown(() => writeKv([entry, entry], "test"))).toMatchObject({
      code: "SW_HURRAY_VALUE",
      field: "key",
    });
  });
});

const ONE = writeKv([{ key: "k", type: "string", value: "ab" }], "test");
const malformed: readonly (readonly [string, Uint8Array])[] = [
  ["R148", ONE.subarray(0, 3)],
  ["R148", ONE.subarray(0, ONE.length - 1)],
  ["R149", Uint8Array.of(1, 0, 0, 0, 0, 0)],
  ["R149", Uint8Array.of(1, 0, 0, 0, 1, 0, 0xff, 5, 1)],
  ["R150", Uint8Array.of(2, 0, 0, 0, 1, 0, 97, 5, 1, 1, 0, 97, 5, 1)],
  ["R151", Uint8Array.of(1, 0, 0, 0, 1, 0, 97, 0)],
  ["R152", Uint8Array.of(1, 0, 0, 0, 1, 0, 97, 5, 2)],
  ["R153", Uint8Array.of(1, 0, 0, 0, 1, 0, 97, 7, 7, 0, 0, 0, 0)],
  ["R148", Uint8Array.of(1, 0, 0, 0, 1, 0, 97, 7, 5, 255, 255, 255, 255, 1)],
  ["R148", Uint8Array.of(255, 255, 255, 255)],
  ["R154", Uint8Array.of(1, 0, 0, 0, 1, 0, 97, 1, 1, 0, 0, 0, 0xc0)],
];
for (const [rule, bytes] of malformed) {
  test(`${rule} metadata bytes [${[...bytes].slice(0, 16)}] are refused`, async () => {
    const error = await thrown(() => readKv(bytes, "openHurray", 64));
    expect(error).toMatchObject({ rule, code: "SW_HURRAY_METADATA_INVALID", name: "HurrayFormatError" });
    expect(error["byteOffset"]).toBeGreaterThanOrEqual(64);
  });
}

test("A20 bytes after the counted entries are ignored", () => {
  expect(kvEntries(readKv(Uint8Array.from([...ONE, 1, 2, 3]), "test"))).toHaveLength(1);
});
