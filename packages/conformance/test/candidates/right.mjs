// A backend of one kernel, from an asynchronous factory.
import { jsKernels } from "@sw/kernels-js";

export default async function backend() {
  return { name: "right", seamVersion: 1, kernels: { logicalNot: jsKernels.kernels.logicalNot } };
}
