import type { Tensor } from "../tensor.js";

// Who returns the memory of what an operation made on its way to a result.

/** Gives copies that a result's record saves to that record, and returns the memory of the others. */
export function owning<T extends Tensor>(out: T, ...made: readonly Tensor[]): T {
  const record = out.node?.record;
  for (const one of made) {
    if (record?.saved.some((slot) => slot?.tensor === one) === true) record.owned = [...record.owned, one];
    else one.dispose();
  }
  return out;
}

/** A result, in place of the operations' results that it was made of: they are returned, unless a record saves them. */
export function replaced(out: Tensor, ...parts: readonly Tensor[]): Tensor {
  for (const part of parts) if (!savesMemory(out, part) && !savesMemory(part, part)) part.dispose();
  return out;
}

function savesMemory({ node }: Tensor, { buffer }: Tensor): boolean {
  return node?.record?.saved.some((slot) => slot?.tensor.buffer === buffer) === true;
}
