import { type Descriptor, type ElementTypeName, elementTypeNamed, elementTypeOf } from "@sw/hurray/descriptor";
import type { StoredTensor } from "@sw/hurray/stream";
import {
  type ElementArray,
  fromNumbers,
  type LayoutTarget,
  packElements,
  type QuantizeOptions,
  quantize,
  relayout,
  toNumbers,
  type Values,
  valuesOf,
} from "@sw/hurray/values";
import { CliError, EXIT } from "../failure.js";

/** What becomes of each tensor on its way into another file; nothing of it means that bytes are passed on. */
export interface Change {
  readonly dtype?: ElementTypeName;
  readonly quantize?: QuantizeOptions;
  readonly layout?: LayoutTarget;
}

/** Whether a change does anything to a tensor. */
export function isChanged(d: Descriptor, { dtype, quantize: scheme, layout }: Change): boolean {
  const isOther = dtype !== undefined && (elementTypeOf(d.typeTag)?.name !== dtype || d.quantisation !== undefined);
  return isOther || layout !== undefined || (scheme !== undefined && isFloat(d));
}

/** Changes a tensor: its element type first, then its scheme, then its layout. Only floats are quantised. */
export function changed(t: StoredTensor, change: Change): StoredTensor {
  let result = t;
  if (change.dtype !== undefined) result = withType(result, change.dtype);
  if (change.quantize !== undefined && isFloat(result.descriptor)) result = quantized(result, change.quantize);
  return change.layout === undefined ? result : relayout(result, change.layout);
}

/** The head of a composite after a change of its members: it has their element type. */
export function changedHead(d: Descriptor, { dtype }: Change): Descriptor {
  return dtype === undefined ? d : { ...d, typeTag: elementTypeNamed(dtype).tag };
}

function isFloat({ typeTag, quantisation }: Descriptor): boolean {
  return quantisation === undefined && /^b?float/.test(elementTypeOf(typeTag)?.name ?? "");
}

/** The same values as elements of another type, rounded once; sparse tensors and tiles stay what they are. */
function withType(t: StoredTensor, type: ElementTypeName): StoredTensor {
  const { descriptor } = t;
  if (elementTypeOf(descriptor.typeTag)?.name === type && descriptor.quantisation === undefined) return t;
  const values = valuesOf(t);
  const elements = converted(values, type);
  const { bits, tag } = elementTypeNamed(type);
  const count = values.shape.reduce((product, extent) => product * extent, 1);
  const bytes = new Uint8Array(bits === 6 ? 3 * Math.ceil(count / 4) : Math.ceil((count * bits) / 8));
  packElements(type, elements, bytes);
  const { quantisation, statistics, extensionType, tail, ...kept } = descriptor;
  const buffers = [{ ...descriptor.buffers[0]!, byteSize: BigInt(bytes.byteLength), alignment: 64 }];
  const dense: StoredTensor = {
    descriptor: { ...kept, typeTag: tag, byteOffset: 0n, layout: { kind: "rowMajor" }, buffers },
    buffers: [bytes],
  };
  const { layout } = descriptor;
  // Strides may leave gaps for a reason that is gone, and pages need tokens: what is new is row-major.
  return layout.kind === "strided" || layout.kind === "blockPaged" ? dense : relayout(dense, layout);
}

function converted(values: Values, type: ElementTypeName): ElementArray {
  if (values.type === type) return values.elements;
  // Numbers do not hold 64-bit integers, which convert between themselves.
  if (isLong(values.type) && isLong(type)) return longs(values.elements as BigInt64Array, type);
  const complex = (name: ElementTypeName): boolean => name.startsWith("complex");
  if (complex(values.type) !== complex(type)) {
    const message = `convert: complex numbers and others have no counterpart: got ${values.type}, expected ${
      complex(values.type) ? "complex64 or complex128" : "a type that is not complex"
    } for --dtype.`;
    throw new CliError(EXIT.refused, message);
  }
  return fromNumbers(type, toNumbers(values.type, values.elements));
}

function isLong(type: ElementTypeName): boolean {
  return type === "int64" || type === "uint64";
}

/** Cut to the range of the type, as all integers are. */
function longs(elements: BigInt64Array | BigUint64Array, type: ElementTypeName): ElementArray {
  const [lowest, highest] = type === "int64" ? [-(2n ** 63n), 2n ** 63n - 1n] : [0n, 2n ** 64n - 1n];
  const result = type === "int64" ? new BigInt64Array(elements.length) : new BigUint64Array(elements.length);
  for (let i = 0; i < elements.length; i++) {
    const value = elements[i]!;
    result[i] = value < lowest ? lowest : value > highest ? highest : value;
  }
  return result;
}

function quantized(t: StoredTensor, options: QuantizeOptions): StoredTensor {
  const { type, shape, elements } = valuesOf(t);
  const { descriptor, buffers } = quantize(toNumbers(type, elements), shape, options);
  const { shard, memberRole } = t.descriptor;
  return { descriptor: { ...descriptor, ...(shard && { shard }), ...(memberRole && { memberRole }) }, buffers };
}
