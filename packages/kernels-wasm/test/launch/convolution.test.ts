import { jsKernels } from "@sw/kernels-js";
import { wasmKernelsSync } from "@sw/kernels-wasm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noise, type Placed, type Placing, place, strayWrites, values } from "../operands.js";

const backend = wasmKernelsSync({ initialBytes: 2 ** 26 });
const { memory } = backend;

interface Problem {
  readonly batch?: number;
  readonly depth?: number;
  readonly outs?: number;
  readonly groups?: number;
  readonly image: readonly [number, number];
  readonly kernel: readonly [number, number];
  readonly stride?: readonly [number, number];
  readonly pad?: readonly [number, number];
  readonly dilation?: readonly [number, number];
}

type Kernel = "conv2d" | "conv2dInputBackward" | "conv2dWeightBackward";
const KERNELS = ["conv2d", "conv2dInputBackward", "conv2dWeightBackward"] as const;

function extentsOf(problem: Problem) {
  const { batch = 1, depth = 1, outs = 1, groups = 1, image, kernel } = problem;
  const { stride = [1, 1], pad = [0, 0], dilation = [1, 1] } = problem;
  const extent = (axis: 0 | 1): number =>
    Math.floor((image[axis] + 2 * pad[axis] - (kernel[axis] - 1) * dilation[axis] - 1) / stride[axis]) + 1;
  return {
    x: [batch, depth * groups, ...image],
    weight: [outs * groups, depth, ...kernel],
    result: [batch, outs * groups, extent(0), extent(1)],
    ints: [...kernel, ...stride, ...pad, ...dilation, groups],
  };
}

/** Runs a kernel here and on the reference, and compares under the bound of the seam. */
function check(
  kernel: Kernel,
  problem: Problem,
  placings: readonly Placing[] = [],
  first: (ordinal: number) => number = noise(1),
  second: (ordinal: number) => number = noise(2),
): Placed {
  const { x, weight, result, ints } = extentsOf(problem);
  const [outShape, ...inShapes] = {
    conv2d: [result, x, weight, [weight[0]!]],
    conv2dInputBackward: [x, result, weight],
    conv2dWeightBackward: [weight, result, x],
  }[kernel] as [number[], number[], number[], number[]?];
  const inputs = inShapes.map((shape, i) => place(memory, shape!, [first, second, noise(3)][i]!, placings[i + 1]));
  const out = place(memory, outShape, () => -1, placings[0]);
  const expected = place(memory, outShape, () => -1);
  const sizes = place(memory, outShape, () => -1);
  expect(backend.supports(kernel, [out], inputs, ints)).toBe(true);
  backend.kernels[kernel]([out], inputs, ints, []);
  jsKernels.kernels[kernel]!([expected], inputs, ints, []);
  const absolute = inputs.map((input) => ({ ...input, data: input.data.map(Math.abs) }));
  jsKernels.kernels[kernel]!([sizes], absolute, ints, []);
  const { batch = 1, depth = 1, outs = 1 } = problem;
  const taps = problem.kernel[0] * problem.kernel[1];
  const terms = {
    conv2d: depth * taps + 1,
    conv2dInputBackward: outs * taps,
    conv2dWeightBackward: batch * result[2]! * result[3]!,
  }[kernel];
  const [got, want, size] = [values(out), values(expected), values(sizes)];
  got.forEach((value, i) => {
    const close = Math.abs(value - want[i]!) <= (terms + 3) * 2 ** -24 * size[i]!;
    if (close || Object.is(value, want[i])) return;
    throw new Error(`${kernel} ${JSON.stringify(problem)} at ${i}: got ${value}, expected ${want[i]} of ${size[i]}`);
  });
  expect(strayWrites(out)).toBe(0);
  return out;
}

describe.each(KERNELS)("%s of float32", (kernel) => {
  test("rows of every width, so that panels end anywhere in them", () => {
    for (let width = 1; width <= 35; width++) {
      check(kernel, { batch: 2, depth: 2, outs: 3, image: [3, width], kernel: [2, 3], pad: [0, 1] });
      check(kernel, { depth: 3, outs: 6, image: [4, width], kernel: [1, 1] });
    }
  });

  test("channels of every number", () => {
    for (let channels = 1; channels <= 19; channels++) {
      check(kernel, { depth: channels, outs: 2, image: [5, 7], kernel: [3, 3], pad: [1, 1] });
      check(kernel, { depth: 2, outs: channels, image: [5, 7], kernel: [3, 3], pad: [1, 1] });
      check(kernel, { groups: channels, image: [5, 7], kernel: [3, 3], pad: [1, 1] });
    }
  });

  test("beyond the blocks: taps, pixels, channels", () => {
    check(kernel, { depth: 33, outs: 7, image: [9, 9], kernel: [3, 3], pad: [1, 1] });
    check(kernel, { depth: 2, outs: 130, image: [5, 6], kernel: [3, 3], pad: [1, 1] });
    check(kernel, { batch: 2, depth: 2, outs: 3, image: [30, 41], kernel: [3, 3], pad: [1, 1], stride: [1, 2] });
    check(kernel, { depth: 1, outs: 2, image: [2, 1100], kernel: [1, 3] });
    check(kernel, { depth: 130, outs: 2, image: [4, 4], kernel: [3, 3] });
  });

  test("geometries and placings at random", () => {
    const small = (most: number, least = 1): fc.Arbitrary<number> => fc.integer({ min: least, max: most });
    const pair = (most: number, least = 1) => fc.tuple(small(most, least), small(most, least));
    const placing = fc.record({
      order: fc.constantFrom([0, 1, 2, 3], [0, 2, 3, 1], [3, 2, 1, 0]),
      reversed: fc.subarray([0, 1, 2, 3]),
      skip: fc.nat(3),
      gap: fc.constantFrom(1, 1, 3),
    });
    const problems = fc
      .record({
        batch: small(2),
        depth: small(3),
        outs: small(3),
        groups: small(2),
        kernel: pair(3),
        stride: pair(3),
        pad: pair(2, 0),
        dilation: pair(2),
        more: pair(6, 0),
      })
      .map(({ more, ...rest }) => {
        const extent = (axis: 0 | 1): number =>
          Math.max(1, (rest.kernel[axis] - 1) * rest.dilation[axis] + 1 - 2 * rest.pad[axis]) + more[axis];
        return { ...rest, image: [extent(0), extent(1)] as const };
      });
    fc.assert(
      fc.property(problems, placing, placing, placing, (problem, out, a, b) => {
        check(kernel, problem, [out, a, b]);
      }),
      { numRuns: 60 },
    );
  });

  test.each([Number.NaN, Infinity, -Infinity])("R: a tap over padding is no term beside %d", (special) => {
    const problem = { batch: 2, depth: 2, outs: 3, image: [4, 5], kernel: [3, 3], pad: [1, 2] } as const;
    for (const at of [0, 4, 8, 13]) {
      const with_ = (seed: number) => (i: number) => (i === at ? special : noise(seed)(i));
      check(kernel, problem, [], with_(1));
      check(kernel, problem, [], noise(1), with_(2));
      check(kernel, { ...problem, stride: [2, 3], dilation: [1, 2], pad: [2, 2] }, [], with_(1), with_(2));
      check(kernel, { ...problem, groups: 2 }, [{}, { order: [0, 2, 3, 1] }], with_(1), with_(2));
    }
  });

  test("operands that are broadcast", () => {
    const problem = { batch: 2, depth: 2, outs: 3, image: [5, 6], kernel: [2, 2], pad: [1, 0] } as const;
    check(kernel, problem, [{}, { broadcast: [0, 1] }, { broadcast: [2] }]);
    check(kernel, problem, [{}, { broadcast: [0, 1, 2, 3] }, { broadcast: [0, 1, 2, 3] }]);
  });

  test("gives back all room that it took, and counts what it copied", () => {
    const { inUse } = memory;
    const before = backend.staged[kernel] ?? 0;
    const { x, weight, result, ints } = extentsOf({ depth: 2, outs: 2, image: [4, 4], kernel: [3, 3], pad: [1, 1] });
    const shapes = { conv2d: [result, x, weight], conv2dInputBackward: [x, result, weight] }[kernel as "conv2d"] ?? [
      weight,
      result,
      x,
    ];
    const [out, ...inputs] = shapes.map((shape) => {
      const size = shape.reduce((a, b) => a * b, 1);
      let step = size;
      const strides = shape.map((extent) => (step /= extent));
      return { dtype: "float32", data: new Float32Array(size).fill(1), offset: 0, shape, strides } as const;
    });
    backend.kernels[kernel]([out!], inputs, ints, []);
    expect(memory.inUse).toBe(inUse);
    expect(backend.staged[kernel]).toBe(before + 3);
    expect(Math.max(...out!.data)).toBe({ conv2d: 18, conv2dInputBackward: 18, conv2dWeightBackward: 16 }[kernel]);
  });
});

test("field case 8: room that grows the memory moves no operand", () => {
  const own = wasmKernelsSync({ initialBytes: 2.5 * 2 ** 20 });
  const x = place(own.memory, [1, 1, 300, 300], noise(1), { order: [0, 1, 3, 2] });
  const weight = place(own.memory, [1, 1, 1, 1], () => 2);
  const out = place(own.memory, [1, 1, 302, 302], () => -1, { gap: 2 });
  const [expected, at, length] = [values(x), out.data.byteOffset, out.data.length];
  const { epoch } = own.memory;
  own.kernels.conv2d([out], [x, weight], [1, 1, 1, 1, 1, 1, 1, 1, 1], []);
  expect(own.memory.epoch).toBeGreaterThan(epoch);
  const got = values({ ...out, data: new Float32Array(own.memory.memory.buffer, at, length) });
  expect(got.filter((_, i) => i % 302 > 0 && i % 302 < 301 && i > 302 && i < 301 * 302)).toEqual(
    expected.map((value) => 2 * value),
  );
});
