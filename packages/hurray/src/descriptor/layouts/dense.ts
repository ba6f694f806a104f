import type { ElementSpan, EntryOf, LayoutEntry } from "../layout-entry.js";

/** A layout without a hole or a repetition: offsets from 0 to one below the number of elements. */
export function compactSpan(extents: readonly bigint[]): ElementSpan {
  return { lowest: 0n, highest: product(extents) - 1n };
}

/** The offsets that strides reach over extents of at least 1. */
export function strideSpan(extents: readonly bigint[], strides: readonly bigint[]): ElementSpan {
  let lowest = 0n;
  let highest = 0n;
  extents.forEach((extent, k) => {
    const reach = (extent - 1n) * strides[k]!;
    if (reach < 0n) lowest += reach;
    else highest += reach;
  });
  return { lowest, highest };
}

/** Multiplies exactly. */
export function product(extents: readonly bigint[]): bigint {
  let result = 1n;
  for (const extent of extents) result *= extent;
  return result;
}

/** Elements one after the other, the last dimension fastest. */
export const rowMajor: EntryOf<"rowMajor"> = compact("rowMajor");

/** Elements one after the other, the first dimension fastest. */
export const columnMajor: EntryOf<"columnMajor"> = compact("columnMajor");

/** Elements at the strides given. */
export const strided: EntryOf<"strided"> = {
  layoutClass: "dense",
  bufferCount: () => 1,
  read: (reader, { shape }) => ({ kind: "strided", strides: reader.i64s(shape.length, "strides") }),
  write: (writer, { strides }, rank) => writer.list("i64", strides, rank, "strides"),
  span: ({ strides }, stored) => strideSpan(stored, strides),
};

function compact<K extends "rowMajor" | "columnMajor">(kind: K): EntryOf<K> {
  const entry: LayoutEntry = {
    layoutClass: "dense",
    storesWholeBlocks: true,
    bufferCount: () => 1,
    read: () => ({ kind }),
    write: () => {},
    span: (_layout, stored) => compactSpan(stored),
  };
  return entry as unknown as EntryOf<K>;
}
