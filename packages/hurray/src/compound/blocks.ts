import { type IntTree, type Layout, leaves, maxIndex, strided } from "@sw/layout";

/** How a scheme shares its parameters. */
export type Sharing =
  | { readonly scheme: "perTensor" }
  | { readonly scheme: "perChannel"; readonly axis: number }
  | { readonly scheme: "perBlock" | "nf4" | "mxfp"; readonly axis: number; readonly blockSize: number };

/** How elements share parameters: by which step of a coordinate the number of the parameter grows by how much. */
export interface Blocks {
  /** Of each axis, what a step is worth; along `axis` a step is a whole block. */
  readonly steps: readonly number[];
  /** The axis that is cut into blocks, if one is. */
  readonly axis?: number;
  /** Elements of a block. */
  readonly blockSize: number;
  /** How many parameters there are. */
  readonly count: number;
}

/** The blocks of a scheme (section 7). */
export function blocksOf(shape: readonly number[], sharing: Sharing): Blocks {
  const steps = shape.map(() => 0);
  if (sharing.scheme === "perTensor") return { steps, blockSize: 1, count: 1 };
  if (sharing.scheme === "perChannel") {
    steps[sharing.axis] = 1;
    return { steps, blockSize: 1, count: shape[sharing.axis]! };
  }
  const { axis, blockSize } = sharing;
  // Along the axis fastest, then over all others in row-major order.
  let count = Math.ceil(shape[axis]! / blockSize);
  steps[axis] = 1;
  for (let k = shape.length - 1; k >= 0; k--) {
    if (k === axis) continue;
    steps[k] = count;
    count *= shape[k]!;
  }
  return { steps, axis, blockSize, count };
}

/** A layout cut where its blocks are, and beside it the layout that gives the number of each element's parameter. */
export interface Adjacent {
  readonly elements: Layout;
  readonly toParameter: Layout;
}

/**
 * Cuts the axis of a layout so that each of its leaves lies in a block or steps over whole ones; `undefined` where a leaf
 * does neither, and where padding would have parameters that do not exist.
 */
export function adjacentOf(l: Layout, blocks: Blocks): Adjacent | undefined {
  if (l.size === 0) {
    const none = strided(
      l.shape,
      l.shape.map((mode) => zeros(mode)),
    );
    return { elements: l, toParameter: none };
  }
  const shape: IntTree[] = [];
  const strides: IntTree[] = [];
  const steps: IntTree[] = [];
  for (let k = 0; k < l.shape.length; k++) {
    const axis = axisLeaves(l.shape[k]!, l.stride[k]!, blocks.steps[k]!, k === blocks.axis ? blocks.blockSize : 1);
    if (axis === undefined) return undefined;
    const isPlain = axis.extents.length === 1;
    shape.push(isPlain ? axis.extents[0]! : axis.extents);
    strides.push(isPlain ? axis.strides[0]! : axis.strides);
    steps.push(isPlain ? axis.steps[0]! : axis.steps);
  }
  const toParameter = strided(shape, steps);
  return maxIndex(toParameter) < blocks.count ? { elements: strided(shape, strides), toParameter } : undefined;
}

const zeros = (mode: IntTree): IntTree => (typeof mode === "number" ? 0 : mode.map(zeros));

interface AxisLeaves {
  readonly extents: number[];
  readonly strides: number[];
  readonly steps: number[];
}

/** The leaves of one axis, fastest first; one more, of extent 1, where the axis is a single block. */
function axisLeaves(mode: IntTree, stride: IntTree, step: number, blockSize: number): AxisLeaves | undefined {
  const axis: AxisLeaves = { extents: [], strides: [], steps: [] };
  const push = (extent: number, by: number, worth: number): void => {
    axis.extents.push(extent);
    axis.strides.push(by);
    axis.steps.push(worth);
  };
  const by = leaves(stride);
  let below = 1;
  let end = 1;
  leaves(mode).forEach((extent, i) => {
    const room = Math.max(1, blockSize / below);
    end = extent * by[i]!;
    if (below >= blockSize) push(extent, by[i]!, (below / blockSize) * step);
    else if (extent <= room) push(extent, by[i]!, 0);
    else {
      push(room, by[i]!, 0);
      push(extent / room, room * by[i]!, step);
    }
    below *= extent;
  });
  if (blockSize > 1 && below === blockSize) push(1, end, step);
  return axis.extents.every(Number.isInteger) && axis.steps.every(Number.isInteger) ? axis : undefined;
}
