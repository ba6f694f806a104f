import { isContiguous } from "@sw/layout";
import type { Operand } from "../backend.js";
import { runDirect } from "../direct.js";
import type { DType } from "../dtype.js";
import { allocateAlike, checkLive } from "../handle.js";
import { isRecorded } from "../record.js";
import { choose, traceCall } from "../run.js";
import { current } from "../scope.js";
import type { Tensor } from "../tensor.js";
import { windowOf } from "../window.js";
import type { OperationSpec } from "./spec.js";

const ONE: readonly number[] = [1];
const NONE: readonly number[] = [];

/**
 * Whether two tensors lie alike, row-major and without gaps, and nothing is recorded: then there is one loop over
 * all elements, and nothing to broadcast or to refine.
 */
export function lieAlike(a: Tensor, b: Tensor): boolean {
  if (a.dtype !== b.dtype || isRecorded(a) || isRecorded(b) || a.isPadded || b.isPadded) return false;
  if (a.layout === b.layout) return isContiguous(a.layout);
  const { shape, layout } = b;
  if (a.rank !== shape.length || a.layout.depth > 1 || layout.depth > 1) return false;
  for (let axis = 0; axis < shape.length; axis++) if (a.shape[axis] !== shape[axis]) return false;
  return isContiguous(a.layout) && isContiguous(layout);
}

/** Runs an element-wise kernel on two tensors that {@link lieAlike}, whose dtype the operation takes. */
export function runSameLayout(spec: OperationSpec, a: Tensor, b: Tensor, dtype: DType): Tensor {
  const { kind } = spec;
  checkLive(a, kind);
  checkLive(b, kind);
  const scope = current();
  const out = allocateAlike(scope.memory, a, dtype);
  const { size } = a;
  if (size === 0) return out;
  if (runDirect(scope, spec, out, a, b)) return out;
  try {
    runFlat(spec, out, a, b, size);
    return out;
  } catch (error) {
    out.dispose();
    throw error;
  }
}

/** Runs the kernel by operands of a single loop. */
function runFlat(spec: OperationSpec, out: Tensor, a: Tensor, b: Tensor, size: number): void {
  // One element has no loop.
  const shape = size === 1 ? NONE : [size];
  const strides = size === 1 ? NONE : ONE;
  const outputs = [flat(out, shape, strides)];
  const inputs = [flat(a, shape, strides), flat(b, shape, strides)];
  const kernel = choose(spec, outputs, inputs, NONE, NONE);
  if (current().trace !== undefined) traceCall(spec, [out], [a, b], outputs, inputs);
  out.buffer.beginWrite(out.generation, spec.kind);
  kernel(outputs, inputs, NONE, NONE);
}

function flat(t: Tensor, shape: readonly number[], strides: readonly number[]): Operand {
  return { dtype: t.dtype, data: windowOf(t), offset: t.offset, shape, strides };
}
