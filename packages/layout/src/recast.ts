import { describe, LayoutError, notAnInteger, unsafe } from "./errors.js";
import { gcd } from "./injective.js";
import { formatLayout, type Layout, made, requireLayout } from "./layout.js";
import { type IntTree, leaves } from "./tree.js";

/**
 * Reads a layout of elements as one of groups of `n` elements: index i of an element becomes i / n of its group (LA-107).
 *
 * A leaf whose stride is a multiple of n keeps its extent and has the stride divided; one whose stride divides n moves
 * from group to group in fewer steps, and a last group may be filled in part. Stride 0 stays. A leaf that shrinks to
 * extent 1 keeps a stride of 1, so that `downcast` can widen it again. Exact or refused. Pays O(leaves).
 *
 * @throws TypeError when `n` is not an integer.
 * @throws LayoutError `SW_LAYOUT_COUNT` when n is below 1, `SW_LAYOUT_RECAST` when a stride neither divides n nor is a
 * multiple of it, or leaves inside a group carry into the next one, `SW_LAYOUT_SIGN` when a negative stride would have to be split into groups.
 * @example
 * ```ts
 * import { parseLayout } from "@sw/layout";
 * import { upcast } from "@sw/layout/algebra";
 * console.log(String(upcast(parseLayout("(8,4):(1,8)"), 4))); // (2,4):(1,2)
 * ```
 * @since 0.1.0
 */
export function upcast(l: Layout, n: number): Layout {
  requireLayout("upcast", l);
  requireCount("upcast", "the ratio", n);
  return upcastFor("upcast", l, n);
}

function upcastFor(operation: string, l: Layout, n: number): Layout {
  if (n === 1) return l;
  let within = 0; // how far leaves of smaller strides, taken together, reach from the start of a group
  const groups = mapLeaves(operation, l, (extent, stride) => {
    if (stride % n === 0) return [extent, stride / n + 0];
    if (n % stride !== 0) {
      const problem = `a stride does not fit groups of ${n}: got ${stride}, expected a divisor or a multiple of ${n} (layout ${formatLayout(l)}).`;
      throw new LayoutError("SW_LAYOUT_RECAST", operation, problem, { layout: l, value: stride });
    }
    if (stride < 0) {
      const problem = `a negative stride would be split into groups of ${n}: got ${stride}, expected a multiple of ${n} (layout ${formatLayout(l)}). Flip that mode first.`;
      throw new LayoutError("SW_LAYOUT_SIGN", operation, problem, { layout: l, value: stride });
    }
    within += (Math.min(extent, n / stride) - 1) * stride;
    return [Math.ceil(extent / (n / stride)), 1];
  });
  if (within < n || l.size === 0) return groups;
  const problem = `leaves together leave a group of ${n}, and no layout counts the next one: got ${formatLayout(l)}, expected them to reach ${n - 1} at most, not ${within}.`;
  throw new LayoutError("SW_LAYOUT_RECAST", operation, problem, { layout: l, value: within });
}

/**
 * Reads a layout of elements as one of parts, `n` to an element: parts n·i to n·i + n - 1 stand where element i stood
 * (LA-107). The leaf of stride 1 gets n times its extent, every other stride is multiplied.
 *
 * A leaf of extent 1 counts as one of stride 1 when that stride is written, as in CuTe: give it stride 0 if another
 * leaf is the one to widen.
 *
 * @throws TypeError when `n` is not an integer.
 * @throws LayoutError `SW_LAYOUT_COUNT` when n is below 1, `SW_LAYOUT_RECAST` when no leaf has stride 1,
 * `SW_LAYOUT_NOT_INJECTIVE` when two leaves longer than 1 have it, `SW_LAYOUT_UNSAFE_INTEGER` when the result is too large.
 * @example
 * ```ts
 * import { parseLayout } from "@sw/layout";
 * import { downcast } from "@sw/layout/algebra";
 * console.log(String(downcast(parseLayout("(2,4):(1,2)"), 4))); // (8,4):(1,8)
 * ```
 * @since 0.1.0
 */
export function downcast(l: Layout, n: number): Layout {
  requireLayout("downcast", l);
  requireCount("downcast", "the ratio", n);
  return downcastFor("downcast", l, n);
}

function downcastFor(operation: string, l: Layout, n: number): Layout {
  if (n === 1) return l;
  const extentLeaves = leaves(l.shape);
  const strideLeaves = leaves(l.stride);
  let long = 0;
  for (let i = 0; i < extentLeaves.length; i++) if (strideLeaves[i] === 1 && extentLeaves[i]! > 1) long++;
  if (long > 1) {
    const problem = `two leaves have stride 1, so no layout holds the ${n} parts of each element: got ${formatLayout(l)}, expected one.`;
    throw new LayoutError("SW_LAYOUT_NOT_INJECTIVE", operation, problem, { layout: l });
  }
  if (!strideLeaves.includes(1)) {
    const problem = `no leaf has stride 1 to hold the ${n} parts of an element: got ${formatLayout(l)}, expected one.`;
    throw new LayoutError("SW_LAYOUT_RECAST", operation, problem, { layout: l, value: n });
  }
  return mapLeaves(operation, l, (extent, stride) => (stride === 1 ? [extent * n, 1] : [extent, stride * n + 0]));
}

/**
 * Reads a layout of elements of `oldBits` bits as one of elements of `newBits` bits over the same memory (LA-107).
 *
 * One width a multiple of the other is one `upcast` or `downcast`; otherwise both, first up and then down.
 *
 * @throws TypeError when a width is not an integer; LayoutError as `upcast` and `downcast`.
 * @example
 * ```ts
 * import { parseLayout } from "@sw/layout";
 * import { recast } from "@sw/layout/algebra";
 * console.log(String(recast(parseLayout("(8,4):(1,8)"), 8, 32))); // (2,4):(1,2)
 * ```
 * @since 0.1.0
 */
export function recast(l: Layout, oldBits: number, newBits: number): Layout {
  requireLayout("recast", l);
  requireCount("recast", "the old width", oldBits);
  requireCount("recast", "the new width", newBits);
  const common = gcd(oldBits, newBits);
  return downcastFor("recast", upcastFor("recast", l, newBits / common), oldBits / common);
}

/** Refuses what is not a positive safe integer. */
export function requireCount(operation: string, what: string, n: unknown): asserts n is number {
  if (typeof n !== "number" || !Number.isInteger(n)) throw notAnInteger(operation, what, n);
  if (!Number.isSafeInteger(n)) throw unsafe(operation, what, n);
  if (n < 1) {
    const problem = `${what} is not positive: got ${describe(n)}, expected 1 or more.`;
    throw new LayoutError("SW_LAYOUT_COUNT", operation, problem, { value: n });
  }
}

/** Rebuilds a layout leaf by leaf. */
function mapLeaves(
  operation: string,
  l: Layout,
  leaf: (extent: number, stride: number) => readonly [number, number],
): Layout {
  function walk(shape: readonly IntTree[], stride: readonly IntTree[]): readonly [IntTree[], IntTree[]] {
    const outShape: IntTree[] = [];
    const outStride: IntTree[] = [];
    for (let i = 0; i < shape.length; i++) {
      const mode = shape[i]!;
      const [s, d] =
        typeof mode === "number" ? leaf(mode, stride[i] as number) : walk(mode, stride[i] as readonly IntTree[]);
      outShape.push(s);
      outStride.push(d);
    }
    return [outShape, outStride];
  }
  const [shape, stride] = walk(l.shape, l.stride);
  return made(operation, shape, stride);
}
