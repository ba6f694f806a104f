import { heapMemory } from "@sw/buffer";
import {
  add,
  asTensor,
  explain,
  KernelMissingError,
  relu,
  setKernels,
  type Tensor,
  tensor,
  withKernels,
} from "@sw/tensor";
import type { Backend } from "@sw/tensor/seam";
import { beforeEach, describe, expect, expectTypeOf, test } from "vitest";
import { plainBackend } from "./forty-line-backend.js";

const plain = plainBackend();

const byPlain = { backend: "plain", staged: [], declined: [] };

/** A backend that has relu, and takes float64 only. */
const picky: Backend = {
  name: "picky",
  seamVersion: 1,
  kernels: { relu: plain.kernels["relu"] },
  supports: (_kernel, [out]) => out?.dtype === "float64",
  objection: (_kernel, [out]) => (out?.dtype === "float64" ? undefined : `no loop for ${out?.dtype}`),
};

/** A backend that declines everything, and does not say why. */
const silent: Backend = { ...picky, name: "silent", supports: () => false, objection: () => undefined };

beforeEach(() => setKernels(plain));

describe("S-9: explain", () => {
  test("tells the backend that ran an operation on its operands, and gives the operation's result", () => {
    const a = tensor([1, -2]);
    const { result, calls } = explain(add, a, a);
    expectTypeOf(result).toExtend<Tensor>();
    expect(result.toArray()).toEqual([2, -4]);
    expect(calls).toEqual([{ kernel: "add", ...byPlain }]);
  });
  test("takes a function without operands, for what overloads do not tell", () => {
    const { result, calls } = explain(() => add(tensor([1, -2]), 1));
    expectTypeOf(result).toEqualTypeOf<Tensor<"float32">>();
    expect(result.toArray()).toEqual([2, -1]);
    expect(calls).toEqual([{ kernel: "add", ...byPlain }]);
  });
  test("says why the backends before it declined: no kernel, an objection, or nothing but a no", () => {
    const lacks: Backend = { name: "lacks", seamVersion: 1, kernels: {} };
    withKernels([lacks, picky, silent, plain], () => {
      expect(explain(relu, tensor([-1])).calls).toEqual([
        {
          kernel: "relu",
          backend: "plain",
          staged: [],
          declined: [
            { backend: "lacks", reason: "has no kernel" },
            { backend: "picky", reason: "no loop for float32" },
            { backend: "silent", reason: "supports() said no" },
          ],
        },
      ]);
      const doubles = tensor([-1], { dtype: "float64" });
      expect(explain(relu, doubles).calls).toMatchObject([{ backend: "picky", declined: [{ backend: "lacks" }] }]);
    });
  });
  test("lists every kernel of a composed operation, casts and copies too, and none of a view", () => {
    const x = tensor(
      Array.from({ length: 8 }, (_, i) => i),
      { dtype: "int32", shape: [2, 4] },
    );
    const half = tensor([0.5], { dtype: "float32" });
    expect(explain(add, x, half).calls.map(({ kernel, backend }) => [kernel, backend])).toEqual([
      ["cast", "built-in"],
      ["cast", "built-in"],
      ["add", "plain"],
    ]);
    expect(explain(() => x.T.slice(0, 1, 3)).calls).toEqual([]);
    expect(explain(() => x.T.contiguous()).calls).toEqual([
      {
        kernel: "copy",
        backend: "built-in",
        staged: [],
        declined: [{ backend: "plain", reason: "has no kernel" }],
      },
    ]);
  });
  test("goes on into scopes inside it, and ends with its own", () => {
    const x = tensor([-1], { dtype: "float64" });
    const { calls } = explain(() => {
      relu(x);
      withKernels([picky], () => relu(x));
      return relu(x);
    });
    expect(calls.map(({ backend }) => backend)).toEqual(["plain", "picky", "plain"]);
    relu(x);
    expect(calls).toHaveLength(3);
  });
  test("inside another one tells both", () => {
    const x = tensor([1]);
    const { result, calls } = explain(() => explain(relu, x).calls);
    expect(result).toEqual([{ kernel: "relu", ...byPlain }]);
    expect(calls).toEqual(result);
  });
  test("counts operands outside of the backend's memory as staged, outputs first", () => {
    const memory = heapMemory();
    const own: Backend = { ...plain, name: "own", memory };
    withKernels([own], () => {
      const [inside, outside] = [tensor([1, 2]), asTensor(new Float32Array(2))];
      expect(explain(add, inside, inside).calls).toMatchObject([{ backend: "own", staged: [] }]);
      expect(explain(add, inside, outside).calls).toMatchObject([{ backend: "own", staged: [2] }]);
      expect(explain(add, outside, outside).calls).toMatchObject([{ backend: "own", staged: [1, 2] }]);
      // Broadcast: not the short way of operands that lie alike.
      expect(explain(add, inside, asTensor(new Float32Array(1))).calls).toMatchObject([{ staged: [2] }]);
    });
  });
  test("what throws is thrown, and the scope is as before", () => {
    expect(() => explain(add, tensor([1, 2, 3]), tensor([1, 2]))).toThrow(
      expect.objectContaining({ code: "SW_LAYOUT_BROADCAST" }),
    );
    expect(() => explain(5 as never)).toThrow("explain: not an operation: got 5, expected a function.");
    expect(() => explain(5 as never)).toThrow(TypeError);
    expect(() => explain(async () => 1)).toThrow(expect.objectContaining({ code: "SW_TENSOR_SCOPE_PROMISE" }));
    expect(explain(relu, tensor([1])).calls).toHaveLength(1);
  });
});

describe("S-4: a chain that takes nothing", () => {
  test("names each backend and its reason", () => {
    const x = tensor([[1, -2]]);
    const error = withKernels([{ name: "lacks", seamVersion: 1, kernels: {} }, picky, silent], () => {
      try {
        return relu(x);
      } catch (thrown) {
        return thrown;
      }
    });
    expect(error).toBeInstanceOf(KernelMissingError);
    expect(error).toMatchObject({
      code: "SW_TENSOR_KERNEL_MISSING",
      kernel: "relu",
      backends: ["lacks", "picky", "silent"],
      declined: [
        { backend: "lacks", reason: "has no kernel" },
        { backend: "picky", reason: "no loop for float32" },
        { backend: "silent", reason: "supports() said no" },
      ],
      message:
        "relu: no backend in force has a kernel for these operands: got float32[2], float32[2], expected one to take them (lacks: has no kernel; picky: no loop for float32; silent: supports() said no). Cast the operands, or add a backend to the chain.",
    });
  });
});

describe("S-8: objections are asked of nobody but explain and errors", () => {
  test("a call that falls through makes no text", () => {
    const x = tensor([1]);
    withKernels(
      [
        {
          ...picky,
          objection: () => {
            throw new Error("asked");
          },
        },
        plain,
      ],
      () => expect(relu(x).toArray()).toEqual([1]),
    );
  });
});
