/// <reference types="vite/types/importMeta.d.ts" />
import { BufferPool, heapMemory } from "@sw/buffer";
import { layout, type Shape, type Stride } from "@sw/layout";
import { type CompoundType, type Part, STORAGE, type StorageDType } from "@sw/tensor/compound";

export type Tree = number | readonly Tree[];
export type PlainLayout = readonly [shape: Shape, stride: Stride];

const VECTORS = import.meta.glob<{ cases: unknown[] }>("./vectors/*.json", { import: "default" });

/** The cases of a vector file, in Node and in a browser alike. */
export async function cases<T>(name: string): Promise<T[]> {
  return (await VECTORS[`./vectors/${name}.json`]!()).cases as T[];
}

export const pool: BufferPool = new BufferPool({ source: heapMemory() });

/** A part over memory of its own, of `size` elements. */
export function part(dtype: StorageDType, size: number, l: PlainLayout, offset = 0): Part {
  const buffer = pool.allocate(Math.ceil((size * STORAGE[dtype].bits) / 8), { zero: true });
  return { dtype, buffer, generation: buffer.generation, offset, layout: layout(...l) };
}

/** A type of so many float32 parts and no rules. */
export function plainType(count: number): CompoundType {
  return { name: `test${count}`, parts: Array(count).fill("float32"), rules: [] };
}

/** The form in which layouts are compared (LA-131): strides of extent-1 leaves do not count, one-child modes may not. */
export function normalForm([shape, stride]: readonly [Tree, Tree], collapse = false): [Tree, Tree] {
  const walk = (s: Tree, d: Tree, top: boolean): [Tree, Tree] => {
    if (typeof s === "number") return [s, s === 1 ? 0 : d];
    const modes = s.map((mode, i) => walk(mode, (d as readonly Tree[])[i]!, false));
    if (collapse && !top && modes.length === 1) return modes[0]!;
    return [modes.map((m) => m[0]), modes.map((m) => m[1])];
  };
  return walk(shape, stride, true);
}
