import { jsKernels } from "@sw/kernels-js";
import {
  abs,
  add,
  cast,
  clamp,
  concat,
  div,
  exp,
  explain,
  full,
  isNaN as isNaNOf,
  leakyRelu,
  logicalNot,
  logicalOr,
  lt,
  matmul,
  max,
  mean,
  mul,
  type ReduceOptions,
  relu,
  setKernels,
  sub,
  sum,
  type Tensor,
  tensor,
  where,
  zeros,
} from "@sw/tensor";
import { fuse, ProgramBuilder, runProgram } from "@sw/tensor/fuse";
import { withLeaf } from "@sw/tensor/seam";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";

beforeAll(() => setKernels(jsKernels));

const ramp = (...shape: number[]): Tensor<"float32"> =>
  tensor(
    Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => ((i * 37) % 23) / 8 - 1),
    { shape, dtype: "float32" },
  );

/** Checks that a function is one program on these arguments, and that it gives what it gives operation by operation. */
function expectFused<A extends readonly Tensor[]>(fn: (...tensors: A) => Tensor, ...tensors: A): Tensor {
  const fused = fuse(fn);
  for (let call = 0; call < 2; call++) {
    const plain = fn(...tensors);
    const { result, calls } = explain(() => fused(...tensors));
    expect(fused.fallback).toBeUndefined();
    expect(calls.at(-1)).toMatchObject({ kernel: "program", backend: "js" });
    expect(result.dtype).toBe(plain.dtype);
    expect(result.shape).toEqual(plain.shape);
    expect(String(result.layout)).toBe(String(plain.layout));
    expect(result.toArray()).toEqual(plain.toArray());
    if (call === 1) return result;
  }
  throw new Error("unreachable");
}

/** Checks that a function runs operation by operation, gives what it does, and says why. */
function expectPlain<A extends readonly Tensor[]>(reason: RegExp, fn: (...tensors: A) => Tensor, ...tensors: A): void {
  const fused = fuse(fn);
  for (let call = 0; call < 2; call++) {
    expect(fused(...tensors).toArray()).toEqual(fn(...tensors).toArray());
    expect(fused.fallback).toMatch(reason);
  }
}

describe("fuse", () => {
  test("makes one program of a chain, of numbers too", () => {
    const [a, b, c] = [ramp(3, 4), ramp(3, 4), ramp(3, 4)];
    expectFused((x, y, z) => relu(add(mul(x, y), z)), a, b, c);
    expectFused((x) => div(add(mul(x, 2), 1), add(abs(x), 0.5)), a);
    expectFused((x, y) => where(lt(x, y), leakyRelu(x, { slope: 0.25 }), clamp(y, -0.5, 0.5)), a, c);
    expectFused((x) => isNaNOf(div(x, sub(x, x))), a);
    expectFused((x) => add(mul(x, x.shape[1] as number), x.rank), a);
  });

  test("numbers are numbers in every dtype", () => {
    for (const dtype of ["float64", "float16", "bfloat16", "int32", "int64", "uint8"] as const) {
      const x = cast(tensor([3, 5, 7]), dtype);
      expectFused((t) => sub(mul(t, 2), dtype === "int64" ? 1n : 1), x);
    }
    const flags = tensor([true, false]);
    expectFused((a, b) => logicalOr(a, logicalNot(b)), flags, tensor([false, true]));
    expectFused((a) => where(a, full([], 2), 3), flags);
  });

  test("a tensor that the function knows is no argument, though it is given as one", () => {
    const weight = tensor([2, 3]);
    const scaled = fuse((x: Tensor) => mul(x, weight));
    expect(scaled(weight).toArray()).toEqual([4, 9]);
    expect(scaled.fallback).toMatch(/no argument/);
    expect(scaled(tensor([1, 1])).toArray()).toEqual([2, 3]);
  });

  test("broadcasts rows, columns, and what is of one element", () => {
    for (const shape of [[4], [1, 4], [3, 1], [1, 1], [1], []]) {
      expectFused((x, y) => relu(add(x, exp(mul(y, 0.5)))), ramp(3, 4), ramp(...shape));
      expectFused((x, y) => mul(sub(y, 1), x), ramp(3, 4), ramp(...shape));
    }
    expectFused((x, y, z) => add(add(x, y), z), ramp(3, 1), ramp(4), ramp(2, 1, 1));
    expectFused((x, y) => mul(add(x, y), 2), ramp(5, 5), ramp(5));
    expectFused((x, y) => mul(add(x, y), 2), ramp(5, 5), ramp(5, 1));
  });

  test("arguments of any layout, and the same one twice", () => {
    const square = ramp(4, 4);
    expectFused((x, y) => sub(mul(x, 2), y), square, square.transpose(0, 1));
    expectFused((x, y) => sub(mul(x, 2), y), square.transpose(0, 1), square);
    expectFused((x, y) => mul(add(x, y), x), square, square);
    expectFused((x) => relu(mul(x, 3)), ramp(6, 4).slice(0, 1, 6, 2));
    expectFused((x) => relu(mul(x, 3)), ramp(6, 4).transpose(0, 1));
  });

  test("ends in one reduction over any axes", () => {
    const [a, b] = [ramp(3, 4, 5), ramp(3, 4, 5)];
    for (const reduce of [sum, mean, max] as readonly ((x: Tensor, options?: ReduceOptions) => Tensor)[]) {
      for (const axes of [[0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]]) {
        for (const keepAxes of [false, true]) expectFused((x, y) => reduce(mul(x, y), { axes, keepAxes }), a, b);
      }
      expectFused((x, y) => reduce(mul(x, y)), a, ramp(5));
      expectFused((x, y) => reduce(mul(x, y), { axes: [1] }), ramp(4, 4), ramp(4, 4));
    }
  });

  test("a view that only renames what is reduced is no matter", () => {
    expectFused((x, y) => sum(mul(x, y).transpose(0, 1), { axes: [0] }), ramp(4, 4), ramp(4, 4));
    expectFused((x) => relu(add(x, 1).reshape([16])).reshape([4, 4]), ramp(4, 4));
  });

  test("a fused function in a fused function is part of it", () => {
    const inner = fuse((x: Tensor, y: Tensor) => relu(add(mul(x, 2), y)));
    for (const first of [true, false]) {
      const outer = fuse((x: Tensor, y: Tensor) => sub(inner(x, y), inner(y, x)));
      const plain = (x: Tensor, y: Tensor): Tensor => sub(relu(add(mul(x, 2), y)), relu(add(mul(y, 2), x)));
      const [a, b] = [ramp(first ? 3 : 5, 4), ramp(4)];
      if (!first) inner(a, b);
      for (let call = 0; call < 2; call++) {
        expect(outer(a, b).toArray()).toEqual(plain(a, b).toArray());
        expect(outer.fallback).toBeUndefined();
      }
    }
  });

  test("gives lists of results", () => {
    const fused = fuse((x, y) => {
      const total = add(x, y);
      return [mul(total, total), lt(total, 0)];
    });
    for (let call = 0; call < 2; call++) {
      const [square, negative] = fused(tensor([1, -3]), tensor([1, 1])) as Tensor[];
      expect(fused.fallback).toBeUndefined();
      expect(square?.toArray()).toEqual([4, 4]);
      expect(negative?.toArray()).toEqual([false, true]);
    }
  });

  test("intermediate results that are disposed give their memory back, and it may be used again", () => {
    const chain = (a: Tensor, b: Tensor, c: Tensor): Tensor => {
      const product = mul(a, b);
      const total = add(product, c);
      product.dispose();
      const result = relu(total);
      total.dispose();
      return result;
    };
    expectFused(chain, ramp(50), ramp(50), ramp(50));
  });

  test("runs the function once for a shape and a dtype, and remembers the last 64", () => {
    let calls = 0;
    const twice = fuse((x: Tensor) => {
      calls++;
      return add(x, x);
    });
    for (let turn = 0; turn < 3; turn++) for (let n = 1; n <= 64; n++) twice(zeros([n])).dispose();
    expect(calls).toBe(64);
    twice(zeros([65]));
    twice(zeros([2]));
    expect(calls).toBe(65);
    twice(zeros([1]));
    expect(calls).toBe(66);
    twice(zeros([1], { dtype: "int32" }));
    expect(calls).toBe(67);
  });
});

describe("what is no program runs as it is, and says why", () => {
  const a = ramp(4, 4);
  test.each<[RegExp, (x: Tensor, y: Tensor) => Tensor]>([
    [/matmul is no step/, (x, y) => relu(matmul(x, y))],
    [/concat|copy/, (x, y) => concat([add(x, 1), y], 0)],
    [/add of a view/, (x, y) => add(x, y.transpose(0, 1))],
    [/mul of a view/, (x, y) => mul(add(x, 1).transpose(0, 1), y)],
    [/of a view/, (x, y) => add(x, y.slice(0, 1, 2))],
    [/of a view/, (x, y) => add(x, y.flip(0))],
    [/it returns a view/, (x, y) => add(x, y).transpose(0, 1)],
    [/it returns a view/, (x) => add(x, 1).reshape([16])],
    [/no result of an operation/, (x) => x],
    [/reads elements/, (x, y) => (Number(x.at(0, 0)) > 0 ? add(x, y) : sub(x, y))],
    [/reads elements/, (x, y) => mul(add(x, y), (y.toArray() as number[][])[1]?.[1] as number)],
    [/made inside/, (x, y) => add(mul(x, y), full([4], 2))],
    [/was reduced/, (x, y) => mul(sum(mul(x, y), { axes: [1], keepAxes: true }), x)],
    [/sum of an argument/, (x) => sum(x)],
    [/sum of a view/, (x, y) => sum(mul(x, y).flip(0), { axes: [0] })],
    [/cast is no step/, (x, y) => add(cast(x, "float64"), cast(y, "float64"))],
    [/sum of a view/, (x) => sum(mul(x, x).unsqueeze(0), { axes: [0] })],
  ])("%s", (reason, fn) => expectPlain(reason, fn, a, ramp(4, 4)));

  test("a tensor that is no argument", () => {
    const weight = ramp(4);
    expectPlain(/no argument/, (x) => mul(x, weight), a);
    const scalar = tensor(2);
    expectPlain(/no argument/, (x) => mul(x, scalar), a);
  });

  test("arguments that do not broadcast, without elements, or recorded", () => {
    expectPlain(/do not broadcast/, (x, y) => matmul(x, y), ramp(3, 4), ramp(4, 2));
    expectPlain(/no elements/, (x) => add(x, 1), zeros([0, 3]));
    const leaf = withLeaf(ramp(4), "shape");
    const fused = fuse((x: Tensor) => mul(x, 2));
    expect(fused(leaf).node?.record).toMatchObject({ kind: "mul" });
    expect(fused.fallback).toMatch(/recorded/);
  });

  test("what the function throws is thrown, and nothing is remembered", () => {
    const fused = fuse((x: Tensor, y: Tensor) => add(x, y));
    expect(() => fused(ramp(3), ramp(4))).toThrow();
    const failing = fuse((x: Tensor) => {
      add(x, 1);
      throw new RangeError("mine");
    });
    for (let call = 0; call < 2; call++) expect(() => failing(ramp(3))).toThrow("mine");
  });

  test("wrong arguments", () => {
    expect(() => fuse(3 as never)).toThrow("fuse: not a function: got 3");
    expect(() => fuse((x: Tensor) => add(x, 1))(3 as never)).toThrow("fuse: argument 0 is no tensor: got 3");
    const gone = ramp(3);
    gone.dispose();
    expect(() => fuse((x: Tensor) => add(x, 1))(gone)).toThrow(expect.objectContaining({ code: "SW_BUFFER_STALE" }));
  });
});

describe("any function", () => {
  /** A function of random operations and views, each on values before it. */
  type Move = readonly [kind: number, first: number, second: number];

  function apply(moves: readonly Move[], tensors: readonly Tensor[]): Tensor {
    const values = [...tensors];
    const take = (k: number): Tensor => values[k % values.length] as Tensor;
    for (const [kind, first, second] of moves) {
      const [x, y] = [take(first), take(second)];
      const turned = x.rank >= 2 ? x.transpose(x.rank - 1, x.rank - 2) : x;
      const choices = [
        () => add(x, y),
        () => mul(x, y),
        () => sub(y, x),
        () => relu(x),
        () => abs(x),
        () => add(x, 1),
        () => mul(2, y),
        () => where(lt(x, y), y, x),
        () => turned,
        () => (x.rank > 0 ? x.flip(0) : x),
        () => x.unsqueeze(second % (x.rank + 1)),
        () => (x.rank > 0 && x.shape[0] === 1 ? x.squeeze(0) : x),
        () => x.reshape(x.size === 16 ? (x.rank === 2 ? [16] : [4, 4]) : x.shape),
        () => (x.rank > 0 && (x.shape[0] as number) > 1 ? x.slice(0, 0, 1) : x),
        () => sum(x, { axes: x.rank === 0 ? [] : [second % x.rank], keepAxes: second % 2 === 0 }),
        () => sum(mul(x, y)),
      ];
      const choice = choices[kind % choices.length] as () => Tensor;
      values.push(choice());
    }
    return values.at(-1) as Tensor;
  }

  /** Of axes of one element strides say nothing. */
  const stridesOf = ({ shape, strides }: Tensor): (number | undefined)[] =>
    shape.map((extent, axis) => (extent === 1 ? undefined : strides[axis]));

  test("gives what it gives operation by operation, whatever it is, on other elements too", () => {
    let fusedOnes = 0;
    const shape = fc.constantFrom<readonly number[]>([4, 4], [4, 4], [4, 4], [4], [4, 1], [1, 4], [], [2, 4, 4]);
    const move = fc.tuple(fc.nat(15), fc.nat(8), fc.nat(8));
    const property = fc.property(
      fc.array(shape, { minLength: 1, maxLength: 3 }),
      fc.array(move, { minLength: 1, maxLength: 7 }),
      (shapes, moves) => {
        const fn = (...tensors: readonly Tensor[]): Tensor => apply(moves, tensors);
        const fused = fuse(fn);
        for (let call = 0; call < 2; call++) {
          const tensors = shapes.map((extents, k) => add(ramp(...extents), (k + 1) * (call + 0.5)));
          let plain: Tensor;
          try {
            plain = fn(...tensors);
          } catch {
            // Shapes that do not meet.
            return;
          }
          const result = fused(...tensors);
          if (fused.fallback === undefined) fusedOnes++;
          expect(result.shape).toEqual(plain.shape);
          expect(stridesOf(result)).toEqual(stridesOf(plain));
          expect(result.toArray()).toEqual(plain.toArray());
        }
      },
    );
    fc.assert(property, { numRuns: 3000 });
    expect(fusedOnes).toBeGreaterThan(100);
  });
});

describe("ProgramBuilder", () => {
  test("numbers values as programs do", () => {
    const p = new ProgramBuilder();
    const a = p.input("float32");
    const product = p.step("mul", [a, p.constant("float32", 3)]);
    const b = p.input("float32");
    const slope = p.step("leakyRelu", [product], [0.5]);
    const program = p.build([p.step("sub", [slope, b])], "sum");
    expect(program).toEqual({
      inputs: ["float32", "float32"],
      constants: [{ dtype: "float32", value: 3 }],
      steps: [
        { kind: "mul", operands: [0, 2] },
        { kind: "leakyRelu", operands: [3], floats: [0.5] },
        { kind: "sub", operands: [4, 1] },
      ],
      outputs: [5],
      reduce: "sum",
    });
    const out = zeros([]);
    runProgram(program, [out], [tensor([1, -2]), tensor([1, 1])]);
    expect(out.toArray()).toBe(3 - 3 - 2);
  });

  test("refuses what is no program", () => {
    const p = new ProgramBuilder();
    const a = p.input("float32");
    p.step("matmul", [a, a]);
    expect(() => p.build([a])).toThrow(expect.objectContaining({ code: "SW_TENSOR_PROGRAM" }));
  });
});
