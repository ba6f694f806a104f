import { encodeDescriptor } from "../descriptor/descriptor.js";
import type { Descriptor, DescriptorLayout, Quantisation } from "../descriptor/types.js";
import { type ElementTypeName, elementTypeNamed } from "../elements.js";
import type { StoredTensor } from "../stored.js";

/** Makes a tensor of bytes in the memory of the CPU. @throws HurrayFormatError when its descriptor breaks a rule. */
export function tensorOf(
  operation: string,
  type: ElementTypeName,
  shape: readonly number[],
  layout: DescriptorLayout,
  buffers: readonly Uint8Array[],
  quantisation?: Quantisation,
): StoredTensor {
  const descriptor: Descriptor = {
    versionMinor: 0,
    typeTag: elementTypeNamed(type).tag,
    shape: shape.map(BigInt),
    byteOffset: 0n,
    layout,
    buffers: buffers.map(({ byteLength }) => ({
      byteSize: BigInt(byteLength),
      alignment: 64,
      deviceTag: 0,
      syncMode: 0,
      memoryClass: 0,
    })),
    ...(quantisation && { quantisation }),
  };
  encodeDescriptor(descriptor, operation);
  return { descriptor, buffers };
}
