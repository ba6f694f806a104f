import { expect } from "vitest";
import {
  type Descriptor,
  decodeDescriptor,
  descriptorLength,
  type ElementTypeName,
  elementTypeNamed,
} from "../src/descriptor/index.js";
import { type ElementArray, toNumbers } from "../src/values/index.js";
import { type VectorCase, vectors } from "./support.js";

/** What the manifest says of values, the last dimension fastest. */
export interface ValuesCase extends VectorCase {
  readonly values: readonly (number | string | boolean | readonly number[])[];
  /** The bits of each element, of cases of one dimension. */
  readonly codes?: readonly string[];
}

export function valuesCases(...kinds: string[]): ValuesCase[] {
  return vectors(...kinds) as ValuesCase[];
}

/** Compares elements with the values of a manifest: exact, the signs of zeros included. */
export function expectValues(type: ElementTypeName, elements: ElementArray, expected: ValuesCase["values"]): void {
  if (type === "int64" || type === "uint64") {
    expect([...(elements as BigInt64Array)]).toEqual(expected.map((value) => BigInt(value as string)));
  } else if (type === "float128") {
    expect(codesOf(type, elements)).toEqual(expected);
  } else {
    expect([...toNumbers(type, elements)]).toEqual(expected.flat().map(Number));
  }
}

/** The bits of each element, highest digit first. */
export function codesOf(type: ElementTypeName, elements: ElementArray): string[] {
  const { bits } = elementTypeNamed(type);
  const width = Math.max(1, bits / 8);
  const bytes = new Uint8Array(elements.buffer, elements.byteOffset, elements.byteLength);
  return Array.from({ length: bytes.length / width }, (_, i) => {
    const code = [...bytes.subarray(i * width, (i + 1) * width)].reverse();
    if (bits < 8) code[0] = code[0]! & ((1 << bits) - 1);
    return `0x${Buffer.from(code).toString("hex")}`;
  });
}
