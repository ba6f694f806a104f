import { runInNewContext } from "node:vm";
import { arange, asTensor, createGenerator, full, ones, rand, randn, type Tensor, tensor, zeros } from "@sw/tensor";
import { describe, expect, expectTypeOf, test } from "vitest";

describe("tensor", () => {
  test("D14: numbers make float32, booleans bool, bigints int64", () => {
    expectTypeOf(
      tensor([
        [1, 2],
        [3, 4],
      ]),
    ).toEqualTypeOf<Tensor<"float32">>();
    expectTypeOf(tensor([1n]).at(0)).toEqualTypeOf<bigint>();
    expectTypeOf(tensor(new Float64Array(2)).data()).toEqualTypeOf<Float64Array>();
    expect(tensor(3).dtype).toBe("float32");
    expect(tensor([true, false]).toArray()).toEqual([true, false]);
    expect(tensor([1n, 2n]).dtype).toBe("int64");
    expect(tensor([[[1], [2]]]).shape).toEqual([1, 2, 1]);
  });
  test("a typed array has its own dtype and is copied", () => {
    for (const array of [
      new Float32Array(2),
      new Float64Array(2),
      new Int8Array(2),
      new Uint8Array(2),
      new Int16Array(2),
      new Uint16Array(2),
      new Int32Array(2),
      new Uint32Array(2),
      new BigInt64Array(2),
      new BigUint64Array(2),
    ]) {
      const t = tensor(array);
      const name = array.constructor.name.replace("Array", "").replace("Big", "").toLowerCase();
      expect(t.dtype).toBe(name);
      expect(t.data()).toEqual(array);
    }
    const source = Float32Array.of(1, 2);
    const t = tensor(source);
    source[0] = 9;
    expect(t.toArray()).toEqual([1, 2]);
  });
  test("a typed array is converted to another dtype value by value", () => {
    expect(tensor(Float32Array.of(1, 2), { dtype: "int64" }).toArray()).toEqual([1n, 2n]);
    expect(() => tensor(Float32Array.of(1.5), { dtype: "int32" })).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_VALUE", position: 0 }),
    );
    expect(tensor(Uint16Array.of(0x3c00), { dtype: "float16" }).at(0)).toBe(1);
  });
  test("empty lists have extents of 0", () => {
    expect(tensor([]).shape).toEqual([0]);
    expect(tensor([[], []]).shape).toEqual([2, 0]);
  });
  test("field case 23: ragged rows say which row, and both lengths", () => {
    expect(() => tensor([[1, 2], [3]])).toThrow(
      expect.objectContaining({
        code: "SW_TENSOR_RAGGED",
        message: expect.stringMatching(/1 values in row 1, expected 2/),
      }),
    );
    expect(() => tensor([[1, 2], 3] as never)).toThrow(expect.objectContaining({ code: "SW_TENSOR_RAGGED" }));
    expect(() => tensor([1, [2]] as never)).toThrow(expect.objectContaining({ code: "SW_TENSOR_RAGGED" }));
  });
  test("field case 23: 5 values for shape [2,3] says 5 and 6", () => {
    expect(() => tensor([1, 2, 3, 4, 5], { shape: [2, 3] })).toThrow(
      expect.objectContaining({ given: 5, expected: 6 }),
    );
    expect(() => tensor(new Float32Array(5), { shape: [2, 3] })).toThrow(
      expect.objectContaining({ given: 5, expected: 6 }),
    );
    expect(tensor([1, 2, 3, 4, 5, 6], { shape: [2, 3] }).shape).toEqual([2, 3]);
  });
  test("a list that holds itself is refused, not read for ever", () => {
    const endless: unknown[] = [];
    endless.push(endless);
    expect(() => tensor(endless as never)).toThrow(expect.objectContaining({ code: "SW_TENSOR_SHAPE_LIMIT" }));
  });
  test("D9: typed arrays of another realm have the dtype they are named for", () => {
    const foreign = runInNewContext("[new Float32Array([1.5, 300]), new Int8Array([-1]), new BigInt64Array([5n])]");
    expect(tensor(foreign[0] as Float32Array).toArray()).toEqual([1.5, 300]);
    expect(asTensor(foreign[1] as Int8Array).toArray()).toEqual([-1]);
    expect(tensor(foreign[2] as BigInt64Array).dtype).toBe("int64");
    const strange = Object.defineProperty(new Float32Array(1), Symbol.toStringTag, { value: "Float8Array" });
    expect(() => tensor(strange)).toThrow(TypeError);
  });
  test("D7: a host Float16Array is float16", () => {
    // Node 20 has none: an array of its bits with its name stands for it.
    class HostFloat16 extends Uint16Array {
      override get [Symbol.toStringTag](): never {
        return "Float16Array" as never;
      }
    }
    const bits = HostFloat16.of(0x3c00, 0xc000);
    expect(asTensor(bits as never).toArray()).toEqual([1, -2]);
  });
  test.each([
    ["undefined", undefined],
    ["null", null],
    ["a string", "abc"],
    ["an object", {}],
    ["strings in a list", ["1"]],
    ["null in a list", [1, null]],
  ])("%s is refused with a TypeError", (_name, values) => {
    expect(() => tensor(values as never)).toThrow(TypeError);
  });
});

describe("a Uint16Array that is to be a 16-bit float", () => {
  test("is taken for its bits, every other array value by value", () => {
    const bits = Uint16Array.of(0x3c00, 0xc000);
    expect(tensor(bits, { dtype: "float16" }).toArray()).toEqual([1, -2]);
    expect(tensor(Uint16Array.of(0x3f80), { dtype: "bfloat16" }).toArray()).toEqual([1]);
    expect(tensor(bits, { dtype: "float32" }).toArray()).toEqual([0x3c00, 0xc000]);
    expect(tensor(Int16Array.of(1, -2), { dtype: "float16" }).toArray()).toEqual([1, -2]);
    expect(tensor(Uint8Array.of(1, 2), { dtype: "bfloat16" }).toArray()).toEqual([1, 2]);
  });
});

describe("field case 23: bad shapes are caught at the door", () => {
  test.each([
    [undefined, "missing"],
    [null, "missing"],
    [[-1, 4], "-1 at position 0"],
    [[2 ** 31], "at position 0"],
  ])("zeros(%j) says %j", (shape, words) => {
    expect(() => zeros(shape as never)).toThrow(
      expect.objectContaining({ name: "TensorShapeError", message: expect.stringContaining(words) }),
    );
  });
  test.each([
    [[2.5, 2], "2.5 at position 0"],
    [[Number.NaN], "NaN at position 0"],
    [[1, "2"], '"2" at position 1'],
    [[2n], "2n at position 0"],
  ])("D5: zeros(%s) is a TypeError that says %j", (shape, words) => {
    expect(() => zeros(shape as never)).toThrow(
      expect.objectContaining({ name: "TypeError", message: expect.stringContaining(words) }),
    );
  });
  test("D4: strides must fit too, where another extent is 0", () => {
    const message = expect.stringContaining("a stride is too long: got 4294967294");
    expect(() => zeros([0, 2 ** 31 - 1, 2])).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_SHAPE_LIMIT", given: 4294967294, message }),
    );
    // Strides that fit, and so does every prefix product, which is 0.
    expect(zeros([0, 32767, 65536]).strides).toEqual([2147418112, 65536, 1]);
    expect(zeros([0, 1, 1]).expand([0, 65536, 65536]).strides).toEqual([1, 0, 0]);
    expect(() => zeros([0]).reshape([0, 5, 65536, 65536])).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_SHAPE_LIMIT", given: 5 * 65536 ** 2 }),
    );
  });
  test("OneModel section 3: every prefix product must fit, also before an extent of 0", () => {
    expect(() => zeros([100000, 100000, 0])).toThrow(expect.objectContaining({ code: "SW_TENSOR_SHAPE_LIMIT" }));
    expect(() => zeros([2 ** 29, 1])).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_SHAPE_LIMIT", given: 2 ** 31 }),
    );
    expect(zeros([0, 3, 5]).size).toBe(0);
  });
  test("an unknown dtype is a TypeError that lists the known ones", () => {
    expect(() => zeros([1], { dtype: "f32" as never })).toThrow(/float32/);
    expect(() => tensor([1], { dtype: "double" as never })).toThrow(TypeError);
  });
});

describe("field case 24: 64-bit integers", () => {
  test("numbers and bigints both make int64, and read as bigints", () => {
    expect(tensor([1, 2, 3], { dtype: "int64" }).toArray()).toEqual([1n, 2n, 3n]);
    expect(tensor([9007199254740993n]).item()).toBe(9007199254740993n);
  });
  test.each([9007199254740992, 1.5, Number.NaN])("the number %d is refused", (value) => {
    expect(() => tensor([0, value], { dtype: "int64" })).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_VALUE", position: 1, given: value }),
    );
  });
  test("2n ** 63n is refused, 2n ** 63n - 1n is not", () => {
    expect(() => tensor([2n ** 63n])).toThrow(RangeError);
    expect(tensor([2n ** 63n - 1n]).item()).toBe(9223372036854775807n);
    expect(() => tensor([-1], { dtype: "uint64" })).toThrow(RangeError);
  });
  test("float32 rounds what it cannot hold", () => {
    expect(tensor([9007199254740991]).item()).toBe(9007199254740992);
    expect(tensor([9007199254740993n], { dtype: "float64" }).item()).toBe(9007199254740992);
  });
});

test("D10: bigints too are rounded once to every float dtype", () => {
  const justAbove = (tie: bigint): readonly bigint[] => [tie, tie + 1n, -tie, -tie - 1n];
  const twice = (up: number, even: number): readonly number[] => [even, up, -even, -up];
  const [a, b] = [2n ** 54n, 2 ** 54];
  expect(tensor(justAbove(a + 2n ** 30n), { dtype: "float32" }).toArray()).toEqual(twice(b + 2 ** 31, b));
  expect(tensor(justAbove(a + 2n ** 46n), { dtype: "bfloat16" }).toArray()).toEqual(twice(b + 2 ** 47, b));
  expect(tensor([65519n, 65520n, -(2n ** 90n)], { dtype: "float16" }).toArray()).toEqual([
    65504,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ]);
  expect(tensor([2n ** 128n, 2n ** 128n - 2n ** 103n - 1n, 10n ** 400n], { dtype: "float32" }).toArray()).toEqual([
    Number.POSITIVE_INFINITY,
    (2 - 2 ** -23) * 2 ** 127,
    Number.POSITIVE_INFINITY,
  ]);
  expect(tensor([a + 3n], { dtype: "float64" }).item()).toBe(b + 4);
});

test("integers take integers of their range only", () => {
  expect(() => tensor([256], { dtype: "uint8" })).toThrow(RangeError);
  expect(() => tensor([-129], { dtype: "int8" })).toThrow(RangeError);
  expect(() => tensor([0.5], { dtype: "int16" })).toThrow(RangeError);
  expect(() => tensor([2], { dtype: "bool" })).toThrow(RangeError);
  expect(tensor([1, 0], { dtype: "bool" }).toArray()).toEqual([true, false]);
  expect(tensor([0.1], { dtype: "bfloat16" }).item()).toBeCloseTo(0.1, 2);
  expect(tensor([65504], { dtype: "float16" }).item()).toBe(65504);
});

test("zeros, ones, full and arange", () => {
  expect(zeros([2]).toArray()).toEqual([0, 0]);
  expect(ones([2], { dtype: "int64" }).toArray()).toEqual([1n, 1n]);
  expect(full([2], true, { dtype: "bool" }).toArray()).toEqual([true, true]);
  expect(arange(3).toArray()).toEqual([0, 1, 2]);
  expect(arange(1, 2, 0.25).toArray()).toEqual([1, 1.25, 1.5, 1.75]);
  expect(arange(3, 0, -1, { dtype: "int32" }).toArray()).toEqual([3, 2, 1]);
  expect(arange(2, 1).shape).toEqual([0]);
  expect(() => arange(0, 1, 0)).toThrow(expect.objectContaining({ code: "SW_TENSOR_OPTION" }));
  expect(() => arange("5" as never)).toThrow(TypeError);
  expect(() => full([1], 1.5, { dtype: "int32" })).toThrow(RangeError);
});

test("zeros of recycled memory are zero", () => {
  const dirty = full([100], 7);
  dirty.dispose();
  expect(
    zeros([100])
      .data()
      .every((x) => x === 0),
  ).toBe(true);
});

describe("asTensor", () => {
  test("shares memory both ways and calls onRelease once", () => {
    const array = Float32Array.of(1, 2, 3, 4);
    let released = 0;
    const t = asTensor(array, [2, 2], {
      onRelease: () => {
        released += 1;
      },
    });
    array[3] = 9;
    expect(t.at(1, 1)).toBe(9);
    t.dispose();
    t.dispose();
    expect(released).toBe(1);
    expect(() => t.at(0, 0)).toThrow(expect.objectContaining({ code: "SW_BUFFER_STALE" }));
  });
  test("16-bit floats are bits in a Uint16Array", () => {
    expect(asTensor(Uint16Array.of(0x3f80), [1], { dtype: "bfloat16" }).item()).toBe(1);
    expect(() => asTensor(Float32Array.of(1), [1], { dtype: "float16" })).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_DTYPE_MISMATCH" }),
    );
  });
  test("something else is a TypeError", () => {
    for (const wrong of [[1, 2], undefined, null, 3]) {
      expect(() => asTensor(wrong as never)).toThrow(/asTensor: not a typed array: got/);
    }
  });
});

describe("random", () => {
  test("the same seed gives the same numbers, another seed others", () => {
    expect(randn([8], { seed: 1 }).data()).toEqual(randn([8], { seed: 1 }).data());
    expect(randn([8], { seed: 1 }).data()).not.toEqual(randn([8], { seed: 2 }).data());
  });
  test("a generator goes on", () => {
    const generator = createGenerator(3);
    expect(rand([4], { generator }).data()).not.toEqual(rand([4], { generator }).data());
  });
  test("uniform numbers stay below 1 in every float dtype", () => {
    for (const dtype of ["float32", "float64", "float16", "bfloat16"] as const) {
      const values = (rand([20_000], { seed: 5, dtype }) as Tensor).toArray() as number[];
      expect(Math.max(...values)).toBeLessThan(1);
      expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
    }
  });
  test("normal numbers have mean 0 and variance 1", () => {
    const values = [...randn([50_000], { seed: 9, dtype: "float64" }).data()];
    const mean = values.reduce((a, b) => a + b, 0) / values.length;
    const variance = values.reduce((a, b) => a + (b - mean) ** 2, 0) / values.length;
    expect(Math.abs(mean)).toBeLessThan(0.02);
    expect(Math.abs(variance - 1)).toBeLessThan(0.03);
  });
  test("low and high, mean and deviation stretch and move the same draws", () => {
    const dtype = "float64";
    const unit = rand([100], { seed: 4, dtype }).data();
    expect(rand([100], { seed: 4, dtype, low: -2, high: 2 }).data()).toEqual(unit.map((u) => -2 + 4 * u));
    const normal = randn([100], { seed: 4, dtype }).data();
    expect(randn([100], { seed: 4, dtype, mean: 3, deviation: 0.5 }).data()).toEqual(normal.map((x) => 3 + 0.5 * x));
    expect(randn([3], { seed: 4, mean: 7, deviation: 0 }).toArray()).toEqual([7, 7, 7]);
    const high = [...rand([1000], { seed: 6, low: 5, high: 6 }).data()];
    expect(Math.min(...high)).toBeGreaterThanOrEqual(5);
    expect(Math.max(...high)).toBeLessThanOrEqual(6);
  });
  test("an interval or a distribution that is none is refused, and nothing is drawn", () => {
    const generator = createGenerator(1);
    const before = generator.state();
    const refused = expect.objectContaining({ code: "SW_TENSOR_OPTION" });
    expect(() => rand([1], { generator, low: 1 })).toThrow(refused);
    expect(() => rand([1], { generator, low: Number.NaN })).toThrow(refused);
    expect(() => rand([1], { generator, low: -1.5e308, high: 1.5e308 })).toThrow(refused);
    expect(() => randn([1], { generator, deviation: -1 })).toThrow(refused);
    expect(() => randn([1], { generator, mean: Number.POSITIVE_INFINITY })).toThrow(refused);
    expect(() => rand([1], { generator, high: "2" as never })).toThrow(TypeError);
    expect(() => randn([1], { generator, mean: 1n as never })).toThrow(TypeError);
    expect(generator.state()).toEqual(before);
  });
  test("what is no generator is refused; an absent one leaves the seed", () => {
    expect(rand([2], { generator: undefined, seed: 3 } as never).data()).toEqual(rand([2], { seed: 3 }).data());
    expect(() => rand([1], { generator: {} as never })).toThrow(TypeError);
  });
  test("integer dtypes are refused", () => {
    expect(() => rand([1], { seed: 1, dtype: "int32" })).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_DTYPE_REFUSED" }),
    );
  });
});
