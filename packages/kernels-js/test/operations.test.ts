import {
  add,
  cast,
  clamp,
  type DType,
  div,
  elu,
  eq,
  ge,
  gelu,
  geluTanh,
  gt,
  leakyRelu,
  logicalAnd,
  logicalNot,
  logicalOr,
  logicalXor,
  lt,
  maskedFill,
  maximum,
  minimum,
  mul,
  ne,
  pow,
  remainder,
  rsqrt,
  setKernels,
  sigmoid,
  sqrt,
  sub,
  type Tensor,
  tanh,
  tensor,
  tril,
  triu,
  where,
  isFinite as whereFinite,
  isNaN as whereNaN,
} from "@sw/tensor";
import { defaultPool } from "@sw/tensor/seam";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { jsKernels } from "../src/index.js";
import binaryVectors from "./vectors/binary.json" with { type: "json" };
import unaryVectors from "./vectors/unary.json" with { type: "json" };

// The element-wise operations as users call them, on the reference kernels.

beforeAll(() => setKernels(jsKernels));

const inf = Number.POSITIVE_INFINITY;
const f = (values: readonly number[], dtype: DType = "float32"): Tensor => tensor(values as number[], { dtype });
/** Elements with the sign of zeros, which `toEqual` looks at. */
const list = (t: Tensor): unknown => t.toArray();

describe("comparisons", () => {
  it("answer with bool, and NaN is unequal to itself", () => {
    const [a, b] = [f([1, 2, Number.NaN, -0]), f([1, 3, Number.NaN, 0])];
    expect(eq(a, b).dtype).toBe("bool");
    expect(list(eq(a, b))).toEqual([true, false, false, true]);
    expect(list(ne(a, b))).toEqual([false, true, true, false]);
    expect(list(lt(a, b))).toEqual([false, true, false, false]);
    expect(list(ge(a, b))).toEqual([true, false, false, true]);
    expect(list(gt(b, a))).toEqual([false, true, false, false]);
  });

  it("broadcast, and operands of two dtypes meet: int64 and float32 in float64", () => {
    const long = tensor([2n ** 53n + 1n], { dtype: "int64" });
    // float64 has no 2^53 + 1: NumPy says the same.
    expect(list(eq(long, f([2 ** 53])))).toEqual([true]);
    expect(list(eq(long, 2n ** 53n))).toEqual([false]);
    expect(list(lt(tensor([[1], [3]]), tensor([2, 4])))).toEqual([
      [true, true],
      [false, true],
    ]);
    expect(list(gt(tensor([true, false], { dtype: "bool" }), 0))).toEqual([true, false]);
  });

  it("D14: eq(int32Tensor, 1.5) is refused as add is", () => {
    expect(() => eq(tensor([1], { dtype: "int32" }), 1.5)).toThrow(
      expect.objectContaining({
        code: "SW_TENSOR_VALUE",
        message: expect.stringMatching(/^eq: .*cast\(x, "float32"\)/),
      }),
    );
    expect(() => eq(1, 2)).toThrow(TypeError);
  });
});

describe("logic", () => {
  it("all but 0 is true, of any dtype, NaN too", () => {
    const a = f([0, -0, Number.NaN, 2]);
    const b = tensor([0n, 1n, 0n, 3n], { dtype: "int64" });
    expect(list(logicalAnd(a, b))).toEqual([false, false, false, true]);
    expect(list(logicalOr(a, b))).toEqual([false, true, true, true]);
    expect(list(logicalXor(a, b))).toEqual([false, true, true, false]);
    expect(list(logicalNot(a))).toEqual([true, true, false, false]);
  });

  it("leaves no memory behind but its result", () => {
    const [a, b, long] = [f([1, 2]), tensor([1, 0], { dtype: "int8" }), f([1, 2, 3])];
    const { live } = defaultPool().statistics();
    logicalAnd(a, b).dispose();
    expect(() => logicalAnd(a, long)).toThrow(expect.objectContaining({ name: "LayoutError" }));
    expect(defaultPool().statistics().live).toBe(live);
  });

  it("predicates are for floats", () => {
    expect(list(whereNaN(f([Number.NaN, 1])))).toEqual([true, false]);
    expect(list(whereFinite(f([inf, 1], "float16")))).toEqual([false, true]);
    expect(() => whereNaN(tensor([1], { dtype: "int32" }))).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_DTYPE_REFUSED" }),
    );
  });
});

describe("where", () => {
  it("takes from a or b; what is not taken has no influence", () => {
    const x = f([4, -4, Number.NaN]);
    expect(list(where(gt(x, 0), sqrt(x), 0))).toEqual([2, 0, 0]);
    expect(list(where(lt(x, 0), -1, x))).toEqual([4, -1, Number.NaN]);
  });

  it("broadcasts all three, and two dtypes meet", () => {
    const out = where(tensor([[true], [false]], { dtype: "bool" }), tensor([1, 2], { dtype: "int8" }), f([0.5]));
    expect(out.dtype).toBe("float32");
    expect(list(out)).toEqual([
      [1, 2],
      [0.5, 0.5],
    ]);
  });

  it("refuses two numbers, which have no dtype, and a condition that is not bool", () => {
    const yes = tensor([true], { dtype: "bool" });
    expect(() => where(yes, 1 as never, 0 as never)).toThrow(TypeError);
    expect(() => where(f([1]), f([1]), 0)).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_DTYPE_REFUSED", message: expect.stringContaining("where: ") }),
    );
    expect(() => where(yes, tensor([1], { dtype: "uint8" }), 300)).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_VALUE" }),
    );
    expect(() => where(yes, f([1, 2]), f([1, 2, 3]))).toThrow(expect.objectContaining({ name: "LayoutError" }));
  });

  it("maskedFill keeps the shape and dtype of its tensor", () => {
    const x = tensor(
      [
        [1, 2],
        [3, 4],
      ],
      { dtype: "int16" },
    );
    const out = maskedFill(x, tensor([true, false], { dtype: "bool" }), -1);
    expect([out.dtype, list(out)]).toEqual([
      "int16",
      [
        [-1, 2],
        [-1, 4],
      ],
    ]);
  });
});

describe("clamp", () => {
  it("limits from one side or both, by numbers and by tensors", () => {
    const x = f([-2, 0.5, 3, Number.NaN]);
    expect(list(clamp(x, -1, 1))).toEqual([-1, 0.5, 1, Number.NaN]);
    expect(list(clamp(x, 0))).toEqual([0, 0.5, 3, Number.NaN]);
    expect(list(clamp(x, undefined, 1))).toEqual([-2, 0.5, 1, Number.NaN]);
    expect(list(clamp(x, f([-1, 1, 1, 1]), 2))).toEqual([-1, 1, 2, Number.NaN]);
    expect(list(clamp(x, 2, 1))).toEqual([1, 1, 1, Number.NaN]);
  });

  it("holds limits of int64 that no float64 holds", () => {
    const x = tensor([2n ** 62n, 2n ** 62n + 2n, 5n], { dtype: "int64" });
    expect(list(clamp(x, 6, 2n ** 62n + 1n))).toEqual([2n ** 62n, 2n ** 62n + 1n, 6n]);
  });

  it("refuses limits that the dtype does not hold, and bool", () => {
    expect(() => clamp(tensor([1], { dtype: "uint8" }), -1)).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_VALUE" }),
    );
    expect(() => clamp(tensor([true], { dtype: "bool" }), 0)).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_DTYPE_REFUSED" }),
    );
    expect(() => clamp(f([1]), "0" as never)).toThrow(TypeError);
  });
});

describe("triu and tril", () => {
  const x = tensor([
    [1, 2, 3],
    [4, 5, 6],
  ]);

  it("keep one side of a diagonal, in every matrix of a batch", () => {
    expect(list(triu(x))).toEqual([
      [1, 2, 3],
      [0, 5, 6],
    ]);
    expect(list(tril(x))).toEqual([
      [1, 0, 0],
      [4, 5, 0],
    ]);
    expect(list(triu(x, 2))).toEqual([
      [0, 0, 3],
      [0, 0, 0],
    ]);
    expect(list(tril(x, -1))).toEqual([
      [0, 0, 0],
      [4, 0, 0],
    ]);
    expect(list(triu(x.unsqueeze(0).expand([2, 2, 3]), 1))).toEqual([
      [
        [0, 2, 3],
        [0, 0, 6],
      ],
      [
        [0, 2, 3],
        [0, 0, 6],
      ],
    ]);
    expect(triu(tensor([[1n, 2n]], { dtype: "int64" }), 1).data()).toEqual(new BigInt64Array([0n, 2n]));
  });

  it("drop NaN and infinities with the rest, and keep the layout", () => {
    const y = tensor([
      [inf, 1],
      [Number.NaN, 2],
    ]).T;
    expect(list(tril(y))).toEqual([
      [inf, 0],
      [1, 2],
    ]);
    expect(tril(y).strides).toEqual([1, 2]);
  });

  it("need two axes and an integer", () => {
    expect(() => triu(f([1]))).toThrow(expect.objectContaining({ code: "SW_TENSOR_SHAPE_MISMATCH", shape: [1] }));
    expect(() => tril(x, 0.5)).toThrow(TypeError);
  });
});

describe("functions with numbers of their own", () => {
  it("leakyRelu and elu", () => {
    expect(list(leakyRelu(f([-4, 2]), { slope: 0.25 }))).toEqual([-1, 2]);
    expect(list(leakyRelu(f([-100], "float64")))).toEqual([-1]);
    expect(list(elu(f([-inf, 2]), { alpha: 3 }))).toEqual([-3, 2]);
    expect(() => leakyRelu(f([1]), 0.1 as never)).toThrow(TypeError);
    expect(() => elu(f([1]), { alpha: "1" as never })).toThrow(TypeError);
  });
});

describe("arithmetic", () => {
  it("pow and remainder of a number on either side", () => {
    expect(list(pow(f([1, 2, 3]), 2))).toEqual([1, 4, 9]);
    expect(list(pow(2, tensor([1, 2, 40], { dtype: "int32" })))).toEqual([2, 4, 0]);
    expect(list(remainder(-7, tensor([3, -3], { dtype: "int8" })))).toEqual([2, -1]);
    expect(list(minimum(f([1, 5]), 3))).toEqual([1, 3]);
    expect(list(maximum(tensor([1, 5], { dtype: "uint8" }), tensor([-2, 6], { dtype: "int8" })))).toEqual([1, 6]);
  });

  it("of 16 bits is rounded once", () => {
    const x = f([2048, 2048], "float16");
    expect(list(add(x, f([1, 3], "float16")))).toEqual([2048, 2052]);
    expect(list(div(f([1], "bfloat16"), 3))).toEqual([0.333984375]);
  });

  it("two tensors that lie alike give what broadcasting gives", () => {
    const shapes = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 });
    fc.assert(
      fc.property(shapes, fc.boolean(), fc.boolean(), (shape, turned, sliced) => {
        const size = shape.reduce((a, b) => a * b, 1);
        const make = (from: number): Tensor => {
          const t = tensor(Array.from({ length: size * 2 }, (_, i) => from + i))
            .reshape([2, size])
            .select(0, 1);
          return sliced ? tensor(t.data()).reshape(shape) : t.reshape(shape);
        };
        const [a, b] = [make(1), make(100)];
        const other = turned && shape.length > 0 ? b.flip(0).contiguous().flip(0) : b;
        const [x, y] = [a.data() as Float32Array, b.data() as Float32Array];
        const expected = Array.from(x, (value, i) => value + y[i]!);
        expect([...(add(a, other).data() as Float32Array)]).toEqual(expected);
        expect(add(a, b).shape).toEqual(shape);
      }),
    );
  });

  it("a disposed operand that lies alike is refused", () => {
    const [a, b] = [f([1, 2]), f([3, 4])];
    b.dispose();
    expect(() => add(a, b)).toThrow(expect.objectContaining({ code: "SW_BUFFER_STALE" }));
    expect(() => mul(b, b)).toThrow(expect.objectContaining({ code: "SW_BUFFER_STALE" }));
  });
});

describe("field case 19: float to integer truncates, saturates, and has NaN as 0", () => {
  const given = [Number.NaN, inf, -inf, 3e9, -3e9, 1.9, -1.9, 2147483647.5, -0.5];
  const int32 = [0, 2147483647, -2147483648, 2147483647, -2147483648, 1, -1, 2147483647, 0];

  it("from float64 and float32, at every position of arrays of length 1 to 40", () => {
    for (const dtype of ["float64", "float32"] as const) {
      for (let length = 1; length <= 40; length++) {
        for (let shift = 0; shift < given.length; shift++) {
          const at = (values: readonly number[]) =>
            Array.from({ length }, (_, i) => values[(i + shift) % given.length]!);
          expect(list(cast(f(at(given), dtype), "int32"))).toEqual(at(int32));
        }
      }
    }
  });

  it("to uint8 and int64, and after arithmetic", () => {
    expect(list(cast(f([300.5, -1, 255.9, Number.NaN]), "uint8"))).toEqual([255, 0, 255, 0]);
    expect(list(cast(f([1e20], "float64"), "int64"))).toEqual([9223372036854775807n]);
    expect(list(cast(mul(f([1e20]), f([1e20])), "int32"))).toEqual([2147483647]);
    expect(list(cast(where(tensor([true], { dtype: "bool" }), f([-0.5]), 0), "int32"))).toEqual([0]);
  });
});

interface Dense {
  readonly s: readonly number[];
  readonly d: readonly (number | string)[];
}
interface Vector {
  readonly op: string;
  readonly in: { readonly [name: string]: Dense };
  readonly out: Dense;
}

describe("numeric vectors, by the operations", () => {
  const load = ({ s, d }: Dense): Tensor => tensor(d.map(Number), { dtype: "float64" }).reshape([...s]);
  /**
   * The vectors have 15 digits. Those of gelu were computed as `x/2 * (1 + erf)`, which cancels: far below zero they have
   * the digits of the 1.
   */
  function expectNear(got: Tensor, { s, d }: Dense, lost = 0): void {
    expect(got.shape).toEqual(s);
    d.map(Number).forEach((want, i) => {
      const value = (got.data() as Float64Array)[i]!;
      if (!Number.isFinite(want) || want === 0) expect(value).toBe(want);
      else expect(Math.abs(value - want), `element ${i}`).toBeLessThanOrEqual(1e-14 * Math.abs(want) + lost);
    });
  }

  const UNARY = { sqrt, sigmoid, tanh, gelu_erf: gelu, gelu_tanh: geluTanh } as const;
  for (const [op, run] of Object.entries(UNARY)) {
    it(`unary.json: ${op}`, () => {
      const cases = (unaryVectors.cases as readonly Vector[]).filter((c) => c.op === op);
      expect(cases.length).toBeGreaterThan(3);
      for (const c of cases) expectNear(run(load(c.in["x"]!)), c.out, op.startsWith("gelu") ? 2 ** -53 : 0);
    });
  }

  const BINARY = { add, sub, mul, div } as { [op: string]: (a: Tensor, b: Tensor) => Tensor };
  for (const [op, run] of Object.entries(BINARY)) {
    it(`binary.json: ${op}`, () => {
      for (const c of (binaryVectors.cases as readonly Vector[]).filter((v) => v.op === op)) {
        expectNear(run(load(c.in["a"]!), load(c.in["b"]!)), c.out);
      }
    });
  }
});

it("rsqrt is the inverse of sqrt within 2 ulp, of every positive float32", () => {
  fc.assert(
    fc.property(fc.float({ min: Math.fround(1e-30), max: Math.fround(1e30), noNaN: true }), (x) => {
      const product = (mul(rsqrt(f([x])), sqrt(f([x]))).data() as Float32Array)[0]!;
      expect(Math.abs(product - 1)).toBeLessThanOrEqual(2 ** -22);
    }),
  );
});
