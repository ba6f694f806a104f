import { compactLike } from "@sw/layout";
import { runDirect } from "../direct.js";
import { checkKind, plain } from "../gate.js";
import { allocateLike } from "../handle.js";
import { isRecorded, record } from "../record.js";
import { runInto } from "../run.js";
import { current } from "../scope.js";
import type { Tensor } from "../tensor.js";
import { outputDType } from "./binary.js";
import { savedSlots } from "./saved-slots.js";
import type { OperationSpec } from "./spec.js";

const NONE: readonly number[] = [];

/** The common part of functions of one operand. */
export function unary(spec: OperationSpec, x: Tensor, floats: readonly number[] = NONE): Tensor {
  const { kind } = spec;
  plain(x, kind);
  checkKind(kind, x.dtype, spec.kinds);
  const out = allocateLike(x, kind, outputDType(spec, x.dtype), compactLike(x.layout));
  // A contiguous operand lends its own layout.
  const alike = floats.length === 0 && out.layout === x.layout && out.size > 0;
  if (!alike || !runDirect(current(), spec, out, x, x)) runInto(spec, out, [x], NONE, floats);
  if (!spec.differentiable || !isRecorded(x)) return out;
  return record(out, { kind, inputs: [x], saved: savedSlots(spec, [x], [out]), floats });
}
