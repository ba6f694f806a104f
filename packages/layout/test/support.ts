/// <reference types="vite/types/importMeta.d.ts" />
import fc from "fast-check";
import { type Layout, LayoutError, type LayoutErrorCode, layout } from "../src/index.js";

export type Tree = number | readonly Tree[];

/** The vector files by path, each read when asked for: in Node and in a browser alike. */
const VECTORS = import.meta.glob<unknown>("./vectors/*/*.json", { import: "default" });

/** The cases of a vector file; their fields are described in its header. */
export async function cases<T>(file: string): Promise<T[]> {
  return ((await VECTORS[`./vectors/${file}.json`]!()) as { cases: T[] }).cases;
}

/** Every vector file of a folder. */
export function vectorFiles(folder: string): Promise<unknown[]> {
  const paths = Object.keys(VECTORS).filter((path) => path.startsWith(`./vectors/${folder}/`));
  return Promise.all(paths.map((path) => VECTORS[path]!()));
}

/** Reads `[shape, stride]`; a bare number is a one-leaf layout (LA-6). */
export function fromVector(l: readonly [Tree, Tree]): Layout {
  return layout(wrap(l[0]), wrap(l[1]));
}

function wrap(tree: Tree): readonly Tree[] {
  return typeof tree === "number" ? [tree] : tree;
}

/** The form in which layouts are compared (LA-131). */
export function normalForm(shape: Tree, stride: Tree, collapse = false): [Tree, Tree] {
  const walk = (s: Tree, d: Tree, top: boolean): [Tree, Tree] => {
    if (typeof s === "number") return [s, s === 1 ? 0 : d];
    const modes = s.map((mode, i) => walk(mode, (d as readonly Tree[])[i]!, false));
    if (collapse && !top && modes.length === 1) return modes[0]!;
    return [modes.map((m) => m[0]), modes.map((m) => m[1])];
  };
  return walk(wrap(shape), wrap(stride), true);
}

/** The leaves of a tree, written apart from the library. */
export function flat(tree: Tree): number[] {
  return typeof tree === "number" ? [tree] : tree.flatMap(flat);
}

/** Every index by ordinal, first mode fastest, straight from the definition (LA-20, LA-22). */
export function enumerate(l: Layout): number[] {
  return walkLeaves(flat(l.shape), flat(l.stride));
}

/** Every index in row-major order: axes row-major, leaves of one axis first-leaf-fastest. */
export function enumerateRowMajor(l: Layout): number[] {
  const reversed = (tree: readonly Tree[]): number[] => [...tree].reverse().flatMap(flat);
  return walkLeaves(reversed(l.shape), reversed(l.stride));
}

/** First leaf fastest. */
function walkLeaves(extents: readonly number[], strides: readonly number[]): number[] {
  let out = [0];
  for (let k = extents.length - 1; k >= 0; k--) {
    const next: number[] = [];
    for (const base of out) for (let i = 0; i < extents[k]!; i++) next.push(base + i * strides[k]!);
    out = next;
  }
  return out;
}

/** Asserts a LayoutError with a code, and returns it for its fields. */
export function refusal(code: LayoutErrorCode, fn: () => unknown): LayoutError {
  try {
    fn();
  } catch (error) {
    if (!(error instanceof LayoutError) || error.code !== code) throw error;
    return error;
  }
  throw new Error(`expected a LayoutError ${code}, nothing was thrown`);
}

export interface LayoutOptions {
  readonly minExtent?: number;
  readonly maxExtent?: number;
  readonly maxDepth?: number;
  readonly maxLeaves?: number;
  readonly minStride?: number;
  readonly maxStride?: number;
  readonly maxSize?: number;
}

/** Random layouts: nested, strides signed and zero, extents from 0, of a size that can be enumerated. */
export function layouts(options: LayoutOptions = {}): fc.Arbitrary<Layout> {
  const { minExtent = 0, maxExtent = 12, maxDepth = 4, maxLeaves = 6 } = options;
  const { minStride = -20, maxStride = 20, maxSize = 3000 } = options;
  const { tree } = fc.letrec<{ tree: Tree; leaf: number; mode: readonly Tree[] }>((tie) => ({
    leaf: fc.integer({ min: minExtent, max: maxExtent }),
    mode: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }),
    tree: fc.oneof({ maxDepth, depthSize: "small", withCrossShrink: true }, tie("leaf"), tie("mode")),
  }));
  return fc
    .array(tree, { maxLength: 6 })
    .filter((shape) => flat(shape).length <= maxLeaves && flat(shape).reduce((a, b) => a * b, 1) <= maxSize)
    .chain((shape) => {
      const count = flat(shape).length;
      const stride = fc.integer({ min: minStride, max: maxStride });
      return fc.array(stride, { minLength: count, maxLength: count }).map((strides) => {
        const rest = [...strides];
        return layout(
          shape,
          shape.map((mode) => refill(mode, rest)),
        );
      });
    });
}

function refill(tree: Tree, values: number[]): Tree {
  return typeof tree === "number" ? values.shift()! : tree.map((mode) => refill(mode, values));
}

/** Random flat layouts. */
export function flatLayouts(options: LayoutOptions = {}): fc.Arbitrary<Layout> {
  return layouts({ ...options, maxDepth: 0 }).map((l) => layout(flat(l.shape), flat(l.stride)));
}
