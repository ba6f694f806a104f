import { type Layout, type Located, layoutEquals } from "@sw/layout";
import type { DType } from "../dtype.js";
import { plain } from "../gate.js";
import { allocateLike, derive } from "../handle.js";
import { showsOnce } from "../overlap.js";
import { isRecorded, record } from "../record.js";
import { runLoops } from "../run.js";
import type { Tensor } from "../tensor.js";
import { ACCUMULATE, COPY } from "./specs/movement.js";
import { SCATTER_INTO } from "./specs/views.js";

/** Only interleaved strides of overlapping windows are searched at all, and adding is right in either case. */
const SEARCH_STEPS = 10_000;

/**
 * Adds a tensor's elements into zeros, at the places a view shows: the transpose of the view, and so its backward rule.
 * Where the view shows a place twice, both are added (field case 14), which takes a backend; elsewhere it is a copy.
 *
 * @param domain - the compact layout of the result.
 * @param selector - the view, of a tensor of that layout.
 * @since 0.1.0
 */
export function scatterInto<D extends DType>(domain: Layout, selector: Located, x: Tensor<D>): Tensor<D> {
  plain(x, "scatterInto");
  return putAmong("scatterInto", domain, selector, x, 0);
}

/** {@link scatterInto} into a tensor full of a value: its errors speak of `operation`. */
export function putAmong<D extends DType>(
  operation: string,
  domain: Layout,
  selector: Located,
  x: Tensor<D>,
  value: number | bigint | boolean,
): Tensor<D> {
  const out = allocateLike(x, operation, x.dtype, domain);
  try {
    const once = showsOnce(selector.layout, SEARCH_STEPS);
    if (!once || x.size < domain.size) out.fill(value);
    if (x.size > 0) {
      const target = derive(out, selector, undefined, operation);
      runLoops(once ? COPY : ACCUMULATE, [target], [x]);
    }
  } catch (error) {
    out.dispose();
    throw error;
  }
  return isRecorded(x) ? record(out, { kind: SCATTER_INTO.kind, inputs: [x], domain, selector }) : out;
}

/**
 * Shows the elements that a view shows: the transpose of {@link scatterInto}. A source of another layout is copied first.
 *
 * @param domain - a compact layout of the source's shape.
 * @param selector - the view, of a tensor of that layout.
 * @since 0.1.0
 */
export function gatherFrom<D extends DType>(source: Tensor<D>, domain: Layout, selector: Located): Tensor<D> {
  plain(source, "gatherFrom");
  const out = derive(laidOut(source, domain), selector, undefined, "gatherFrom");
  return isRecorded(source) ? record(out, { kind: "gatherFrom", inputs: [source], domain, selector }) : out;
}

/** The tensor itself where it has a layout, else a copy in it. */
function laidOut<D extends DType>(t: Tensor<D>, layout: Layout): Tensor<D> {
  if (layoutEquals(t.layout, layout)) return t;
  const copy = allocateLike(t, "gatherFrom", t.dtype, layout);
  try {
    runLoops(COPY, [copy], [t]);
    return copy;
  } catch (error) {
    copy.dispose();
    throw error;
  }
}
