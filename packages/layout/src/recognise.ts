import { coalescedAxes, type FlatAxis } from "./axis-leaves.js";
import { notAnInteger } from "./errors.js";
import { extents, type Layout, requireLayout } from "./layout.js";
import { compactOrder, recogniseTiles } from "./recognise-tiles.js";
import type { TiledForm } from "./tiled.js";
import { requireList } from "./tree.js";

/** The plainest name of a layout, as a file format or a kernel would say it. @since 0.1.0 */
export type NamedLayout =
  | { readonly kind: "rowMajor" }
  | { readonly kind: "columnMajor" }
  | { readonly kind: "strided"; readonly strides: readonly number[] }
  | { readonly kind: "tiled"; readonly form: TiledForm }
  | { readonly kind: "morton"; readonly bits: readonly number[] };

/**
 * Names a layout: row-major, column-major, strided with one stride per axis, Morton, or tiled; undefined when it has no
 * such name, or none was found in a bounded search for tiles.
 *
 * Building what the name says, of `shape`, gives the same index for every coordinate of one number per axis. The first
 * name that fits is given, and of the tiled forms one with few levels and few strides; a Morton layout is not called
 * tiled, though it always could be. Strides of extent-1 axes do not count; row-major wins for empty layouts. A nested
 * axis counts as one when its leaves continue each other. `shape` is the box that is meant, if it is smaller than the
 * domain: such a padded layout is tiled or Morton, if only as a single tile.
 *
 * @throws TypeError for what is no layout, or a shape that is no list of integers.
 * @example
 * ```ts
 * import { blocked, parseLayout } from "@sw/layout";
 * import { recognise } from "@sw/layout/recognise";
 * console.log(recognise(parseLayout("((2,2),3):((3,6),1)"))); // { kind: 'rowMajor' }
 * console.log(recognise(blocked([2, 6, 5], 1, 4), [2, 6, 5])?.kind); // tiled
 * ```
 * @since 0.1.0
 */
export function recognise(l: Layout, shape?: readonly number[]): NamedLayout | undefined {
  requireLayout("recognise", l);
  const domain = extents(l);
  const box = shape === undefined ? domain : shape;
  requireList("recognise", "shape", box);
  for (const extent of box) if (!Number.isInteger(extent)) throw notAnInteger("recognise", "an extent", extent);
  if (box.length !== domain.length) return undefined;
  let isPadded = false;
  for (let k = 0; k < domain.length; k++) {
    if (box[k]! < 0 || box[k]! > domain[k]!) return undefined;
    if (box[k] !== domain[k]) isPadded = true;
  }
  if (l.size === 0 && !isPadded) return { kind: "rowMajor" };
  const axes = coalescedAxes(l);
  if (!isPadded && axes.every((axis) => axis.extents.length === 1)) {
    const strides = axes.map((axis) => axis.strides[0]!);
    const order = compactOrder(domain, strides);
    return order === undefined ? { kind: "strided", strides } : { kind: order };
  }
  const bits = mortonBits(axes);
  if (bits !== undefined) return { kind: "morton", bits };
  const form = recogniseTiles(l, axes, box);
  return form === undefined ? undefined : { kind: "tiled", form };
}

/** The bits of a Morton layout: every leaf is a 2, with the stride of its bit. */
function mortonBits(axes: readonly FlatAxis[]): number[] | undefined {
  for (let d = 0; d < axes.length; d++) {
    const { extents, strides } = axes[d]!;
    for (let b = 0; b < extents.length; b++) {
      if (extents[b] !== 2 || strides[b] !== 2 ** (b * axes.length + d)) return undefined;
    }
  }
  return axes.map((axis) => axis.extents.length);
}
