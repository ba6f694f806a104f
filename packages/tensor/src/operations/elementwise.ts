import type { DType } from "../dtype.js";
import { plain, sameDType } from "../gate.js";
import type { ResultType } from "../promotion.js";
import type { Tensor } from "../tensor.js";
import { binary } from "./binary.js";
import type { Value } from "./meet.js";
import { ADD, DIV, MAXIMUM, MINIMUM, MUL, POW, RELU_BACKWARD, REMAINDER, SUB } from "./specs/elementwise.js";

/**
 * Adds element by element, broadcasting. Integers wrap. Tensors of two dtypes meet in their {@link resultType}: what
 * is not of it is cast. A number takes the tensor's dtype.
 *
 * @throws LayoutError when the shapes do not broadcast; TensorValueError `SW_TENSOR_DTYPE_REFUSED` for bool, or
 * `SW_TENSOR_VALUE` for a number the dtype cannot hold; KernelMissingError without kernels in force.
 * @since 0.1.0
 */
export function add<D extends DType>(a: Tensor<D>, b: Tensor<NoInfer<D>> | number | bigint): Tensor<D>;
export function add<D extends DType>(a: number | bigint, b: Tensor<D>): Tensor<D>;
export function add<A extends DType, B extends DType>(a: Tensor<A>, b: Tensor<B>): Tensor<ResultType<A, B>>;
export function add(a: Value, b: Value): Tensor {
  return binary(ADD, a, b);
}

/** Subtracts element by element, broadcasting; see {@link add}. @since 0.1.0 */
export function sub<D extends DType>(a: Tensor<D>, b: Tensor<NoInfer<D>> | number | bigint): Tensor<D>;
export function sub<D extends DType>(a: number | bigint, b: Tensor<D>): Tensor<D>;
export function sub<A extends DType, B extends DType>(a: Tensor<A>, b: Tensor<B>): Tensor<ResultType<A, B>>;
export function sub(a: Value, b: Value): Tensor {
  return binary(SUB, a, b);
}

/** Multiplies element by element, broadcasting; see {@link add}. @since 0.1.0 */
export function mul<D extends DType>(a: Tensor<D>, b: Tensor<NoInfer<D>> | number | bigint): Tensor<D>;
export function mul<D extends DType>(a: number | bigint, b: Tensor<D>): Tensor<D>;
export function mul<A extends DType, B extends DType>(a: Tensor<A>, b: Tensor<B>): Tensor<ResultType<A, B>>;
export function mul(a: Value, b: Value): Tensor {
  return binary(MUL, a, b);
}

/** Divides element by element, broadcasting; float dtypes only. See {@link add}. @since 0.1.0 */
export function div<D extends DType>(a: Tensor<D>, b: Tensor<NoInfer<D>> | number): Tensor<D>;
export function div<D extends DType>(a: number, b: Tensor<D>): Tensor<D>;
export function div<A extends DType, B extends DType>(a: Tensor<A>, b: Tensor<B>): Tensor<ResultType<A, B>>;
export function div(a: Value, b: Value): Tensor {
  return binary(DIV, a, b);
}

/**
 * Raises a to the power of b, element by element, broadcasting; see {@link add}. Floats as C's `pow`: a power of 0,
 * and any power of 1, is 1, of NaN too. Integers wrap; a negative power of one is truncated, so 0 unless the base is 1
 * or -1.
 * @example
 * ```ts
 * import { jsKernels } from "@sw/kernels-js";
 * import { pow, setKernels, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * console.log(pow(tensor([1, 2, 3]), 2).toArray()); // [ 1, 4, 9 ]
 * ```
 * @since 0.1.0
 */
export function pow<D extends DType>(a: Tensor<D>, b: Tensor<NoInfer<D>> | number | bigint): Tensor<D>;
export function pow<D extends DType>(a: number | bigint, b: Tensor<D>): Tensor<D>;
export function pow<A extends DType, B extends DType>(a: Tensor<A>, b: Tensor<B>): Tensor<ResultType<A, B>>;
export function pow(a: Value, b: Value): Tensor {
  return binary(POW, a, b);
}

/**
 * Computes the remainder of a division that has the sign of the divisor b, as in Python, broadcasting; see {@link
 * add}. By 0 it is NaN of floats and 0 of integers.
 * @example
 * ```ts
 * import { jsKernels } from "@sw/kernels-js";
 * import { remainder, setKernels, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * console.log(remainder(tensor([-7, 7]), 3).toArray()); // [ 2, 1 ]
 * ```
 * @since 0.1.0
 */
export function remainder<D extends DType>(a: Tensor<D>, b: Tensor<NoInfer<D>> | number | bigint): Tensor<D>;
export function remainder<D extends DType>(a: number | bigint, b: Tensor<D>): Tensor<D>;
export function remainder<A extends DType, B extends DType>(a: Tensor<A>, b: Tensor<B>): Tensor<ResultType<A, B>>;
export function remainder(a: Value, b: Value): Tensor {
  return binary(REMAINDER, a, b);
}

/**
 * Takes the smaller of two elements, broadcasting; see {@link add}. NaN where either is NaN; -0 is smaller than 0.
 * @since 0.1.0
 */
export function minimum<D extends DType>(a: Tensor<D>, b: Tensor<NoInfer<D>> | number | bigint): Tensor<D>;
export function minimum<D extends DType>(a: number | bigint, b: Tensor<D>): Tensor<D>;
export function minimum<A extends DType, B extends DType>(a: Tensor<A>, b: Tensor<B>): Tensor<ResultType<A, B>>;
export function minimum(a: Value, b: Value): Tensor {
  return binary(MINIMUM, a, b);
}

/**
 * Takes the larger of two elements, broadcasting; see {@link add}. NaN where either is NaN; 0 is larger than -0.
 * @since 0.1.0
 */
export function maximum<D extends DType>(a: Tensor<D>, b: Tensor<NoInfer<D>> | number | bigint): Tensor<D>;
export function maximum<D extends DType>(a: number | bigint, b: Tensor<D>): Tensor<D>;
export function maximum<A extends DType, B extends DType>(a: Tensor<A>, b: Tensor<B>): Tensor<ResultType<A, B>>;
export function maximum(a: Value, b: Value): Tensor {
  return binary(MAXIMUM, a, b);
}

/** Passes a cotangent where relu's output is positive, and 0 elsewhere: the rule of `relu`. @since 0.1.0 */
export function reluBackward<D extends DType>(cotangent: Tensor<D>, output: Tensor<D>): Tensor<D> {
  plain(cotangent, "reluBackward");
  plain(output, "reluBackward");
  // A cotangent of another dtype is a mistake of the rule before, which promotion would hide.
  sameDType("reluBackward", cotangent, output);
  return binary(RELU_BACKWARD, cotangent, output) as Tensor<D>;
}
