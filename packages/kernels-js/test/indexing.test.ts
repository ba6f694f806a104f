import {
  arange,
  cast,
  eq,
  gather,
  indexAdd,
  indexSelect,
  type NestedOf,
  oneHot,
  scatter,
  scatterAdd,
  setKernels,
  sort,
  type Tensor,
  tensor,
  topK,
  views,
  zeros,
} from "@sw/tensor";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { jsKernels, KernelIndexError } from "../src/index.js";
import { elements } from "./image-vectors.js";
import { allocate, expectSame, kernel, operand, read } from "./operands.js";

beforeAll(() => setKernels(jsKernels));

const INTEGERS = ["int32", "int64", "int8", "uint8", "int16", "uint16", "uint32", "uint64"] as const;
const DTYPES = [...INTEGERS, "float32", "float64", "float16", "bfloat16", "bool"] as const;

const ints = (values: NestedOf<number>): Tensor => tensor(values, { dtype: "int32" });

describe("gather", () => {
  it("picks along an axis, of every dtype by every dtype of indices", () => {
    const bits = [
      [1, 0],
      [0, 1],
      [1, 1],
    ];
    for (const dtype of DTYPES) {
      for (const integer of INTEGERS) {
        const x = tensor(bits, { dtype });
        const index = tensor(
          [
            [1, 2],
            [0, 1],
          ],
          { dtype: integer },
        );
        expect(elements(cast(gather(x, index, 0), "int32"))).toEqual([0, 1, 1, 1]);
      }
    }
  });

  it("keeps the bits of NaN and of -0", () => {
    const x = tensor([NaN, -0, 1]);
    const out = gather(x, ints([1, 0, 1]), 0).data() as Float32Array;
    expectSame([...out], [-0, NaN, -0]);
  });

  it("sees operands of any strides, nested ones too", () => {
    const x = arange(12).reshape([3, 4]);
    const nested = views.rearrange(arange(12).reshape([3, 2, 2]), "a b c -> a (b c)");
    const index = ints([
      [3, 0],
      [1, 1],
      [2, 3],
    ]);
    const expected = [3, 0, 5, 5, 10, 11];
    expect(elements(gather(x, index, 1))).toEqual(expected);
    expect(elements(gather(x.T.contiguous().T, index.flip(0).contiguous().flip(0), -1))).toEqual(expected);
    expect(elements(gather(nested, index, 1))).toEqual(elements(gather(nested.contiguous(), index, 1)));
    // One index for a whole column, without a copy of it.
    expect(elements(gather(x, ints([2, 0]).unsqueeze(0).expand([3, 2]), 1))).toEqual([2, 0, 6, 4, 10, 8]);
  });
});

describe("scatter and scatterAdd", () => {
  it("of an index twice the last wins, row-major, or both are added", () => {
    const index = ints([
      [0, 0, 2],
      [2, 0, 2],
    ]);
    const source = tensor([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    expect(scatter(zeros([2, 4]), index, source, 1).toArray()).toEqual([
      [2, 0, 3, 0],
      [5, 0, 6, 0],
    ]);
    expect(scatterAdd(zeros([2, 4]), index, source, 1).toArray()).toEqual([
      [3, 0, 3, 0],
      [5, 0, 10, 0],
    ]);
    const columns = ints([
      [1, 0, 1],
      [1, 1, 0],
    ]);
    expect(scatter(zeros([2, 3]), columns, source, 0).toArray()).toEqual([
      [0, 2, 6],
      [4, 5, 3],
    ]);
  });

  it("leave their operand and what no index names as they are", () => {
    const x = tensor([1, 2, 3]);
    const out = scatter(x, ints([1]), tensor([9]), 0);
    expect(out.toArray()).toEqual([1, 9, 3]);
    expect(x.toArray()).toEqual([1, 2, 3]);
    expect(out.buffer).not.toBe(x.buffer);
    expect(scatterAdd(x, tensor(new Int32Array(0)), zeros([0]), 0).toArray()).toEqual([1, 2, 3]);
  });

  it("field case 14: each addition is rounded as it is stored, and integers wrap", () => {
    const half = tensor([2048], { dtype: "float16" });
    const ones = tensor([1, 1], { dtype: "float16" });
    expect(elements(scatterAdd(half, ints([0, 0]), ones, 0))).toEqual([2048]);
    expect(elements(indexAdd(half, ints([0, 0]), ones, 0))).toEqual([2048]);
    expect(
      elements(scatterAdd(tensor([250], { dtype: "uint8" }), ints([0]), tensor([9], { dtype: "uint8" }), 0)),
    ).toEqual([3]);
    const wide = tensor([2n ** 63n - 1n]);
    expect(scatterAdd(wide, ints([0]), tensor([1n]), 0).toArray()).toEqual([-(2n ** 63n)]);
  });
});

describe("indexSelect and indexAdd", () => {
  it("pick and add whole slices along any axis, by indices of any shape, as NumPy's take", () => {
    const x = arange(12).reshape([3, 4]);
    expect(indexSelect(x, ints([2, 0]), 0).toArray()).toEqual([
      [8, 9, 10, 11],
      [0, 1, 2, 3],
    ]);
    const columns = indexSelect(
      x,
      ints([
        [3, 3],
        [0, 1],
      ]),
      1,
    );
    expect(columns.shape).toEqual([3, 2, 2]);
    expect(elements(columns)).toEqual([3, 3, 0, 1, 7, 7, 4, 5, 11, 11, 8, 9]);
    expect(indexSelect(x, tensor(1, { dtype: "int32" }), 0).toArray()).toEqual([4, 5, 6, 7]);
    expect(indexSelect(x, ints([[0], [2]]).T, -1).shape).toEqual([3, 1, 2]);
    const added = indexAdd(
      zeros([3, 4]),
      ints([
        [3, 3],
        [0, 1],
      ]),
      columns,
      1,
    );
    expect(added.toArray()).toEqual([
      [0, 1, 0, 6],
      [4, 5, 0, 14],
      [8, 9, 0, 22],
    ]);
  });

  it("law: indexAdd is the transpose of indexSelect, as scatterAdd is of gather", () => {
    const cases = fc.record({
      rows: fc.integer({ min: 1, max: 5 }),
      columns: fc.integer({ min: 1, max: 4 }),
      picks: fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
      axis: fc.constantFrom(0, 1),
    });
    const dot = (a: Tensor, b: Tensor): number => {
      const right = elements(b);
      return elements(a).reduce((sum, x, i) => sum + x * right[i]!, 0);
    };
    fc.assert(
      fc.property(cases, ({ rows, columns, picks, axis }) => {
        const extent = axis === 0 ? rows : columns;
        const index = ints(picks.map((pick) => pick % extent));
        const x = arange(rows * columns).reshape([rows, columns]);
        const picked = indexSelect(x, index, axis);
        const y = arange(picked.size).reshape(picked.shape);
        expect(dot(picked, y)).toBe(dot(x, indexAdd(zeros(x.shape), index, y, axis)));
        const spread = (axis === 0 ? index.unsqueeze(1) : index.unsqueeze(0)).expand(picked.shape);
        expect(elements(gather(x, spread, axis))).toEqual(elements(picked));
        expect(elements(scatterAdd(zeros(x.shape), spread, y, axis))).toEqual(
          elements(indexAdd(zeros(x.shape), index, y, axis)),
        );
      }),
    );
  });
});

describe("an index that names no element", () => {
  const bad = [
    ["int32", -1],
    ["int32", 3],
    ["int64", -1n],
    ["int64", 4294967296n],
    ["int64", -(2n ** 63n)],
  ] as const;

  for (const [dtype, value] of bad) {
    it(`${dtype} ${value} is refused with its position and value, before anything is written`, () => {
      const index = operand(dtype, [2, 2], [0, 1, 2, value], "transposed");
      const list = operand(dtype, [2], [1, value], "reversed");
      const three = operand("float32", [3, 2], [1, 2, 3, 4, 5, 6]);
      const two = operand("float32", [2, 2], [7, 7, 7, 7]);
      const calls = {
        gather: [[two], [three, index], 3],
        scatter: [[three], [index, two], 3],
        scatterAdd: [[three], [index, two], 3],
        indexSelect: [[two], [three, list], 1],
        indexAdd: [[three], [list, two], 1],
      } as const;
      for (const [name, [outputs, inputs, position]] of Object.entries(calls)) {
        const call = () => kernel(name)(outputs, inputs, [0], []);
        expect(call).toThrow(
          `${name}: index ${position} names no element: got ${value}, expected an integer from 0 to 2.`,
        );
        try {
          call();
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
          expect(error).toBeInstanceOf(KernelIndexError);
          expect(error).toMatchObject({
            name: "KernelIndexError",
            code: "SW_KERNELS_INDEX",
            position,
            value,
            extent: 3,
          });
        }
      }
      expectSame(read(three), [1, 2, 3, 4, 5, 6]);
      expectSame(read(two), [7, 7, 7, 7]);
    });
  }

  it("is every index where the axis has none", () => {
    const call = () =>
      kernel("gather")([allocate("float32", [1])], [operand("float32", [0], []), operand("int32", [1], [0])], [0], []);
    expect(call).toThrow("gather: index 0 names no element: got 0, expected no index, since the axis has extent 0.");
  });
});

describe("oneHot, sort and topK", () => {
  it("oneHot writes a one at each class, and refuses a class that there is not", () => {
    expect(oneHot(ints([[2, 0]]), 3).toArray()).toEqual([
      [
        [0, 0, 1],
        [1, 0, 0],
      ],
    ]);
    expect(oneHot(tensor([1], { dtype: "uint8" }), 2, { dtype: "bool" }).toArray()).toEqual([[false, true]]);
    expect(oneHot(tensor([1n]), 2, { dtype: "int64" }).toArray()).toEqual([[0n, 1n]]);
    expect(oneHot(zeros([0], { dtype: "int32" }), 2).shape).toEqual([0, 2]);
    expect(() => oneHot(ints([0, 3]), 3)).toThrow(expect.objectContaining({ position: 1, value: 3 }));
  });

  it("sort puts NaN last, or first when it descends", () => {
    const x = tensor([2, NaN, -1, 0, -0]);
    expectSame([...sort(x, 0).data()] as number[], [-1, 0, -0, 2, NaN]);
    expectSame([...sort(x, 0, { descending: true }).data()] as number[], [NaN, 2, 0, -0, -1]);
    const rows = tensor([
      [3, 1],
      [2, 5],
    ]);
    expect(sort(rows, 0).toArray()).toEqual([
      [2, 1],
      [3, 5],
    ]);
    expect(sort(tensor([2n ** 60n + 1n, 2n ** 60n]), 0).toArray()).toEqual([2n ** 60n, 2n ** 60n + 1n]);
  });

  it("topK gives values and where they were", () => {
    const x = tensor([
      [1, 9, 4],
      [7, 7, 2],
    ]);
    const { values, indices } = topK(x, 2, 1);
    expect(values.toArray()).toEqual([
      [9, 4],
      [7, 7],
    ]);
    expect(indices.toArray()).toEqual([
      [1n, 2n],
      [0n, 1n],
    ]);
    expect(topK(x, 1, 1, { largest: false }).values.toArray()).toEqual([[1], [2]]);
    expect(topK(x, 0, 1).values.shape).toEqual([2, 0]);
    expect(eq(gather(x, indices, 1), values).toArray()).toEqual([
      [true, true],
      [true, true],
    ]);
  });
});
