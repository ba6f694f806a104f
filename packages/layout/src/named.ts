import { coalesce } from "./coalesce.js";
import { extents, type Layout, trusted } from "./layout.js";
import { type IntTree, isFlat } from "./tree.js";

/** The plainest name of a layout, as a file format or a kernel would say it. @since 0.1.0 */
export type NamedLayout =
  | { readonly kind: "rowMajor" }
  | { readonly kind: "columnMajor" }
  | { readonly kind: "strided"; readonly strides: readonly number[] };

/**
 * Names a layout: row-major, column-major, or strided with one stride per axis; undefined when it has no such name.
 *
 * Strides of extent-1 axes do not count; row-major wins where several names fit, and for empty layouts. A nested axis
 * counts as one when its leaves continue each other. `shape` is the box that is meant, if it is smaller than the
 * domain: such a padded layout has no name here.
 *
 * @example
 * ```ts
 * import { parseLayout, recognise } from "@sw/layout";
 * console.log(recognise(parseLayout("((2,2),3):((3,6),1)"))); // { kind: 'rowMajor' }
 * ```
 * @since 0.1.0
 */
export function recognise(l: Layout, shape?: readonly number[]): NamedLayout | undefined {
  const box = extents(l);
  if (shape !== undefined) {
    if (shape.length !== box.length) return undefined;
    for (let i = 0; i < box.length; i++) if (shape[i] !== box[i]) return undefined;
  }
  const strides = axisStrides(l);
  if (strides === undefined) return undefined;
  if (l.size === 0 || isCompact(box, strides, box.length - 1, -1)) return { kind: "rowMajor" };
  if (isCompact(box, strides, 0, 1)) return { kind: "columnMajor" };
  return { kind: "strided", strides };
}

/** One stride per axis, or undefined when a nested axis needs more. */
function axisStrides(l: Layout): readonly number[] | undefined {
  if (isFlat(l.stride)) return l.stride;
  const out: number[] = [];
  for (let i = 0; i < l.shape.length; i++) {
    const mode: IntTree = l.shape[i]!;
    if (typeof mode === "number") {
      out.push(l.stride[i] as number);
      continue;
    }
    const flat = coalesce(trusted(mode, l.stride[i] as readonly IntTree[]));
    if (flat.shape.length !== 1) return undefined;
    out.push(flat.stride[0] as number);
  }
  return out;
}

function isCompact(extents: readonly number[], strides: readonly number[], from: number, step: 1 | -1): boolean {
  let expected = 1;
  for (let i = from; i >= 0 && i < extents.length; i += step) {
    if (extents[i] === 1) continue;
    if (strides[i] !== expected) return false;
    expected *= extents[i]!;
  }
  return true;
}
