import { arange } from "@sw/tensor";
import { describe, expect, test } from "vitest";
import { encodeHurray, openHurray } from "../src/index.js";
import { readFileItems } from "../src/sequential/index.js";
import { arrayMetadata, entryMetadata, fileOf } from "./file-parts.js";
import { Meter } from "./meter.js";
import { thrown } from "./support.js";

const COUNT = 40_000;
const names = Array.from({ length: COUNT }, (_, k) => k.toString(36));

/** Files of values that are larger in memory than in the file: most of each is of one kind. */
const FILES: readonly (readonly [what: string, bytes: Uint8Array])[] = [
  ["empty bytes", fileOf({ names: [], kv: arrayMetadata(6, COUNT, [0, 0, 0, 0]) })],
  ["single bytes", fileOf({ names: [], kv: arrayMetadata(6, COUNT, [1, 0, 0, 0, 7]) })],
  ["empty text", fileOf({ names: [], kv: arrayMetadata(1, COUNT, [0, 0, 0, 0]) })],
  ["text of one letter", fileOf({ names: [], kv: arrayMetadata(1, COUNT, [1, 0, 0, 0, 0x61]) })],
  ["text of two letters", fileOf({ names: [], kv: arrayMetadata(1, COUNT, [2, 0, 0, 0, 0x61, 0x62]) })],
  ["Greek text", fileOf({ names: [], kv: arrayMetadata(1, COUNT, [5, 0, 0, 0, 0x61, 0xce, 0xa9, 0xce, 0xb1]) })],
  ["booleans", fileOf({ names: [], kv: arrayMetadata(5, 4 * COUNT, [1]) })],
  ["signed integers", fileOf({ names: [], kv: arrayMetadata(2, COUNT, [9, 8, 7, 6, 5, 4, 3, 2]) })],
  ["unsigned integers", fileOf({ names: [], kv: arrayMetadata(3, COUNT, [9, 8, 7, 6, 5, 4, 3, 2]) })],
  ["numbers", fileOf({ names: [], kv: arrayMetadata(4, COUNT, [9, 8, 7, 6, 5, 4, 3, 2]) })],
  ["entries of a boolean", fileOf({ names: [], kv: entryMetadata(COUNT / 2, 3, [5, 1]) })],
  ["entries of a number", fileOf({ names: [], kv: entryMetadata(COUNT / 2, 3, [4, 9, 8, 7, 6, 5, 4, 3, 2]) })],
  ["entries of an empty list", fileOf({ names: [], kv: entryMetadata(COUNT / 2, 3, [7, 5, 0, 0, 0, 0]) })],
  ["entries of long keys", fileOf({ names: [], kv: entryMetadata(COUNT / 2, 60) })],
  ["tensors of the shortest names", fileOf({ names })],
];

/** What decoding all that a file says of itself takes, `Infinity` where it is refused. */
async function decoded(bytes: Uint8Array, maximumDecodedBytes?: number): Promise<"decoded" | "refused"> {
  const file = await openHurray(bytes, maximumDecodedBytes === undefined ? {} : { maximumDecodedBytes });
  try {
    expect(file.entries.size).toBe(file.names().length);
    expect(Object.keys(file.metadata)).toHaveLength(file.kv.length);
    return "decoded";
  } catch (error) {
    expect(error).toMatchObject({ name: "HurrayLimitError", code: "SW_HURRAY_LIMIT", limit: "maximumDecodedBytes" });
    return "refused";
  }
}

/** The host compiles meanwhile, which takes memory too; what the input takes, it takes each time. */
async function leastCost(run: () => Promise<unknown>): Promise<number> {
  const meter = new Meter();
  let least = Number.POSITIVE_INFINITY;
  for (let again = 0; again < 5; again++)
    least = Math.min(least, (await meter.cost(async () => void (await run()))).bytes);
  return least;
}

for (const [what, bytes] of FILES) {
  test(`a file of ${what} takes at most four times its bytes and 1 MiB, or is refused before`, async () => {
    expect(await leastCost(() => decoded(bytes))).toBeLessThanOrEqual(4 * bytes.byteLength + 2 ** 20);
  });

  test(`a file of ${what} takes no more than it was allowed to`, async () => {
    // The least that is enough, which the refusal tells.
    let enough = 0;
    for (let k = 0; k < 2; k++) {
      const file = await openHurray(bytes, { maximumDecodedBytes: enough });
      const error = await thrown(() => [file.entries, file.metadata]).catch(() => undefined);
      if (error !== undefined) enough = Number(error["given"]);
    }
    expect(await decoded(bytes, enough)).toBe("decoded");
    const opening = 2 * bytes.byteLength;
    expect(await leastCost(() => decoded(bytes, enough))).toBeLessThanOrEqual(enough + opening + 2 ** 20);
  });
}

describe("what is refused", () => {
  const hostile = FILES[0]![1];

  test("says how much it would take, and what to set", async () => {
    const file = await openHurray(hostile);
    const error = await thrown(() => file.kv);
    expect(error.message).toMatch(
      /^kv: the limit on maximumDecodedBytes is passed: got \d+, expected at most \d+\. Allow more\.$/,
    );
    const again = await openHurray(hostile, { maximumDecodedBytes: Number(error["given"]) });
    expect(again.kv[0]?.value).toHaveLength(COUNT);
  });

  test("hinders nobody from reading tensors", async () => {
    const file = await openHurray(fileOf({ names: ["a", "b"], kv: arrayMetadata(6, COUNT, [0, 0, 0, 0]) }));
    expect([file.names(), [...file.entries.keys()], file.has("a")]).toEqual([["a", "b"], ["a", "b"], true]);
    expect((await thrown(() => file.metadata)).name).toBe("HurrayLimitError");
  });

  test("is nothing that a file with tensors has, where they outweigh it", async () => {
    const vocabulary = Array.from({ length: 50_000 }, (_, k) => `token ${k}`);
    const bytes = encodeHurray(
      { w: arange(1_000_000) },
      { metadata: { vocabulary, flags: vocabulary.map(() => true) } },
    );
    const { metadata } = await openHurray(bytes);
    expect(metadata["vocabulary"]).toEqual(vocabulary);
  });

  test("is refused of a file that arrives from its front too, when it is asked for", async () => {
    const ends = async (options: { maximumDecodedBytes?: number }): Promise<{ kv: readonly unknown[] }> => {
      for await (const part of readFileItems([hostile], options)) if (part.kind === "end") return part;
      throw new Error("no end");
    };
    const end = await ends({});
    expect((await thrown(() => end.kv)).name).toBe("HurrayLimitError");
    expect((await ends({ maximumDecodedBytes: 2 ** 30 })).kv).toHaveLength(1);
  });
});

test("a name that is no text is a type error in words of its own", async () => {
  const file = await openHurray(encodeHurray({ w: arange(2) }));
  for (const [name, type] of [
    [undefined, "undefined"],
    [null, "null"],
    [7, "number"],
  ]) {
    for (const call of [
      () => file.entry(name as never),
      () => file.tensor(name as never),
      () => file.descriptor(name as never),
    ]) {
      const error = await thrown(call);
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toBe(`read: name is no string: got ${type}, expected text.`);
    }
    expect(file.has(name as never)).toBe(false);
  }
});
