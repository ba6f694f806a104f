import type { Shape } from "@sw/layout";

// What a view is, told without strides: for each coordinate, the element of memory that it shows.

/** A view by its elements. */
export interface ElementMap {
  /** One extent per axis; a list is a nested axis, whose first leaf is the fastest. */
  readonly shape: Shape;
  /** The place in memory of each element, row-major. */
  readonly places: readonly number[];
}

/** The elements of an axis. */
function extentOf(mode: Shape[number]): number {
  return typeof mode === "number" ? mode : mode.reduce<number>((product, inner) => product * extentOf(inner), 1);
}

/** One extent per axis. */
export function extentsOf(shape: Shape): number[] {
  return shape.map(extentOf);
}

/** Every coordinate, row-major. */
export function coordinatesOf(extents: readonly number[]): number[][] {
  let all: number[][] = [[]];
  for (const extent of extents) all = all.flatMap((c) => Array.from({ length: extent }, (_, i) => [...c, i]));
  return all;
}

/** The place of a coordinate in a row-major list. */
function rowMajorOrdinal(extents: readonly number[], coordinate: readonly number[]): number {
  return coordinate.reduce((ordinal, c, axis) => ordinal * (extents[axis] as number) + c, 0);
}

/** The view whose coordinate c shows what coordinate `source(c)` of another one shows. */
export function picked(
  m: ElementMap,
  shape: Shape,
  source: (coordinate: readonly number[]) => readonly number[],
): ElementMap {
  const extents = extentsOf(m.shape);
  const places = coordinatesOf(extentsOf(shape)).map((c) => m.places[rowMajorOrdinal(extents, source(c))] as number);
  return { shape, places };
}

/** The elements in a row, the first axis the fastest. */
export function inFirstFastestOrder(m: ElementMap): ElementMap {
  const extents = extentsOf(m.shape);
  return picked(m, [m.places.length], ([ordinal = 0]) => {
    let rest = ordinal;
    return extents.map((extent) => {
      const digit = rest % extent;
      rest = (rest - digit) / extent;
      return digit;
    });
  });
}

/** What one step along an axis adds to the place, where there are two elements to tell. */
export function stepOf(m: ElementMap, axis: number): number | undefined {
  const extents = extentsOf(m.shape);
  if (m.places.length === 0 || (extents[axis] as number) < 2) return undefined;
  const next = extents.map((_, i) => (i === axis ? 1 : 0));
  return (m.places[rowMajorOrdinal(extents, next)] as number) - (m.places[0] as number);
}

/** Whether one stride for each axis tells the place of every element: whether there is such a view. */
export function hasStrides(m: ElementMap): boolean {
  const steps = m.shape.map((_, axis) => stepOf(m, axis) ?? 0);
  return coordinatesOf(extentsOf(m.shape)).every((c, i) => {
    const place = c.reduce((sum, digit, axis) => sum + digit * (steps[axis] as number), m.places[0] as number);
    return place === m.places[i];
  });
}

/** Whether an element of memory is shown twice. */
export function showsTwice(m: ElementMap): boolean {
  return new Set(m.places).size < m.places.length;
}
