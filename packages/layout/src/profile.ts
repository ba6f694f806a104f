import { copyStride, type IntTree, type Shape } from "./tree.js";

/** One step of a walk over a tree: a leaf, or the begin or end of a nested mode. @since 0.1.0 */
export type ProfileMarker = "leaf" | "push" | "pop";

/**
 * Lists the form of a shape or stride depth-first, without its numbers (LA-32). Two trees are congruent when their
 * profiles are equal.
 *
 * @throws TypeError, LayoutError as `layout` for its strides.
 * @example
 * ```ts
 * import { profile } from "@sw/layout/algebra";
 * console.log(profile([2, [3, 4]])); // [ 'leaf', 'push', 'leaf', 'leaf', 'pop' ]
 * ```
 * @since 0.1.0
 */
export function profile(shape: Shape): ProfileMarker[] {
  const markers: ProfileMarker[] = [];
  mark(copyStride("profile", shape), markers);
  return markers;
}

function mark(modes: readonly IntTree[], markers: ProfileMarker[]): void {
  for (const mode of modes) {
    if (typeof mode === "number") markers.push("leaf");
    else {
      markers.push("push");
      mark(mode, markers);
      markers.push("pop");
    }
  }
}
