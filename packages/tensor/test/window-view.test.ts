import { blocked } from "@sw/layout";
import { arange, strided, type Tensor, tensor, UnsupportedError, zeros } from "@sw/tensor";
import { defaultPool, withLeaf } from "@sw/tensor/seam";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { padded } from "./padded-tensors.js";

/** Row-major ordinals by the definition: the last axis of the window is the fastest. */
function ordinals(shape: readonly number[], strides: readonly number[], offset: number): number[] {
  let list = [offset];
  shape.forEach((extent, axis) => {
    const steps = Array.from({ length: extent }, (_, i) => i * (strides[axis] as number));
    list = list.flatMap((start) => steps.map((step) => start + step));
  });
  return list;
}

describe("window", () => {
  test("overlapping windows of a row share its memory", () => {
    const t = arange(6);
    const windows = t.window({ shape: [4, 3], strides: [1, 1] });
    expect(windows.toArray()).toEqual([
      [0, 1, 2],
      [1, 2, 3],
      [2, 3, 4],
      [3, 4, 5],
    ]);
    expect([windows.buffer, windows.strides, windows.offset]).toEqual([t.buffer, [1, 1], 0]);
    t.set(9, 3);
    expect(windows.at(1, 2)).toBe(9);
  });
  test("it numbers the elements of a matrix row-major, whatever the steps between them", () => {
    const t = arange(12).reshape([3, 4]);
    expect(t.window({ shape: [2, 2], strides: [5, 1], offset: 2 }).toArray()).toEqual([
      [2, 3],
      [7, 8],
    ]);
    const even = arange(24).slice(0, 1, 24, 2); // 1, 3, 5, …
    const windows = even.reshape([3, 4]).window({ shape: [2, 2], strides: [3, 1], offset: 4 });
    expect([windows.strides, windows.offset, windows.toArray()]).toEqual([
      [6, 2],
      9,
      [
        [9, 11],
        [15, 17],
      ],
    ]);
  });
  test("a reversed run, one of steps of 0, and one element are runs too", () => {
    const backwards = arange(4)
      .flip(0)
      .window({ shape: [3, 2], strides: [1, 1] });
    expect([backwards.strides, backwards.offset, backwards.toArray()]).toEqual([
      [-1, -1],
      3,
      [
        [3, 2],
        [2, 1],
        [1, 0],
      ],
    ]);
    const repeated = tensor([7])
      .expand([5])
      .window({ shape: [2], strides: [-4], offset: 4 });
    expect([repeated.strides, repeated.offset, repeated.toArray()]).toEqual([[0], 0, [7, 7]]);
    expect(
      tensor(7)
        .window({ shape: [2, 1], strides: [0, 5] })
        .toArray(),
    ).toEqual([[7], [7]]);
    const nested = arange(8)
      .reshape([1, 4, 2])
      .toLayout(blocked([1, 4, 2], 1, 4));
    expect(() => nested.window({ shape: [2], strides: [1] })).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_VIEW_COPY" }),
    );
    const lanes = nested.select(2, 0).select(0, 0);
    expect(lanes.window({ shape: [2, 2], strides: [1, 2] }).toArray()).toEqual([
      [0, 4],
      [2, 6],
    ]);
  });
  test("elements that are not one run are refused, and never copied", () => {
    const t = arange(12).reshape([3, 4]);
    for (const view of [t.T, t.slice(1, 0, 3), t.flip(0), tensor([[1], [2]]).expand([2, 3])]) {
      const before = defaultPool().statistics();
      expect(() => view.window({ shape: [1], strides: [1] })).toThrow(
        expect.objectContaining({
          name: "ViewError",
          code: "SW_TENSOR_VIEW_COPY",
          message: expect.stringMatching(/^window: .* Call contiguous\(\) first\.$/),
        }),
      );
      expect(defaultPool().statistics()).toEqual(before);
    }
  });
  test.each<[string, number[], number[], number, [number, number]]>([
    ["past the end", [4, 3], [1, 1], 1, [1, 6]],
    ["before the start", [3], [-2], 3, [-1, 3]],
    ["by its offset", [1], [1], 6, [6, 6]],
  ])(
    "a window that leaves the tensor %s is refused, though the buffer goes on",
    (_name, shape, strides, offset, given) => {
      const inside = arange(20).slice(0, 6, 12);
      expect(() => inside.window({ shape, strides, offset })).toThrow(
        expect.objectContaining({
          name: "ViewError",
          code: "SW_TENSOR_VIEW_BOUNDS",
          given,
          expected: [0, 5],
          message: expect.stringMatching(/^window: the window leaves the tensor/),
        }),
      );
    },
  );
  test("empty windows and empty tensors", () => {
    const empty = arange(6).window({ shape: [0, 4], strides: [1000, 1000], offset: 6 });
    expect([empty.shape, empty.strides, empty.toArray()]).toEqual([[0, 4], [1000, 1000], []]);
    const nowhere = arange(6)
      .flip(0)
      .window({ shape: [0], strides: [1], offset: 2 ** 52 });
    expect([nowhere.offset, nowhere.toArray()]).toEqual([5, []]);
    expect(zeros([0, 3]).window({ shape: [2, 0], strides: [1, 1] }).shape).toEqual([2, 0]);
    expect(() => zeros([0, 3]).window({ shape: [], strides: [] })).toThrow(
      expect.objectContaining({
        code: "SW_TENSOR_VIEW_BOUNDS",
        message: expect.stringMatching(/none, since it is empty/),
      }),
    );
  });
  test("wrong types are TypeErrors, wrong numbers RangeErrors, in the name of window", () => {
    const t = arange(6);
    const good = { shape: [2], strides: [1] };
    for (const options of [undefined, null, [2], { ...good, strides: [1n] }, { ...good, strides: undefined }]) {
      expect(() => t.window(options as never)).toThrow(/^window: /);
    }
    for (const offset of [1.5, Number.NaN, 1n, "0"]) {
      expect(() => t.window({ ...good, offset: offset as never })).toThrow(TypeError);
    }
    for (const options of [
      { ...good, offset: -1 },
      { ...good, strides: [1, 1] },
      { ...good, strides: [2 ** 53] },
      { ...good, shape: [-1] },
      { shape: new Array(9).fill(1), strides: new Array(9).fill(1) },
    ]) {
      expect(() => t.window(options)).toThrow(RangeError);
      expect(() => t.window(options)).toThrow(/^window: /);
    }
  });
  test("field case 5: a window that overlaps itself is not written into", () => {
    const t = arange(5);
    const { version } = t.buffer;
    const windows = t.window({ shape: [3, 3], strides: [1, 1] });
    for (const write of [() => windows.fill(1), () => windows.set(1, 0, 0), () => windows.copyFrom(zeros([3, 3]))]) {
      expect(write).toThrow(expect.objectContaining({ code: "SW_TENSOR_OVERLAP" }));
    }
    expect([t.toArray(), t.buffer.version]).toEqual([[0, 1, 2, 3, 4], version]);
    t.window({ shape: [2, 2], strides: [3, 1] }).fill(9);
    expect(t.toArray()).toEqual([9, 9, 2, 9, 9]);
  });
  test("a padded tensor, and memory that was returned, are refused", () => {
    const good = { shape: [1], strides: [1] };
    expect(() => padded(blocked([1, 3, 2], 1, 2), [1, 3, 2]).window(good)).toThrow(UnsupportedError);
    const gone = zeros([2]);
    gone.dispose();
    expect(() => gone.window(good)).toThrow(/^window: /);
  });
  test("D6 its record says what it shows of the row-major source, and checks no version", () => {
    const leaf = withLeaf(arange(12).flip(0).reshape([3, 4]), "shape");
    const record = leaf.window({ shape: [2, 3], strides: [4, 1], offset: 1 }).node?.record;
    expect(record).toMatchObject({ kind: "gatherFrom", saved: [] });
    expect([String(record?.domain), String(record?.selector?.layout), record?.selector?.start]).toEqual([
      "(3,4):(4,1)",
      "(2,3):(4,1)",
      1,
    ]);
  });
});

test("law: a window shows the elements at its ordinals, and strided shows them of the data", () => {
  const sizes = fc.record({ length: fc.integer({ min: 1, max: 12 }), step: fc.integer({ min: -3, max: 3 }) });
  const axes = fc.array(fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: -4, max: 4 })), { maxLength: 3 });
  fc.assert(
    fc.property(sizes, axes, fc.nat({ max: 12 }), ({ length, step }, window, offset) => {
      const [shape, strides] = [window.map(([extent]) => extent), window.map(([, stride]) => stride)];
      const base = arange(40);
      const t: Tensor =
        step === 0
          ? base.slice(0, 0, 1).expand([length])
          : step > 0
            ? base.slice(0, 0, length * step, step)
            : base.slice(0, 0, -length * step, -step).flip(0);
      const places = ordinals(shape, strides, offset);
      const call = (): Tensor => t.window({ shape, strides, offset });
      if (places.some((place) => place < 0 || place >= length)) {
        expect(call).toThrow(expect.objectContaining({ code: "SW_TENSOR_VIEW_BOUNDS" }));
        return;
      }
      const elements = t.data() as Float32Array;
      expect([...(call().data() as Float32Array)]).toEqual(places.map((place) => elements[place]));
      expect(call().toArray()).toEqual(strided(elements, { shape, strides, offset }).toArray());
    }),
    { numRuns: 400 },
  );
});
