import { DTYPES, type DType, type TypedArray } from "../dtype.js";
import { type ElementBits, elementBits } from "./copy.js";

/** Elements converted at a time: the scratch of a cast stays in the first cache. */
export const CHUNK: number = 2048;

/** The forms in which a chunk of elements waits between its source and its target. */
export interface Scratch {
  readonly numbers: Float64Array;
  readonly floats: Float32Array;
  /** The bits of `floats`, same memory. */
  readonly bits: Uint32Array;
}

/** A chunk of elements of one dtype, next to each other. */
interface Window {
  readonly data: TypedArray;
  readonly bits: ElementBits;
}

// Made by the first cast that needs them, and kept. No cast runs inside another, so one of each is enough.
let scratch: Scratch | undefined;
const gathered: { [D in DType]?: Window } = {};
const scattered: { [D in DType]?: Window } = {};

/** Returns the chunk that every cast goes through. */
export function scratchChunk(): Scratch {
  if (scratch === undefined) {
    const floats = new Float32Array(CHUNK);
    scratch = { numbers: new Float64Array(CHUNK), floats, bits: new Uint32Array(floats.buffer) };
  }
  return scratch;
}

/** Returns where strided elements are gathered before a cast. */
export function gatherWindow(dtype: DType): Window {
  gathered[dtype] ??= createWindow(dtype);
  return gathered[dtype];
}

/** Returns where elements wait after a cast for being scattered. */
export function scatterWindow(dtype: DType): Window {
  scattered[dtype] ??= createWindow(dtype);
  return scattered[dtype];
}

function createWindow(dtype: DType): Window {
  const info = DTYPES[dtype];
  const data = new info.array(CHUNK);
  return { data, bits: elementBits(data, info.byteLength) };
}

/** Views `count` 32-bit words of an array whose elements have `width` bytes, from element `start` on. */
export function wordsAt(data: TypedArray, width: number, start: number, count: number): Uint32Array {
  return new Uint32Array(data.buffer, data.byteOffset + start * width, count);
}
