import { readFileSync } from "node:fs";
import { BufferPool, heapMemory, wrapMemory } from "@sw/buffer";
import { strided, type Tensor, zeros } from "@sw/tensor";
import { describe, expect, expectTypeOf, test } from "vitest";

interface ViewCase {
  readonly x: { readonly d: number[] };
  readonly shape: number[];
  readonly strides: number[];
  readonly offset: number;
  readonly contiguous: boolean;
  readonly out: number[];
}

const { cases } = JSON.parse(readFileSync(new URL("vectors/strided_views.json", import.meta.url), "utf8")) as {
  cases: ViewCase[];
};

describe("the views of the vectors, each made at once", () => {
  test.each(cases.map((c, i) => [i, c] as const))("VA-102 case %i", (_i, c) => {
    const { shape, strides, offset } = c;
    const array = Float32Array.from(c.x.d);
    const pool = new BufferPool({ source: heapMemory() });
    const buffer = pool.allocate(array.byteLength);
    buffer.view(Float32Array).set(array);
    const made: Tensor[] = [
      strided(array, { shape, strides, offset }),
      strided(buffer, { dtype: "float32", shape, strides, offset }),
    ];
    for (const t of made) {
      expect([t.shape, t.strides, t.offset, t.isContiguous]).toEqual([shape, strides, offset, c.contiguous]);
      expect([...(t.data() as Float32Array)]).toEqual(c.out);
    }
  });
});

describe("field case 4: strided views are checked against the storage", () => {
  const storage = Float32Array.of(0, 1, 2, 3, 4, 5);
  const view = (offset: number, shape: number[], strides: number[], array = storage): Tensor =>
    strided(array, { shape, strides, offset });

  test("negative strides, and strides of 0", () => {
    expect(view(5, [3], [-2]).toArray()).toEqual([5, 3, 1]);
    const repeated = view(2, [4], [0]);
    expect(repeated.toArray()).toEqual([2, 2, 2, 2]);
    expect(() => repeated.set(1, 0)).toThrow(expect.objectContaining({ code: "SW_TENSOR_OVERLAP" }));
  });
  test.each<[string, number, number[], number[], number, [number, number]]>([
    ["below the storage", 3, [3], [-2], 6, [-1, 3]],
    ["far above it", 0, [64, 64], [64, 1], 16, [0, 4095]],
    ["just above it", 1, [6], [1], 6, [1, 6]],
    ["over both ends", 2, [2, 2], [-3, 4], 6, [-1, 6]],
  ])("what reaches %s is refused", (_name, offset, shape, strides, length, given) => {
    expect(() => view(offset, shape, strides, new Float32Array(length))).toThrow(
      expect.objectContaining({
        name: "ViewError",
        code: "SW_TENSOR_VIEW_BOUNDS",
        given,
        expected: [0, length - 1],
        message: expect.stringMatching(/^strided: /),
      }),
    );
  });
  test("what is empty touches nothing", () => {
    const empty = view(6, [0], [1000]);
    expect([empty.shape, empty.offset, empty.toArray()]).toEqual([[0], 6, []]);
  });
  test("strides that no memory has are refused, without wrapping round", () => {
    expect(() => view(0, [2], [2 ** 53])).toThrow(
      expect.objectContaining({ code: "SW_LAYOUT_UNSAFE_INTEGER", message: expect.stringMatching(/^strided: /) }),
    );
    expect(() => view(0, [5], [2 ** 62])).toThrow(RangeError);
    for (const shape of [[1], [0]]) {
      expect(() => view(0, shape, [2 ** 31])).toThrow(expect.objectContaining({ code: "SW_TENSOR_SHAPE_LIMIT" }));
      expect(view(0, shape, [1 - 2 ** 31]).size).toBe(shape[0]);
    }
  });
  test("an offset that is none is named", () => {
    for (const offset of [1.5, Number.NaN, true, 1n, null, "0"]) {
      expect(() => view(offset as never, [1], [1])).toThrow(/^strided: the offset is no integer/);
      expect(() => view(offset as never, [1], [1])).toThrow(TypeError);
    }
    for (const shape of [[1], [0]]) {
      for (const offset of [-1, 2 ** 53]) {
        expect(() => view(offset, shape, [1])).toThrow(
          expect.objectContaining({ code: "SW_TENSOR_VIEW_BOUNDS", given: offset }),
        );
      }
    }
  });
});

describe("strided", () => {
  test("shares the memory of an array, and of a buffer", () => {
    const array = Int16Array.of(1, 2, 3, 4);
    const t = strided(array.subarray(1), { shape: [2], strides: [2] });
    expectTypeOf(t).toEqualTypeOf<Tensor<"int16">>();
    expect([t.dtype, t.toArray()]).toEqual(["int16", [2, 4]]);
    t.set(9, 1);
    expect(array[3]).toBe(9);
    const base = zeros([4], { dtype: "int64" });
    const odd = strided(base.buffer, { dtype: "int64", shape: [2], strides: [2], offset: 1 });
    expectTypeOf(odd).toEqualTypeOf<Tensor<"int64">>();
    odd.fill(5n);
    expect(base.toArray()).toEqual([0n, 5n, 0n, 5n]);
  });
  test("an array has another dtype of its width, where one is asked for", () => {
    expect(strided(Uint16Array.of(0x3f80), { dtype: "bfloat16", shape: [], strides: [] }).item()).toBe(1);
    expect(() => strided(Uint16Array.of(1), { dtype: "float32", shape: [], strides: [] })).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_DTYPE_MISMATCH", message: expect.stringMatching(/^strided: /) }),
    );
  });
  test("the list of the caller may change afterwards", () => {
    const [shape, strides] = [[2], [1]];
    const t = strided(Float32Array.of(1, 2, 3, 4), { shape, strides });
    shape[0] = 4;
    strides[0] = 3;
    expect([t.shape, t.strides]).toEqual([[2], [1]]);
  });
  test("wrong types are TypeErrors", () => {
    const array = new Float32Array(4);
    const good = { shape: [2], strides: [1] };
    for (const memory of [null, undefined, [1, 2], "x", {}, zeros([2]), new ArrayBuffer(8)]) {
      expect(() => strided(memory as never, { ...good, dtype: "float32" })).toThrow(/^strided: neither a typed array/);
    }
    for (const options of [undefined, null, 5, { ...good, shape: ["2"] }, { ...good, shape: [1n] }]) {
      expect(() => strided(array, options as never)).toThrow(TypeError);
    }
    for (const strides of [undefined, null, 1, "1", ["1"], [1n], [0.5]]) {
      expect(() => strided(array, { shape: [2], strides: strides as never })).toThrow(TypeError);
    }
    expect(() => strided(array, { strides: [1] } as never)).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_SHAPE_MISSING" }),
    );
    expect(() => strided(wrapMemory(array), good as never)).toThrow(/^strided: unknown dtype: got undefined/);
  });
  test("there is one stride for each extent, and eight at most", () => {
    const array = new Float32Array(4);
    for (const strides of [[], [1, 1], [[1]]]) {
      expect(() => strided(array, { shape: [2], strides: strides as never })).toThrow(
        expect.objectContaining({ code: "SW_LAYOUT_INCONGRUENT", message: expect.stringMatching(/^strided: /) }),
      );
    }
    const nine = new Array(9).fill(1);
    expect(() => strided(array, { shape: nine, strides: nine })).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_SHAPE_LIMIT" }),
    );
  });
  test("a buffer that nobody holds is refused", () => {
    const gone = zeros([2]);
    gone.dispose();
    expect(() => strided(gone.buffer, { dtype: "float32", shape: [1], strides: [1] })).toThrow(
      expect.objectContaining({ code: "SW_BUFFER_RELEASED", message: expect.stringMatching(/^strided: /) }),
    );
  });
});
