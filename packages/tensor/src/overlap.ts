import { isInjective, type Layout } from "@sw/layout";

/**
 * Tells whether no element of a layout shows twice, as far as a search of so many steps tells; where strides interleave
 * beyond that, the answer is no. The layout remembers it.
 */
export function showsOnce(l: Layout, steps?: number): boolean {
  try {
    return isInjective(l, steps);
  } catch {
    return false;
  }
}
