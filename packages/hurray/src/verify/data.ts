import type { Descriptor } from "../descriptor/types.js";
import { type HurraySource, readBytes } from "../source/source.js";
import type { StoredTensor } from "../stored.js";
import { checkE8m0, E8M0 } from "../values/check-data.js";
import { pagesOf } from "../values/paged.js";
import { parametersOf } from "../values/parameters.js";
import { isSparse, sparseIndex } from "../values/sparse/lookup.js";
import { requireTensor } from "../values/stored-tensor.js";
import type { Findings } from "./finding.js";

/** Whether a rule says anything of the data: indices, pages, parameters, powers of two. Any bytes are good floats and integers. */
function hasRules({ layout, quantisation, typeTag }: Descriptor): boolean {
  const hasParameters = quantisation !== undefined && "scaleBuffer" in quantisation;
  return isSparse(layout) || layout.kind === "blockPaged" || hasParameters || typeTag === E8M0;
}

/** Checks the data of a tensor by the rules for it (R96 to R109); reads it only where there are any. */
export async function surveyData(
  source: HurraySource,
  descriptor: Descriptor,
  starts: readonly number[],
  name: string,
  findings: Findings,
  maximumBytes: number,
): Promise<void> {
  if (!hasRules(descriptor)) return;
  const { operation } = findings;
  const size = descriptor.buffers.reduce((sum, { byteSize }) => sum + byteSize, 0n);
  if (size > BigInt(maximumBytes)) {
    findings.note("data", starts[0]!, `not checked: got ${size} bytes, expected at most ${maximumBytes}.`, name);
    return;
  }
  const buffers: Uint8Array[] = [];
  for (const [k, { byteSize }] of descriptor.buffers.entries()) {
    buffers.push(await readBytes(source, operation, starts[k]!, starts[k]! + Number(byteSize)));
  }
  const subject = { name, starts };
  const tensor = findings.attempt((): StoredTensor => requireTensor(operation, { descriptor, buffers }), subject);
  if (tensor === undefined) return;
  // What `checkData` checks one after the other, each on its own.
  const { layout, quantisation, typeTag } = descriptor;
  const attempt = (check: () => unknown): unknown => findings.attempt(check, subject);
  if (isSparse(layout)) attempt(() => sparseIndex(operation, tensor));
  if (layout.kind === "blockPaged") attempt(() => pagesOf(operation, tensor));
  if (quantisation !== undefined && "scaleBuffer" in quantisation) {
    attempt(() => parametersOf(operation, tensor, quantisation));
  }
  if (typeTag === E8M0) attempt(() => checkE8m0(operation, tensor));
}
