import { blocked, type Layout, nhwc, rowMajor, strided } from "@sw/layout";
import { arange, fromBuffer, imageLayout, zeros } from "@sw/tensor";
import { describe, expect, test } from "vitest";

describe("imageLayout", () => {
  const derived = (l: Layout, box?: number[]) =>
    imageLayout(fromBuffer("float32", zeros([Math.max(1, l.size * 4)]).buffer, l, 0, box));

  test("image layouts convert into each other", () => {
    const x = arange(2 * 6 * 3 * 2).reshape([2, 6, 3, 2]);
    const forms = [rowMajor(x.shape), nhwc(x.shape), blocked(x.shape, 1, 4), blocked(x.shape, 1, 3)];
    expect(forms.map((form) => imageLayout(x.toLayout(form)))).toEqual([
      "nchw",
      "nhwc",
      { blocked: 4 },
      { blocked: 3 },
    ]);
    for (const from of forms) {
      for (const to of forms) expect(x.toLayout(from).toLayout(to).data()).toEqual(x.data());
    }
  });

  test("extents of 1 do not count, and row-major wins where both fit", () => {
    expect(derived(strided([1, 1, 4, 5], [99, 7, 5, 1]))).toBe("nchw");
    expect(derived(nhwc([2, 1, 4, 5]))).toBe("nchw");
    expect(derived(nhwc([2, 3, 1, 1]))).toBe("nchw");
    expect(derived(nhwc([2, 3, 4, 1]))).toBe("nhwc");
    expect(derived(rowMajor([2, 0, 4, 1]))).toBe("nchw");
  });
  test("a single padded block is blocked, a single whole one is nhwc", () => {
    expect(derived(blocked([2, 3, 4, 5], 1, 4), [2, 3, 4, 5])).toEqual({ blocked: 4 });
    expect(derived(blocked([2, 4, 4, 5], 1, 4))).toBe("nhwc");
  });
  test("over one pixel, blocks that continue each other keep their lanes", () => {
    for (let channels = 2; channels < 20; channels++) {
      for (let lanes = 2; lanes < 9; lanes++) {
        const shape = [2, channels, 1, 1];
        const expected = channels % lanes === 0 ? "nchw" : { blocked: lanes };
        expect(imageLayout(zeros(shape).toLayout(blocked(shape, 1, lanes))), `${channels} by ${lanes}`).toEqual(
          expected,
        );
      }
    }
  });
  test("anything else is strided", () => {
    expect(derived(strided([2, 3, 4, 5], [60, 20, 1, 4]))).toBe("strided");
    expect(derived(blocked([2, 6, 4, 5], 1, 4), [2, 4, 4, 5])).toBe("strided");
    expect(derived(blocked([2, 6, 4, 5], 2, 2))).toBe("strided");
    expect(derived(rowMajor([2, 6, 4, 6]), [2, 6, 4, 5])).toBe("strided");
  });
  test("another rank is refused", () => {
    expect(() => imageLayout(zeros([3, 4, 5]))).toThrow(
      expect.objectContaining({ name: "TensorShapeError", code: "SW_TENSOR_SHAPE_MISMATCH", given: 3, expected: 4 }),
    );
    expect(() => imageLayout(null as never)).toThrow(TypeError);
  });
});
