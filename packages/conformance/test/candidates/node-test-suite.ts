// A file of node:test, which test/node-test.node.test.ts bundles and runs.
import { describe, test } from "node:test";
import { heapMemory } from "@sw/buffer";
import { jsKernels } from "@sw/kernels-js";
import { formatKit, kernelKit, layoutKit, memoryKit } from "../../src/index.js";
import { registerCases } from "../../src/node-test.js";
import { refuser } from "./codec.js";
import { layouts } from "./layouts.js";

registerCases({ describe, test }, kernelKit, jsKernels, { filter: (id) => id.startsWith("kernels/relu/float32/") });
registerCases({ describe, test }, memoryKit, heapMemory);
registerCases({ describe, test }, layoutKit, layouts, { filter: (id) => id.startsWith("layout/complement/") });
// What is whole is refused as well, which is wrong.
registerCases({ describe, test }, formatKit, refuser, {
  filter: (id) => /^format\/(truncation|descriptor)\/(trunc-rowmajor|scalar-float32)$/.test(id),
});
