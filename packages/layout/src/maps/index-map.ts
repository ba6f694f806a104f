import type { Coordinate, Shape } from "../tree.js";

/**
 * Any function from the coordinates of a shape to indices below a bound: a layout, or a curve that no layout expresses.
 *
 * @since 0.1.0
 */
export interface IndexMap {
  /** The domain. */
  readonly shape: Shape;
  /** The number of coordinates. */
  readonly size: number;
  /** A bound above every index; the image may be smaller (LA-110). */
  readonly codomainSize: number;
  /** Gives the index of a coordinate: nested, partly linear or linear, first mode fastest. */
  index(coordinate: Coordinate): number;
}
