import * as autograd from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { wasmKernels } from "@sw/kernels-wasm";
import * as tensors from "@sw/tensor";
import { kit } from "../src/kit.mjs";

/**
 * Us, by the public API: outputs are allocated and disposed within what is measured. Rows read `add` and the like, the
 * optimisers, and `fuse`, which gives the function back where the package has none.
 *
 * @param {{ threads?: number }} options
 */
export async function start({ threads = 1 } = {}) {
  const backend = await wasmKernels(threads === 1 ? {} : { threads });
  if (threads > 1 && !(backend.threads?.count > 1))
    throw new Error(`threads are not available: ${backend.threads?.reason ?? "this version of the backend has none"}`);
  tensors.setKernels(backend, jsKernels);
  const library = { fuse: (fn) => fn, ...tensors, ...autograd };
  return {
    version: `@sw, wasm${threads === 1 ? "" : ` on ${threads} threads`}, then js`,
    async prepare(task, inputs, { afterKit, quick }) {
      if (afterKit) await kit(backend, quick);
      const operation = task(library);
      const operands = given(library, inputs);
      return task.view ? viewCall(operation, operands) : call(operation, operands);
    },
    /** A task with a state: from its inputs it makes a step, which gives a number. */
    prepareSteps(task, inputs) {
      const step = task(library)(...given(library, inputs));
      return { run: step, values: () => [step()], end() {} };
    },
  };
}

function given({ tensor }, inputs) {
  return inputs.map(({ data, shape }) => tensor(data).reshape(shape));
}

function call(operation, operands) {
  const [a, b, c] = operands;
  // Not by a list of arguments: spreading one costs more than a small operation.
  const runs = [() => operation(), () => operation(a), () => operation(a, b), () => operation(a, b, c)];
  const once = runs[operands.length];
  return {
    run: () => once().dispose(),
    values() {
      const result = once();
      const whole = result.contiguous();
      const values = Float32Array.from(whole.data());
      if (whole !== result) whole.dispose();
      result.dispose();
      return values;
    },
    end: () => operands.forEach((t) => void t.dispose()),
  };
}

/** A call whose result lies in the memory of its operand, so that disposing the one would end the other. */
function viewCall(operation, [x]) {
  const last = { view: undefined };
  return {
    run() {
      last.view = operation(x);
    },
    values: () => Float32Array.from(operation(x).contiguous().data()),
    end: () => x.dispose(),
  };
}
