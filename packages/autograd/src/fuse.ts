import { isTensor, type Tensor } from "@sw/tensor";
import { type Fused, fuse as fuseForward } from "@sw/tensor/fuse";
import { isRecorded } from "@sw/tensor/seam";
import { checkFunction } from "./check-argument.js";
import { defineOp } from "./define-op.js";
import { grad } from "./functional.js";
import { noGrad } from "./mode.js";
import { vjp } from "./vjp.js";

/**
 * Makes one program of a function of tensors, as `fuse` of `@sw/tensor/fuse` does, which takes part in gradients: its
 * forward is one program, and so is its backward, which computes what it needs of the forward again. Only the arguments are
 * saved. The backward runs operation by operation where it is no program: where an argument was broadcast, its gradient is a
 * sum; and so does a gradient of higher order. Where the forward is no program the function runs as it is, and is recorded
 * as it is; `fallback` says why.
 *
 * @param fn - a pure function that gives one tensor.
 * @throws as `fuse` of `@sw/tensor/fuse`, and as {@link defineOp} in a call.
 * @example
 * ```ts
 * import { backward, fuse, parameter } from "@sw/autograd";
 * import { jsKernels } from "@sw/kernels-js";
 * import { add, mul, relu, setKernels, sum, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * const step = fuse((a, b, c) => relu(add(mul(a, b), c)));
 * const [a, b, c] = [parameter(tensor([1, -2])), tensor([3, 4]), tensor([5, 6])];
 * backward(sum(step(a, b, c)));
 * console.log(a.grad?.toArray()); // [ 3, 0 ]
 * ```
 * @since 0.1.0
 */
export function fuse<A extends readonly Tensor[], R extends Tensor>(fn: (...tensors: A) => R): Fused<A, R> {
  checkFunction("fuse", fn);
  const forward = fuseForward(fn);
  const backwards = new Map<string, Fused<readonly Tensor[], readonly Tensor[]>>();
  const operation = defineOp<A>({
    name: "fuse",
    forward: (inputs) => forward(...inputs),
    // Every input, by itself: a cotangent may need any of them.
    saves: Array.from({ length: fn.length }, (_, k) => [k]),
    backward: (cotangent, { saved, needs }) => {
      if (isRecorded(cotangent) || saved.some((t) => t !== undefined && isRecorded(t))) {
        return againRecorded(fn, cotangent, saved as unknown as A, needs);
      }
      const key = needs.map(Number).join("");
      const given = backwards.get(key) ?? fuseForward(pullbackOf(fn, needs));
      backwards.set(key, given);
      const found = given(cotangent, ...(saved as readonly Tensor[]));
      let next = 0;
      return needs.map((isNeeded) => (isNeeded ? found[next++] : undefined));
    },
  });
  let recorded: string | undefined;
  const objection = (...tensors: A): string | undefined =>
    tensors.length === fn.length
      ? noGrad(() => forward.objection(...tensors))
      : "it is called with more or fewer arguments than it names";
  const fused = (...tensors: A): Tensor => {
    if (!tensors.every(isTensor) || !tensors.some(isRecorded)) {
      recorded = undefined;
      const result = forward(...tensors);
      recorded = forward.fallback;
      return result;
    }
    recorded = objection(...tensors);
    return recorded === undefined ? operation(...(tensors as never)) : fn(...tensors);
  };
  const properties = { fallback: { get: () => recorded }, objection: { value: objection } };
  return Object.defineProperties(fused, properties) as unknown as Fused<A, R>;
}

/** Gradients that are recorded themselves: the function runs again, on the inputs as the history has them. */
function againRecorded<A extends readonly Tensor[]>(
  fn: (...tensors: A) => Tensor,
  cotangent: Tensor,
  inputs: A,
  needs: readonly boolean[],
): (Tensor | undefined)[] {
  const wanted = inputs.filter((_, k) => needs[k]);
  const found = grad([fn(...inputs)], wanted, [cotangent], { createGraph: true });
  let next = 0;
  return needs.map((isNeeded) => (isNeeded ? found[next++] : undefined));
}

/** What gives the cotangents of the inputs that need one, of that of the output and the inputs. */
function pullbackOf<A extends readonly Tensor[]>(
  fn: (...tensors: A) => Tensor,
  needs: readonly boolean[],
): (...given: readonly Tensor[]) => readonly Tensor[] {
  return (cotangent, ...inputs) => {
    const wanted = inputs.filter((_, k) => needs[k]);
    const partly = (...leaves: readonly Tensor[]): Tensor => {
      let next = 0;
      return fn(...(inputs.map((input, k) => (needs[k] ? leaves[next++] : input)) as unknown as A));
    };
    const pullback = vjp(partly, ...wanted);
    try {
      return pullback.pull(cotangent);
    } finally {
      pullback.dispose();
    }
  };
}
