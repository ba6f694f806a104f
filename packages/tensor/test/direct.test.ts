import { type BufferPool, StaleBufferError } from "@sw/buffer";
import { wasmMemory } from "@sw/buffer/wasm";
import { add, asTensor, eq, explain, relu, setKernels, sub, type Tensor, tensor, withKernels, zeros } from "@sw/tensor";
import { type Backend, defaultPool } from "@sw/tensor/seam";
import { beforeEach, describe, expect, test } from "vitest";
import { plainBackend } from "./forty-line-backend.js";

const memory = wasmMemory({ initialBytes: 2 ** 20, maximumBytes: 2 ** 24 });
/** The direct calls so far, and the questions. */
let calls: string[] = [];
let asked: string[] = [];

function floats(address: number, count: number): Float32Array {
  return new Float32Array(memory.memory.buffer, address >>> 0, count);
}

/** A backend that has direct kernels for add and relu of float32. */
const backend: Backend = {
  ...plainBackend(),
  name: "direct",
  memory,
  direct: (kernel, dtype) => {
    asked.push(`${kernel} ${dtype}`);
    if (dtype !== "float32") return undefined;
    if (kernel === "add") {
      return (count, out, a, b) => {
        calls.push(`add ${count}`);
        const [x, y] = [floats(a, count), floats(b, count)];
        floats(out, count).set(x.map((value, i) => value + y[i]!));
      };
    }
    if (kernel !== "relu") return undefined;
    return (count, out, a) => {
      calls.push(`relu ${count}`);
      floats(out, count).set(floats(a, count).map((value) => Math.max(0, value)));
    };
  },
};

beforeEach(() => {
  setKernels(backend);
  calls = [];
  asked = [];
});

describe("S-60: a direct kernel", () => {
  test("is called for dense operands that lie alike in the backend's memory, and is asked for once", () => {
    const a = tensor([
      [1, -2, 3],
      [4, 5, 6],
    ]);
    const b = tensor([
      [10, 20, 30],
      [40, 50, 60],
    ]);
    expect(add(a, b).toArray()).toEqual([
      [11, 18, 33],
      [44, 55, 66],
    ]);
    expect(relu(a).toArray()).toEqual([
      [1, 0, 3],
      [4, 5, 6],
    ]);
    expect(add(b, b).toArray()).toEqual([
      [20, 40, 60],
      [80, 100, 120],
    ]);
    expect(calls).toEqual(["add 6", "relu 6", "add 6"]);
    expect(asked).toEqual(["add float32", "relu float32"]);
  });

  test("is given the addresses of views", () => {
    const a = tensor([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(add(a.slice(0, 1, 4), a.slice(0, 5, 8)).toArray()).toEqual([8, 10, 12]);
    expect(relu(a.slice(0, 3, 4)).toArray()).toEqual([4]);
    expect(calls).toEqual(["add 3", "relu 1"]);
  });

  test("is not called for other ways of lying, other dtypes, no elements, numbers or memory elsewhere", () => {
    const a = tensor([
      [1, 2],
      [3, 4],
    ]);
    const elsewhere = asTensor(new Float32Array([1, 2, 3, 4])).reshape([2, 2]);
    const results: readonly Tensor[] = [
      add(a.T, a),
      add(a, a.slice(0, 0, 1)),
      add(a, 1),
      add(a, elsewhere),
      relu(a.T),
      relu(elsewhere),
      add(zeros([0]), zeros([0])),
      relu(zeros([0])),
      add(tensor([1], { dtype: "float64" }), tensor([2], { dtype: "float64" })),
      sub(a, a),
    ];
    expect(results.map((one) => one.toArray())).toEqual([
      [
        [2, 5],
        [5, 8],
      ],
      [
        [2, 4],
        [4, 6],
      ],
      [
        [2, 3],
        [4, 5],
      ],
      [
        [2, 4],
        [6, 8],
      ],
      [
        [1, 3],
        [2, 4],
      ],
      [
        [1, 2],
        [3, 4],
      ],
      [],
      [],
      [3],
      [
        [0, 0],
        [0, 0],
      ],
    ]);
    expect(calls).toEqual([]);
  });

  test("is not asked for where a result has a dtype of its own", () => {
    const a = tensor([1, 2]);
    const comparing: Backend = {
      ...backend,
      kernels: { eq: ([out]) => out!.data.fill(1 as never, out!.offset, out!.offset + 2) },
    };
    expect(withKernels([comparing], () => eq(a, a)).toArray()).toEqual([true, true]);
    expect(asked).toEqual([]);
  });

  test("belongs to the chain in force, and to its first backend with that kernel", () => {
    const a = tensor([1, 2]);
    add(a, a);
    withKernels([plainBackend(), backend], () => add(a, a));
    expect(calls).toEqual(["add 2"]);
    withKernels([{ name: "empty", seamVersion: 1, kernels: {} }, backend], () => add(a, a).toArray());
    expect(calls).toEqual(["add 2"]);
    withKernels([backend, plainBackend()], () => add(a, a));
    expect(calls).toEqual(["add 2", "add 2"]);
  });

  test("S-9: is left to the general way while explain listens, which names the same backend", () => {
    const a = tensor([1, 2]);
    expect(explain(add, a, a).calls).toEqual([{ kernel: "add", backend: "direct", staged: [], declined: [] }]);
    expect(explain(relu, a).calls).toEqual([{ kernel: "relu", backend: "direct", staged: [], declined: [] }]);
    expect(calls).toEqual([]);
  });

  test("counts one write of its output, and gives its memory back where it throws", () => {
    const a = tensor([1, 2]);
    const out = add(a, a);
    expect([out.buffer.version, a.buffer.version]).toEqual([1, a.buffer.version]);
    const broken: Backend = {
      ...backend,
      direct: () => () => {
        throw new RangeError("broken");
      },
    };
    const live = (): number => (defaultPool() as BufferPool).statistics().live;
    const before = live();
    expect(() => withKernels([broken], () => add(a, a))).toThrow("broken");
    expect(() => withKernels([broken], () => relu(a))).toThrow("broken");
    expect(live()).toBe(before);
  });

  test("is not reached by operands whose memory was returned", () => {
    const a = tensor([1, 2]);
    const gone = tensor([3, 4]);
    gone.dispose();
    expect(() => add(a, gone)).toThrow(StaleBufferError);
    expect(() => add(gone, a)).toThrow(StaleBufferError);
    expect(() => relu(gone)).toThrow(StaleBufferError);
    expect(calls).toEqual([]);
  });
});
