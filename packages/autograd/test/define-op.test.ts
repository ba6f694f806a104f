import { backward, type CustomOperation, defineOp, grad, gradcheck, noGrad, parameter } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { add, cast, exp, mul, setKernels, sum, type Tensor, tensor } from "@sw/tensor";
import { defaultPool } from "@sw/tensor/seam";
import { beforeEach, describe, expect, expectTypeOf, test, vi } from "vitest";

beforeEach(() => setKernels(jsKernels));

type F64 = Tensor<"float64">;
const f64 = (values: number[]): F64 => tensor(values, { dtype: "float64" });
const total = (t: Tensor): F64 => sum(t) as F64;
const values = (t: Tensor | undefined): number[] => [...((t as Tensor).data() as Float64Array)];

/** x·exp(by·x), which keeps its exponential. */
const swell: CustomOperation<[x: Tensor], { readonly by: number }> = {
  name: "swell",
  forward: ([x], { by }, recorded) => {
    const e = exp(mul(x, by));
    return recorded ? [mul(x, e), e] : mul(x, e);
  },
  backward: (g, { saved: [x, e], attributes: { by } }) => [mul(g, mul(e as Tensor, add(mul(x as Tensor, by), 1)))],
  saves: [[0], [-2]],
};
/** a·b, which keeps of each operand only what the other's cotangent needs. */
const times: CustomOperation<[a: Tensor, b: Tensor | undefined], undefined> = {
  name: "times",
  forward: ([a, b]) => mul(a, b ?? 1),
  backward: (g, { saved: [a, b], needs }) => [
    needs[0] ? (b === undefined ? g : mul(g, b)) : undefined,
    needs[1] ? mul(g, a as Tensor) : undefined,
  ],
  saves: [
    [0, 1],
    [1, 0],
  ],
};

describe("an operation of one's own", () => {
  test("is typed by its inputs and attributes", () => {
    expectTypeOf(defineOp(swell)).parameters.toEqualTypeOf<[x: Tensor, attributes: { readonly by: number }]>();
    expectTypeOf(defineOp(times)).parameters.toEqualTypeOf<[a: Tensor, b: Tensor | undefined]>();
    expectTypeOf(defineOp(times)).returns.toEqualTypeOf<Tensor>();
  });
  test("is checked by gradcheck", () => {
    const [op, product] = [defineOp(swell), defineOp(times)];
    gradcheck((x) => op(x as F64, { by: 0.5 }) as F64, [f64([1, -2, 0])]);
    gradcheck((a, b) => product(a as F64, b) as F64, [f64([1, 2]), f64([3, 4])]);
    gradcheck((a) => product(a as F64, undefined) as F64, [f64([1, 2])]);
  });
  test("made of differentiable operations, it has derivatives of any order", () => {
    const product = defineOp(times);
    const x = parameter(f64([3]));
    let y = product(product(x, x), x);
    for (const expected of [27, 18, 6]) {
      y = grad([y], [x], [], { createGraph: true })[0] as Tensor;
      expect(values(y)).toEqual([expected]);
    }
  });
  test("is told which inputs need a cotangent, and their shapes", () => {
    const told = vi.fn((g: Tensor) => [g, undefined, undefined]);
    const op = defineOp<[Tensor, Tensor, Tensor | undefined]>({
      name: "told",
      forward: ([a]) => mul(a, 1),
      backward: told,
    });
    const x = parameter(f64([1, 2]));
    backward(total(op(x, f64([3]), undefined)));
    expect(told).toHaveBeenCalledWith(expect.anything(), {
      saved: [],
      attributes: undefined,
      needs: [true, false, false],
      shapes: [[2], [1], []],
    });
  });
  test("an operand that was saved and changed is noticed, one that was not needed is not kept", () => {
    const product = defineOp(times);
    const [x, c] = [parameter(f64([1])), f64([2])];
    const y = product(x, c);
    expect(y.node?.record?.saved.map((slot) => slot?.tensor)).toEqual([undefined, c]);
    const changed = product(x, c);
    c.fill(3);
    expect(() => backward(changed)).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_VERSION", operation: "times", savedVersion: 0, presentVersion: 1 }),
    );
    expect(x.grad).toBeUndefined();
  });
  test("what it makes for backward alone is made only when recorded, and returned with the history", () => {
    const op = defineOp(swell);
    const forward = vi.spyOn(swell, "forward");
    const { live } = defaultPool().statistics();
    const plain = f64([1, 2]);
    const x = parameter(plain);
    op(plain, { by: 1 }).dispose();
    noGrad(() => op(x, { by: 1 }).dispose());
    expect(forward.mock.calls.map((call) => call[2])).toEqual([false, false]);
    const y = op(x, { by: 1 });
    const extra = y.node?.record?.owned[0] as Tensor;
    backward(total(y));
    expect(extra.buffer.generation).toBeGreaterThan(extra.generation);
    forward.mockRestore();
    const always = defineOp<[Tensor]>({
      name: "always",
      forward: ([a]) => [mul(a, 2), exp(a)],
      backward: (g) => [mul(g, 2)],
      saves: [],
    });
    const before = defaultPool().statistics().live;
    always(plain).dispose();
    expect(defaultPool().statistics().live).toBe(before);
    expect(before).toBeGreaterThan(live);
  });
});

describe("what is refused", () => {
  const code = "SW_AUTOGRAD_CUSTOM";
  const give = (forward: CustomOperation<[Tensor], undefined>["forward"], saves: readonly [number][] = []) =>
    defineOp<[Tensor]>({ name: "give", forward, backward: (g) => [g], saves });
  test.each(["", "add"])("a name that is empty or taken: %j", (name) => {
    expect(() => defineOp({ name, forward: ([x]: [Tensor]) => x, backward: (g) => [g] })).toThrow(
      expect.objectContaining({ code, given: JSON.stringify(name) }),
    );
  });
  test("a name that is no string", () => {
    expect(() => defineOp({ name: 3 as never, forward: ([x]: [Tensor]) => x, backward: (g) => [g] })).toThrow(
      TypeError,
    );
  });
  const x = (): F64 => parameter(f64([1, 2]));
  test("an output that is an input, a view of one, or in the memory of an extra", () => {
    for (const op of [
      give(([t]) => t),
      give(([t]) => t.flip(0)),
      give(([t]) => [mul(t, 1), t]),
      give(([t]) => {
        const out = mul(t, 2);
        return [out, out.flip(0)];
      }),
    ]) {
      expect(() => op(x())).toThrow(expect.objectContaining({ code, operation: "give" }));
    }
  });
  test("an output with a history of its own", async () => {
    const { enableGrad } = await import("@sw/autograd");
    expect(() => give(([t]) => enableGrad(() => mul(t, 2) as never) as Tensor)(x())).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining("has a history") }),
    );
  });
  test("an output of integers while recorded, and only then", () => {
    const op = give(([t]) => cast(t, "int32"));
    expect(() => op(x())).toThrow(expect.objectContaining({ code, given: "int32" }));
    expect(op(f64([1.5])).toArray()).toEqual([1]);
  });
  test("a slot without an operand", () => {
    for (const slot of [1, -2, 0.5]) {
      expect(() => give(([t]) => mul(t, 1), [[slot]])(x())).toThrow(expect.objectContaining({ code, given: slot }));
    }
  });
  test("a slot that an input which is not there needs, and what is no slot", () => {
    expect(() => give(([t]) => mul(t, 1), [[0, 5]] as never)(x())).toThrow(expect.objectContaining({ code, given: 5 }));
    for (const saves of [3, [undefined], [3]])
      expect(() => give(([t]) => mul(t, 1), saves as never)).toThrow(TypeError);
  });
  test("a backward that is asynchronous, whose own failure ends nothing", async () => {
    const late = defineOp<[Tensor]>({
      name: "late",
      forward: ([t]) => mul(t, 1),
      backward: (async () => {
        throw new Error("unheard");
      }) as never,
    });
    expect(() => backward(total(late(x())))).toThrow(expect.objectContaining({ code: "SW_AUTOGRAD_SHAPE" }));
    // A rejection that nobody handles would be reported in the next turn.
    await new Promise((resolve) => setTimeout(resolve, 0));
  });
  test("no tensor, from the caller or from forward, and a promise", () => {
    expect(() => give(() => 3 as never)(x())).toThrow(TypeError);
    expect(() => give(() => [] as never)(x())).toThrow(TypeError);
    const loose = give(([t]) => mul(t, 1)) as (...call: readonly unknown[]) => Tensor;
    expect(() => loose(3, {})).toThrow(TypeError);
    expect(() => loose(3)).toThrow(TypeError);
    expect(() => give((async () => f64([1])) as never)(x())).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_SCOPE_PROMISE" }),
    );
  });
  test("cotangents of another number, shape or kind, with no .grad changed", () => {
    const giving = (given: unknown) =>
      defineOp<[Tensor]>({ name: "giving", forward: ([t]) => mul(t, 1), backward: () => given as never });
    const p = x();
    for (const given of [[], [f64([1, 2]), f64([1, 2])], [f64([1])], [tensor([1, 2])], undefined]) {
      expect(() => backward(total(giving(given)(p)))).toThrow(
        expect.objectContaining({ code: "SW_AUTOGRAD_SHAPE", operation: "giving" }),
      );
    }
    expect(() => backward(total(giving([3])(p)))).toThrow(TypeError);
    expect(p.grad).toBeUndefined();
  });
  test("createGraph through a float that forward made for backward: its derivative is unknown", () => {
    const p = x();
    const y = total(defineOp(swell)(p, { by: 1 }));
    expect(() => grad([y], [p], [], { createGraph: true })).toThrow(
      expect.objectContaining({ code: "SW_AUTOGRAD_CREATE_GRAPH", operation: "swell" }),
    );
    const masked = defineOp<[Tensor]>({
      name: "masked",
      forward: ([t]) => [mul(t, 2), cast(t, "int32")],
      backward: (g, { saved: [mask] }) => [mul(g, cast(mask as Tensor, "float64"))],
      saves: [[-2]],
    });
    const v = parameter(f64([1, 1]));
    const [g] = grad([masked(p)], [p], [v], { createGraph: true }) as [Tensor];
    expect(values(grad([total(g)], [v])[0])).toEqual([1, 2]);
  });
});
