import { kernelKit, run } from "@sw/conformance";
import { jsKernels } from "@sw/kernels-js";

/** What a quick run takes of the kit: every kernel and dtype, not every way to lie in memory. */
const SOME = /^tensors\/|\/(contiguous|transposed|broadcast|in-place|direct)$/;

let done = false;

/**
 * Runs the conformance kit in this process, once: from then on the call sites have seen every dtype and many backends,
 * as in a program that does more than one thing.
 */
export async function kit(backend, quick) {
  if (done) return;
  done = true;
  const some = { filter: (id) => SOME.test(id) };
  await run(kernelKit, backend, quick ? some : {});
  await run(kernelKit, jsKernels, some);
}
