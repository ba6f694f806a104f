import { wasmKernelsSync } from "@sw/kernels-wasm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noise, type Placing, place, values } from "../operands.js";
import { productChecks } from "../products.js";

// The bits of all hosts alike; `relaxed.node.test.ts` has the other products.
const backend = wasmKernelsSync({ initialBytes: 2 ** 26, relaxed: false });
const { memory } = backend;

const { multiply, check, checkPlaced } = productChecks(backend);

describe("matmul of float32", () => {
  test("every size around the tile in rows and columns", () => {
    for (let m = 0; m <= 17; m++) for (let n = 0; n <= 17; n++) checkPlaced([m, 7, n]);
  });

  test("every depth from 0 to 67", () => {
    for (let k = 0; k <= 67; k++) checkPlaced([6, k, 9]);
  });

  test("sizes up to 67 at random, with every placing", () => {
    const size = fc.integer({ min: 0, max: 67 });
    const placing = fc.record({
      order: fc.constantFrom([0, 1], [1, 0]),
      reversed: fc.subarray([0, 1]),
      skip: fc.nat(3),
      gap: fc.constantFrom(1, 1, 3),
    });
    fc.assert(
      fc.property(fc.tuple(size, size, size), placing, placing, placing, (sizes, out, a, b) => {
        checkPlaced(sizes, [], out, a, b);
      }),
      { numRuns: 120 },
    );
  });

  test("sizes around the blocks", () => {
    for (const m of [119, 120, 121, 245]) checkPlaced([m, 3, 9]);
    for (const k of [255, 256, 257, 513, 784]) checkPlaced([6, k, 10]);
    for (const n of [1023, 1024, 1025, 2051]) checkPlaced([3, 5, n]);
    checkPlaced([122, 258, 1030]);
  });

  test("blocks of transposed and reversed operands", () => {
    checkPlaced([130, 300, 70], [], { order: [1, 0] }, { order: [1, 0] }, { order: [1, 0] });
    checkPlaced([130, 300, 70], [], { reversed: [0, 1] }, { reversed: [0] }, { reversed: [1] });
  });

  test("one and two rows or columns, of every placing and depth", () => {
    const placings: readonly Placing[] = [
      {},
      { order: [1, 0] },
      { gap: 2 },
      { reversed: [0] },
      { reversed: [1], skip: 1 },
    ];
    for (const few of [1, 2]) {
      for (const many of [1, 3, 4, 8, 13, 35]) {
        for (const k of [1, 2, 3, 4, 5, 7, 8, 63, 300]) {
          for (const placing of placings) {
            checkPlaced([few, k, many], [], {}, {}, placing);
            checkPlaced([few, k, many], [], { gap: 3 }, placing, { order: [1, 0] });
            checkPlaced([many, k, few], [], {}, placing, {});
            checkPlaced([many, k, few], [], placing, {}, placing);
          }
        }
      }
      for (const k of [1023, 1024, 1025, 4099]) {
        checkPlaced([few, k, 11], [], {}, {}, { order: [1, 0] });
        checkPlaced([11, k, few]);
      }
      for (const n of [1023, 1024, 1025, 2051]) checkPlaced([few, 9, n], [], {}, {}, { order: [1, 0] });
    }
  });

  test("NaN and Infinity in a row times columns reach their column and nothing else", () => {
    for (const special of [Number.NaN, Infinity, -Infinity]) {
      const a = place(memory, [1, 7], () => 1);
      const b = place(memory, [7, 13], (i) => (i === 4 * 13 + 10 || i === 6 * 13 + 2 ? special : 2), { order: [1, 0] });
      const out = place(memory, [1, 13], () => 0);
      multiply(out, a, b);
      expect(values(out)).toEqual(Array.from({ length: 13 }, (_, i) => (i === 10 || i === 2 ? special : 14)));
    }
  });

  test("broadcast rows, columns and depth", () => {
    for (const axis of [0, 1]) {
      checkPlaced([11, 6, 19], [], {}, { broadcast: [axis] }, {});
      checkPlaced([11, 6, 19], [], {}, {}, { broadcast: [axis] });
    }
  });

  test("batches, broadcast on either side or both, in any order of axes", () => {
    checkPlaced([7, 5, 9], [3]);
    checkPlaced([7, 5, 9], [2, 3]);
    checkPlaced([7, 5, 9], [2, 3], {}, { broadcast: [0] }, { broadcast: [1] });
    checkPlaced([7, 5, 9], [2, 3], {}, { broadcast: [0, 1] }, {});
    checkPlaced([7, 5, 9], [2, 3], { order: [3, 1, 2, 0] }, { order: [2, 0, 3, 1] }, { reversed: [0, 2] });
    checkPlaced([7, 5, 9], [2, 0, 3]);
    checkPlaced([7, 0, 9], [2, 2]);
  });

  test("a depth of 0 writes zeros over what was there", () => {
    const out = place(memory, [6, 9], () => Number.NaN);
    multiply(out, place(memory, [6, 0], noise(1)), place(memory, [0, 9], noise(2)));
    expect(values(out)).toEqual(new Array(54).fill(0));
  });

  test("what the output held before does not matter", () => {
    const out = place(memory, [6, 9], () => Number.NaN);
    check(out, place(memory, [6, 300], noise(1)), place(memory, [300, 9], noise(2)));
  });

  test("NaN and Infinity reach their row or column and nothing else", () => {
    for (const [special, at] of [
      [Number.NaN, 3],
      [Infinity, 10],
      [-Infinity, 0],
    ] as const) {
      const a = place(memory, [11, 4], (i) => (i === at * 4 + 1 ? special : 1));
      const b = place(memory, [4, 13], () => 2);
      const out = place(memory, [11, 13], () => 0);
      multiply(out, a, b);
      expect(values(out)).toEqual(Array.from({ length: 143 }, (_, i) => (Math.floor(i / 13) === at ? special : 8)));
    }
    const a = place(memory, [2, 3], (i) => (i === 0 ? Infinity : 0));
    const out = place(memory, [2, 2], () => 0);
    multiply(
      out,
      a,
      place(memory, [3, 2], () => 0),
    );
    expect(values(out)).toEqual([Number.NaN, Number.NaN, 0, 0]);
  });

  test("the same product has the same bits in every placing of the operands", () => {
    const shapes = [67, 300, 45] as const;
    const product = (out: Placing, a: Placing, b: Placing): number[] => {
      const c = place(memory, [shapes[0], shapes[2]], () => 0, out);
      multiply(c, place(memory, [67, 300], noise(5), a), place(memory, [300, 45], noise(6), b));
      return values(c);
    };
    const plain = product({}, {}, {});
    expect(product({ order: [1, 0] }, {}, { order: [1, 0] })).toEqual(plain);
    expect(product({ gap: 2 }, { order: [1, 0], skip: 1 }, { reversed: [0] })).toEqual(plain);
  });

  test("an element has the same bits in every size of product: by lines, by tiles, packed or as it lies", () => {
    const [m, k] = [67, 523] as const;
    for (const n of [45, 9, 130]) {
      const product = (rows: number, columns: number, b: Placing = {}): number[] => {
        const c = place(memory, [rows, columns], () => 0);
        const left = place(memory, [rows, k], noise(5));
        const value = (i: number) => noise(6)(Math.floor(i / columns) * n + (i % columns));
        multiply(c, left, place(memory, [k, columns], value, b));
        return values(c);
      };
      const whole = product(m, n);
      for (const rows of [1, 2, 3, 5, 6, 66]) {
        expect(product(rows, n)).toEqual(whole.slice(0, rows * n));
        if (rows > 2) expect(product(rows, n, { order: [1, 0] })).toEqual(whole.slice(0, rows * n));
      }
      for (const columns of [3, 7, 8, 9]) {
        expect(product(m, columns)).toEqual(whole.filter((_, i) => i % n < columns));
      }
    }
    const small = (placing: Placing, rows: number): number[] => {
      const c = place(memory, [rows, 29], () => 0);
      multiply(c, place(memory, [rows, 31], noise(5)), place(memory, [31, 29], noise(6), placing));
      return values(c);
    };
    const lying = small({}, 33);
    for (const rows of [1, 2, 4, 33]) {
      for (const placing of [{}, { order: [1, 0] }, { gap: 2 }, { reversed: [1] }]) {
        if ("order" in placing && rows <= 2) continue;
        expect(small(placing, rows)).toEqual(lying.slice(0, rows * 29));
      }
    }
  });

  test("large values cancel within the bound", () => {
    const a = place(memory, [5, 600], (i) => ((i % 600) % 2 === 0 ? 1e6 : -1e6) + noise(3)(i));
    const b = place(memory, [600, 8], (i) => 1 + noise(4)(i) * 1e-3);
    check(
      place(memory, [5, 8], () => 0),
      a,
      b,
    );
  });
});
