import { backward, parameter } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { ones, setKernels, type Tensor } from "@sw/tensor";
import type { BackwardRecord, SavedSlot } from "@sw/tensor/seam";
import { describe, expect, test } from "vitest";
import { laid } from "../src/gradient-layout.js";
import { CHECKS } from "./checks/all.js";
import type { Check } from "./forms.js";

// Before the tests are listed: which operations save something is known by making these.
setKernels(jsKernels);

/** The records of a history, each once. */
function recordsOf({ node }: Tensor): ReadonlySet<BackwardRecord> {
  const records = new Set<BackwardRecord>();
  const nodes = [node];
  for (const one of nodes) {
    if (one?.record === undefined || records.has(one.record)) continue;
    records.add(one.record);
    nodes.push(...one.record.inputs.map((edge) => edge.node));
  }
  return records;
}

/** Runs a check with some of its operands as leaves. */
function run([fn, inputs]: Check, leaves: number): { readonly out: Tensor; readonly slots: readonly SavedSlot[] } {
  const out: Tensor = fn(...inputs.map((x, i) => (leaves & (1 << i) ? parameter(x) : x)));
  return { out, slots: [...recordsOf(out)].flatMap(({ saved }) => saved.filter((slot) => slot !== undefined)) };
}

const pull = (out: Tensor): void =>
  backward(out, laid(out.node as NonNullable<Tensor["node"]>, ones(out.shape, { dtype: "float64" })));

// A slot that nothing reads would hold memory for nothing, and ring for writes that do no harm.
describe("field case 13: what is saved is read, whichever operands need a cotangent, and so a write to it is noticed", () => {
  for (const [kind, checks] of Object.entries(CHECKS)) {
    test(kind, () => {
      const check = checks()[0] as Check;
      for (let leaves = 1; leaves < 1 << check[1].length; leaves++) {
        const { slots } = run(check, leaves);
        slots.forEach((_, i) => {
          const { out, slots: again } = run(check, leaves);
          // As a write does, but for the elements: what is computed stays possible.
          (again[i] as SavedSlot).tensor.buffer.version += 1;
          expect(() => pull(out), `slot ${i} with leaves ${leaves.toString(2)}`).toThrow(
            expect.objectContaining({ code: "SW_TENSOR_VERSION" }),
          );
        });
        pull(run(check, leaves).out);
      }
    });
  }
});
