import { jsKernels } from "@sw/kernels-js";
import { wasmKernelsSync } from "@sw/kernels-wasm";
import { cast, type DType, strided, withKernels } from "@sw/tensor";
import { DTYPES, type Operand } from "@sw/tensor/seam";
import { expect, test } from "vitest";

const backend = wasmKernelsSync({ initialBytes: 2 ** 24 });
const NAMES = Object.keys(DTYPES) as DType[];
const COUNT = 4099;

/** Random bits, and the numbers where a rule begins or ends. */
function fill(dtype: DType, data: Operand["data"]): void {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Math.imul((i + 7) ^ (i >>> 3), 0x9e3779b1) >>> 24;
  if (dtype === "float32" || dtype === "float64") {
    const edges = [
      0,
      -0,
      0.5,
      -0.9,
      127.9,
      128,
      -129,
      255.5,
      256,
      32767.5,
      65504,
      65519.9,
      65520,
      65535.9,
      2 ** 31,
      -(2 ** 31),
    ];
    const more = [
      2 ** 32,
      2 ** 63,
      -(2 ** 63),
      2 ** 64,
      1e30,
      -1e30,
      Infinity,
      -Infinity,
      NaN,
      2 ** -14,
      2 ** -24,
      2 ** -25,
      3e-8,
    ];
    const ties = [1 + 2 ** -11, 1 + 3 * 2 ** -11, 1 + 2 ** -8, 1 + 3 * 2 ** -8, 2 ** -15 + 2 ** -25, 3.4e38, 1e-45];
    [...edges, ...more, ...ties].forEach((x, i) => {
      (data as Float64Array)[3 * i] = x;
    });
    for (let i = 200; i < data.length; i++) {
      if (i % 3 > 0) (data as Float64Array)[i] = Math.sin(i) * 1.5 * 10 ** ((i % 27) - 8);
    }
  }
  if (dtype === "int64" || dtype === "uint64") {
    for (let i = 0; i < data.length; i += 2) (data as BigInt64Array)[i]! >>= BigInt(i % 64);
  }
  if (dtype === "bool") for (let i = 0; i < bytes.length; i++) bytes[i]! &= 1;
}

function operand(dtype: DType, count: number, inside: boolean): Operand {
  const { array, byteLength } = DTYPES[dtype];
  if (!inside) return { dtype, data: new array(count), offset: 0, shape: [count], strides: [1] };
  const block = backend.memory.allocate(count * byteLength);
  return {
    dtype,
    data: new array(backend.memory.memory.buffer, block.address, count),
    offset: 0,
    shape: [count],
    strides: [1],
  };
}

/** The bits, those of a NaN of float32 and float64 as one: what stands in them is the host's affair. */
function bitsOf({ dtype, data }: Operand): unknown {
  if (dtype === "float32" || dtype === "float64")
    return Array.from(data as Float64Array, (x) => (Object.is(x, -0) ? "-0" : x));
  return Array.from(data as Uint8Array, String);
}

const reference = (out: Operand, input: Operand): void => {
  // What is built in is the rule: no backend in JavaScript has a cast of its own.
  withKernels([jsKernels], () => {
    const x = strided(input.data, { dtype: input.dtype as never, shape: input.shape, strides: [1] });
    (out.data as Uint8Array).set(cast(x, out.dtype as DType).data() as Uint8Array);
  });
};

test.each(NAMES)("OneModel 10: cast of %s to every dtype has the bits of the reference", (from) => {
  const input = operand(from, COUNT, true);
  fill(from, input.data);
  const copy = { ...input, data: input.data.slice() } as Operand;
  for (const to of NAMES) {
    const wide = /64|32/.test(from) && !from.startsWith("f");
    const there = !(to === "bfloat16" && wide);
    const out = operand(to, COUNT, true);
    expect(backend.supports("cast", [out], [input])).toBe(there);
    if (!there) continue;
    const expected = operand(to, COUNT, false);
    reference(expected, copy);
    backend.kernels.cast([out], [input], [], []);
    expect(bitsOf(out), `${from} to ${to}`).toEqual(bitsOf(expected));
  }
});

test.each(["float16", "bfloat16", "int16", "uint16"] as const)(
  "every pattern of %s to float32 and what it is cast to",
  (from) => {
    const input = operand(from, 65_536, true);
    (input.data as Uint16Array).set(Uint16Array.from({ length: 65_536 }, (_, i) => i));
    const copy = { ...input, data: input.data.slice() } as Operand;
    for (const to of ["float32", "float64", "float16", "bfloat16", "int8", "uint32", "bool"] as const) {
      const [out, expected] = [operand(to, 65_536, true), operand(to, 65_536, false)];
      reference(expected, copy);
      backend.kernels.cast([out], [input], [], []);
      expect(bitsOf(out), `${from} to ${to}`).toEqual(bitsOf(expected));
    }
  },
);

test("strides, reversals, broadcasts and the heap on either side; what lies between stays", () => {
  for (const [rows, columns] of [
    [7, 9],
    [70, 33],
    [1, 1],
    [3, 1500],
  ] as const) {
    for (const [to, from] of [
      ["float64", "float32"],
      ["uint8", "float32"],
      ["float32", "float16"],
      ["int32", "int64"],
    ] as const) {
      const count = 2 * rows * columns + 8;
      const input = operand(from, count, true);
      fill(from, input.data);
      const dense = { ...operand(from, rows * columns, false) };
      const layouts = [
        [2 * columns, 2, 0],
        [1, rows, 0],
        [-columns, -1, rows * columns - 1],
        [0, 1, 3],
        [columns, 0, 0],
      ] as const;
      for (const [row, step, offset] of layouts) {
        for (let i = 0; i < rows * columns; i++) {
          dense.data[i] = input.data[offset + Math.floor(i / columns) * row + (i % columns) * step]!;
        }
        const expected = operand(to, rows * columns, false);
        reference(expected, dense);
        const shape = [rows, columns];
        for (const inside of [true, false]) {
          const out = operand(to, count, inside);
          const before = out.data.slice();
          const placed = { ...out, offset: 3, shape, strides: [2, 2 * rows] };
          backend.kernels.cast([placed], [{ ...input, shape, strides: [row, step], offset }], [], []);
          for (let i = 0; i < rows * columns; i++)
            before[3 + 2 * Math.floor(i / columns) + 2 * rows * (i % columns)] = expected.data[i]!;
          expect(bitsOf(out)).toEqual(bitsOf({ ...out, data: before } as Operand));
        }
      }
    }
  }
});
