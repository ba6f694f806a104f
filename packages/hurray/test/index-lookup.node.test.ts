import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeText, isText } from "../src/bytes/text.js";
import { openHurray } from "../src/index.js";
import { type FileParts, fileOf } from "./file-parts.js";
import { Meter } from "./meter.js";
import { thrown } from "./support.js";

/** Metadata of the shortest entries that there can be so many of: keys of three bytes, in no order, and a boolean. */
function shortMetadata(count: number): Uint8Array {
  const bytes = new Uint8Array(4 + 7 * count);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, count, true);
  for (let k = 0; k < count; k++) {
    const key = (k * 40503) % 2 ** 21;
    bytes.set([3, 0, key & 127, (key >> 7) & 127, key >> 14, 5, k & 1], 4 + 7 * k);
  }
  return bytes;
}

const COUNT = 100_000;
const shuffled = Array.from({ length: COUNT }, (_, k) => ((k * 40503) % COUNT).toString(36));

const LARGE: readonly (readonly [what: string, parts: FileParts])[] = [
  ["100,000 tensors of the shortest names in no order", { names: shuffled }],
  ["100,000 tensors in the order of their names", { names: shuffled, sorted: true }],
  ["100,000 tensors whose names are no ASCII", { names: shuffled.map((name) => `é${name}`) }],
  ["100,000 metadata entries of the shortest kind", { names: ["w"], kv: shortMetadata(COUNT) }],
];

for (const [what, parts] of LARGE) {
  test(`opening a file of ${what} takes at most four times its bytes and 1 MiB`, async () => {
    const bytes = fileOf(parts);
    const meter = new Meter();
    let least = Number.POSITIVE_INFINITY;
    // The host compiles meanwhile, which takes memory too; what the input takes, it takes each time.
    for (let again = 0; again < 5; again++) {
      const cost = await meter.cost(async () => expect((await openHurray(bytes)).has("no such name")).toBe(false));
      least = Math.min(least, cost.bytes);
    }
    expect(least).toBeLessThanOrEqual(4 * bytes.byteLength + 2 ** 20);
  });
}

test("a lookup by name decodes the entry that it finds, and no other", async () => {
  for (const sorted of [false, true]) {
    const file = await openHurray(fileOf({ names: shuffled, sorted }));
    const meter = new Meter();
    meter.install();
    try {
      const { steps } = await meter.cost(() => {
        for (const name of ["0", "1jj", shuffled.at(-1)!]) expect(file.entry(name).name).toBe(name);
        expect(file.has("none of them")).toBe(false);
      });
      // Three offsets and a length each, which are read when the entry is.
      expect(steps).toBe(3 * 4);
    } finally {
      meter.uninstall();
    }
  }
});

test("law: every name is found, and no other, whatever the order of the index", async () => {
  const name = fc.string({ unit: "binary", minLength: 1, maxLength: 5 }).filter((text) => !/\p{Surrogate}/u.test(text));
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(name, { maxLength: 20 }), fc.boolean(), name, async (names, sorted, other) => {
      const file = await openHurray(fileOf({ names, sorted }));
      const inOrder = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(file.names()).toEqual(sorted ? inOrder : names);
      expect([...file.entries.keys()]).toEqual(file.names());
      for (const known of names) expect(file.entry(known)).toEqual(file.entries.get(known));
      expect(file.has(other)).toBe(names.includes(other));
    }),
    { numRuns: 200 },
  );
});

test("R141 names that are there twice are refused wherever they lie, and of any length", async () => {
  const long = "n".repeat(65_535);
  for (const names of [
    ["b", "a", "c", "a"],
    ["a", "a"],
    ["z", long, "y", `${long.slice(1)}m`, long],
  ]) {
    const error = await thrown(() => openHurray(fileOf({ names })));
    expect(error).toMatchObject({ rule: "R141", field: "name" });
  }
  expect(await thrown(() => openHurray(fileOf({ names: ["a", "a"], sorted: true })))).toMatchObject({ rule: "R143" });
});

test("half a surrogate pair and too long a name are not found under the name that they would be written as", async () => {
  const file = await openHurray(fileOf({ names: ["\ufffd", "a"] }));
  expect(file.has("\ufffd")).toBe(true);
  expect(file.has("\ud800")).toBe(false);
  expect(file.has("a".repeat(65_537))).toBe(false);
  expect((await thrown(() => file.entry("\udc00")))["code"]).toBe("SW_HURRAY_NAME_UNKNOWN");
});

test("a name that is not there is refused with eight that are, the first by the bytes of their names", async () => {
  const file = await openHurray(fileOf({ names: shuffled }));
  const names = new Set(shuffled.toSorted().slice(0, 8));
  const error = await thrown(() => file.entry("no such name"));
  expect(error).toMatchObject({ code: "SW_HURRAY_NAME_UNKNOWN" });
  expect(new Set(error["names"] as string[])).toEqual(names);
});

test("what was checked is what is decoded: memory of the source that is written to later changes nothing", async () => {
  const bytes = fileOf({ names: ["b", "a"], kv: shortMetadata(2) });
  const file = await openHurray(bytes);
  bytes.fill(0xff, 64);
  expect(file.names()).toEqual(["b", "a"]);
  expect(file.entry("a").descriptorOffset).toBe(64n);
  expect(Object.values(file.metadata)).toEqual([false, true]);
});

test("A42 law: bytes are text exactly where they decode as UTF-8", () => {
  // Bytes about which the ranges of UTF-8 turn.
  const edges = [0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2, 0xdf, 0xe0, 0xec, 0xed, 0xee, 0xef];
  const byte = fc.oneof(fc.constantFrom(...edges, 0xf0, 0xf3, 0xf4, 0xf5, 0xff), fc.nat(255));
  const text = fc.string({ unit: "binary" }).map((value) => new TextEncoder().encode(value));
  const bytes = fc.oneof(
    fc.array(byte, { maxLength: 6 }).map((list) => Uint8Array.from(list)),
    text,
  );
  fc.assert(
    fc.property(bytes, fc.nat(3), fc.nat(3), (given, before, after) => {
      const within = Uint8Array.from([...Array(before).fill(0xf0), ...given, ...Array(after).fill(0x80)]);
      expect(isText(within, before, before + given.length)).toBe(decodeText(given) !== undefined);
    }),
    { numRuns: 5000 },
  );
});
