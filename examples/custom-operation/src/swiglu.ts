import { type CustomOperation, defineOp } from "@sw/autograd";
import { add, type DType, mul, sigmoid, sub, type Tensor } from "@sw/tensor";

/** How steep the gate is. */
export interface Steepness {
  readonly beta: number;
}

/**
 * SwiGLU (Shazeer, 2020) of a gate and a value of one shape: `gate · σ(beta·gate) · value`. The history of its parts keeps
 * σ and its product with the gate beside the operands; as one operation it keeps the operands only, and backward computes
 * the two again.
 */
export const SWIGLU: CustomOperation<[gate: Tensor, value: Tensor], Steepness> = {
  name: "swiglu",
  forward([gate, value], { beta }) {
    // Runs without recording: what it makes on the way is nobody's, and returned at once.
    using scaled = mul(gate, beta);
    using open = sigmoid(scaled);
    using swish = mul(gate, open);
    return mul(swish, value);
  },
  // Made of differentiable operations, it has derivatives of any order. What it makes is returned after the pass.
  backward(g, { saved: [gate, value], attributes: { beta }, needs: [ofGate, ofValue] }) {
    const x = gate as Tensor;
    const open = sigmoid(mul(x, beta));
    const swish = mul(x, open);
    // The derivative of swish: σ·(1 + beta·x·(1 − σ)) = σ + beta·swish·(1 − σ).
    const slope = (): Tensor => add(open, mul(mul(swish, beta), sub(1, open)));
    return [ofGate ? mul(g, mul(value as Tensor, slope())) : undefined, ofValue ? mul(g, swish) : undefined];
  },
  // The gate is read for either cotangent, the value only for that of the gate.
  saves: [[0], [1, 0]],
};

/** The operation: `swiglu(gate, value, { beta: 1 })`. The result has the dtype of the operands. */
export const swiglu = defineOp(SWIGLU) as <D extends DType>(
  gate: Tensor<D>,
  value: Tensor<D>,
  attributes: Steepness,
) => Tensor<D>;
