import { describe, expect, test } from "vitest";
import { checkComposite, createBinder } from "../src/composite/bind.js";
import {
  type Descriptor,
  type DescriptorLayout,
  DYNAMIC,
  type Shard,
  type StoredComposite,
  type StoredItem,
} from "../src/descriptor/index.js";
import { HurrayFormatError, HurrayLimitError } from "../src/errors.js";
import { thrown } from "./support.js";

type Composition = "partition" | "overlay" | "group" | number;

/** A descriptor of float32 unless told otherwise. */
function descriptor(shape: readonly number[], layout: DescriptorLayout, more: Partial<Descriptor> = {}): Descriptor {
  return { versionMinor: 0, typeTag: 3, shape: shape.map(BigInt), byteOffset: 0n, layout, buffers: [], ...more };
}

const head = (rule: Composition, memberCount: number, shape: readonly number[] = [4], more: Partial<Descriptor> = {}) =>
  descriptor(shape, { kind: "composite", rule, combine: rule === "overlay" ? "add" : "none", memberCount }, more);
const member = (shape: readonly number[] = [4], more: Partial<Descriptor> = {}) =>
  descriptor(shape, { kind: "rowMajor" }, more);
const shard = (parent: readonly number[], offset: readonly number[]): { readonly shard: Shard } => ({
  shard: { parentShape: parent.map(BigInt), offset: offset.map(BigInt) },
});
const whole = shard([4], [0]);
const bytes = Uint8Array.of(1, 2, 3, 4);
/** A part of a partition of [4]. */
const part = (offset: number, extent: number, more: Partial<Descriptor> = {}) =>
  member([extent], { ...shard([4], [offset]), ...more });
const base = (more: Partial<Descriptor> = {}) => member([4], { ...whole, memberRole: "base", ...more });
const correction = (more: Partial<Descriptor> = {}) =>
  member([1], { ...shard([4], [2]), memberRole: "correction", ...more });

/** Binds descriptors in their order, each at the byte of its number times 100. */
function bind(
  descriptors: readonly Descriptor[],
  options: { mode?: "permissive"; coverSteps?: number } = {},
): StoredItem[] {
  const binder = createBinder({ operation: "test", ...options });
  const items: StoredItem[] = [];
  descriptors.forEach((d, k) => {
    binder.begin(d, 100 * k);
    const item = binder.finish(d.layout.kind === "composite" ? [] : [bytes]);
    if (item !== undefined) items.push(item);
  });
  binder.end(100 * descriptors.length);
  return items;
}

describe("what is bound", () => {
  test("tensors behind a head become its members, nested heads with theirs, and the rest stands alone", () => {
    const tree = [head("group", 2), member(), head("group", 1), member([2]), member([3])];
    const items = bind(tree);
    expect(items).toEqual([
      {
        descriptor: tree[0],
        members: [
          { descriptor: tree[1], buffers: [bytes] },
          { descriptor: tree[2], members: [{ descriptor: tree[3], buffers: [bytes] }] },
        ],
      },
      { descriptor: tree[4], buffers: [bytes] },
    ]);
  });

  test("a head without members is complete at once, also as the last member of another (A14)", () => {
    expect(bind([head("group", 0)])).toHaveLength(1);
    expect(bind([head("partition", 0, [0])])).toHaveLength(1);
    expect(bind([head("group", 1), head("group", 1), head("group", 0), member()])).toHaveLength(2);
  });

  test("a group takes members of any type and shape, and shards of anything", () => {
    const odd = member([9, 9], { typeTag: 0x51, ...shard([100, 9], [0, 0]) });
    expect(bind([head("group", 2), odd, member([4], { shape: [DYNAMIC] })])).toHaveLength(1);
  });

  test("corrections of an overlay may overlap, and quantised members decode to floats of any width (A13)", () => {
    const quantisation = { scheme: "perTensor", scale: 0.5, zeroPoint: 0 } as const;
    const stored = base({ typeTag: 0x11, quantisation });
    expect(bind([head("overlay", 3), stored, correction(), correction()])).toHaveLength(1);
    expect(bind([head("overlay", 1, [4], { typeTag: 1 }), stored])).toHaveLength(1);
  });

  test("what parties agreed on, a private rule, is bound and not judged", () => {
    expect(bind([head(0xf0, 2), member([7]), correction()])).toHaveLength(1);
  });
});

const OVER = "SW_HURRAY_COMPOSITE_INVALID";
const refused: readonly (readonly [rule: string, what: string, descriptors: readonly Descriptor[], at: number])[] = [
  ["R111", "a member of a partition without a shard section", [head("partition", 1), member()], 100],
  [
    "R111",
    "a member of an overlay without a shard section",
    [head("overlay", 1), member([4], { memberRole: "base" })],
    100,
  ],
  ["R111", "a head in a partition without a shard section", [head("partition", 1), head("group", 0)], 100],
  ["R112", "a shard of another shape", [head("partition", 1), member([4], shard([5], [0]))], 100],
  ["R112", "a shard of another rank", [head("partition", 1), member([4, 1], shard([4, 1], [0, 0]))], 100],
  ["R113", "a member of another type", [head("partition", 1), part(0, 4, { typeTag: 4 })], 100],
  [
    "R113",
    "a quantised member under a head of integers",
    [
      head("partition", 1, [4], { typeTag: 0x14 }),
      part(0, 4, { typeTag: 0x14, quantisation: { scheme: "perTensor", scale: 1, zeroPoint: 0 } }),
    ],
    100,
  ],
  ["R114", "a member of an overlay without a role", [head("overlay", 1), member([4], whole)], 100],
  ["R114", "a head as a member of an overlay (A32)", [head("overlay", 1), head("group", 0, [4], whole)], 100],
  ["R115", "a member of a partition with a role", [head("partition", 1), part(0, 4, { memberRole: "base" })], 100],
  ["R115", "a member of a group with a role", [head("group", 1), correction()], 100],
  ["R116", "an overlay that begins with a correction", [head("overlay", 2), correction(), base()], 100],
  ["R116", "an overlay with a second base", [head("overlay", 2), base(), base()], 200],
  ["R117", "a base that spans a part of the overlay", [head("overlay", 1), part(1, 3, { memberRole: "base" })], 100],
  ["R118", "members of a partition that overlap", [head("partition", 2), part(0, 3), part(2, 2)], 0],
  ["R119", "members of a partition that leave a gap", [head("partition", 2), part(0, 1), part(2, 2)], 0],
  ["R119", "a partition without members that has elements (A14)", [head("partition", 0)], 0],
  ["R120", "an overlay without members", [head("overlay", 0)], 0],
  ["R121", "an end before the last member", [head("group", 3), member()], 200],
  ["R121", "an end within a nested head", [head("group", 1), head("group", 2), member()], 300],
  ["R123", "nine heads within each other (A15)", Array.from({ length: 9 }, () => head("group", 1)), 800],
  ["R124", "a partition with a dynamic dimension", [head("partition", 1, [4], { shape: [DYNAMIC] })], 0],
  ["R124", "an overlay with a dynamic dimension", [head("overlay", 1, [4], { shape: [DYNAMIC] })], 0],
];

describe("what is refused", () => {
  for (const [rule, what, descriptors, at] of refused) {
    test(`${rule} ${what}`, async () => {
      const error = await thrown(() => bind(descriptors));
      expect(error).toBeInstanceOf(HurrayFormatError);
      expect([error["rule"], error["code"], error["byteOffset"]]).toEqual([rule, OVER, at]);
    });
  }

  test("R123 eight heads within each other are allowed, and siblings count for nothing", () => {
    expect(bind([...Array.from({ length: 8 }, () => head("group", 1)), member()])).toHaveLength(1);
    expect(bind([head("group", 20), ...Array.from({ length: 20 }, () => head("group", 0))])).toHaveLength(1);
  });

  test("R113 the message names the types; every error says where", async () => {
    const error = await thrown(() => bind([head("partition", 1), part(0, 4, { typeTag: 4 })]));
    expect(error.message).toBe(
      "test: the member decodes to another type: got type tag 0x4, expected type tag 0x3 (R113, byte 100).",
    );
  });

  test("R118, R119 permissive reading keeps such a partition, opaque", () => {
    const [item] = bind([head("partition", 2), part(0, 3), part(2, 2)], { mode: "permissive" });
    expect(item!.descriptor.opaque).toBe(true);
    expect((item as StoredComposite).members).toHaveLength(2);
  });

  test("SW_HURRAY_LIMIT a cover that takes more steps than allowed is not judged", async () => {
    const error = await thrown(() => bind([head("partition", 2), part(0, 2), part(2, 2)], { coverSteps: 1 }));
    expect(error).toBeInstanceOf(HurrayLimitError);
    expect(error["code"]).toBe("SW_HURRAY_LIMIT");
  });
});

describe("a composite in memory", () => {
  test("is held to the same rules, and to its own count: R122", async () => {
    const of = (d: Descriptor): StoredItem => ({ descriptor: d, buffers: [bytes] });
    const two = { descriptor: head("partition", 2), members: [of(part(0, 2)), of(part(2, 2))] };
    checkComposite(two);
    for (const [rule, item] of [
      ["R122", { ...two, members: two.members.slice(1) }],
      ["R122", { descriptor: member(), members: two.members }],
      ["R122", { ...two, descriptor: head("partition", 2 ** 32 - 2) }],
      ["R119", { descriptor: head("partition", 1), members: two.members.slice(1) }],
    ] as const) {
      const error = await thrown(() => checkComposite(item));
      expect([error["rule"], error["code"]]).toEqual([rule, OVER]);
    }
  });

  test("R123 that contains itself is refused, not followed", async () => {
    const members: StoredItem[] = [];
    const round = { descriptor: head("group", 1), members };
    members.push(round);
    expect((await thrown(() => checkComposite(round)))["rule"]).toBe("R123");
  });
});
