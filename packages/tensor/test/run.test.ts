import { BufferPool, heapMemory } from "@sw/buffer";
import { layout } from "@sw/layout";
import {
  add,
  cast,
  fromBuffer,
  KernelMissingError,
  neg,
  setKernels,
  sum,
  tensor,
  withKernels,
  zeros,
} from "@sw/tensor";
import { COPY, checkLoops, choose, OPERATIONS, type OperationSpec, runAxes, runLoops } from "@sw/tensor/seam";
import { beforeEach, describe, expect, test } from "vitest";
import { plainBackend, type Seen } from "./forty-line-backend.js";

const NEG = OPERATIONS.neg;

/** An operation that this package does not know. */
const SPY: OperationSpec = {
  kind: "spy",
  family: "axes",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: ["float"],
  saves: [],
  differentiable: false,
};

let seen: Seen[] = [];
beforeEach(() => {
  seen = [];
  setKernels(plainBackend(seen));
});

/** Sixteen numbers laid out in 2 by 2 tiles of 2 by 2. */
function tiles() {
  const buffer = new BufferPool({ source: heapMemory() }).allocate(64);
  buffer.view(Float32Array).set(Array.from({ length: 16 }, (_, i) => i));
  return fromBuffer(
    "float32",
    buffer,
    layout(
      [
        [2, 2],
        [2, 2],
      ],
      [
        [2, 8],
        [1, 4],
      ],
    ),
  );
}

describe("loops", () => {
  test("operands of one order coalesce to one loop", () => {
    add(zeros([2, 3, 4]), zeros([2, 3, 4]));
    expect(seen[0]?.inputs[0]).toMatchObject({ shape: [24], strides: [1] });
  });
  test("a broadcast row has stride 0 in the outer loop", () => {
    expect(
      add(
        tensor([
          [1, 2],
          [3, 4],
        ]),
        tensor([10, 20]),
      ).toArray(),
    ).toEqual([
      [11, 22],
      [13, 24],
    ]);
    expect(seen[0]?.inputs[1]).toMatchObject({ shape: [2, 2], strides: [0, 1] });
  });
  test("D15: the result has the stride order of its first operand of full shape, so that a transpose costs nothing", () => {
    const t = tensor([
      [1, 2, 3],
      [4, 5, 6],
    ]).T;
    const out = neg(t);
    expect(out.strides).toEqual([1, 3]);
    expect(out.toArray()).toEqual([
      [-1, -4],
      [-2, -5],
      [-3, -6],
    ]);
    expect(seen[0]?.inputs[0]).toMatchObject({ shape: [6], strides: [1] });
  });
  test("nested next to flat needs no copy", () => {
    const out = add(tiles(), zeros([4, 4]));
    expect(out.toArray()).toEqual([
      [0, 1, 4, 5],
      [2, 3, 6, 7],
      [8, 9, 12, 13],
      [10, 11, 14, 15],
    ]);
    expect(seen.map((s) => s.name)).toEqual(["add"]);
  });
  test("nests without a common refinement are straightened", () => {
    const buffer = new BufferPool({ source: heapMemory() }).allocate(24);
    buffer.view(Float32Array).set([0, 1, 2, 3, 4, 5]);
    const a = fromBuffer("float32", buffer, layout([[2, 3]], [[3, 1]]));
    const b = fromBuffer("float32", buffer, layout([[3, 2]], [[2, 1]]));
    expect(add(a, b).toArray()).toEqual([0, 5, 5, 5, 5, 10]);
  });
  test("a nested axis of extent 1 broadcasts as any other", () => {
    const one = fromBuffer("float32", tensor([5]).buffer, layout([[1, 1]], [[1, 1]]));
    expect(add(zeros([3]), one).toArray()).toEqual([5, 5, 5]);
    const t = zeros([2]);
    t.copyFrom(one);
    expect(t.toArray()).toEqual([5, 5]);
  });
  test("shapes are checked where there is nothing to do, too", () => {
    expect(() => zeros([0]).copyFrom(zeros([5]))).toThrow(RangeError);
    expect(() => zeros([0, 2]).copyFrom(zeros([7, 3]))).toThrow(RangeError);
  });
  test("a stale operand reaches no kernel, and a read-only output counts no write", () => {
    const gone = zeros([2]);
    gone.dispose();
    expect(() => runLoops(NEG, [zeros([2])], [gone])).toThrow(expect.objectContaining({ code: "SW_BUFFER_STALE" }));
    const [first, locked] = [zeros([2]), zeros([2])];
    locked.buffer.readOnly = true;
    expect(() => runLoops(COPY, [first, locked], [zeros([2])])).toThrow(
      expect.objectContaining({ code: "SW_BUFFER_READ_ONLY" }),
    );
    expect(() => checkLoops(NEG, [locked], [zeros([2])])).toThrow(
      expect.objectContaining({ code: "SW_BUFFER_READ_ONLY" }),
    );
    expect(first.buffer.version).toBe(0);
  });
  test("empty operands reach no kernel", () => {
    expect(add(zeros([0, 3]), zeros([3])).shape).toEqual([0, 3]);
    expect(seen).toEqual([]);
  });
  test("rank 0 has no loop", () => {
    expect(add(tensor(1), tensor(2)).item()).toBe(3);
    expect(seen[0]?.inputs[0]?.shape).toEqual([]);
  });
  test("a write passes the gate: one version", () => {
    const t = zeros([3]);
    const { version } = t.buffer;
    runLoops(OPERATIONS.add, [t], [t, tensor([1, 2, 3])]);
    expect([t.toArray(), t.buffer.version]).toEqual([[1, 2, 3], version + 1]);
  });
});

describe("reductions", () => {
  test("kept loops come first, and the output has stride 0 in the reduced ones", () => {
    expect(
      sum(
        tensor([
          [1, 2, 3],
          [4, 5, 6],
        ]),
        { axes: 0 },
      ).toArray(),
    ).toEqual([5, 7, 9]);
    expect(seen[0]?.inputs[0]).toMatchObject({ shape: [3, 2], strides: [1, 3] });
    expect(seen[0]?.outputs[0]).toMatchObject({ shape: [3, 2], strides: [1, 0] });
    expect(seen[0]?.ints).toEqual([]);
  });
  test("a reduction over nothing still writes", () => {
    expect(sum(zeros([2, 0]), { axes: 1 }).toArray()).toEqual([0, 0]);
    expect(sum(zeros([0, 2]), { axes: 1 }).toArray()).toEqual([]);
    expect(sum(tensor(5)).item()).toBe(5);
  });
  test("keepAxes leaves extents of 1; axes may be negative; twice is refused", () => {
    expect(sum(zeros([2, 3]), { axes: [-1], keepAxes: true }).shape).toEqual([2, 1]);
    expect(() => sum(zeros([2, 3]), { axes: [1, -1] })).toThrow(expect.objectContaining({ code: "SW_TENSOR_AXIS" }));
    expect(() => sum(zeros([2, 3]), { axes: 2 })).toThrow(expect.objectContaining({ code: "SW_TENSOR_AXIS", axis: 2 }));
    expect(() => sum(zeros([2, 3]), { axes: 0.5 })).toThrow(TypeError);
    expect(() => sum(zeros([2, 3]), { axes: "all" as never })).toThrow(TypeError);
  });
  test("a nested axis reduces whole", () => {
    expect(sum(tiles(), { axes: 1 }).toArray()).toEqual([10, 18, 42, 50]);
    expect(sum(tiles(), { axes: 0 }).toArray()).toEqual([20, 24, 36, 40]);
  });
});

describe("axes", () => {
  test("an axis that does not coalesce is packed first", () => {
    const strides: unknown[] = [];
    withKernels(
      [{ name: "spy", seamVersion: 1, kernels: { spy: (_out, [x]) => void strides.push(x?.strides) } }],
      () => {
        runAxes(SPY, [zeros([1])], [tiles()]);
        runAxes(SPY, [zeros([1])], [zeros([2, 3]).T]);
      },
    );
    expect(strides).toEqual([
      [4, 1],
      [1, 3],
    ]);
  });
});

describe("the chain", () => {
  test("the first backend that takes the operands runs", () => {
    const calls: string[] = [];
    const backend = (name: string, takes: boolean) => ({
      name,
      seamVersion: 1 as const,
      supports: () => takes,
      kernels: { neg: () => void calls.push(name) },
    });
    withKernels(
      [backend("declines", false), { name: "lacks", seamVersion: 1, kernels: {} }, backend("takes", true)],
      () => neg(zeros([2])),
    );
    expect(calls).toEqual(["takes"]);
  });
  test("without kernels an operation says what to call, and its output is returned", () => {
    setKernels();
    const a = zeros([2]);
    const { live } = (a.buffer.owner as BufferPool).statistics();
    expect(() => neg(a)).toThrow(
      expect.objectContaining({
        name: "KernelMissingError",
        code: "SW_TENSOR_KERNEL_MISSING",
        message: expect.stringContaining("setKernels"),
      }),
    );
    expect(() => add(a, 1)).toThrow(KernelMissingError);
    expect((a.buffer.owner as BufferPool).statistics().live).toBe(live);
  });
  test("a chain without the kernel names its backends and the operands", () => {
    withKernels([{ name: "lacks", seamVersion: 1, kernels: {} }], () => {
      expect(() => neg(zeros([2, 3]))).toThrow(/neg: .*float32\[6\].*lacks/);
    });
  });
  test("copy and cast need no backend, and a backend may replace them", () => {
    setKernels();
    expect(cast(tensor([1.9, -1.9]), "int32").toArray()).toEqual([1, -1]);
    const replaced: string[] = [];
    withKernels([{ name: "mine", seamVersion: 1, kernels: { cast: () => void replaced.push("cast") } }], () =>
      cast(zeros([2]), "int32"),
    );
    expect(replaced).toEqual(["cast"]);
    expect(choose(COPY, [], [], [], [])).toBeTypeOf("function");
  });
  test("a kernel that throws leaves no output behind", () => {
    const a = zeros([2]);
    const { live } = (a.buffer.owner as BufferPool).statistics();
    const broken = {
      name: "broken",
      seamVersion: 1 as const,
      kernels: {
        neg: () => {
          throw new Error("broken");
        },
        sum: () => {
          throw new Error("broken");
        },
      },
    };
    withKernels([broken], () => {
      expect(() => neg(a)).toThrow("broken");
      expect(() => sum(a)).toThrow("broken");
    });
    expect((a.buffer.owner as BufferPool).statistics().live).toBe(live);
  });
});

describe("VA-24: outputs that somebody else holds", () => {
  test("none of several outputs counts a write when one of them is held", () => {
    const [a, b] = [zeros([4]), zeros([4])];
    const holder = {};
    b.buffer.claim(b.generation, holder);
    expect(() => runLoops(NEG, [a, b], [zeros([4])])).toThrow(
      expect.objectContaining({ code: "SW_BUFFER_HELD", operation: "neg" }),
    );
    expect([a.buffer.version, b.buffer.version]).toEqual([0, 0]);
    b.buffer.disclaim(holder);
    runLoops(NEG, [a, b], [zeros([4])]);
    expect([a.buffer.version, b.buffer.version]).toEqual([1, 1]);
  });
});
