import { DTYPES, type DType, type TypedArray } from "../dtype.js";
import { type ElementBits, elementBits } from "./copy.js";
import { CHUNK } from "./stations.js";

/** A chunk of elements of one dtype, next to each other. */
interface Window {
  readonly data: TypedArray;
  readonly bits: ElementBits;
}

// Made by the first cast that needs them, and kept. No cast runs inside another, so one of each is enough.
const gathered: { [D in DType]?: Window } = {};
const scattered: { [D in DType]?: Window } = {};

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
