import type { BufferPool } from "@sw/buffer";
import { type Layout, layout, strided } from "@sw/layout";
import { allClose, arange, arrayEqual, format, fromBuffer, type Tensor, tensor, zeros } from "@sw/tensor";
import { defaultPool } from "@sw/tensor/seam";
import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";

/** The numbers 0, 1, 2, … in memory, seen through a layout. */
function through(l: Layout, offset = 0, shape?: readonly number[]): Tensor<"int32"> {
  return fromBuffer("int32", arange(64, undefined, 1, { dtype: "int32" }).buffer, l, offset, shape);
}

const flat = strided([3, 4], [5, 1]);
const nested = layout([[2, 2], 3], [[1, 12], 4]);
/** Two nests without a common refinement: 6 = 2 · 3 and 6 = 3 · 2. */
const odd = layout([[2, 3]], [[3, 1]]);
const other = layout([[3, 2]], [[2, 1]]);

describe("reading whole tensors", () => {
  test("data and toArray are row-major, through nested and reversed layouts too", () => {
    expect([...through(nested).data()]).toEqual([0, 4, 8, 1, 5, 9, 12, 16, 20, 13, 17, 21]);
    expect(through(nested).toArray()).toEqual([
      [0, 4, 8],
      [1, 5, 9],
      [12, 16, 20],
      [13, 17, 21],
    ]);
    expect(through(flat).flip(1).T.toArray()).toEqual([
      [3, 8, 13],
      [2, 7, 12],
      [1, 6, 11],
      [0, 5, 10],
    ]);
    expect([...through(odd).data()]).toEqual([0, 3, 1, 4, 2, 5]);
  });

  test("empty tensors and scalars", () => {
    expect(zeros([2, 0]).toArray()).toEqual([[], []]);
    expect(zeros([0, 2]).toArray()).toEqual([]);
    expect(tensor(5).toArray()).toBe(5);
    expect([...tensor(5).data()]).toEqual([5]);
  });

  test("takes nothing from the pool or arena in force", () => {
    const t = through(nested);
    const before = (defaultPool() as BufferPool).statistics();
    for (const read of [() => t.data(), () => t.toArray(), () => String(t), () => arrayEqual(t, t)]) read();
    expect((defaultPool() as BufferPool).statistics()).toEqual(before);
  });

  test("any chain of views reads as its elements one by one", () => {
    const view = fc.record({
      kind: fc.constantFrom("flip", "transpose", "slice", "nest"),
      axis: fc.nat(1),
      k: fc.nat(2),
    });
    fc.assert(
      fc.property(fc.array(view, { maxLength: 5 }), (steps) => {
        let t: Tensor = through(strided([4, 6], [9, 1]));
        for (const { kind, axis, k } of steps) {
          if (kind === "flip" && !Array.isArray(t.layout.shape[axis])) t = t.flip(axis);
          else if (kind === "transpose") t = t.transpose(0, 1);
          else if (kind === "slice" && !Array.isArray(t.layout.shape[axis]))
            t = t.slice(axis, Math.min(k, t.shape[axis] as number), t.shape[axis], 2);
          else if (kind === "nest" && t.layout.depth === 1 && (t.shape[0] as number) % 2 === 0 && t.shape[0] !== 0) {
            const [s0, s1] = t.strides as [number, number];
            const half = (t.shape[0] as number) / 2;
            t = fromBuffer(t.dtype, t.buffer, layout([[2, half], t.shape[1]!], [[s0 * half, s0], s1]), t.offset);
          }
          if (t.shape.includes(0)) return;
        }
        const [rows, columns] = t.shape as [number, number];
        const model = Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, j) => t.at(i, j)));
        expect(t.toArray()).toEqual(model);
        expect([...(t.data() as Int32Array)]).toEqual(model.flat());
        expect(arrayEqual(t, tensor(model as number[][], { dtype: "int32" }))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe("comparing", () => {
  test("walks layouts of every kind in lock-step, without a common nest too", () => {
    expect(arrayEqual(through(odd), tensor([0, 3, 1, 4, 2, 5], { dtype: "int32" }))).toBe(true);
    expect(arrayEqual(through(odd), through(other))).toBe(false);
    expect(arrayEqual(through(other), tensor([...through(other).data()]))).toBe(true);
    expect(
      allClose(through(nested).T, tensor([...through(nested).T.data()], { dtype: "float64", shape: [3, 4] })),
    ).toBe(true);
  });
});

describe("iteration", () => {
  test("over one axis gives elements", () => {
    expect([...tensor([1, 2, 3])]).toEqual([1, 2, 3]);
    expect([...tensor([1n, 2n]).flip(0)]).toEqual([2n, 1n]);
    expect([...tensor([true])]).toEqual([true]);
    expect([...zeros([0])]).toEqual([]);
    expect([...through(odd)]).toEqual([0, 3, 1, 4, 2, 5]);
    expectTypeOf([...tensor([1n])]).toEqualTypeOf<(bigint | Tensor<"int64">)[]>();
  });

  test("over more gives views of what is behind the first, which write through", () => {
    const t = tensor([
      [1, 2],
      [3, 4],
    ]);
    const rows = [...t] as Tensor<"float32">[];
    expect(rows.map((row) => row.toArray())).toEqual([
      [1, 2],
      [3, 4],
    ]);
    rows[1]!.set(9, 0);
    expect(t.at(1, 0)).toBe(9);
    for (const row of zeros([0, 2])) expect.unreachable(String(row));
  });

  test("over none is a TypeError, before the first element", () => {
    expect(() => tensor(5)[Symbol.iterator]()).toThrow(TypeError);
  });

  test("of disposed or padded memory is refused, also when it is disposed on the way", () => {
    const t = tensor([1, 2]);
    const walk = t[Symbol.iterator]();
    expect(walk.next().value).toBe(1);
    t.dispose();
    expect(() => walk.next()).toThrow(expect.objectContaining({ code: "SW_BUFFER_STALE" }));
    expect(() => [...t]).toThrow(expect.objectContaining({ code: "SW_BUFFER_STALE" }));
    const padded = through(strided([2, 4], [4, 1]), 0, [2, 3]);
    expect(() => [...padded]).toThrow(expect.objectContaining({ code: "SW_TENSOR_UNSUPPORTED" }));
  });

  test("goes on when the memory grows between two elements", () => {
    const seen: unknown[] = [];
    for (const x of tensor([1, 2, 3])) {
      seen.push(x);
      zeros([70_000]);
    }
    expect(seen).toEqual([1, 2, 3]);
  });
});

describe("format", () => {
  test("a nested tensor is shown by its axes", () => {
    expect(format(through(nested))).toBe("[[ 0  4  8]\n [ 1  5  9]\n [12 16 20]\n [13 17 21]]");
  });

  test("a padded tensor is shown without what pads it, a nested one too", () => {
    expect(format(through(strided([2, 4], [4, 1]), 0, [2, 3]))).toBe("[[0 1 2]\n [4 5 6]]");
    expect(String(through(nested, 0, [3, 2]))).toBe("[[ 0  4]\n [ 1  5]\n [12 16]]");
  });

  test("options are NumPy's", () => {
    const t = tensor([1, 10.5, 1 / 3, 1e-5]);
    expect(format(t)).toBe("[1.0000000e+00 1.0500000e+01 3.3333334e-01 9.9999997e-06]");
    expect(format(t, { precision: 2, suppressSmall: true, separator: ", " })).toBe("[ 1.  , 10.5 ,  0.33,  0.  ]");
    expect(format(arange(10), { threshold: 5, edgeItems: 2 })).toBe("[0. 1. ... 8. 9.]");
    expect(format(arange(6), { lineWidth: 10 })).toBe("[0. 1. 2.\n 3. 4. 5.]");
  });

  test("what is no tensor, no option or disposed is refused", () => {
    expect(() => format([1] as never)).toThrow(TypeError);
    expect(() => format(tensor([1]), { precision: -1 })).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_OPTION", given: -1, expected: [0, 100] }),
    );
    const gone = tensor([1]);
    gone.dispose();
    expect(() => format(gone)).toThrow(expect.objectContaining({ code: "SW_BUFFER_STALE" }));
  });
});
