import { backward, gradcheck, parameter } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { arange, type IndexEntry, mul, ones, setKernels, type Tensor, tensor } from "@sw/tensor";
import { defaultPool } from "@sw/tensor/seam";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";

beforeAll(() => setKernels(jsKernels));

const values = (t: Tensor | undefined): number[] => [...((t as Tensor).data() as Float32Array)];
const counted = (shape: readonly number[]): Tensor =>
  arange(1, 1 + shape.reduce((product, extent) => product * extent, 1)).reshape(shape);

/** What the transpose of a view is: each element of the cotangent, added where the view took it from. */
function added(size: number, places: readonly number[], g: Tensor): number[] {
  const sums = new Array<number>(size).fill(0);
  values(g).forEach((value, i) => {
    sums[places[i] as number] = (sums[places[i] as number] as number) + value;
  });
  return sums;
}

describe("field case 14: windows that overlap", () => {
  const rows = { shape: [3, 3], strides: [1, 1] };

  test("contributions to a shared element add up", () => {
    const x = parameter(arange(5));
    backward(x.window(rows), ones([3, 3]));
    expect(values(x.grad)).toEqual([1, 2, 3, 2, 1]);
    const y = parameter(arange(5));
    backward(y.window(rows), counted([3, 3]));
    expect(values(y.grad)).toEqual([1, 6, 15, 14, 9]);
    const z = parameter(arange(6));
    backward(z.window({ shape: [4, 3], strides: [1, 1] }), ones([4, 3]));
    expect(values(z.grad)).toEqual([1, 2, 3, 3, 2, 1]);
  });
  test("one element repeated, and three reversed", () => {
    const cell = parameter(tensor([7]));
    backward(cell.window({ shape: [4], strides: [0] }), counted([4]));
    expect(values(cell.grad)).toEqual([10]);
    const x = parameter(arange(3));
    backward(x.window({ shape: [3], strides: [-1], offset: 2 }), counted([3]));
    expect(values(x.grad)).toEqual([3, 2, 1]);
  });
  test("the gradient has the shape of the source, row-major, where its memory runs backwards", () => {
    const x = parameter(arange(6).flip(0).reshape([2, 3]));
    backward(x.window({ shape: [4, 3], strides: [1, 1] }), ones([4, 3]));
    expect(x.grad?.toArray()).toEqual([
      [1, 2, 3],
      [3, 2, 1],
    ]);
  });
  test("D6 a write into the source after the view is no fault: nothing of it is saved", () => {
    const base = arange(5);
    const x = parameter(base);
    const view = x.window(rows);
    base.fill(0);
    backward(view, ones([3, 3]));
    expect(values(x.grad)).toEqual([1, 2, 3, 2, 1]);
  });
  test("a pass gives back all but the gradient", () => {
    const x = parameter(arange(5));
    const g = ones([3, 3]);
    const view = x.window(rows);
    const before = defaultPool().statistics().liveBytes;
    backward(view, g);
    x.node?.grad?.dispose();
    expect(defaultPool().statistics().liveBytes).toBe(before);
  });
});

describe("against central differences", () => {
  test("a window, and an index", () => {
    const x = tensor([0.5, -1, 2, 3, -0.25, 1], { dtype: "float64", shape: [2, 3] });
    const report = gradcheck(
      (a) => mul(a as Tensor<"float64">, 1).window({ shape: [2, 2, 2], strides: [1, 2, 1] }),
      [x],
    );
    expect(report.compared).toBe(6);
    expect(gradcheck((a) => (a as Tensor<"float64">).index("None, ::-1, -2"), [x.flip(1)]).compared).toBe(6);
  });
});

test("law: the gradient of an index or a window is added where it took its elements from", () => {
  const bound = fc.option(fc.integer({ min: -6, max: 6 }), { nil: undefined });
  const slice = fc.record({ start: bound, stop: bound, step: fc.constantFrom(1, 2, -1, -2, undefined) });
  const key = fc.tuple(fc.oneof(slice, fc.integer({ min: -3, max: 2 })), fc.oneof(slice, fc.constant("..." as const)));
  const window = fc.record({ rows: fc.integer({ min: 0, max: 3 }), stride: fc.integer({ min: 0, max: 4 }) });
  fc.assert(
    fc.property(fc.oneof(key, window), fc.boolean(), (view, flipped) => {
      const numbers = arange(12).reshape([3, 4]);
      const x = parameter(flipped ? numbers.index("::-1, ::-1") : numbers);
      const apply = (t: Tensor): Tensor =>
        Array.isArray(view)
          ? t.index(view as IndexEntry[])
          : t.window({ shape: [view.rows, 4], strides: [view.stride, 1] });
      const shown = apply(x);
      const places = values(apply(numbers));
      const g = counted(shown.shape);
      backward(shown, g);
      expect(x.grad?.shape).toEqual([3, 4]);
      expect(values(x.grad)).toEqual(added(12, places, g));
    }),
    { numRuns: 200 },
  );
});
