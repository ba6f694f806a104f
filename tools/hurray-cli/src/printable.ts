import type { StoredItem } from "@sw/hurray/stream";
import { type ElementArray, toNumbers, type Values, type ValuesOptions, valuesOf } from "@sw/hurray/values";
import { asTensor, format, isDType, type PrintOptions, type Tensor, zeros } from "@sw/tensor";

/** The dtype that holds the elements of a type as they are, where the type is none. */
const WIDER = { int4: "int8", int2: "int8", uint4: "uint8", uint2: "uint8" } as const;

/** Values to be printed. */
export interface Printable {
  readonly shape: readonly number[];
  /** Nested as the shape says; complex numbers are pairs. */
  toArray(): unknown;
  toText(options: PrintOptions): string;
}

/**
 * The values of any item, or those that a key takes: of sparse and quantised tensors, partitions and overlays too. Small
 * integers become 8 bits wide, small floats float32, float128 float64.
 */
export function printableOf(item: StoredItem, key: string | undefined, options: ValuesOptions = {}): Printable {
  const { type, shape, elements } = valuesOf(item, options);
  const chosen = (t: Tensor): Tensor => (key === undefined ? t : t.index(key));
  if (type === "complex64" || type === "complex128") {
    const parts = asTensor(elements, [...shape, 2]);
    return complexOf(chosen(parts.index("..., 0")), chosen(parts.index("..., 1")));
  }
  const t = chosen(tensorOf(type, shape, elements));
  return { shape: t.shape, toArray: () => t.toArray(), toText: (print) => format(t, print) };
}

function tensorOf(type: Values["type"], shape: readonly number[], elements: ElementArray): Tensor {
  if (isDType(type)) return asTensor(elements, shape, { dtype: type });
  if (type in WIDER) return asTensor(elements, shape, { dtype: WIDER[type as keyof typeof WIDER] });
  const numbers = toNumbers(type, elements);
  return asTensor(type === "float128" ? numbers : Float32Array.from(numbers), shape);
}

/** Tensors of real and imaginary parts have the shape and take the keys of the complex one. */
function complexOf(real: Tensor, imaginary: Tensor): Printable {
  const { shape, dtype } = real;
  const pairs = zeros([...shape, 2], { dtype });
  pairs.index("..., 0").copyFrom(real);
  pairs.index("..., 1").copyFrom(imaginary);
  return {
    shape,
    toArray: () => pairs.toArray(),
    toText: ({ threshold = 1000, ...print }) =>
      // Each pair is an innermost row of two, here in parentheses: brackets are those of the shape.
      format(pairs, { ...print, threshold: 2 * threshold, lineWidth: Number.MAX_SAFE_INTEGER }).replace(
        /\[([^[\]]+)\]/g,
        (_row, pair: string) => `(${pair.replace(/\S+/, "$&,")})`,
      ),
  };
}
