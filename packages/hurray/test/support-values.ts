import { expect } from "vitest";
import {
  type BufferHandle,
  type Descriptor,
  decodeDescriptor,
  descriptorLength,
  type ElementTypeName,
  elementTypeNamed,
} from "../src/descriptor/index.js";
import type { StoredTensor } from "../src/stored.js";
import { type ElementArray, toNumbers } from "../src/values/index.js";
import { bytesOf, type VectorCase, vectors } from "./support.js";

/** What the manifest says of values, the last dimension fastest. */
export interface ValuesCase extends VectorCase {
  readonly values: readonly (number | string | boolean | readonly number[])[];
  /** The bits of each element, of cases of one dimension. */
  readonly codes?: readonly string[];
  /** Of address cases: element offsets and byte addresses; of 6-bit types those of the groups. */
  readonly offsets: readonly number[];
  readonly byteAddresses?: readonly number[];
  readonly groupByteAddresses?: readonly number[];
  /** Of streams of one composite: its values. */
  readonly view?: { readonly shape: readonly number[]; readonly values: readonly number[] };
  /** Of lookup cases: the place of every coordinate in buffer 0, its value, and [sequence, token, head, dim, offset]. */
  readonly slots?: readonly (number | null)[];
  readonly dense?: ValuesCase["values"];
  readonly queries?: readonly (readonly [number, number, number, number, number])[];
}

export function valuesCases(...kinds: string[]): ValuesCase[] {
  return vectors(...kinds) as ValuesCase[];
}

/** The descriptor of a vector that is followed by its buffers, and those buffers, back to back. */
export function storedOf(c: { readonly file: string }): StoredTensor {
  const bytes = bytesOf(c);
  const descriptor = decodeDescriptor(bytes);
  return { descriptor, buffers: split(descriptor, bytes.subarray(descriptorLength(bytes))) };
}

export function split(descriptor: Descriptor, bytes: Uint8Array): Uint8Array[] {
  let end = 0;
  return descriptor.buffers.map(({ byteSize }) => {
    const start = end;
    end += Number(byteSize);
    return bytes.subarray(start, end);
  });
}

/** Every coordinate of a shape, the last dimension fastest. */
export function* coordinatesOf(shape: readonly number[]): Generator<number[]> {
  const count = shape.reduce((product, extent) => product * extent, 1);
  for (let i = 0; i < count; i++) {
    const coordinate = shape.map(() => 0);
    let rest = i;
    for (let k = shape.length - 1; k >= 0; k--) {
      coordinate[k] = rest % shape[k]!;
      rest = Math.floor(rest / shape[k]!);
    }
    yield coordinate;
  }
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

/** A dense descriptor of a type over one buffer, as large as needed. */
export function denseOf(
  type: ElementTypeName,
  shape: readonly number[],
  patch: Partial<Descriptor> = {},
  byteLength = 4096,
): Descriptor {
  return {
    versionMinor: 0,
    typeTag: elementTypeNamed(type).tag,
    shape: shape.map(BigInt),
    byteOffset: 0n,
    layout: { kind: "rowMajor" },
    buffers: [handle(byteLength)],
    ...patch,
  };
}

export function handle(byteLength: number): BufferHandle {
  return { byteSize: BigInt(byteLength), alignment: 64, deviceTag: 0, syncMode: 0, memoryClass: 0 };
}

/** A tensor of any layout and its buffers. */
export function tensorOf(
  type: ElementTypeName,
  shape: readonly number[],
  layout: Descriptor["layout"],
  buffers: readonly (Uint8Array | readonly number[])[],
  patch: Partial<Descriptor> = {},
): StoredTensor {
  const bytes = buffers.map((buffer) => (buffer instanceof Uint8Array ? buffer : u64s(buffer)));
  const handles = bytes.map(({ byteLength }) => handle(byteLength));
  return { descriptor: denseOf(type, shape, { layout, buffers: handles, ...patch }), buffers: bytes };
}

/** The bytes of any view. */
export function raw(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

function u64s(values: readonly number[]): Uint8Array {
  return raw(BigUint64Array.from(values, BigInt));
}
