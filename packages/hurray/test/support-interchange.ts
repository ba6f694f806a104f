import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect } from "vitest";
import { type ElementTypeName, elementTypeNamed } from "../src/descriptor/index.js";
import { HurrayForeignError, type StoredTensor } from "../src/interchange/index.js";
import { packElements } from "../src/values/index.js";
import { tensorOf } from "./support-values.js";

const HERE = new URL("./fixtures/interchange/", import.meta.url);

/** What a fixture has in it, as the program that made it says. */
export interface Expected {
  readonly name: string | null;
  readonly type: ElementTypeName;
  readonly shape: readonly number[];
  readonly order: "rowMajor" | "columnMajor";
  /** The elements in the order of the file, little-endian, a byte for each bool. */
  readonly hex: string;
}

export function fixture(file: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(file, HERE)));
}

const EXPECTED: { readonly [file: string]: readonly Expected[] } = JSON.parse(
  readFileSync(new URL("expected.json", HERE), "utf8"),
);

/** The fixtures with a name that ends so, and what is in them. */
export function fixtures(extension: string): [file: string, tensors: readonly Expected[]][] {
  return Object.entries(EXPECTED).filter(([file]) => file.endsWith(extension));
}

/** The tensor that a fixture has, made of what was written beside it. */
export function storedOf({ type, shape, order, hex }: Expected): StoredTensor {
  const foreign = new Uint8Array(Buffer.from(hex, "hex"));
  const { bits } = elementTypeNamed(type);
  const count = shape.reduce((product, extent) => product * extent, 1);
  let bytes = foreign;
  if (type === "bool") {
    bytes = new Uint8Array(Math.ceil(count / 8));
    packElements("bool", foreign, bytes);
  } else if (bits === 6) {
    // Groups of three bytes are whole here.
    bytes = new Uint8Array(Math.ceil(count / 4) * 3);
    bytes.set(foreign);
  }
  return tensorOf(type, shape, { kind: order }, [bytes]);
}

/** Bytes of pieces put together. */
export async function joined(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const piece of pieces) parts.push(new Uint8Array(piece));
  return new Uint8Array(Buffer.concat(parts));
}

/** Pieces of a length, in memory that is used again for the next one. */
export function* chunks(bytes: Uint8Array, length: number): Generator<Uint8Array, void, void> {
  const chunk = new Uint8Array(length);
  for (let at = 0; at < bytes.byteLength; at += length) {
    const part = bytes.subarray(at, at + length);
    chunk.set(part);
    yield chunk.subarray(0, part.byteLength);
    chunk.fill(0xee);
  }
}

/** What something throws or rejects with. */
export async function thrown(
  run: () => unknown,
): Promise<Error & { readonly [field: string]: unknown; readonly message: string }> {
  try {
    await run();
  } catch (error) {
    return error as Error & { readonly [field: string]: unknown };
  }
  return expect.fail("nothing was thrown");
}

/** Expects an error of ours about another format, and gives its message. */
export async function foreign(
  code: "INVALID" | "UNSUPPORTED",
  field: string,
  byteOffset: number | undefined,
  run: () => unknown,
): Promise<string> {
  const error = await thrown(run);
  expect(error).toBeInstanceOf(HurrayForeignError);
  expect([error["code"], error["field"], error["byteOffset"]]).toEqual([
    `SW_HURRAY_FOREIGN_${code}`,
    field,
    byteOffset,
  ]);
  return error.message;
}

/** Tensors of some types and orders, with elements of all bits, and an even number of them where they have four bits. */
export function tensors(
  types: readonly ElementTypeName[],
  orders: readonly Expected["order"][],
): fc.Arbitrary<StoredTensor> {
  return fc
    .record({
      type: fc.constantFrom(...types),
      extents: fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 4 }),
      order: fc.constantFrom(...orders),
    })
    .chain(({ type, extents, order }) => {
      const bits = type === "bool" ? 8 : elementTypeNamed(type).bits;
      const shape = bits < 8 ? [...extents, 2] : extents;
      const length = (shape.reduce((product, extent) => product * extent, 1) * bits) / 8;
      return fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => {
        const hex = Buffer.from(type === "bool" ? bytes.map((byte) => byte & 1) : bytes).toString("hex");
        // Below two dimensions there is one order.
        return storedOf({ name: null, type, shape, order: shape.length > 1 ? order : "rowMajor", hex });
      });
    });
}
