import { HurrayValueError } from "../errors.js";
import { encodeDescriptor } from "./descriptor.js";
import { DYNAMIC } from "./shape.js";
import type { Descriptor } from "./types.js";

/**
 * Fills in the sizes of dynamic dimensions, one a dimension; `undefined` keeps what is there. The result is
 * checked as a whole again: rules that waited for the sizes (R25, R28, R65, R85) are judged now.
 *
 * @throws HurrayFormatError when a rule is broken with these sizes.
 * @throws HurrayValueError `SW_HURRAY_VALUE` for another size of a known dimension, another number of sizes, or one that is none.
 * @throws TypeError for a size that is no bigint.
 * @example
 * ```ts
 * import { DYNAMIC, type Descriptor, resolveShape } from "@sw/hurray/descriptor";
 *
 * const batch: Descriptor = {
 *   versionMinor: 0, typeTag: 3, shape: [DYNAMIC, 4n], byteOffset: 0n, layout: { kind: "rowMajor" },
 *   buffers: [{ byteSize: 48n, alignment: 64, deviceTag: 0, syncMode: 0, memoryClass: 0 }],
 * };
 * console.log(resolveShape(batch, [3n, undefined]).shape); // [ 3n, 4n ]
 * ```
 * @since 0.1.0
 */
export function resolveShape(d: Descriptor, sizes: readonly (bigint | undefined)[]): Descriptor {
  const operation = "resolveShape";
  const rank = d.shape.length;
  if (sizes.length !== rank) {
    throw new HurrayValueError(operation, "sizes", "sizes and shape differ in length", sizes.length, `${rank} sizes`);
  }
  const shape = d.shape.map((extent, k) => {
    const size = sizes[k] ?? extent;
    if (extent !== DYNAMIC && size !== extent) {
      const problem = `dimension ${k} has a size already`;
      throw new HurrayValueError(operation, "sizes", problem, size, `${extent}, or undefined`);
    }
    return size;
  });
  const resolved = { ...d, shape };
  encodeDescriptor(resolved, operation);
  return resolved;
}
