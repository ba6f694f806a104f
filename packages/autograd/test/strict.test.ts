import { backward, detach, grad, noGrad, parameter, retainGrad } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { leaves, parseLayout, rowMajor } from "@sw/layout";
import { fromBuffer, mul, setKernels, sum, type Tensor, tensor, views, zeros } from "@sw/tensor";
import { defaultPool, gatherFrom, record } from "@sw/tensor/seam";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { byOrdinal, cotangentLayout, laidBy, places } from "./layouts.js";

beforeAll(() => setKernels(jsKernels));

type F64 = Tensor<"float64">;
const counting = (size: number): number[] => Array.from({ length: size }, (_, i) => i + 1);
/** 0, 1, 2, … in one row. */
const range = (size: number): F64 => tensor(Float64Array.from({ length: size }, (_, i) => i));
/** A strict leaf of a layout, over memory of its own. */
const strict = (text: string): F64 => parameter(laidBy(parseLayout(text), []), { cotangent: "layout" });
/** A tensor of a layout, its elements 1, 2, 3, … by ordinal. */
const counted = (text: string): F64 => laidBy(parseLayout(text), counting(parseLayout(text).size));
const refusal = (run: () => unknown): { code?: string; message: string } => {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was thrown");
};

describe("the cotangent of a strict leaf, and of a view", () => {
  test("VA-72 has its layout", () => {
    const x = strict("(2,3):(1,2)");
    expect(refusal(() => backward(x, counted("(2,3):(3,1)")))).toMatchObject({
      name: "GradientError",
      code: "SW_AUTOGRAD_COTANGENT",
      given: "(2,3):(3,1)",
      expected: "(2,3):(1,2)",
      message:
        "backward: the cotangent's layout does not fit: got (2,3):(3,1), expected that of the tensor, (2,3):(1,2). Copy it into a tensor of that layout.",
    });
    expect(x.grad).toBeUndefined();
    backward(x, counted("(2,3):(1,2)"));
    expect(byOrdinal(x.grad as Tensor)).toEqual(counting(6));
  });

  test("D6 strides of extents of 1, and of empty tensors, mean nothing", () => {
    const x = strict("(1,3):(7,1)");
    backward(x, counted("(1,3):(0,1)"));
    expect(byOrdinal(x.grad as Tensor)).toEqual([1, 2, 3]);
    const empty = strict("(0,3):(1,5)");
    backward(empty, counted("(0,3):(3,1)"));
    expect(empty.grad?.shape).toEqual([0, 3]);
  });

  test("VA-72 a nest is part of the layout", () => {
    expect(refusal(() => backward(strict("((2,3)):((1,2))"), counted("(6):(1)")))).toMatchObject({
      code: "SW_AUTOGRAD_COTANGENT",
    });
  });

  test("VA-73 of a tensor that repeats elements it has the shape, and a place for each", () => {
    const x = strict("(4,2):(0,1)");
    for (const text of ["(4,2):(0,1)", "(8):(1)"]) {
      expect(refusal(() => backward(x, counted(text)))).toMatchObject({ code: "SW_AUTOGRAD_COTANGENT" });
    }
    expect(refusal(() => backward(x, counted("(4,2):(0,1)"))).message).toBe(
      "backward: the cotangent's layout does not fit: got (4,2):(0,1), expected the shape of (4,2):(0,1) and a place for each element. Use a contiguous() copy.",
    );
    backward(x, counted("(4,2):(3,12)"));
    expect(String(x.grad?.layout)).toBe("(4,2):(1,4)");
    expect(byOrdinal(x.grad as Tensor)).toEqual([10, 10, 10, 10, 26, 26, 26, 26]);
  });

  test("VA-74 elements that share memory otherwise have none", () => {
    const { buffer } = zeros([4], { dtype: "float64" });
    const x = strict("(3):(1)");
    const overlapping = fromBuffer("float64", buffer, parseLayout("(3,2):(1,1)"));
    const out = record(overlapping, { kind: "views", inputs: [x], cotangent: "layout" });
    expect(refusal(() => backward(out, counted("(3,2):(1,3)")))).toMatchObject({
      code: "SW_AUTOGRAD_COTANGENT",
      message:
        "backward: elements of the tensor share memory: got layout (3,2):(1,1), expected a place for each, broadcasting aside. Use a contiguous() copy.",
    });
    expect(x.grad).toBeUndefined();
  });

  test("D6 one element needs none", () => {
    const x = strict("((1),1):((3),5)");
    backward(x);
    expect([String(x.grad?.layout), x.grad?.toArray()]).toEqual(["((1),1):((3),5)", [[1]]]);
  });

  test("D6 a leaf that is not strict takes any layout, and its gradient is compact", () => {
    const x = parameter(laidBy(parseLayout("(2,3):(10,2)"), []));
    backward(x, counted("(2,3):(1,2)"));
    expect(String(x.grad?.layout)).toBe("(2,3):(3,1)");
    expect(byOrdinal(x.grad as Tensor)).toEqual(counting(6));
  });

  test("parameter refuses other options", () => {
    const t = zeros([2]);
    expect(refusal(() => parameter(t, { cotangent: "strides" as never }))).toMatchObject({
      code: "SW_AUTOGRAD_OPTION",
      given: "strides",
      message: 'parameter: cotangent is not possible: got strides, expected "shape" or "layout".',
    });
  });
});

describe("the gradient of a strict leaf", () => {
  test.each(["(2,3):(2,10)", "(3):(-1)", "(2,(2,2)):(-8,(1,-3))", "(2,2):(3,4)"])(
    "VA-82 VA-93 has its layout, gaps and signs included: %s",
    (text) => {
      const x = strict(text);
      const view = views.rearrange(x, x.rank === 1 ? "a -> a" : "a b -> (b a)");
      const g = laidBy(view.layout, counting(x.size));
      backward(view, g, { retainGraph: true });
      backward(view, g, { retainGraph: true });
      expect(String(x.grad?.layout)).toBe(text);
      const [again] = grad([view], [x], [g]);
      expect(String(again?.layout)).toBe(text);
      const doubled = byOrdinal(again as Tensor).map((value) => 2 * value);
      expect(byOrdinal(x.grad as Tensor)).toEqual(doubled);
    },
  );

  test("VA-82 of grad() too is the sum for each place of a leaf that repeats", () => {
    const x = strict("(4,2):(0,1)");
    const [g] = grad([x], [x], [counted("(4,2):(1,4)")]);
    expect([String(g?.layout), byOrdinal(g as Tensor)]).toEqual(["(4,2):(1,4)", [10, 10, 10, 10, 26, 26, 26, 26]]);
  });

  test("VA-82 of a broadcast view stays one for each element", () => {
    const x = strict("(1,2):(1,1)");
    const y = retainGrad(views.broadcastTo(x, [3, 2]));
    backward(y, counted("(3,2):(1,3)"));
    expect([String(y.grad?.layout), byOrdinal(y.grad as Tensor)]).toEqual(["(3,2):(1,3)", counting(6)]);
    expect(byOrdinal(x.grad as Tensor)).toEqual([6, 15]);
  });

  test("VA-63 a view made under noGrad is a strict leaf of its own", () => {
    const x = strict("(2,3):(1,2)");
    const y = noGrad(() => views.broadcastTo(views.unsqueeze(x, 0), [2, 2, 3]) as never as F64);
    expect(refusal(() => backward(y, counted("(2,2,3):(0,1,2)")))).toMatchObject({ code: "SW_AUTOGRAD_COTANGENT" });
    backward(y, counted("(2,2,3):(1,2,4)"));
    expect(x.grad).toBeUndefined();
    expect(byOrdinal(y.grad as Tensor)).toEqual([3, 3, 7, 7, 11, 11, 15, 15, 19, 19, 23, 23]);
  });

  test("VA-75 contributions of other layouts are laid for the rule that asked for its own", () => {
    const x = strict("(2,3):(1,2)");
    const seen: string[] = [];
    const memory = laidBy(parseLayout("(2,3):(2,10)"), []);
    const custom = record(memory, {
      kind: "custom",
      inputs: [x],
      cotangent: "layout",
      rule: (_record, g) => {
        seen.push(String(g.layout));
        return [g];
      },
    });
    backward(sum(mul(custom, custom)) as F64);
    expect(seen).toEqual(["(2,3):(2,10)"]);
  });

  test("law: it is the sum of all that shows each place, through any chain of views", () => {
    const forms = [
      "(2,3):(1,2)",
      "(2,3):(-7,2)",
      "(2,(3,2)):(6,(2,1))",
      "(4,3):(0,1)",
      "((2,2),3):((0,3),1)",
      "(1,5):(9,2)",
    ];
    const chain = fc.array(fc.tuple(fc.nat({ max: 4 }), fc.nat({ max: 99 })), { maxLength: 6 });
    fc.assert(
      fc.property(fc.constantFrom(...forms), chain, (text, steps) => {
        const x = strict(text);
        let y: F64 = x;
        for (const [choice, seed] of steps) {
          const mode = y.rank === 0 ? 0 : seed % y.rank;
          const extent = y.layout.shape[mode];
          if (choice === 0) y = views.permute(y, ...y.shape.map((_, i) => (i + seed) % y.rank));
          else if (choice === 1 && y.rank < 5) y = views.unsqueeze(y, mode);
          else if (choice === 2 && typeof extent === "number") {
            y = views.slice(
              y,
              y.shape.map((_, i) => (i === mode ? { start: seed % extent } : {})),
            );
          } else if (choice === 3 && extent === 1 && y.size < 100) {
            y = views.broadcastTo(y, y.layout.shape.with(mode, 2 + (seed % 2)));
          } else if (choice === 4 && y.rank > 1) {
            y = views.slice(
              y,
              y.shape.map((size, i) => (i === mode ? seed % size : {})),
            );
          }
        }
        const g = laidBy(cotangentLayout(y), counting(y.size));
        backward(y, g);
        const shown = places(y);
        const expected = places(x).map((place) =>
          shown.reduce((total, other, i) => (other === place ? total + i + 1 : total), 0),
        );
        expect(byOrdinal(x.grad as Tensor)).toEqual(expected);
        expect(leaves((x.grad as Tensor).layout.shape)).toEqual(leaves(x.layout.shape));
      }),
      { numRuns: 400 },
    );
  });
});

describe("a batch of cotangents", () => {
  test("VA-86 gives what one pass for each gives", () => {
    const x = parameter(range(6).reshape([2, 3]));
    const y = mul(x, x);
    const g = range(18).reshape([3, 2, 3]);
    const singles = [0, 1, 2].map((i) => grad([y], [x], [g.select(0, i)], { retainGraph: true })[0]);
    const [stack, none] = grad([y], [x, parameter(zeros([2]))], [g], { batched: true });
    expect(stack?.toArray()).toEqual(singles.map((single) => single?.toArray()));
    expect(none).toBeUndefined();
    expect(refusal(() => grad([y], [x], [g], { batched: true }))).toMatchObject({ code: "SW_AUTOGRAD_RELEASED" });
  });

  test("VA-86 is refused without one first mode, a leaf of extent 1 or more, and all that was made goes back", () => {
    const x = strict("(2,2):(1,2)");
    const y = views.permute(x, 1, 0);
    for (const g of ["(0,2,2):(4,2,1)", "((2),2,2):((4),2,1)"]) {
      expect(refusal(() => grad([y], [x], [counted(g)], { batched: true }))).toMatchObject({
        code: "SW_AUTOGRAD_COTANGENT",
      });
    }
    expect(() => grad([y], [x], [], { batched: true })).toThrow(TypeError);
    const g = counted("(2,2,2):(1,2,4)");
    const before = defaultPool().statistics().liveBytes;
    expect(refusal(() => grad([y], [x], [g], { batched: true }))).toMatchObject({ code: "SW_AUTOGRAD_COTANGENT" });
    expect(defaultPool().statistics().liveBytes).toBe(before);
    grad([y], [x], [counted("(2,2,2):(4,2,1)")], { batched: true });
  });
});

describe("field case 12: a saved value changed through a view", () => {
  test("an alias that takes no part does not hide the write", () => {
    for (const write of [
      (s: F64) => views.slice(detach(s), [{ start: 1 }]).fill(0),
      (s: F64) => noGrad(() => views.permute(s, 0).fill(0) as never),
      (s: F64) => s.set(0, 2),
    ]) {
      const s = parameter(range(3));
      const y = mul(s, s);
      write(s);
      expect(refusal(() => backward(y, range(3)))).toMatchObject({
        code: "SW_TENSOR_VERSION",
        operation: "mul",
        savedVersion: expect.any(Number),
        presentVersion: expect.any(Number),
      });
      expect(s.grad).toBeUndefined();
    }
  });

  test("VA-83 a view of views is of the values it was differentiated at; after backward writing is fine", () => {
    const x = strict("(3):(1)");
    const y = views.permute(x, 0);
    const z = views.permute(x, 0);
    backward(z, counted("(3):(1)"));
    x.set(7, 0);
    expect(refusal(() => backward(y, counted("(3):(1)")))).toMatchObject({
      code: "SW_TENSOR_VERSION",
      operation: "views",
    });
    expect(byOrdinal(x.grad as Tensor)).toEqual([1, 2, 3]);
  });
});

describe("field case 13: the alarm rings when it must and only then", () => {
  test("row 4: a row-major view reads nothing in backward, so a write to it is no fault (D6)", () => {
    const x = parameter(range(3));
    const v = x.slice(0, 0, 3);
    const o = mul(v, 2);
    noGrad(() => detach(v).fill(1) as never);
    backward(sum(o) as F64);
    expect(byOrdinal(x.grad as Tensor)).toEqual([2, 2, 2]);
  });
  test("row 6: a write into a view of an interior tensor is refused while recording", () => {
    const b = mul(parameter(range(3)), 1);
    const v = views.slice(b, [{ start: 1 }]);
    expect(refusal(() => v.fill(10))).toMatchObject({ code: "SW_TENSOR_RECORDING" });
    expect(b.toArray()).toEqual([0, 1, 2]);
  });
  test("VA-26 memory that was returned and used again is no alarm, and nothing of it is read", () => {
    const x = strict("(2,3):(1,2)");
    const y = views.permute(x, 1, 0);
    x.set(5, 0, 0);
    const z = views.permute(x, 1, 0);
    x.dispose();
    const other = zeros([6], { dtype: "float64" });
    expect(other.buffer).toBe(x.buffer);
    backward(z, counted("(3,2):(2,1)"));
    expect(byOrdinal(x.grad as Tensor)).toEqual([1, 4, 2, 5, 3, 6]);
    backward(y, counted("(3,2):(2,1)"));
  });
});

describe("field case 14: views that overlap or repeat", () => {
  const windows = (size: number, layout: string, g: F64): number[] => {
    const base = parameter(range(size));
    backward(gatherFrom(base, rowMajor([size]), { layout: parseLayout(layout), start: 0 }), g);
    return byOrdinal(base.grad as Tensor);
  };
  const ones = (shape: number[]): F64 =>
    tensor(new Float64Array(shape.reduce((a, b) => a * b)).fill(1), { shape }) as F64;
  test("windows that overlap add up", () => {
    expect(windows(5, "(3,3):(1,1)", ones([3, 3]))).toEqual([1, 2, 3, 2, 1]);
    const rows = tensor(Float64Array.from(counting(9)), { shape: [3, 3] }) as F64;
    expect(windows(5, "(3,3):(1,1)", rows)).toEqual([1, 6, 15, 14, 9]);
    expect(windows(6, "(4,3):(1,1)", ones([4, 3]))).toEqual([1, 2, 3, 3, 2, 1]);
  });
  test("one cell repeated, and three reversed", () => {
    const cell = strict("(1):(1)");
    backward(views.broadcastTo(cell, [4]), counted("(4):(1)"));
    expect(byOrdinal(cell.grad as Tensor)).toEqual([10]);
    const reversed = parameter(range(3).flip(0), { cotangent: "layout" });
    backward(views.permute(reversed, 0), counted("(3):(-1)"));
    expect(byOrdinal(reversed.grad as Tensor)).toEqual([1, 2, 3]);
  });
});

describe("memory", () => {
  test("a pass through views gives back all but the gradient, also where it throws", () => {
    const x = strict("(4,2):(0,1)");
    const y = views.permute(views.unsqueeze(x, 0), 2, 0, 1);
    const g = counted("(2,1,4):(4,4,1)");
    const wrong = counted("(2,1,4):(0,0,1)");
    const before = defaultPool().statistics();
    expect(() => backward(y, wrong)).toThrow();
    expect(defaultPool().statistics().liveBytes).toBe(before.liveBytes);
    backward(y, g);
    x.node?.grad?.dispose();
    expect(defaultPool().statistics().liveBytes).toBe(before.liveBytes);
  });
});
