import { extents, indexOf } from "@sw/layout";
import { type CompoundTensor, isCompoundTensor, type Part, STORAGE } from "@sw/tensor/compound";
import { storageShape } from "../descriptor/schemes.js";
import type { DescriptorLayout } from "../descriptor/types.js";
import { byteLengthOf, type ElementTypeName, elementTypeNamed } from "../elements.js";
import { HurrayUnsupportedError, HurrayValueError } from "../errors.js";
import { writtenLayout } from "../store.js";
import type { StoredTensor } from "../stored.js";
import { windowOf } from "../values/arrays.js";
import { cellWidth, forEachLayoutRun, scatter } from "../values/cells.js";
import { checkDataOf } from "../values/check-data.js";
import { codeReader, wordCopier } from "../values/copy.js";
import { toNumbers } from "../values/numbers.js";
import { bytesOf } from "../values/pack.js";
import { SCALE_TYPES } from "../values/parameters.js";
import { relayout } from "../values/relayout.js";
import { tensorOf } from "../values/write.js";
import { blocksOf, type Sharing } from "./blocks.js";
import { sharingOf } from "./scheme-of.js";
import { type ReadScheme, storedForm } from "./schemes.js";

/**
 * Gives a tensor of several parts as the format has it: by the scheme that shares parameters as it does, in the layout of
 * its elements where the format names it, else row-major. All bytes are copies, and none is taken that is no element.
 *
 * `loadCompound` makes the same values of it, and the bytes are those that were loaded where this package wrote them. A
 * scheme may hold a parameter more often than the tensor: where blocks are no power of two, or square.
 *
 * @throws TypeError for what is no tensor of several parts; StaleBufferError when its memory was returned.
 * @throws HurrayUnsupportedError `SW_HURRAY_QUANTISED_UNSUPPORTED` for types and ways of sharing parameters that no scheme has.
 * @throws HurrayFormatError `SW_HURRAY_DATA_INVALID` for scales and zero points that the format does not allow.
 * @throws RangeError `SW_HURRAY_VALUE` for zero points that are no 32-bit integers.
 * @example
 * ```ts
 * import { storeCompound } from "@sw/hurray/compound";
 * import { arange } from "@sw/tensor";
 * import { blockInt8, quantize } from "@sw/tensor/compound";
 * const item = storeCompound(quantize(arange(64).reshape([2, 32]), blockInt8));
 * console.log(item.descriptor.quantisation?.scheme, item.buffers.map((b) => b.byteLength)); // perBlock [ 64, 8 ]
 * ```
 * @since 0.1.0
 */
export function storeCompound(c: CompoundTensor): StoredTensor {
  const operation = "storeCompound";
  if (!isCompoundTensor(c)) {
    throw new TypeError(
      `${operation}: not a tensor of several parts: got ${typeof c}, expected one that is quantised.`,
    );
  }
  for (const { buffer, generation } of c.parts) buffer.checkLive(generation, operation);
  const form = c.parts.length > 3 ? undefined : storedForm(c.type);
  if (form === undefined) {
    throw new HurrayUnsupportedError(
      "SW_HURRAY_QUANTISED_UNSUPPORTED",
      `${operation}: no scheme reckons like this: got type ${c.type.name} of ${c.parts.length} parts, expected integers with scales and zero points, NF4 or MXFP.`,
    );
  }
  const { storage } = form;
  const { q, parameters } = parametersOf(operation, c, sharingOf(operation, c, form));
  const { bits } = elementTypeNamed(storage);
  const whole = storageShape(c.shape.map(BigInt), q).reduce((product, extent) => product * extent, 1n);
  const data = new Uint8Array(Number(byteLengthOf(bits, whole)));
  const item = tensorOf(operation, storage, c.shape, { kind: "rowMajor" }, [data, ...parameters], q);
  scatter(operation, item.descriptor, cellsOf(c), data);
  checkDataOf(operation, item);
  return relayout(item, layoutOf(c));
}

/** The elements in row-major order. */
function cellsOf({ parts, shape }: CompoundTensor): Uint8Array {
  const { dtype, buffer, layout, offset } = parts[0]!;
  const { bits } = STORAGE[dtype];
  const bytes = buffer.view(Uint8Array);
  const cells = new Uint8Array(shape.reduce((product, extent) => product * extent, cellWidth(bits)));
  if (cells.length === 0) return cells;
  forEachLayoutRun(
    layout,
    shape,
    offset,
    bits < 8 ? codeReader(bits, false, bytes, cells) : wordCopier(bits, bytes, cells),
  );
  return cells;
}

/** The layout that the elements have; padding is that of whole blocks. */
function layoutOf({ parts, shape, isPadded }: CompoundTensor): DescriptorLayout {
  const { layout } = parts[0]!;
  const named = writtenLayout(layout, isPadded ? extents(layout) : shape);
  if (named === undefined || (isPadded && named.kind !== "columnMajor")) return { kind: "rowMajor" };
  return named;
}

/** The scheme with the buffers of its parameters, which come after the elements, in its own order. */
function parametersOf(
  operation: string,
  c: CompoundTensor,
  sharing: Sharing,
): { readonly q: ReadScheme; readonly parameters: readonly Uint8Array[] } {
  const [, scalePart, zeroPart] = c.parts as readonly [Part, Part, Part?];
  const scaleOf = ordinalsOf(c, sharing);
  const scaleType = scalePart.dtype as ElementTypeName;
  const scales = picked(scalePart, scaleOf);
  const numbers = (): Float32Array => Float32Array.from(toNumbers(scaleType, windowOf(scaleType, scales)));
  const zeros =
    zeroPart &&
    integersOf(
      operation,
      zeroPart,
      scaleOf.map((p) => indexOf(c.adjacent[1]!, p)),
    );
  const zeroBytes = zeros === undefined ? [] : [bytesOf(zeros)];
  const zeroPointBuffer = zeros === undefined ? {} : { zeroPointBuffer: 2 };
  switch (sharing.scheme) {
    case "perTensor":
      return { q: { scheme: "perTensor", scale: numbers()[0]!, zeroPoint: zeros?.[0] ?? 0 }, parameters: [] };
    case "perChannel":
      return {
        q: { ...sharing, scheme: "perChannel", scaleBuffer: 1, ...zeroPointBuffer },
        parameters: [bytesOf(numbers()), ...zeroBytes],
      };
    case "perBlock": {
      const scaleTypeTag = Number(Object.entries(SCALE_TYPES).find(([, type]) => type === scaleType)![0]);
      return {
        q: { ...sharing, scheme: "perBlock", scaleBuffer: 1, ...zeroPointBuffer, scaleTypeTag },
        parameters: [scales, ...zeroBytes],
      };
    }
    default:
      return { q: { ...sharing, scheme: sharing.scheme, scaleBuffer: 1 }, parameters: [scales] };
  }
}

/** For each parameter of the scheme, in its order, the ordinal of the scale that its elements have. */
function ordinalsOf({ shape, adjacent }: CompoundTensor, sharing: Sharing): Float64Array {
  const { axis, blockSize, steps, count } = blocksOf(shape, sharing);
  const ordinals = new Float64Array(count);
  // An ordinal is a sum over the axes; each parameter is one coordinate of those that it depends on.
  shape.forEach((extent, k) => {
    const step = steps[k]!;
    if (step === 0) return;
    const size = k === axis ? blockSize : 1;
    const along = Math.ceil(extent / size);
    const part = Float64Array.from({ length: along }, (_, x) =>
      indexOf(
        adjacent[0]!,
        shape.map((_, d) => (d === k ? x * size : 0)),
      ),
    );
    for (let p = 0; p < count; p++) ordinals[p] = ordinals[p]! + part[Math.floor(p / step) % along]!;
  });
  return ordinals;
}

/** Elements of a part by their ordinals, as they are stored. */
function picked({ dtype, buffer, layout, offset }: Part, ordinals: Float64Array): Uint8Array {
  const { bits } = STORAGE[dtype];
  const cells = new Uint8Array(ordinals.length * cellWidth(bits));
  const bytes = buffer.view(Uint8Array);
  const copy = bits < 8 ? codeReader(bits, dtype === "int4", bytes, cells) : wordCopier(bits, bytes, cells);
  for (let p = 0; p < ordinals.length; p++) copy(offset + indexOf(layout, ordinals[p]!), 1, p, 1, 1);
  return cells;
}

function integersOf(operation: string, part: Part, ordinals: Float64Array): Int32Array {
  const type = part.dtype as ElementTypeName;
  const numbers = toNumbers(type, windowOf(type, picked(part, ordinals)));
  return Int32Array.from(numbers, (value, p) => {
    if ((value | 0) === value) return value;
    throw new HurrayValueError(operation, "zeroPoint", `zero point ${p} is no 32-bit integer`, value, "one");
  });
}
