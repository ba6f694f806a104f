import { indexOf } from "@sw/layout";
import { fromElement } from "./element.js";
import { checkLive } from "./handle.js";
import { formatArray } from "./print.js";
import type { Tensor } from "./tensor.js";
import { windowOf } from "./window.js";

// A tensor as text. Only the elements that are shown are read.

/** The elements as NumPy prints them. */
export function format(t: Tensor): string {
  checkLive(t, "toString");
  const window = windowOf(t);
  const coordinate: number[] = t.shape.map(() => 0);
  const at = (ordinal: number): number | bigint | boolean => {
    let rest = ordinal;
    for (let axis = t.rank - 1; axis >= 0; axis--) {
      const extent = t.shape[axis] as number;
      coordinate[axis] = rest % extent;
      rest = Math.floor(rest / extent);
    }
    return fromElement(t.dtype, window[t.offset + indexOf(t.layout, coordinate)] as number | bigint);
  };
  return formatArray(t.shape, at, t.dtype);
}

/** What a debugger shows: dtype, shape, the layout where it is not the plain one, and the elements. */
export function describe(t: Tensor): string {
  const head = `Tensor ${t.dtype} [${t.shape.join(",")}]`;
  if (t.buffer.generation !== t.generation) return `${head} (disposed)`;
  const layout = t.isContiguous ? "" : ` ${t.layout.toString()}`;
  try {
    return `${head}${layout}\n${format(t)}`;
  } catch (error) {
    // Memory that was transferred away: a debugger shows what is left to show, and does not throw.
    return `${head}${layout} (${error instanceof Error ? error.message : String(error)})`;
  }
}
