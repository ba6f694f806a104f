import {
  backward,
  type CustomOperation,
  defineOp,
  enableGrad,
  gradcheck,
  gradgradcheck,
  parameter,
} from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { cast, mul, randn, setKernels, sigmoid, silu, sum, type Tensor, tensor } from "@sw/tensor";
import { beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import { type Steepness, SWIGLU, swiglu } from "../src/swiglu.js";

beforeAll(() => setKernels(jsKernels));

type F64 = Tensor<"float64">;
const normal = (shape: number[], seed: number): F64 => randn(shape, { seed, dtype: "float64" });
/** The tensors that the history of a result keeps, each once. */
function kept({ node }: Tensor): Set<Tensor> {
  const tensors = new Set<Tensor>();
  const nodes = [node];
  for (const one of nodes) {
    for (const slot of one?.record?.saved ?? []) if (slot !== undefined) tensors.add(slot.tensor);
    nodes.push(...(one?.record?.inputs ?? []).map((edge) => edge.node));
  }
  return tensors;
}

test("it is typed by its operands and attributes", () => {
  expectTypeOf(defineOp(SWIGLU)).parameters.toEqualTypeOf<[gate: Tensor, value: Tensor, attributes: Steepness]>();
  expectTypeOf(defineOp(SWIGLU)).returns.toEqualTypeOf<Tensor>();
  const t = normal([1], 1);
  expectTypeOf(swiglu(t, t, { beta: 1 })).toEqualTypeOf<F64>();
  // @ts-expect-error: the attributes are missing
  expect(() => swiglu(t, t)).toThrow(TypeError);
});

test("its values and gradients are those of its parts", () => {
  const [gate, value] = [1, 2].map((seed) => parameter(normal([3, 4], seed))) as [F64, F64];
  const g = normal([3, 4], 3);
  const out = swiglu(gate, value, { beta: 1 });
  const parts = mul(silu(gate), value);
  expect(out.toArray()).toEqual(parts.toArray());
  backward(out, g);
  const given = [gate, value].map((p) => p.grad?.data().slice());
  for (const p of [gate, value]) p.node!.grad = undefined;
  backward(parts, g);
  [gate, value].forEach((p, i) => {
    for (const [k, wanted] of (p.grad as F64).data().entries()) expect(given[i]?.[k]).toBeCloseTo(wanted, 14);
  });
});

describe("its gradients agree with differences", () => {
  const call = (beta: number) => (gate?: F64, value?: F64) => swiglu(gate as F64, value as F64, { beta });
  test.each([0, 1, -2.5])("to both operands, of any layout, with beta %d", (beta) => {
    expect(gradcheck(call(beta), [normal([2, 3], 1), normal([3, 2], 2).T]).compared).toBe(12);
    gradcheck(call(beta), [normal([2, 3], 1).flip(1), normal([1, 3], 2).expand([2, 3]).contiguous()]);
  });
  test("to one of them", () => {
    const c = normal([4], 3);
    gradcheck((gate) => call(1)(gate, c), [normal([4], 4)]);
    gradcheck((value) => call(1)(c, value), [normal([4], 4)]);
  });
  test("second derivatives too", () => {
    gradgradcheck(call(1.5), [normal([2, 2], 1), normal([2, 2], 2)]);
  });
});

describe("what it keeps", () => {
  test("is its operands, where its parts keep two more; and the value only for the gate", () => {
    const [gate, value] = [parameter(normal([4], 1)), parameter(normal([4], 2))];
    expect(kept(swiglu(gate, value, { beta: 1 }))).toEqual(new Set([gate, value]));
    expect(kept(mul(mul(gate, sigmoid(gate)), value)).size).toBe(4);
    const c = normal([4], 3);
    expect(kept(swiglu(c, value, { beta: 1 }))).toEqual(new Set([c]));
  });
  test.each([
    ["the gate", 0],
    ["the value", 1],
  ] as const)("must stay as it was: a write to %s is noticed and named, and no gradient is given", (_, which) => {
    const operands = [normal([4], 1), normal([4], 2)] as [F64, F64];
    const [gate, value] = [parameter(operands[0]), operands[1]];
    const out = sum(swiglu(gate, value, { beta: 1 }));
    operands[which].fill(0);
    expect(() => backward(out)).toThrow(
      expect.objectContaining({
        name: "TensorVersionError",
        code: "SW_TENSOR_VERSION",
        operation: "swiglu",
        savedVersion: 0,
        presentVersion: 1,
      }),
    );
    expect(gate.grad).toBeUndefined();
  });
  test("a write that nothing reads is no fault", () => {
    const [gate, value] = [normal([4], 1), normal([4], 2)];
    const p = parameter(value);
    const out = sum(swiglu(gate, p, { beta: 1 }));
    value.fill(0);
    backward(out);
    expect(p.grad?.toArray()).not.toEqual([0, 0, 0, 0]);
  });
});

describe("SW_AUTOGRAD_CUSTOM: what is no operation", () => {
  type Definition = CustomOperation<[gate: Tensor, value: Tensor], Steepness>;
  const call = (change: Partial<Definition>): Tensor =>
    defineOp<[gate: Tensor, value: Tensor], Steepness>({ ...SWIGLU, ...change })(
      parameter(normal([4], 1)),
      normal([4], 2),
      { beta: 1 },
    );
  test.each<[string, Partial<Definition>, RegExp]>([
    ["without a name", { name: "" }, /^defineOp: the name is not possible: got ""/],
    ["of a name that is taken", { name: "mul" }, /^defineOp: the name is not possible: got "mul"/],
    ["that gives an operand", { forward: ([gate]) => gate }, /^swiglu: the output is, or shares memory/],
    ["that gives a view of one", { forward: ([, value]) => value.flip(0) }, /^swiglu: the output is, or shares memory/],
    ["that gives an operand beside", { forward: ([gate]) => [mul(gate, 2), gate] }, /^swiglu: extra 1 is, or shares/],
    [
      "with a history of its own",
      { forward: ([gate]) => enableGrad(() => mul(gate, 2) as never) as Tensor },
      /^swiglu: the output has a history/,
    ],
    ["of integers", { forward: ([gate]) => cast(gate, "int32") }, /^swiglu: the output has no gradient: got int32/],
    ["that saves a third operand", { saves: [[2]] }, /^swiglu: a slot has no operand: got 2/],
    ["that saves an extra which it does not give", { saves: [[-2]] }, /^swiglu: a slot has no operand: got -2/],
  ])("%s", (_, change, message) => {
    expect(() => call(change)).toThrow(
      expect.objectContaining({
        name: "GradientError",
        code: "SW_AUTOGRAD_CUSTOM",
        message: expect.stringMatching(message),
      }),
    );
  });
  test("a wrong derivative is found by gradcheck", () => {
    const wrong = defineOp<[gate: Tensor, value: Tensor], Steepness>({ ...SWIGLU, backward: (g) => [g, g] });
    expect(() =>
      gradcheck((x) => wrong(x as F64, tensor([2], { dtype: "float64" }), { beta: 1 }) as F64, [normal([1], 1)]),
    ).toThrow(expect.objectContaining({ code: "SW_AUTOGRAD_GRADCHECK" }));
  });
});
