import {
  backward,
  detach,
  enableGrad,
  grad,
  isGradEnabled,
  noGrad,
  parameter,
  requiresGrad,
  retainGrad,
} from "@sw/autograd";
import { BufferPool } from "@sw/buffer";
import { jsKernels } from "@sw/kernels-js";
import { layout, strided } from "@sw/layout";
import {
  add,
  cast,
  createArena,
  div,
  exp,
  fromBuffer,
  matmul,
  mul,
  relu,
  setKernels,
  sum,
  type Tensor,
  tensor,
  withArena,
  withKernels,
  zeros,
} from "@sw/tensor";
import { type Backend, defaultPool, type Kernel, record, withScope } from "@sw/tensor/seam";
import { beforeEach, describe, expect, test } from "vitest";

beforeEach(() => setKernels(jsKernels));

const total = (t: Tensor): Tensor => sum(t) as Tensor;
const values = (t: Tensor | undefined): number[] => [...((t as Tensor).data() as Float32Array)];

describe("order", () => {
  test("each node runs once, after all that came from it: a diamond of depth 60 is linear", () => {
    const x = parameter(tensor(1));
    let y: Tensor = x;
    for (let i = 0; i < 60; i++) y = mul(add(y, y), 0.5);
    backward(y);
    expect(x.grad?.item()).toBe(1);
  });
  test("a history of 100,000 operations does not overflow the stack", () => {
    const x = parameter(tensor(1));
    const arena = createArena();
    withArena(arena, () => {
      let y: Tensor = x;
      for (let i = 0; i < 100_000; i++) y = add(y, x);
      backward(y);
    });
    expect(x.grad?.item()).toBe(100_001);
    arena.dispose();
  });
  test("contributions sum, also between two backwards", () => {
    const x = parameter(tensor([1, 2]));
    const build = () => total(add(mul(x, 3), x));
    backward(build());
    expect(values(x.grad)).toEqual([4, 4]);
    backward(build());
    expect(values(x.grad)).toEqual([8, 8]);
  });
});

describe("versions (field cases 12 and 13)", () => {
  test.each([
    ["through a view", (t: Tensor) => noGrad(() => t.slice(0, 0, 1).fill(0))],
    ["through a detached alias", (t: Tensor) => detach(t).fill(0)],
    ["by a copy under noGrad", (t: Tensor) => noGrad(() => t.copyFrom(zeros([3])))],
    ["by setting one element", (t: Tensor) => t.set(0, 0)],
  ])("a saved value changed %s is caught, and named", (_name, change) => {
    const a = parameter(tensor([1, 2, 3]));
    const s = exp(a);
    change(s);
    expect(() => backward(total(s))).toThrow(
      expect.objectContaining({ name: "TensorVersionError", operation: "exp", savedVersion: 1, presentVersion: 2 }),
    );
    expect(a.grad).toBeUndefined();
  });
  test("a write that no rule reads is no alarm", () => {
    const x = parameter(tensor([1, 2, 3]));
    const y = add(x, 1);
    noGrad(() => y.fill(0));
    backward(total(y));
    expect(values(x.grad)).toEqual([1, 1, 1]);
  });
  test("w·w with w changed in between is refused", () => {
    const w = parameter(tensor([3]));
    const y = mul(w, w);
    noGrad(() => w.fill(4));
    expect(() => backward(y)).toThrow(expect.objectContaining({ operation: "mul" }));
  });
  test("a saved value that was disposed is refused", () => {
    const w = parameter(tensor([3]));
    const x = tensor([2]);
    const y = mul(w, x);
    x.dispose();
    expect(() => backward(y)).toThrow(expect.objectContaining({ code: "SW_BUFFER_STALE" }));
  });
});

describe("a backward that throws, or whose cotangent is a gradient (D5, D6)", () => {
  test("the cotangent may be the gradient itself, or a view of it", () => {
    const w = parameter(tensor([1, 2, 3]));
    backward(w, tensor([1, 2, 3]));
    backward(w.flip(0), w.grad);
    expect(values(w.grad)).toEqual([4, 4, 4]);
    const [a, b] = [parameter(tensor([1])), parameter(tensor([1]))];
    backward(add(a, b), tensor([1]));
    backward(add(a, b), b.grad);
    expect([values(a.grad), values(b.grad)]).toEqual([[2], [2]]);
  });
  test("a leaf whose sum has no kernel leaves the other leaves as they were", () => {
    const [a, b] = [parameter(tensor([1])), parameter(tensor([1], { dtype: "float16" }))];
    const loss = () => total(add(cast(b, "float32"), a));
    backward(loss());
    const { name, seamVersion, kernels } = jsKernels;
    const supports: Backend["supports"] = (kernel, outputs, ...rest) =>
      outputs[0]?.dtype !== "float16" && jsKernels.supports?.(kernel, outputs, ...rest) === true;
    withKernels([{ name, seamVersion, kernels, supports }], () => {
      expect(() => backward(loss())).toThrow(expect.objectContaining({ code: "SW_TENSOR_KERNEL_MISSING" }));
    });
    expect(values(a.grad)).toEqual([1]);
    expect(b.grad?.item()).toBe(1);
  });
  test("a gradient that is read-only leaves the others as they were", () => {
    const [a, b] = [parameter(tensor([1])), parameter(tensor([1]))];
    const loss = () => total(add(a, b));
    backward(loss());
    (b.grad as Tensor).buffer.readOnly = true;
    expect(() => backward(loss())).toThrow(expect.objectContaining({ code: "SW_BUFFER_READ_ONLY" }));
    expect(values(a.grad)).toEqual([1]);
  });
});

describe("what is refused", () => {
  const x = tensor([1, 2]);
  test("a tensor without a leaf upstream", () => {
    expect(() => backward(total(x))).toThrow(expect.objectContaining({ code: "SW_AUTOGRAD_NO_GRAPH" }));
    expect(() => retainGrad(x)).toThrow(expect.objectContaining({ code: "SW_AUTOGRAD_NO_GRAPH" }));
    expect(() => grad([total(parameter(x))], [x])).toThrow(expect.objectContaining({ code: "SW_AUTOGRAD_NO_GRAPH" }));
  });
  test("a cotangent that is missing, or does not fit", () => {
    const y = mul(parameter(x), 2);
    expect(() => backward(y)).toThrow(expect.objectContaining({ code: "SW_AUTOGRAD_COTANGENT_MISSING" }));
    expect(() => backward(y, tensor([1, 2, 3]))).toThrow(
      expect.objectContaining({ code: "SW_AUTOGRAD_COTANGENT", given: [3], expected: [2] }),
    );
    expect(() => backward(y, tensor([1, 2], { dtype: "float64" }))).toThrow(
      expect.objectContaining({ code: "SW_AUTOGRAD_COTANGENT" }),
    );
    expect(() => backward(y, [1, 1] as never)).toThrow(TypeError);
  });
  test("a second backward through a released history names retainGraph", () => {
    const p = parameter(x);
    const y = total(mul(p, p));
    backward(y, undefined, { retainGraph: true });
    backward(y);
    expect(values(p.grad)).toEqual([4, 8]);
    expect(() => backward(y)).toThrow(
      expect.objectContaining({
        name: "GraphReleasedError",
        code: "SW_AUTOGRAD_RELEASED",
        message: expect.stringContaining("retainGraph"),
      }),
    );
    expect(values(p.grad)).toEqual([4, 8]);
  });
  test("a kind without a rule names the operation", () => {
    const p = parameter(x);
    const strange = record(zeros([2]), { kind: "strange", inputs: [p] });
    expect(() => backward(total(strange))).toThrow(
      expect.objectContaining({ code: "SW_AUTOGRAD_RULE_MISSING", operation: "strange" }),
    );
  });
  test("a rule whose cotangents do not fit names the operation", () => {
    const p = parameter(x);
    const wrong = record(zeros([2]), { kind: "wrong", inputs: [p], rule: () => [zeros([3])] });
    expect(() => backward(total(wrong))).toThrow(
      expect.objectContaining({ code: "SW_AUTOGRAD_SHAPE", operation: "wrong" }),
    );
    const few = record(zeros([2]), { kind: "few", inputs: [p], rule: () => [] });
    expect(() => backward(total(few))).toThrow(
      expect.objectContaining({ code: "SW_AUTOGRAD_SHAPE", given: 0, expected: 1 }),
    );
    expect(p.grad).toBeUndefined();
  });
  test("parameters of integers, and of layouts that overlap themselves", () => {
    expect(() => parameter(tensor([1], { dtype: "int32" }))).toThrow(
      expect.objectContaining({ code: "SW_AUTOGRAD_DTYPE" }),
    );
    const { buffer } = zeros([5]);
    expect(() => parameter(fromBuffer("float32", buffer, strided([3, 3], [1, 1])))).toThrow(
      expect.objectContaining({ code: "SW_AUTOGRAD_LEAF" }),
    );
    expect(parameter(fromBuffer("float32", buffer, layout([[2, 2], 3], [[1, 2], 0]))).node?.home).toBeDefined();
  });
});

describe("modes", () => {
  test("noGrad and enableGrad nest", () => {
    const p = parameter(tensor([1]));
    expect(isGradEnabled()).toBe(true);
    noGrad(() => {
      expect(isGradEnabled()).toBe(false);
      expect(requiresGrad(mul(p, 2))).toBe(false);
      enableGrad(() => expect(requiresGrad(mul(p, 2))).toBe(true));
    });
    expect(requiresGrad(mul(p, 2))).toBe(true);
  });
  test("an asynchronous function is refused", () => {
    expect(() => noGrad((async () => 1) as never)).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_SCOPE_PROMISE" }),
    );
  });
});

test("detach cuts the history, and shares the memory", () => {
  const p = parameter(tensor([2]));
  const y = mul(p, p);
  const cut = detach(y);
  expect(requiresGrad(cut)).toBe(false);
  expect(cut.buffer).toBe(y.buffer);
});

test("retainGrad keeps the gradient of a result", () => {
  const p = parameter(tensor([2, 3]));
  const y = retainGrad(mul(p, 2));
  backward(total(relu(y)));
  expect(values(y.grad)).toEqual([1, 1]);
  expect(values(p.grad)).toEqual([2, 2]);
});

test("grad touches no .grad, and gives undefined where an output does not depend on an input", () => {
  const p = parameter(tensor([2, 3]));
  const q = parameter(tensor([1]));
  const [dp, dq] = grad([total(mul(p, p))], [p, q]);
  expect(values(dp)).toEqual([4, 6]);
  expect(dq).toBeUndefined();
  expect(() => grad([total(mul(p, p))], [p], [tensor(1), tensor(1)])).toThrow(
    expect.objectContaining({ code: "SW_AUTOGRAD_COTANGENT", given: 2, expected: 1 }),
  );
  expect(p.grad).toBeUndefined();
});

describe("memory (field case 10d)", () => {
  test("a pass returns all that it made but the gradients", () => {
    const pool = defaultPool();
    const p = parameter(
      tensor([
        [1, 2],
        [3, 4],
      ]),
    );
    const y = matmul(p, p);
    const loss = total(relu(add(y, 1)));
    const { live } = pool.statistics();
    backward(loss);
    expect(pool.statistics().live).toBe(live + 1);
    p.grad?.dispose();
  });
  test("an operation with a number holds only its result, however often it is recorded", () => {
    const pool = defaultPool();
    const w = parameter(tensor([1, 2]));
    const { live } = pool.statistics();
    for (let i = 0; i < 10; i++) mul(w, 2).dispose();
    expect(pool.statistics().live).toBe(live);
    const y = mul(3, div(w, 4));
    backward(total(y));
    expect(values(w.grad)).toEqual([0.75, 0.75]);
    const z = div(2, w);
    w.grad?.dispose();
    backward(total(z));
    expect(values(w.grad)).toEqual([-2, -0.5]);
  });
  test("also when it throws", () => {
    const pool = defaultPool() as BufferPool;
    const p = parameter(tensor([1, 2]));
    const bad = record(zeros([2]), { kind: "strange", inputs: [mul(p, p)] });
    const loss = total(mul(bad, bad));
    const { live } = pool.statistics();
    expect(() => backward(loss)).toThrow();
    expect(pool.statistics().live).toBe(live);
  });
  test("the gradient lives where its parameter lives, also inside an arena", () => {
    const p = parameter(tensor([1, 2]));
    const arena = createArena();
    withArena(arena, () => backward(total(mul(p, p))));
    arena.reset();
    expect(values(p.grad)).toEqual([2, 4]);
    expect(p.grad?.buffer.owner).toBe(p.buffer.owner);
    arena.dispose();
  });
});

describe("OneModel 6: a kernel that writes past the end, in checked mode", () => {
  /** Multiplies, and writes one byte too many. */
  const wrong: Backend = {
    ...jsKernels,
    kernels: {
      ...jsKernels.kernels,
      mul: (outputs, inputs, ints, floats) => {
        (jsKernels.kernels["mul"] as Kernel)(outputs, inputs, ints, floats);
        for (const { data } of outputs) new Uint8Array(data.buffer)[data.byteOffset + data.byteLength] = 0;
      },
    },
  };
  test("makes backward throw, which gives back all of its memory all the same", () => {
    const pool = new BufferPool({ checked: true });
    const x = parameter(tensor([1, 2, 3]));
    withScope({ memory: pool }, () => {
      const y = total(mul(mul(x, x), x));
      const { live } = pool.statistics();
      withScope({ kernels: [wrong] }, () => {
        expect(() => backward(y)).toThrow(expect.objectContaining({ code: "SW_BUFFER_OVERRUN" }));
      });
      // What the history kept went back; nothing of the pass is out.
      expect(pool.statistics().live).toBeLessThanOrEqual(live);
    });
  });
  test("does not hide the error of a pass that failed for another reason", () => {
    const pool = new BufferPool({ checked: true });
    const x = parameter(tensor([1, 2, 3]));
    const failing: Backend = {
      ...wrong,
      kernels: {
        ...wrong.kernels,
        // The two contributions to x are summed in place.
        accumulate: () => {
          throw new Error("the kernel's");
        },
      },
    };
    withScope({ memory: pool }, () => {
      const y = total(mul(x, x));
      const { live } = pool.statistics();
      withScope({ kernels: [failing] }, () => {
        expect(() => backward(y)).toThrow("the kernel's");
      });
      expect(pool.statistics().live).toBe(live);
    });
  });
});
