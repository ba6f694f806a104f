import type { DataBuffer, TypedArrayConstructor } from "@sw/buffer";
import { columnMajor } from "@sw/layout";
import { forEachRun } from "@sw/layout/walk";
import { bfloat16ToNumber } from "../convert/bfloat16.js";
import { halfToNumber } from "../convert/half.js";
import { DTYPES, type DType, type TypedArray } from "../dtype.js";
import type { Writable } from "../window.js";
import type { Part } from "./part.js";
import { STORAGE, type StorageDType } from "./storage.js";

// Elements of a part's memory as numbers, a run at a time; a run is one loop of one kind of element.

/** Elements decoded at a time: they stay in the first cache. */
export const CHUNK = 1024;

/** Reads `count` elements of a part's memory, `start`, `start + step`, …, into the first places of a list. */
type Decode = (start: number, step: number, count: number, into: Float64Array) => void;

/**
 * Gives the reader of a buffer's elements. It is good until the next allocation in the buffer's memory.
 *
 * @param table - the value of each bit pattern, instead of the storage dtype's own.
 */
export function decoderOf(dtype: StorageDType, buffer: DataBuffer, table: Float32Array | undefined): Decode {
  const values = table ?? STORAGE[dtype].decode;
  if (values !== undefined) {
    const bytes = buffer.view(Uint8Array);
    return STORAGE[dtype].bits === 4 ? nibbles(bytes, values) : patterns(bytes, values);
  }
  const elements = windowAs(dtype as DType, buffer);
  switch (dtype) {
    case "float16":
      return converted(elements as Uint16Array, halfToNumber);
    case "bfloat16":
      return converted(elements as Uint16Array, bfloat16ToNumber);
    case "int64":
    case "uint64":
      return converted(elements as BigInt64Array, Number);
    default:
      return numbers(elements as Float32Array);
  }
}

function windowAs(dtype: DType, buffer: DataBuffer): TypedArray {
  return buffer.view(DTYPES[dtype].array as unknown as TypedArrayConstructor<TypedArray>);
}

/** The element numbers of a buffer are below 2^32, where `>>>` is exact. */
function nibbles(bytes: Uint8Array, values: Float32Array): Decode {
  return (start, step, count, into) => {
    let at = start;
    for (let i = 0; i < count; i++) {
      into[i] = values[(bytes[at >>> 1]! >>> ((at & 1) << 2)) & 15]!;
      at += step;
    }
  };
}

function patterns(bytes: Uint8Array, values: Float32Array): Decode {
  return (start, step, count, into) => {
    let at = start;
    for (let i = 0; i < count; i++) {
      into[i] = values[bytes[at]!]!;
      at += step;
    }
  };
}

function numbers(elements: Float32Array): Decode {
  return (start, step, count, into) => {
    let at = start;
    for (let i = 0; i < count; i++) {
      into[i] = elements[at]!;
      at += step;
    }
  };
}

function converted<E extends number | bigint>(
  elements: { readonly [index: number]: E },
  toNumber: (element: E) => number,
): Decode {
  return (start, step, count, into) => {
    let at = start;
    for (let i = 0; i < count; i++) {
      into[i] = toNumber(elements[at]!);
      at += step;
    }
  };
}

/** The numbers of a part, in the order of its ordinals, first-mode-fastest. */
export function inOrdinals(part: Part): Float64Array {
  const { layout, offset } = part;
  const out = new Float64Array(layout.size);
  const chunk = new Float64Array(CHUNK);
  const decode = decoderOf(part.dtype, part.buffer, undefined);
  forEachRun([columnMajor(layout.shape), layout], (starts, steps, count) => {
    for (let from = 0; from < count; from += CHUNK) {
      const n = Math.min(CHUNK, count - from);
      decode(offset + starts[1]! + from * steps[1]!, steps[1]!, n, chunk);
      let at = starts[0]! + from * steps[0]!;
      for (let i = 0; i < n; i++) {
        out[at] = chunk[i]!;
        at += steps[0]!;
      }
    }
  });
  return out;
}

/** Writes the bit pattern of one element. */
type Encode = (index: number, pattern: number | bigint) => void;

/** Gives the writer of bit patterns into memory that is zero; each element is written once. */
export function encoderInto(dtype: StorageDType, buffer: DataBuffer): Encode {
  const { bits } = STORAGE[dtype];
  if (bits === 4) {
    const bytes = buffer.view(Uint8Array);
    return (index, pattern) => {
      bytes[index >>> 1] = bytes[index >>> 1]! | ((Number(pattern) & 15) << ((index & 1) << 2));
    };
  }
  const elements: Writable = dtype === "float8_e8m0" ? buffer.view(Uint8Array) : windowAs(dtype as DType, buffer);
  return (index, pattern) => {
    elements[index] = pattern;
  };
}
