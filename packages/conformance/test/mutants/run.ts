import { jsKernels } from "@sw/kernels-js";
import { OPERATIONS, type OperationSpec } from "@sw/tensor/seam";
import { exactKernelKit, kernelKit, run } from "../../src/index.js";
import { backendOf, positions as positionsOf, reference } from "../support.js";
import { GENERIC_DEFECTS } from "./generic.js";

/** The specs of the kernels that the JS set has, and the kit knows. */
export function testedSpecs(): readonly OperationSpec[] {
  const subjects = new Set(kernelKit.cases((id) => id.startsWith("kernels/")).map(({ subject }) => subject));
  return Object.values<OperationSpec>(OPERATIONS).filter(
    ({ kind }) => subjects.has(kind) && jsKernels.kernels[kind] !== undefined,
  );
}

/** The dtype that the defects of a kernel are tried with: one is enough, since they are about places. */
function dtypeOf({ kinds }: OperationSpec): string {
  return kinds.includes("float") ? "float32" : kinds.includes("int") ? "int32" : "bool";
}

/** The defects of a kernel that no case catches, of all those that can have an effect. */
export async function survivorsOf(spec: OperationSpec): Promise<readonly string[]> {
  const prefix = `kernels/${spec.kind}/${dtypeOf(spec)}/`;
  const survivors: string[] = [];
  for (const { name, make } of GENERIC_DEFECTS) {
    const kernel = make(reference(spec.kind), spec);
    if (kernel === undefined) continue;
    const backend = backendOf(name, { [spec.kind]: kernel });
    const report = await run(kernelKit, backend, { filter: (id) => id.startsWith(prefix), until: "first failure" });
    if (report.ok) survivors.push(`${spec.kind} ${name}`);
  }
  return survivors;
}

/** Whether a kernel that is one unit in the last place beside the reference passes where it has to be exact. */
export async function survivesExactly({ kind }: OperationSpec): Promise<boolean> {
  const beside = backendOf("beside", {
    [kind]: (outputs, inputs, ints, floats) => {
      reference(kind)(outputs, inputs, ints, floats);
      const data = outputs[0]!.data as Float32Array;
      const bits = new Int32Array(data.buffer, data.byteOffset, data.length);
      for (const at of new Set(positionsOf(outputs[0]!))) if (Number.isFinite(data[at])) bits[at] = bits[at]! + 1;
    },
  });
  const filter = (id: string): boolean => id.startsWith(`exact/${kind}/float32/`);
  return (await run(exactKernelKit, beside, { filter, until: "first failure" })).ok;
}
