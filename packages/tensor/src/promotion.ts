import { checkDType, type DType } from "./dtype.js";

/**
 * The dtypes that hold every value of a dtype, smallest first. Only float64 takes 64-bit integers that it must round:
 * nothing holds them beside a float.
 */
const HOLDERS = {
  bool: [
    "bool",
    "uint8",
    "int8",
    "uint16",
    "int16",
    "uint32",
    "int32",
    "uint64",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
  ],
  uint8: [
    "uint8",
    "uint16",
    "int16",
    "uint32",
    "int32",
    "uint64",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
  ],
  int8: ["int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"],
  uint16: ["uint16", "uint32", "int32", "uint64", "int64", "float32", "float64"],
  int16: ["int16", "int32", "int64", "float32", "float64"],
  uint32: ["uint32", "uint64", "int64", "float64"],
  int32: ["int32", "int64", "float64"],
  uint64: ["uint64", "float64"],
  int64: ["int64", "float64"],
  float16: ["float16", "float32", "float64"],
  bfloat16: ["bfloat16", "float32", "float64"],
  float32: ["float32", "float64"],
  float64: ["float64"],
} as const;

type Holders = typeof HOLDERS;
type FirstCommon<A extends readonly DType[], B extends DType> = A extends readonly [
  infer First extends DType,
  ...infer Rest extends readonly DType[],
]
  ? First extends B
    ? First
    : FirstCommon<Rest, B>
  : never;

/** The dtype in which two dtypes meet: {@link resultType}, for types. @since 0.1.0 */
export type ResultType<A extends DType, B extends DType> = A extends DType
  ? B extends DType
    ? FirstCommon<Holders[A], Holders[B][number]>
    : never
  : never;

/**
 * Finds the dtype of a result of two tensors: the smallest that holds every value of both, as NumPy has it. Integers of
 * 64 bits meet a float, and uint64 a signed integer, in float64, which rounds the largest of them; bfloat16 meets float16
 * and integers of 16 bits in float32.
 *
 * The order of two dtypes does not matter; the order in which three meet does, as in NumPy: int8 and uint16 are int32,
 * which meets float16 in float64, though uint16 and float16 are float32, which holds int8 too. A JavaScript number has
 * no dtype: it takes that of the tensor beside it.
 *
 * @throws TypeError for what is no dtype.
 * @example
 * ```ts
 * import { resultType } from "@sw/tensor";
 * console.log(resultType("uint8", "int8")); // int16
 * console.log(resultType("int32", "float32")); // float64
 * ```
 * @since 0.1.0
 */
export function resultType<A extends DType, B extends DType>(a: A, b: B): ResultType<A, B> {
  checkDType("resultType", a);
  checkDType("resultType", b);
  return meet(a, b) as ResultType<A, B>;
}

function meet(a: DType, b: DType): DType {
  if (a === b) return a;
  const others: readonly DType[] = HOLDERS[b];
  for (const dtype of HOLDERS[a]) if (others.includes(dtype)) return dtype;
  // Unreachable: float64 is in every list.
  return "float64";
}
