import { isInjective } from "@sw/layout";
import { keep, type Tensor } from "@sw/tensor";
import { plain } from "@sw/tensor/seam";
import { GradientError } from "../errors.js";
import { noGrad } from "../mode.js";
import { byName, leavesOf, type ModuleTree } from "./tree.js";

/**
 * Writes named tensors, from a file say, into the parameters of those names ({@link namedParameters}): all of them, or
 * none when it throws. The parameters stay where they are and keep their layouts, so the same bits give the same steps.
 *
 * @throws TypeError for what is no tensor; GradientError `SW_AUTOGRAD_NAME` for a name that is missing or that no
 * parameter has, `SW_AUTOGRAD_STATE` for another shape or dtype, `SW_AUTOGRAD_OVERLAP` for a parameter whose elements
 * share memory; StaleTensorError `SW_BUFFER_STALE`; BufferStateError `SW_BUFFER_READ_ONLY`.
 * @example
 * ```ts
 * import { loadParameters, namedParameters, parameter } from "@sw/autograd";
 * import { tensor, zeros } from "@sw/tensor";
 * const layer = { weight: parameter(zeros([2])) };
 * loadParameters(layer, { weight: tensor([1, 2]) });
 * console.log(namedParameters(layer)["weight"]?.toArray()); // [ 1, 2 ]
 * ```
 * @since 0.1.0
 */
export function loadParameters(tree: ModuleTree, named: Record<string, Tensor>): void {
  const into = byName("loadParameters", leavesOf("loadParameters", tree));
  checkNamed("loadParameters", into, named);
  copyNamed(into, named);
}

/** Checks all that {@link copyNamed} may stumble over. */
export function checkNamed(operation: string, into: Record<string, Tensor>, from: Record<string, Tensor>): void {
  if (typeof from !== "object" || from === null) {
    throw new TypeError(`${operation}: no named tensors: got ${String(from)}, expected an object of tensors.`);
  }
  for (const name of [...Object.keys(into), ...Object.keys(from)]) {
    if (Object.hasOwn(into, name) && Object.hasOwn(from, name)) continue;
    const wrong = Object.hasOwn(into, name) ? "a name is missing" : "a name is unknown";
    throw new GradientError(
      "SW_AUTOGRAD_NAME",
      `${operation}: ${wrong}: got "${name}" ${Object.hasOwn(into, name) ? "nowhere" : "as well"}, expected exactly the names of what is loaded into.`,
      { operation, given: name, expected: Object.keys(into) },
    );
  }
  for (const [name, target] of Object.entries(into)) {
    const source = from[name] as Tensor;
    plain(source, `${operation} ${name}`);
    plain(target, `${operation} ${name}`);
    const [given, expected] = [describeTensor(source), describeTensor(target)];
    if (given !== expected) {
      throw new GradientError(
        "SW_AUTOGRAD_STATE",
        `${operation}: "${name}" does not fit: got ${given}, expected ${expected}.`,
        { operation, given, expected },
      );
    }
    checkPlaces(operation, name, target);
    target.buffer.checkWritable(target.generation, operation);
  }
}

/** Checks that a tensor can be written in place. */
export function checkPlaces(operation: string, name: string, t: Tensor): void {
  if (isInjective(t.layout)) return;
  throw new GradientError(
    "SW_AUTOGRAD_OVERLAP",
    `${operation}: elements of "${name}" share memory: got layout ${t.layout.toString()}, expected a place for each, since it is written in place. Use a contiguous() copy.`,
    { operation, given: t.layout.toString() },
  );
}

/** Writes what {@link checkNamed} has checked. */
export function copyNamed(into: Record<string, Tensor>, from: Record<string, Tensor>): void {
  const targets = Object.values(into);
  const copies: Tensor[] = [];
  try {
    noGrad(() => {
      // What is written to as well is read before the first write: parts may change places.
      const sources = Object.keys(into).map((name, i): Tensor => {
        const source = from[name] as Tensor;
        if (!targets.some((target, k) => k !== i && target.buffer === source.buffer)) return source;
        const copy = keep(source);
        copies.push(copy);
        return copy;
      });
      targets.forEach((target, i) => {
        target.copyFrom(sources[i] as Tensor);
      });
    });
  } finally {
    for (const copy of copies) copy.dispose();
  }
}

function describeTensor(t: Tensor): string {
  return `${t.dtype} [${t.shape.join(",")}]`;
}
