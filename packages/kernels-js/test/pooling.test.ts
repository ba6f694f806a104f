import { adaptiveAvgPool2d, arange, avgPool2d, maxPool2d, maxPool2dWithIndices, setKernels, tensor } from "@sw/tensor";
import { adaptiveAvgPool2dBackward, avgPool2dBackward } from "@sw/tensor/seam";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { jsKernels } from "../src/index.js";
import { DTYPES, elements, expectClose, inEveryForm, vectorsOf } from "./image-vectors.js";
import { expectSame } from "./operands.js";
import average from "./vectors/avgpool2d.json" with { type: "json" };
import largest from "./vectors/maxpool2d.json" with { type: "json" };

interface Attributes {
  readonly kernel: readonly [number, number];
  readonly stride: readonly [number, number];
  readonly pad: readonly [number, number];
  readonly count_include_pad?: boolean;
}

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

beforeAll(() => setKernels(jsKernels));

const image = (values: readonly number[], height: number, width: number, dtype: (typeof DTYPES)[number] = "float32") =>
  tensor(values, { shape: [1, 1, height, width], dtype });

function casesOf(file: { readonly cases: readonly unknown[] }, op: string) {
  return vectorsOf<Attributes>(file, op).map((c) => {
    const { kernel, stride, pad, count_include_pad: countIncludePad = false } = c.attrs;
    return { ...c, options: { kernel, stride, padding: pad, countIncludePad } };
  });
}

describe("numeric vectors", () => {
  it("maxPool2d, with and without the indices, in every dtype and of any strides", () => {
    for (const { in: given, out, indices, g, grads, options } of casesOf(largest, "maxpool2d")) {
      inEveryForm((load) => {
        const x = load(given["x"]!);
        expectClose(maxPool2d(x, options), out);
        const pooled = maxPool2dWithIndices(x, options);
        expectClose(pooled.output, out);
        expect(elements(pooled.indices)).toEqual(indices);
      });
      // Each cotangent goes to its index.
      const dx = new Array<number>(given["x"]!.d.length).fill(0);
      indices!.forEach((at, i) => {
        dx[at]! += Number(g.d[i]);
      });
      expect(dx).toEqual(grads["x"]!.d.map(Number));
    }
  });

  it("avgPool2d and its cotangent, in every dtype and of any strides", () => {
    for (const { in: given, out, g, grads, options } of casesOf(average, "avgpool2d")) {
      inEveryForm((load) => {
        const x = load(given["x"]!);
        expectClose(avgPool2d(x, options), out);
        expectClose(avgPool2dBackward(load(g), x.shape, options), grads["x"]!);
      });
    }
  });
});

describe("field case 18: max pooling", () => {
  const pooled = (values: readonly number[], dtype: (typeof DTYPES)[number]) => {
    const { output, indices } = maxPool2dWithIndices(image(values, 2, 2, dtype), { kernel: 2 });
    return [...elements(output), ...elements(indices)];
  };

  it("a NaN wins, the first one, in every dtype", () => {
    for (const dtype of DTYPES) {
      expectSame(pooled([1, nan, 5, 6], dtype), [nan, 1]);
      expectSame(pooled([nan, 3, nan, 1], dtype), [nan, 0]);
      expectSame(pooled([1, 2, 3, nan], dtype), [nan, 3]);
      expectSame(pooled([nan, nan, nan, nan], dtype), [nan, 0]);
    }
  });

  it("a window of -Infinity has its winner inside, the first one", () => {
    for (const dtype of DTYPES) expectSame(pooled([-inf, -inf, -inf, -inf], dtype), [-inf, 0]);
  });

  it("the first of equals wins, zeros of both signs among them", () => {
    for (const dtype of DTYPES) {
      expectSame(pooled([2, 2, 2, 2], dtype), [2, 0]);
      expectSame(pooled([-1, -0, 0, 0], dtype), [-0, 1]);
    }
  });

  it("padding never wins", () => {
    const negative = image([-1, -2, -3, -4], 2, 2);
    const { output, indices } = maxPool2dWithIndices(negative, { kernel: 2, padding: 1 });
    expect(elements(output)).toEqual([-1, -2, -3, -4]);
    expect(elements(indices)).toEqual([0, 1, 2, 3]);
  });

  it("a window of one pixel heeds its stride", () => {
    const { output, indices } = maxPool2dWithIndices(arange(16).reshape([1, 1, 4, 4]), { kernel: 1, stride: 2 });
    expect(output.toArray()).toEqual([
      [
        [
          [0, 2],
          [8, 10],
        ],
      ],
    ]);
    expect(elements(indices)).toEqual([0, 2, 8, 10]);
  });
});

describe("indices of maxPool2d", () => {
  it("number the elements of the whole of x, row-major, whatever its strides", () => {
    const x = arange(2 * 3 * 4 * 4).reshape([2, 3, 4, 4]);
    const { output, indices } = maxPool2dWithIndices(x.permute([1, 0, 3, 2]), {
      kernel: [2, 3],
      stride: 1,
      padding: [1, 2],
    });
    const all = elements(x.permute([1, 0, 3, 2]));
    expect(indices.dtype).toBe("int32");
    expect(elements(indices).map((at) => all[at])).toEqual(elements(output));
  });
});

describe("average pooling", () => {
  it("divides by the pixels in the window, unless told to count the padding", () => {
    const x = image([1, 2, 3, 4], 2, 2);
    expect(elements(avgPool2d(x, { kernel: 2, padding: 1 }))).toEqual([1, 2, 3, 4]);
    expect(elements(avgPool2d(x, { kernel: 2, padding: 1, countIncludePad: true }))).toEqual([0.25, 0.5, 0.75, 1]);
  });

  it("keeps an infinity to its own windows", () => {
    expect(elements(avgPool2d(image([inf, 1, 2, 3], 1, 4), { kernel: [1, 2] }))).toEqual([inf, 2.5]);
    expect(elements(adaptiveAvgPool2d(image([inf, 1, 2, 3], 1, 4), [1, 2]))).toEqual([inf, 2.5]);
  });

  it("rounds once: the sum is not held in the dtype", () => {
    expect(elements(avgPool2d(image([60000, 60000], 1, 2, "float16"), { kernel: [1, 2] }))).toEqual([60000]);
    expect(elements(avgPool2d(image([2 ** 24, 1, 1, 0], 2, 2), { kernel: 2 }))).toEqual([2 ** 22 + 0.5]);
  });

  it("adaptive: windows begin at ⌊i·n/m⌋ and end before ⌈(i+1)·n/m⌉", () => {
    expect(elements(adaptiveAvgPool2d(image([0, 1, 2, 3, 4, 5, 6], 1, 7), [1, 3]))).toEqual([1, 3, 5]);
    expect(elements(adaptiveAvgPool2d(image([0, 1], 1, 2), [1, 3]))).toEqual([0, 0.5, 1]);
    expect(elements(adaptiveAvgPool2d(image([1, 2, 3, 4], 2, 2), 1))).toEqual([2.5]);
  });

  it("adaptive: cotangents go back in equal parts", () => {
    const dx = adaptiveAvgPool2dBackward(image([3, 6, 9], 1, 3), [1, 1, 1, 7]);
    expect(elements(dx)).toEqual([1, 1, 3, 2, 5, 3, 3]);
  });

  it("adaptive with m windows of n/m pixels is avgPool2d", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 }), (m, k) => {
        const x = tensor(
          Array.from({ length: 2 * m * k * m * k }, (_, i) => Math.sin(i)),
          { shape: [1, 2, m * k, m * k] },
        );
        expectSame(elements(adaptiveAvgPool2d(x, m)), elements(avgPool2d(x, { kernel: k })));
        const g = adaptiveAvgPool2d(x, m);
        expectSame(
          elements(adaptiveAvgPool2dBackward(g, x.shape)),
          elements(avgPool2dBackward(g, x.shape, { kernel: k })),
        );
      }),
    );
  });
});
