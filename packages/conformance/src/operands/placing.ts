/** Where an operand's elements lie in an area of memory that is its own. */
export interface Placement {
  readonly shape: readonly number[];
  /** In elements. */
  readonly strides: readonly number[];
  /** From the start of the area to element (0, 0, …), in elements. */
  readonly offset: number;
  /** Elements in the area, those between the operand's own included. */
  readonly length: number;
}

/** How to lay out a shape; row-major and dense where nothing is said. */
export interface PlaceOptions {
  /** The axes, outermost first. */
  readonly order?: readonly number[];
  /** The stride of the innermost axis. */
  readonly gap?: number;
  /** Elements left free after each turn of an axis. */
  readonly pad?: number;
  /** Axes that run backwards. */
  readonly reversed?: readonly boolean[];
  /** Axes of stride 0. */
  readonly broadcast?: readonly boolean[];
  /** Elements before the first. */
  readonly shift?: number;
}

/** Lays out a shape. */
export type Placer = (shape: readonly number[]) => Placement;

/** Lays a shape out in memory. */
export function place(shape: readonly number[], options: PlaceOptions = {}): Placement {
  const { gap = 1, pad = 0, reversed = [], broadcast = [], shift = 0 } = options;
  const order = options.order ?? shape.map((_, axis) => axis);
  const strides = shape.map(() => 0);
  let step = gap;
  let offset = shift;
  for (const axis of [...order].reverse()) {
    if (broadcast[axis]) continue;
    const extent = shape[axis]!;
    strides[axis] = step;
    if (reversed[axis]) {
      offset += step * Math.max(0, extent - 1);
      strides[axis] = -step;
    }
    step = step * Math.max(1, extent) + pad;
  }
  return { shape, strides, offset, length: step + shift };
}

/** Lists the positions of the elements within the area, row-major; of the first `loops` axes only, if given. */
export function positionsOf(placement: Placement, loops: number = placement.shape.length): number[] {
  let found = [placement.offset];
  for (let axis = 0; axis < loops; axis++) {
    const extent = placement.shape[axis]!;
    const stride = placement.strides[axis]!;
    const next = new Array<number>(found.length * extent);
    let at = 0;
    for (const start of found) for (let i = 0; i < extent; i++) next[at++] = start + i * stride;
    found = next;
  }
  return found;
}

/** Multiplies extents. */
export function sizeOf(shape: readonly number[]): number {
  let size = 1;
  for (const extent of shape) size *= extent;
  return size;
}

/** Finds the coordinate of the element that is number `ordinal` row-major. */
export function coordinateOf(shape: readonly number[], ordinal: number): number[] {
  const coordinate = shape.map(() => 0);
  let rest = ordinal;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    coordinate[axis] = rest % shape[axis]!;
    rest = Math.floor(rest / shape[axis]!);
  }
  return coordinate;
}
