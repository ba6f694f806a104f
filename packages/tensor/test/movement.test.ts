import { readFileSync } from "node:fs";
import { BufferPool, heapMemory } from "@sw/buffer";
import { layout, strided } from "@sw/layout";
import { arange, asTensor, createArena, fromBuffer, keep, tensor, withArena, withMutableData, zeros } from "@sw/tensor";
import { withLeaf, withRecording } from "@sw/tensor/seam";
import { describe, expect, test } from "vitest";

interface ReshapeCase {
  readonly shape: number[];
  readonly strides: number[];
  readonly to: number[];
  readonly viewable: boolean;
  readonly strides_out?: (number | null)[];
}
const { cases } = JSON.parse(readFileSync(new URL("vectors/reshape_view.json", import.meta.url), "utf8")) as {
  cases: ReshapeCase[];
};

/** A tensor of these strides over memory that is just large enough. */
function stridedTensor(shape: number[], strides: number[]) {
  const l = strided(shape, strides);
  let low = 0;
  let high = 0;
  shape.forEach((extent, axis) => {
    const reach = (extent - 1) * (strides[axis] as number);
    if (reach < 0) low += reach;
    else high += reach;
  });
  if (l.size === 0) low = high = 0;
  const pool = new BufferPool({ source: heapMemory() });
  const buffer = pool.allocate((high - low + 1) * 4);
  const window = buffer.view(Float32Array);
  for (let i = 0; i < window.length; i++) window[i] = i;
  return fromBuffer("float32", buffer, l, -low);
}

describe("reshape", () => {
  test.each(cases.map((c, i) => [i, c] as const))("VA-103 case %i is a view exactly where one exists", (_i, c) => {
    const t = stridedTensor(c.shape, c.strides);
    const view = t.tryReshape(c.to);
    expect(view !== undefined).toBe(c.viewable);
    const flat = [...t.data()];
    const reshaped = t.reshape(c.to);
    expect([...reshaped.data()]).toEqual(flat);
    expect(reshaped.buffer === t.buffer).toBe(c.viewable);
    if (view === undefined) {
      expect(() => t.view(c.to)).toThrow(expect.objectContaining({ name: "ViewError", code: "SW_TENSOR_VIEW_COPY" }));
      return;
    }
    view.strides.forEach((stride, axis) => {
      const expected = c.strides_out?.[axis];
      if (expected !== null && expected !== undefined) expect(stride).toBe(expected);
    });
  });

  test("field case 7: the table of views and copies", () => {
    const columns = arange(24).reshape([4, 6]).slice(1, 0, 3);
    expect(columns.view([2, 2, 3]).strides).toEqual([12, 6, 1]);
    expect(() => columns.view([12])).toThrow(expect.objectContaining({ code: "SW_TENSOR_VIEW_COPY" }));
    expect([...columns.reshape([12]).data()]).toEqual([0, 1, 2, 6, 7, 8, 12, 13, 14, 18, 19, 20]);
    const swapped = arange(24).reshape([2, 3, 4]).transpose(0, 1);
    expect(swapped.view([3, 2, 2, 2]).strides).toEqual([4, 12, 2, 1]);
    expect(() => swapped.view([6, 4])).toThrow(RangeError);
    expect(() => swapped.view([3, 8])).toThrow(RangeError);
    expect(arange(6).flip(0).view([2, 3]).strides).toEqual([-3, -1]);
    const gap = fromBuffer("float32", zeros([100]).buffer, strided([10, 1, 10], [10, 777, 1]));
    expect(gap.view([100]).strides).toEqual([1]);
    expect(arange(1).expand([4]).view([2, 2]).strides).toEqual([0, 0]);
    expect(() => arange(2).reshape([2, 1]).expand([2, 3]).view([6])).toThrow(RangeError);
    expect([...arange(6).reshape([2, 3]).T.reshape([6]).data()]).toEqual([0, 3, 1, 4, 2, 5]);
  });

  test("one extent of -1 is inferred", () => {
    expect(arange(12).reshape([3, -1]).shape).toEqual([3, 4]);
    expect(zeros([0, 4]).reshape([-1, 4]).shape).toEqual([0, 4]);
  });
  test("another number of elements is refused", () => {
    expect(() => arange(6).reshape([4])).toThrow(
      expect.objectContaining({
        code: "SW_LAYOUT_RESHAPE",
        message: expect.stringMatching(/^reshape: .*4.*6/),
      }),
    );
    expect(() => arange(6).reshape([4, -1])).toThrow(RangeError);
    expect(() => arange(6).reshape([-1, -1])).toThrow(RangeError);
    expect(() => arange(6).reshape(undefined as never)).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_SHAPE_MISSING" }),
    );
  });
});

describe("contiguous", () => {
  test("is the tensor itself where it is contiguous, else a row-major copy", () => {
    const t = arange(6).reshape([2, 3]);
    expect(t.contiguous()).toBe(t);
    const copy = t.T.contiguous();
    expect(copy.strides).toEqual([2, 1]);
    expect(copy.buffer).not.toBe(t.buffer);
    expect(copy.toArray()).toEqual([
      [0, 3],
      [1, 4],
      [2, 5],
    ]);
  });
  test("a nested layout is straightened in row-major order of its axes", () => {
    const pool = new BufferPool({ source: heapMemory() });
    const buffer = pool.allocate(16 * 4);
    buffer.view(Float32Array).set(Array.from({ length: 16 }, (_, i) => i));
    const tiles = fromBuffer(
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
    expect(tiles.shape).toEqual([4, 4]);
    expect(tiles.contiguous().toArray()).toEqual([
      [0, 1, 4, 5],
      [2, 3, 6, 7],
      [8, 9, 12, 13],
      [10, 11, 14, 15],
    ]);
    expect(tiles.toArray()).toEqual(tiles.contiguous().toArray());
    expect(() => tiles.strides).toThrow(expect.objectContaining({ code: "SW_TENSOR_UNSUPPORTED" }));
  });
});

describe("copyFrom", () => {
  test("field case 6: overlapping regions have snapshot meaning on any axis", () => {
    const a = arange(9).reshape([3, 3]);
    a.slice(1, 1, 3).copyFrom(a.slice(1, 0, 2));
    expect(a.toArray()).toEqual([
      [0, 0, 1],
      [3, 3, 4],
      [6, 6, 7],
    ]);
    const b = arange(9).reshape([3, 3]);
    b.slice(1, 0, 2).copyFrom(b.slice(1, 1, 3));
    expect(b.toArray()).toEqual([
      [1, 2, 2],
      [4, 5, 5],
      [7, 8, 8],
    ]);
    for (const n of [3, 8, 10, 17, 1000, 100_000]) {
      const c = arange(n, undefined, 1, { dtype: "int32" });
      c.slice(0, 1, n).copyFrom(c.slice(0, 0, n - 1));
      expect(c.data()).toEqual(Int32Array.from({ length: n }, (_, i) => Math.max(0, i - 1)));
    }
    const d = arange(6);
    d.copyFrom(d.flip(0));
    expect([...d.data()]).toEqual([5, 4, 3, 2, 1, 0]);
  });
  test("field case 6: also where the same memory was wrapped twice", () => {
    const array = Float32Array.of(0, 1, 2, 3, 4);
    asTensor(array.subarray(1)).copyFrom(asTensor(array.subarray(0, 4)));
    expect([...array]).toEqual([0, 0, 1, 2, 3]);
  });
  test("field case 5: a target that overlaps itself is refused, and nothing is written", () => {
    const cell = tensor([1]);
    expect(() => cell.expand([4, 5]).copyFrom(zeros([4, 5]))).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_OVERLAP" }),
    );
    const { version } = cell.buffer;
    const spread = cell.expand([3]);
    for (const write of [
      () => spread.fill(2),
      () => spread.set(2, 0),
      () => withMutableData(spread, (d) => d.fill(2)),
    ]) {
      expect(write).toThrow(expect.objectContaining({ code: "SW_TENSOR_OVERLAP" }));
    }
    expect(cell.buffer.version).toBe(version);
    expect(cell.toArray()).toEqual([1]);
    const windows = fromBuffer("float32", zeros([5]).buffer, strided([3, 3], [1, 1]));
    expect(() => windows.copyFrom(zeros([3, 3]))).toThrow(expect.objectContaining({ code: "SW_TENSOR_OVERLAP" }));
  });
  test("an extent of 1 with stride 0 is no overlap", () => {
    const t = zeros([4]);
    t.expand([1, 4]).copyFrom(tensor([[1, 2, 3, 4]]));
    expect(t.toArray()).toEqual([1, 2, 3, 4]);
  });
  test("the source broadcasts, the target does not", () => {
    const t = zeros([2, 3]);
    t.copyFrom(tensor([1, 2, 3]));
    expect(t.toArray()).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(() => tensor([1, 2, 3]).copyFrom(t)).toThrow(/^copyFrom: /);
  });
  test("other dtypes are refused", () => {
    expect(() => zeros([2]).copyFrom(zeros([2], { dtype: "int32" }) as never)).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_DTYPE_MISMATCH" }),
    );
  });
  test("D13: a tensor that takes part in gradients is written under noGrad only", () => {
    const leaf = withLeaf(zeros([2]), "shape");
    expect(() => leaf.fill(1)).toThrow(expect.objectContaining({ code: "SW_TENSOR_RECORDING" }));
    withRecording(false, () => leaf.fill(1));
    expect(leaf.toArray()).toEqual([1, 1]);
  });
});

test("keep copies a result out of an arena", () => {
  const arena = createArena();
  const kept = withArena(arena, () => keep(tensor([1, 2, 3]).flip(0)));
  arena.reset();
  expect(kept.toArray()).toEqual([3, 2, 1]);
  arena.dispose();
});

test("keep keeps the stride order", () => {
  expect(
    keep(
      tensor([
        [1, 2, 3],
        [4, 5, 6],
      ]).T,
    ).strides,
  ).toEqual([1, 3]);
});

test("field case 11: a window of a larger buffer is shared, and nothing around it", () => {
  const whole = Float32Array.of(9, 1, 2, 3, 9);
  const t = asTensor(whole.subarray(1, 4));
  expect(t.toArray()).toEqual([1, 2, 3]);
  t.set(8, 0);
  expect([...whole]).toEqual([9, 8, 2, 3, 9]);
  expect(() => asTensor(whole.subarray(1, 4), [5])).toThrow(expect.objectContaining({ given: 3, expected: 5 }));
  const copy = tensor(whole.subarray(1, 4));
  expect([copy.buffer.byteLength, copy.toArray()]).toEqual([12, [8, 2, 3]]);
  expect([...t.flip(0).data()]).toEqual([3, 2, 8]);
  expect(asTensor(t.flip(0).data()).toArray()).toEqual([3, 2, 8]);
});
