import type { BufferPool } from "@sw/buffer";
import {
  add,
  allClose,
  argmax,
  arrayEqual,
  cast,
  div,
  exp,
  fromBuffer,
  log,
  logSoftmax,
  matmul,
  mean,
  mul,
  neg,
  nllLoss,
  relu,
  setKernels,
  softmax,
  sub,
  sum,
  type Tensor,
  tensor,
  withKernels,
  zeros,
} from "@sw/tensor";
import {
  nllLossBackward,
  OPERATIONS,
  type OperationSpec,
  operationSpec,
  record,
  reluBackward,
  save,
  unpack,
  withLeaf,
  withRecording,
} from "@sw/tensor/seam";
import { beforeAll, describe, expect, test } from "vitest";
import { plainBackend } from "./forty-line-backend.js";

beforeAll(() => setKernels(plainBackend()));

const a = tensor([
  [1, 2],
  [3, 4],
]);

describe("numbers as operands (D14)", () => {
  test("take the tensor's dtype, on either side", () => {
    expect(add(a, 1).toArray()).toEqual([
      [2, 3],
      [4, 5],
    ]);
    expect(sub(10, a).toArray()).toEqual([
      [9, 8],
      [7, 6],
    ]);
    expect(div(a, 2).toArray()).toEqual([
      [0.5, 1],
      [1.5, 2],
    ]);
    expect(mul(tensor([2], { dtype: "float64" }), 0.1).toArray()).toEqual([0.2]);
  });
  test("add(int32Tensor, 1.5) is refused with the cast to write", () => {
    expect(() => add(tensor([1], { dtype: "int32" }), 1.5)).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_VALUE", message: expect.stringContaining('cast(x, "float32")') }),
    );
  });
  test("leave nothing behind, whatever happens", () => {
    const pool = a.buffer.owner as BufferPool;
    const { live } = pool.statistics();
    add(a, 1).dispose();
    expect(() => add(a, "1" as never)).toThrow(TypeError);
    expect(() => exp(a)).toThrow();
    expect(pool.statistics().live).toBe(live);
  });
});

describe("operands that do not fit", () => {
  test("shapes that do not broadcast are named, both", () => {
    expect(() => add(zeros([2, 3]), zeros([4]))).toThrow(
      expect.objectContaining({ name: "LayoutError", message: expect.stringMatching(/^add: .*2,3.*4/) }),
    );
  });
  test("dtypes an operation is not for are listed", () => {
    expect(() => div(zeros([1], { dtype: "int32" }), 2)).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_DTYPE_REFUSED" }),
    );
    expect(() => relu(zeros([1], { dtype: "bool" }))).toThrow(RangeError);
    expect(() => mean(zeros([1], { dtype: "int32" }))).toThrow(RangeError);
    expect(() => matmul(zeros([1, 1], { dtype: "int64" }), zeros([1, 1], { dtype: "int64" }))).toThrow(RangeError);
  });
  test.each([[null], [undefined], [{}], ["tensor"]])("%j is no tensor: TypeError", (value) => {
    expect(() => neg(value as never)).toThrow(TypeError);
    expect(() => add(value as never, value as never)).toThrow(TypeError);
    expect(() => sum(value as never)).toThrow(TypeError);
  });
  test("a stale operand is refused", () => {
    const gone = zeros([2]);
    gone.dispose();
    expect(() => add(gone, 1)).toThrow(expect.objectContaining({ code: "SW_BUFFER_STALE" }));
    expect(() => add(zeros([2]), gone)).toThrow(expect.objectContaining({ code: "SW_BUFFER_STALE" }));
  });
  test("a padded operand is refused by every operation", () => {
    const padded = fromBuffer("float32", zeros([4]).buffer, zeros([2, 2]).layout, 0, [2, 1]);
    for (const attempt of [
      () => neg(padded),
      () => add(1, padded),
      () => sum(padded),
      () => softmax(padded, 0),
      () => cast(padded, "int8"),
    ]) {
      expect(attempt).toThrow(expect.objectContaining({ code: "SW_TENSOR_UNSUPPORTED" }));
    }
  });
  test("matmul names the extents that differ", () => {
    expect(() => matmul(zeros([2, 3]), zeros([2, 3]))).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_SHAPE_MISMATCH", given: 2, expected: 3 }),
    );
    expect(() => matmul(tensor(1), zeros([2]))).toThrow(/scalar/);
    expect(() => matmul(zeros([3]), zeros([4]))).toThrow(
      expect.objectContaining({ message: expect.stringContaining("got [3] and [4]") }),
    );
    expect(() => matmul(zeros([2, 1, 3]), zeros([3, 3, 1]))).toThrow(RangeError);
  });
  test("softmax and argmax check their axis", () => {
    expect(() => softmax(a, 2)).toThrow(expect.objectContaining({ code: "SW_TENSOR_AXIS" }));
    expect(() => logSoftmax(tensor(1), 0)).toThrow(expect.objectContaining({ code: "SW_TENSOR_AXIS" }));
    expect(() => argmax(zeros([2, 0]), 1)).toThrow(expect.objectContaining({ code: "SW_TENSOR_SHAPE_INVALID" }));
  });
  test("nllLoss checks ranks, counts and dtypes", () => {
    const target = tensor([0, 1], { dtype: "int32" });
    expect(() => nllLoss(zeros([2]), target)).toThrow(expect.objectContaining({ code: "SW_TENSOR_SHAPE_MISMATCH" }));
    expect(() => nllLoss(zeros([3, 2]), target)).toThrow(expect.objectContaining({ code: "SW_TENSOR_SHAPE_MISMATCH" }));
    expect(() => nllLoss(zeros([2, 2]), zeros([2]))).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_DTYPE_REFUSED" }),
    );
    expect(() => nllLoss(zeros([0, 2]), zeros([0], { dtype: "int32" }))).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_SHAPE_INVALID" }),
    );
    expect(() => nllLossBackward(zeros([2]), target, 3)).toThrow(/scalar/);
  });
});

test("cast of a tensor to its own dtype is the tensor", () => {
  expect(cast(a, "float32")).toBe(a);
  expect(() => cast(a, "f64" as never)).toThrow(TypeError);
});

describe("records", () => {
  const leaf = withLeaf(tensor([1, -2]), "shape");

  test("nothing is recorded without a leaf upstream, or under withRecording(false)", () => {
    expect(add(a, a).node).toBeUndefined();
    expect(withRecording(false, () => mul(leaf, leaf)).node).toBeUndefined();
    expect(withRecording(false, () => leaf.slice(0, 0, 1)).node).toBeUndefined();
  });
  test("OneModel section 8: saved slots and ints of each operation", () => {
    const other = tensor([3, 4]);
    const slots = (t: Tensor) => t.node?.record?.saved.map((slot) => slot?.tensor);
    expect(slots(add(leaf, other))).toEqual([]);
    expect(slots(mul(leaf, other))).toEqual([undefined, other]);
    expect(slots(mul(leaf, leaf))).toEqual([leaf, leaf]);
    expect(slots(div(other, leaf))).toEqual([other, leaf]);
    expect(slots(div(leaf, other))).toEqual([undefined, other]);
    const r = relu(leaf);
    expect(slots(r)).toEqual([r]);
    expect(slots(reluBackward(leaf, other))).toEqual([other]);
    expect(slots(neg(leaf))).toEqual([]);
    expect(leaf.slice(0, 0, 2, 2).node?.record).toMatchObject({ kind: "slice", ints: [0, 0, 2, 2] });
    expect(leaf.unsqueeze(0).node?.record).toMatchObject({ kind: "reshape", ints: [] });
    expect(leaf.unsqueeze(0).T.node?.record).toMatchObject({ kind: "permute", ints: [1, 0] });
    expect(leaf.flip(0).node?.record).toMatchObject({ kind: "flip", ints: [0] });
    expect(leaf.select(0, 1).node?.record).toMatchObject({ kind: "select", ints: [0, 1] });
    expect(leaf.expand([3, 2]).node?.record).toMatchObject({ kind: "expand" });
    expect(leaf.flip(0).contiguous().node?.record).toMatchObject({ kind: "reshape" });
    expect(sum(leaf).node?.record).toMatchObject({ kind: "sum", ints: [0] });
  });
  test("OneModel section 8: what reads an output saves it, and a loss its targets", () => {
    const nothing = (): void => {};
    const kernels = { exp: nothing, log: nothing, softmax: nothing, nllLoss: nothing };
    withKernels([{ name: "idle", seamVersion: 1, kernels }], () => {
      const classes = tensor([0], { dtype: "int32" });
      const [e, s, loss] = [exp(leaf), softmax(leaf, -1), nllLoss(leaf.unsqueeze(0), classes)];
      const saved = [e, s, log(leaf), loss].map((t) => t.node?.record?.saved.map((slot) => slot?.tensor));
      expect(saved).toEqual([[e], [s], [leaf], [classes]]);
      expect([s, loss].map((t) => t.node?.record?.ints)).toEqual([[0], [0]]);
    });
  });
  test("a number is recorded as a number, and holds no memory", () => {
    const pool = leaf.buffer.owner as BufferPool;
    const { live } = pool.statistics();
    const scaled = mul(leaf, 2);
    expect(scaled.node?.record).toMatchObject({ saved: [undefined, undefined], floats: [2], owned: [] });
    expect(div(3, leaf).node?.record).toMatchObject({ saved: [undefined, { tensor: leaf }], floats: [3] });
    expect(add(leaf, 2).node?.record).toMatchObject({ saved: [], floats: [] });
    expect(pool.statistics().live).toBe(live + 3);
  });
  test("an integer result has no history", () => {
    expect(cast(leaf, "int32").node).toBeUndefined();
    expect(cast(leaf, "float64").node?.record?.kind).toBe("cast");
  });
  test("a saved slot opens only while its memory is as it was", () => {
    const x = tensor([1, 2]);
    const out = record(zeros([2]), { kind: "mul", inputs: [x], saved: [save(x), undefined] });
    const made = out.node?.record as NonNullable<NonNullable<typeof out.node>["record"]>;
    expect(unpack(made, 0)).toBe(x);
    expect(() => unpack(made, 1)).toThrow(/Internal/);
    x.set(9, 0);
    expect(() => unpack(made, 0)).toThrow(
      expect.objectContaining({ name: "TensorVersionError", operation: "mul", savedVersion: 0, presentVersion: 1 }),
    );
    x.dispose();
    expect(() => unpack(made, 0)).toThrow(expect.objectContaining({ code: "SW_BUFFER_STALE" }));
  });
});

describe("the operation table", () => {
  test("looks kinds up that need not exist", () => {
    expect(operationSpec("matmul")).toBe(OPERATIONS.matmul);
    expect(operationSpec("toString")).toBeUndefined();
  });
  test("a spec stands under its kind, and what it saves is an operand that it has", () => {
    for (const [kind, spec] of Object.entries<OperationSpec>(OPERATIONS)) {
      expect(spec.kind).toBe(kind);
      for (const operand of [...spec.outputs, ...spec.inputs]) {
        expect(operand).toMatch(/^[a-zA-Z]+(:(bool|int32|int64|index|sum|any))?!?[?…]?$/);
      }
      // Of a kernel that adds to what is there, records name that first.
      const inputs = [...spec.outputs.filter((operand) => operand.endsWith("!")), ...spec.inputs];
      for (const [operand, ...neededBy] of spec.saves) {
        expect(operand < 0 ? spec.outputs[-1 - operand] : inputs[operand]).toBeDefined();
        for (const input of neededBy) expect(inputs[input]).toBeDefined();
      }
    }
  });
});

describe("allClose and arrayEqual", () => {
  test("compare shape and values", () => {
    expect(
      arrayEqual(
        a,
        tensor(
          [
            [1, 2],
            [3, 4],
          ],
          { dtype: "float64" },
        ),
      ),
    ).toBe(true);
    expect(arrayEqual(a, a.T)).toBe(false);
    expect(arrayEqual(a, a.reshape([4]))).toBe(false);
    expect(arrayEqual(tensor([Number.NaN]), tensor([Number.NaN]))).toBe(false);
    expect(arrayEqual(tensor([1n]), tensor([1], { dtype: "int64" }))).toBe(true);
    expect(() => arrayEqual(a, 5 as never)).toThrow(TypeError);
    expect(() => allClose(undefined as never, a)).toThrow(TypeError);
  });
  test("nearness is |a - b| ≤ absolute + relative·|b|", () => {
    const one = tensor([1], { dtype: "float64" });
    const near = tensor([1.000001], { dtype: "float64" });
    expect(allClose(one, near)).toBe(true);
    expect(allClose(one, near, { relative: 1e-9 })).toBe(false);
    expect(allClose(one, tensor([[1]], { dtype: "float64" }))).toBe(false);
    const infinite = tensor([Number.POSITIVE_INFINITY]);
    expect(allClose(infinite, infinite)).toBe(true);
    expect(allClose(tensor([1]), infinite)).toBe(false);
    expect(allClose(tensor([Number.NaN]), tensor([Number.NaN]), { equalNaN: true })).toBe(true);
    expect(allClose(tensor([Number.NaN]), tensor([Number.NaN]))).toBe(false);
  });
});
