import { wasmKernelsSync } from "@sw/kernels-wasm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BINARY_KINDS, type BinaryKind, UNARY_KINDS } from "../../src/kernels/kinds.js";
import { noise, type Placed, type Placing, place, strayWrites, values } from "../operands.js";

const backend = wasmKernelsSync();
const { memory } = backend;

/** Adds, and checks every element to the bit and everything around the output. */
function check(out: Placed, a: Placed, b: Placed): void {
  const left = values(a);
  const right = values(b);
  expect(backend.supports("add", [out], [a, b])).toBe(true);
  backend.kernels.add([out], [a, b], [], []);
  expect(values(out)).toEqual(left.map((x, i) => Math.fround(x + right[i]!)));
  expect(strayWrites(out)).toBe(0);
}

function checkPlaced(shape: readonly number[], out: Placing, a: Placing, b: Placing): void {
  check(
    place(memory, shape, () => 0, out),
    place(memory, shape, noise(1), a),
    place(memory, shape, noise(2), b),
  );
}

const placing = (rank: number) =>
  fc.record({
    order: fc.shuffledSubarray([...Array(rank).keys()], { minLength: rank, maxLength: rank }),
    reversed: fc.subarray([...Array(rank).keys()]),
    skip: fc.nat(3),
    gap: fc.constantFrom(1, 1, 2),
  });

describe("add of float32", () => {
  test("every length around the vector and its unrolling, at odd addresses", () => {
    for (let n = 0; n <= 67; n++) checkPlaced([n], { skip: n % 4 }, { skip: 1 }, { skip: 3 });
  });

  test("a scalar on either side", () => {
    for (const n of [1, 2, 4, 7, 16, 19, 33]) {
      checkPlaced([n], {}, {}, { broadcast: [0] });
      checkPlaced([n], {}, { broadcast: [0], skip: 1 }, {});
      checkPlaced([n], {}, { broadcast: [0] }, { broadcast: [0] });
    }
  });

  test("a bias: [64,128] plus [128], and a column", () => {
    checkPlaced([64, 128], {}, {}, { broadcast: [0] });
    checkPlaced([64, 128], {}, {}, { broadcast: [1] });
    checkPlaced([64, 128], {}, { broadcast: [1] }, { broadcast: [0] });
  });

  test("no loops are one element, and a loop of extent 0 is none", () => {
    checkPlaced([], {}, {}, {});
    checkPlaced([3, 0], {}, {}, {});
    checkPlaced([0, 3], {}, {}, {});
  });

  test("loops of extent 1 with strides that mean nothing", () => {
    const out = place(memory, [1, 5, 1], () => 0);
    const a = { ...place(memory, [1, 5, 1], noise(1)), strides: [-7, 1, 1000] };
    check(out, a, place(memory, [1, 5, 1], noise(2)));
  });

  test("transposed, reversed and spread operands", () => {
    checkPlaced([13, 9], {}, { order: [1, 0] }, {});
    checkPlaced([13, 9], { order: [1, 0] }, {}, { order: [1, 0] });
    checkPlaced([3, 40], {}, { reversed: [1] }, { gap: 2 });
    checkPlaced([40, 3], { gap: 2 }, { reversed: [0, 1] }, {});
    checkPlaced([17], { reversed: [0] }, {}, { gap: 5 });
  });

  test("many loops, at random", () => {
    const operands = fc.array(fc.nat(5), { minLength: 1, maxLength: 5 }).chain((shape) => {
      const rank = shape.length;
      const broadcast = fc.subarray([...Array(rank).keys()]);
      return fc.tuple(fc.constant(shape), placing(rank), placing(rank), placing(rank), broadcast, broadcast);
    });
    fc.assert(
      fc.property(operands, ([shape, out, a, b, aBroadcast, bBroadcast]) => {
        checkPlaced(
          shape,
          out,
          { ...a, broadcast: aBroadcast, reversed: a.reversed.filter((axis) => !aBroadcast.includes(axis)) },
          { ...b, broadcast: bBroadcast, reversed: b.reversed.filter((axis) => !bBroadcast.includes(axis)) },
        );
      }),
      { numRuns: 150 },
    );
  });

  test("an output that is an input", () => {
    const a = place(memory, [37], noise(1));
    const before = values(a);
    backend.kernels.add([a], [a, a], [], []);
    expect(values(a)).toEqual(before.map((x) => Math.fround(x + x)));
  });

  test("NaN, Infinity, signed zeros and denormals, in the vectors and in the tail", () => {
    const specials = [Number.NaN, Infinity, -Infinity, 0, -0, 1e-45, 3.4e38];
    const shape = [specials.length * specials.length];
    const a = place(memory, shape, (i) => specials[Math.floor(i / specials.length)]!);
    const b = place(memory, shape, (i) => specials[i % specials.length]!);
    check(
      place(memory, shape, () => 0),
      a,
      b,
    );
  });
});

describe("every element-wise kernel", () => {
  const formulas: { readonly [kind in BinaryKind]: (a: number, b: number) => number } = {
    add: (a, b) => a + b,
    sub: (a, b) => a - b,
    mul: (a, b) => a * b,
    div: (a, b) => a / b,
    minimum: Math.min,
    maximum: Math.max,
    reluBackward: (cotangent, output) => (output > 0 ? cotangent : 0),
  };

  test.each(BINARY_KINDS)("%s rounds once, whichever input stands still", (kind) => {
    const shape = [3, 23];
    for (const [a, b] of [
      [[], []],
      [[1], []],
      [[], [1]],
      [[0], [1]],
      [
        [0, 1],
        [0, 1],
      ],
    ] as const) {
      const out = place(memory, shape, () => 0);
      const [left, right] = [
        place(memory, shape, noise(1), { broadcast: a, skip: 1 }),
        place(memory, shape, noise(2), { broadcast: b }),
      ];
      backend.kernels[kind]([out], [left, right], [], []);
      const second = values(right);
      expect(values(out)).toEqual(values(left).map((x, i) => Math.fround(formulas[kind](x, second[i]!))));
      expect(strayWrites(out)).toBe(0);
    }
  });

  test.each(UNARY_KINDS)("%s gives an element the same bits wherever it lies", (kind) => {
    // Longer than a block of 32 columns and one of 1024 elements; some numbers large, some no numbers.
    const value = (i: number) => (i % 97 === 5 ? Number.NaN : noise(3)(i) * 10 ** ((i % 7) - 2));
    for (const shape of [[7], [3, 5, 11], [70, 41], [2, 1100]]) {
      const from = place(memory, shape, value);
      const expected = place(memory, shape, () => 0);
      backend.kernels[kind]([expected], [from], [], []);
      fc.assert(
        fc.property(placing(shape.length), placing(shape.length), (out, input) => {
          const placed = place(memory, shape, () => 0, out);
          backend.kernels[kind]([placed], [place(memory, shape, value, input)], [], []);
          expect(values(placed)).toEqual(values(expected));
          expect(strayWrites(placed)).toBe(0);
        }),
        { numRuns: 5 },
      );
    }
  });

  test("field case 3: pointers above 2 GiB", () => {
    const high = wasmKernelsSync({ initialBytes: 2 ** 31 + 2 ** 27 });
    for (let i = 0; i < 2; i++) high.memory.allocate(2 ** 30);
    const shape = [40, 37];
    for (const where of [{}, { order: [1, 0] }, { broadcast: [1] }]) {
      const at = (seed: number, placing: Placing) => place(high.memory, shape, noise(seed), placing);
      const [out, a, b] = [at(0, {}), at(1, {}), at(2, where)];
      expect(a.data.byteOffset).toBeGreaterThan(2 ** 31);
      high.kernels.sub([out], [a, b], [], []);
      const right = values(b);
      expect(values(out)).toEqual(values(a).map((x, i) => Math.fround(x - right[i]!)));
      high.kernels.neg([out], [b], [], []);
      expect(values(out)).toEqual(right.map((x) => -x));
    }
  });

  test.each(UNARY_KINDS)("%s in place, contiguous and not", (kind) => {
    for (const where of [{}, { order: [1, 0] }, { gap: 3, reversed: [1] }]) {
      const at = place(memory, [35, 34], noise(4), where);
      const expected = place(memory, [35, 34], () => 0);
      backend.kernels[kind]([expected], [at], [], []);
      backend.kernels[kind]([at], [at], [], []);
      expect(values(at)).toEqual(values(expected));
    }
  });
});
