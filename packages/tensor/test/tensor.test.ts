import { inspect } from "node:util";
import { BufferPool, heapMemory } from "@sw/buffer";
import { layout, rowMajor, describe as shown } from "@sw/layout";
import { asTensor, DTYPES, dtypeFromOnnx, fromBuffer, isDType, isTensor, tensor, zeros } from "@sw/tensor";
import { describe, expect, test } from "vitest";

const pool = new BufferPool({ source: heapMemory() });

describe("fromBuffer", () => {
  const buffer = pool.allocate(6 * 4);

  test("field case 4: strided views are checked against the storage", () => {
    const rows: [offset: number, shape: number[], strides: number[], ok: boolean][] = [
      [5, [3], [-2], true],
      [3, [3], [-2], false],
      [2, [4], [0], true],
      [0, [64, 64], [64, 1], false],
      [6, [0], [1000], true],
    ];
    for (const [offset, shape, strides, ok] of rows) {
      const make = () => fromBuffer("float32", buffer, layout(shape, strides), offset);
      if (ok) expect(make().shape).toEqual(shape);
      else expect(make).toThrow(expect.objectContaining({ name: "ViewError", code: "SW_TENSOR_VIEW_BOUNDS" }));
    }
    // An offset that is not possible is named, where the layout is empty too (VA-1, VA-5).
    for (const extent of [0, 1]) {
      const make = (offset: unknown) => () => fromBuffer("float32", buffer, layout([extent], [1]), offset as number);
      for (const offset of [1.5, Number.NaN, true, "0", 1n, null]) {
        expect(make(offset)).toThrow(TypeError);
        expect(make(offset)).toThrow(`fromBuffer: the offset is no integer: got ${shown(offset)}`);
      }
      for (const offset of [-1, 2 ** 53]) {
        expect(make(offset)).toThrow(expect.objectContaining({ name: "ViewError", given: offset }));
      }
    }
    for (const stride of [2 ** 53, 2 ** 62]) {
      expect(() => fromBuffer("float32", buffer, layout([5], [stride]))).toThrow(RangeError);
    }
  });
  test("OneModel 3: an offset past the elements is one for an empty layout only", () => {
    expect(fromBuffer("float32", buffer, layout([0]), 1000).offset).toBe(1000);
    for (const [extent, stride, offset, given] of [
      [1, 1, 6, [6, 6]],
      [3, -2, 3, [-1, 3]],
    ] as const) {
      expect(() => fromBuffer("float32", buffer, layout([extent], [stride]), offset)).toThrow(
        expect.objectContaining({ code: "SW_TENSOR_VIEW_BOUNDS", given, expected: [0, 5] }),
      );
    }
  });
  test("OneModel 3: an element that only its first bytes are in the buffer of is outside", () => {
    const odd = pool.allocate(20);
    expect(fromBuffer("float64", odd, layout([2])).size).toBe(2);
    expect(() => fromBuffer("float64", odd, layout([3]))).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_VIEW_BOUNDS", given: [0, 2], expected: [0, 1] }),
    );
  });
  test("a box inside a larger layout is padded", () => {
    const padded = fromBuffer("float32", buffer, rowMajor([2, 3]), 0, [2, 2]);
    expect(padded.isPadded).toBe(true);
    expect(padded.size).toBe(4);
    expect(padded.T.shape).toEqual([2, 2]);
    expect(padded.T.isPadded).toBe(true);
    expect(() => padded.slice(0, 0, 1)).toThrow(expect.objectContaining({ code: "SW_TENSOR_UNSUPPORTED" }));
    expect(() => padded.reshape([4])).toThrow(expect.objectContaining({ code: "SW_TENSOR_UNSUPPORTED" }));
    expect(fromBuffer("float32", buffer, rowMajor([2, 3]), 0, [2, 3]).isPadded).toBe(false);
    expect(() => fromBuffer("float32", buffer, rowMajor([2, 3]), 0, [2, 4])).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_SHAPE_MISMATCH" }),
    );
  });
  test("field case 9: a buffer that nobody holds is refused", () => {
    const returned = pool.allocate(16);
    returned.release(returned.generation);
    expect(() => fromBuffer("float32", returned, rowMajor([4]))).toThrow(
      expect.objectContaining({ code: "SW_BUFFER_RELEASED" }),
    );
  });
  test("D4: strides fit in 32 signed bits, where they reach nothing too", () => {
    expect(() => fromBuffer("float32", buffer, layout([1], [2 ** 40]))).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_SHAPE_LIMIT", given: 2 ** 40 }),
    );
  });
  test("the box is checked and copied, and the layout must be one", () => {
    const box = [2, 2];
    const padded = fromBuffer("float32", buffer, rowMajor([2, 3]), 0, box);
    box[0] = 1;
    expect(padded.shape).toEqual([2, 2]);
    expect(() => fromBuffer("float32", buffer, rowMajor([2, 3]), 0, [1.5, 2])).toThrow(TypeError);
    expect(() => fromBuffer("float32", buffer, { shape: [1], stride: [1] } as never)).toThrow(TypeError);
  });
  test("an unknown dtype is refused", () => {
    expect(() => fromBuffer("f32" as never, buffer, rowMajor([1]))).toThrow(TypeError);
  });
});

describe("dtypes", () => {
  test("OneModel section 2: ONNX codes and widths", () => {
    const table = Object.values(DTYPES).map((d) => [d.onnx, d.byteLength, d.name]);
    expect(table).toEqual([
      [1, 4, "float32"],
      [2, 1, "uint8"],
      [3, 1, "int8"],
      [4, 2, "uint16"],
      [5, 2, "int16"],
      [6, 4, "int32"],
      [7, 8, "int64"],
      [9, 1, "bool"],
      [10, 2, "float16"],
      [11, 8, "float64"],
      [12, 4, "uint32"],
      [13, 8, "uint64"],
      [16, 2, "bfloat16"],
    ]);
    for (const d of Object.values(DTYPES)) expect(dtypeFromOnnx(d.onnx)).toBe(d.name);
  });
  test.each([
    [0, "UNDEFINED"],
    [8, "STRING"],
    [14, "COMPLEX64"],
    [15, "COMPLEX128"],
    [17, "FLOAT8E4M3FN"],
    [18, "FLOAT8E4M3FNUZ"],
    [19, "FLOAT8E5M2"],
    [20, "FLOAT8E5M2FNUZ"],
    [21, "UINT4"],
    [22, "INT4"],
    [23, "FLOAT4E2M1"],
    [24, "FLOAT8E8M0"],
    [25, "UINT2"],
    [26, "INT2"],
    [27, "FLOAT6E2M3"],
    [28, "FLOAT6E3M2"],
    [29, "no such ONNX element type"],
    [-1, "no such ONNX element type"],
  ])("ONNX code %i is refused by name", (code, name) => {
    expect(() => dtypeFromOnnx(code)).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_ONNX_TYPE", message: expect.stringContaining(name), given: code }),
    );
  });
  test.each([[1.5], [Number.NaN], ["FLOAT"], [undefined]])("%j is no ONNX code: TypeError", (code) => {
    expect(() => dtypeFromOnnx(code as never)).toThrow(TypeError);
  });
  test("isDType", () => {
    expect(isDType("float32")).toBe(true);
    expect(isDType("toString")).toBe(false);
  });
});

describe("a handle", () => {
  test("is recognised by its brand, not its class", () => {
    expect(isTensor(tensor(1))).toBe(true);
    expect(isTensor({ "@sw/tensor/Tensor/1": true })).toBe(true);
    expect(isTensor(null)).toBe(false);
    expect(isTensor([1])).toBe(false);
  });
  test("shares lists with its layout and knows its numbers", () => {
    const t = zeros([2, 3]);
    expect(t.shape).toBe(t.layout.shape);
    expect([t.rank, t.size, t.offset, t.isPadded, t.grad]).toEqual([2, 6, 0, false, undefined]);
  });
  test("dispose is idempotent, and the same for every view", () => {
    const t = zeros([4]);
    const { live } = (t.buffer.owner as BufferPool).statistics();
    t.slice(0, 0, 2).dispose();
    t.dispose();
    t[Symbol.dispose]();
    expect((t.buffer.owner as BufferPool).statistics().live).toBe(live - 1);
  });
});

describe("text", () => {
  test("prints as NumPy does", () => {
    expect(
      String(
        tensor([
          [1, 2.5],
          [-3, 4],
        ]),
      ),
    ).toBe("[[ 1.   2.5]\n [-3.   4. ]]");
    expect(String(tensor([1, 2], { dtype: "int32" }))).toBe("[1 2]");
    expect(
      String(
        tensor([
          [1, 2],
          [3, 4],
        ]).T,
      ),
    ).toBe("[[1. 3.]\n [2. 4.]]");
  });
  test("a debugger sees dtype, shape, layout and elements", () => {
    expect(inspect(tensor([1, 2]))).toBe("Tensor float32 [2]\n[1. 2.]");
    expect(
      inspect(
        tensor([
          [1, 2],
          [3, 4],
        ]).T,
      ),
    ).toBe("Tensor float32 [2,2] (2,2):(1,2)\n[[1. 3.]\n [2. 4.]]");
    const gone = tensor([1]);
    gone.dispose();
    expect(inspect(gone)).toBe("Tensor float32 [1] (disposed)");
    const array = Float32Array.of(1, 2);
    const taken = asTensor(array);
    structuredClone(array.buffer, { transfer: [array.buffer] });
    expect(inspect(taken)).toMatch(/^Tensor float32 \[2\] \(.*taken away/);
  });
  test("only the shown elements of a large tensor are read", () => {
    expect(String(zeros([1000, 1000]))).toContain("...");
  });
});
