import { leaves, parseLayout, type Shape } from "@sw/layout";
import { arange, fromBuffer, StaleTensorError, type Tensor, tensor, views, zeros } from "@sw/tensor";
import { defaultPool, isRecorded, withLeaf, withRecording } from "@sw/tensor/seam";
import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import { callView, type LayoutPair, layoutOf, normalForm, readViews, type ViewCase } from "./view-vectors.js";

interface Forward extends ViewCase {
  readonly src: { readonly size: number; readonly offset: number; readonly l: LayoutPair };
  readonly out:
    | { readonly offset: number; readonly l: LayoutPair }
    | { readonly value_at: number }
    | { readonly err: string };
}

/** A tensor over memory whose element k is 100 + k. */
function over(size: number, offset: number, l: LayoutPair): Tensor<"float32"> {
  const { buffer } = tensor(Float32Array.from({ length: size }, (_, k) => 100 + k));
  return fromBuffer("float32", buffer, layoutOf(l), offset);
}

/** The places in memory of a tensor's elements, first mode fastest: straight from the definition (LA-20). */
function places(t: Tensor): number[] {
  const strides = leaves(t.layout.stride);
  let list = [t.offset];
  leaves(t.layout.shape).forEach((extent, i) => {
    const steps = Array.from({ length: extent }, (_, k) => k * (strides[i] as number));
    list = steps.flatMap((step) => list.map((place) => place + step));
  });
  return list;
}

/** The leaves of a tensor, the last one first: row-major, it numbers them as the source does first mode fastest. */
function inReverse(t: Tensor): Tensor {
  const { buffer, offset, layout } = t;
  const [extents, strides] = [leaves(layout.shape), leaves(layout.stride)];
  const rank = Math.min(extents.length, 8);
  return fromBuffer(
    t.dtype,
    buffer,
    layoutOf([extents.slice(0, rank).reverse(), strides.slice(0, rank).reverse()]),
    offset,
  );
}

function thrown(run: () => unknown): Error & { code?: string } {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was thrown");
}

/** Checks that a call is refused as a vector says, and that nothing changed: version, liveness, statistics. */
function refused(kind: string, t: Tensor, run: () => unknown, label: string): void {
  const before = { version: t.buffer.version, statistics: defaultPool().statistics() };
  const error = thrown(run);
  if (kind === "TypeError") expect(error, label).toBeInstanceOf(TypeError);
  else if (kind === "NotImplementedError") expect(error, label).toMatchObject({ code: "SW_TENSOR_UNSUPPORTED" });
  else expect(error, label).toMatchObject({ name: "LayoutError", code: expect.stringMatching(/^SW_LAYOUT_/) });
  expect({ version: t.buffer.version, statistics: defaultPool().statistics() }, label).toEqual(before);
  expect(t.buffer.generation, label).toBe(t.generation);
}

// Where our answer is another one: see the decisions of the vectors (D11, LA-7).
const OTHERWISE: Readonly<Record<string, { refuse?: readonly number[]; accept?: readonly number[] }>> = {
  slice: { refuse: [42, 102, 316] },
  broadcast_in_dim: { accept: [3, 85, 90, 98, 100] },
};

describe("every vector of the views, on tensors", () => {
  const counts = {
    slice: 340,
    rearrange: 421,
    permute: 138,
    reshape: 201,
    as_strided: 339,
    broadcast_to: 197,
    broadcast_in_dim: 157,
    squeeze_unsqueeze: 156,
  };
  test.each(Object.entries(counts))("VA-30 VA-31 VA-35 to VA-59: %s", (family, count) => {
    const all = readViews<Forward>(family);
    expect(all.length).toBe(count);
    all.forEach((c, i) => {
      const { op, src, out, n1, backward: _, ...args } = c;
      const label = `${family} ${i}: ${JSON.stringify({ op, src, ...args })}`;
      const t = over(src.size, src.offset, src.l);
      const { version } = t.buffer;
      const call = () => callView(t, op, c);
      if (OTHERWISE[family]?.refuse?.includes(i)) {
        refused("ValueError", t, call, label);
        return;
      }
      if (OTHERWISE[family]?.accept?.includes(i)) {
        expect((call() as Tensor).buffer, label).toBe(t.buffer);
        return;
      }
      if ("err" in out) {
        refused(out.err, t, call, label);
        return;
      }
      const view = call();
      expect(t.buffer.version, label).toBe(version);
      if ("value_at" in out) {
        expect(view, label).toBe(100 + out.value_at);
        return;
      }
      const shown = view as Tensor;
      expect(shown.offset, label).toBe(out.offset);
      expect(normalForm([shown.layout.shape, shown.layout.stride], n1), label).toEqual(normalForm(out.l, n1));
      // A view copies nothing (VA-30), and reads what its layout says.
      expect([shown.buffer, shown.generation, shown.dtype], label).toEqual([t.buffer, t.generation, t.dtype]);
      const values = [...(inReverse(shown).data() as Float32Array)];
      expect(values, label).toEqual(places(shown).map((place) => 100 + place));
    });
  });

  test("VA-42 VA-45 a command is read before the tensor is looked at, and its errors say where", () => {
    interface Grammar {
      readonly text: string;
      readonly rearrange?: { readonly err: string; readonly message: string } | { readonly output: unknown };
    }
    const all = readViews<Grammar>("command_grammar");
    let refusals = 0;
    for (const { text, rearrange } of all) {
      if (rearrange === undefined || !("err" in rearrange)) continue;
      refusals += 1;
      // Not even a tensor: the command is at fault first.
      const error = thrown(() => views.rearrange(undefined as never, text)) as Error & { position?: number };
      expect(error, text).toMatchObject({ name: "LayoutError", code: "SW_LAYOUT_COMMAND" });
      const at = /at offset (\d+)/.exec(rearrange.message);
      if (at !== null) expect(error.position, text).toBe(Number(at[1]));
    }
    expect(refusals).toBeGreaterThan(100);
  });
});

describe("slice", () => {
  const t = views.reshape(arange(50), [5, 10]);

  test("VA-35 one entry needs no list, and D11: one integer does not stand for two modes", () => {
    expect(views.slice(arange(6), { start: -4, step: 2 }).toArray()).toEqual([2, 4]);
    expect(views.slice(arange(6), 4)).toBe(4);
    expect(thrown(() => views.slice(t, 5))).toMatchObject({ code: "SW_LAYOUT_COORDINATE" });
  });

  test("VA-40 a key without slices reads the element, of any dtype", () => {
    expect(views.slice(t, [2, 3])).toBe(17);
    expect(views.slice(tensor([1n, 2n]), [1])).toBe(2n);
    expect(views.slice(tensor([true, false]), [0])).toBe(true);
    expect(views.slice(tensor(7), [])).toBe(7);
    expect(views.slice(views.reshape(arange(6), [[2, 3]]), [[1, 2]])).toBe(5);
    expect(thrown(() => views.slice(zeros([0]), [0]))).toMatchObject({ code: "SW_LAYOUT_COORDINATE" });
  });

  test("what is read is typed as an element, what is sliced as the tensor", () => {
    expectTypeOf(views.slice(tensor([1n]), [0])).toEqualTypeOf<bigint>();
    expectTypeOf(views.slice(zeros([2]), [{}])).toEqualTypeOf<Tensor<"float32">>();
    expectTypeOf(views.permute(tensor([1n]), 0)).toEqualTypeOf<Tensor<"int64">>();
  });

  test("VA-36 VA-37 entries of other types are TypeErrors", () => {
    for (const key of [
      [null, {}],
      ["0", {}],
      [{ start: 0.5 }, 0],
      [undefined, 0],
    ]) {
      expect(() => views.slice(t, key as never)).toThrow(TypeError);
    }
    expect(() => views.slice(t, null as never)).toThrow(TypeError);
  });
});

describe("every function of views", () => {
  const calls: readonly [string, (t: Tensor) => unknown][] = [
    ["slice", (t) => views.slice(t, [{}, {}])],
    ["slice that reads", (t) => views.slice(t, [0, 0])],
    ["rearrange", (t) => views.rearrange(t, "a b -> b a")],
    ["permute", (t) => views.permute(t, 1, 0)],
    ["reshape", (t) => views.reshape(views.permute(t, 1, 0), [[2, 3]])],
    ["asStrided", (t) => views.asStrided(t, [2], [1])],
    ["broadcastTo", (t) => views.broadcastTo(t, [2, 3])],
    ["broadcastInDim", (t) => views.broadcastInDim(t, [2, 1, 3], [0, 2])],
    ["unsqueeze", (t) => views.unsqueeze(t, 0)],
    ["squeeze", (t) => views.squeeze(views.unsqueeze(t, 0), 0)],
  ];

  test.each(calls)("VA-33 %s wants a tensor", (_name, call) => {
    for (const other of [null, undefined, 5, "x", [1, 2], {}, parseLayout("2:1")]) {
      expect(() => call(other as never)).toThrow(TypeError);
    }
  });

  test.each(calls)("VA-26 %s of memory that was returned is refused", (_name, call) => {
    const t = zeros([2, 3]);
    t.dispose();
    expect(() => call(t)).toThrow(StaleTensorError);
  });

  test.each(calls)("%s of a padded tensor is refused", (_name, call) => {
    const { buffer } = zeros([12]);
    expect(thrown(() => call(fromBuffer("float32", buffer, parseLayout("(2,6):(6,1)"), 0, [2, 3])))).toMatchObject({
      code: "SW_TENSOR_UNSUPPORTED",
    });
  });

  test.each(calls)("D6 %s records nothing without a leaf, and one record of the kind views with one", (_name, call) => {
    const t = zeros([2, 3]);
    const plain = call(t);
    if (typeof plain === "number") return;
    expect((plain as Tensor).node).toBeUndefined();
    const view = call(withLeaf(zeros([2, 3]), "shape")) as Tensor;
    expect(isRecorded(view)).toBe(true);
    expect(view.node).toMatchObject({ cotangent: "layout", record: { kind: "views", released: false } });
    expect(view.node?.layout).toBe(view.layout);
  });

  test.each(calls)("VA-63 %s of a leaf, while nothing is recorded, is a leaf of its own", (_name, call) => {
    const leaf = withLeaf(zeros([2, 3]), "shape");
    const view = withRecording(false, () => call(leaf) as never) as Tensor | number;
    if (typeof view === "number") return;
    expect(view.node).toMatchObject({ record: undefined, cotangent: "layout" });
    expect(view.node?.home).toBe(view);
    const plain = withRecording(false, () => call(zeros([2, 3])) as never) as Tensor;
    expect(plain.node).toBeUndefined();
  });

  test("D6 row-major methods stay plain there", () => {
    const leaf = withLeaf(zeros([2, 3]), "shape");
    expect(withRecording(false, () => leaf.slice(0, 0, 1) as never as Tensor).node).toBeUndefined();
  });

  test("rearrange refuses text with a selection, and other outputs", () => {
    const t = zeros([2, 3]);
    expect(thrown(() => views.rearrange(t, "a b -> b a", [0, 1])).message).toBe(
      "rearrange: text comes with a selection: got both, expected text alone. Name the parts in it.",
    );
    expect(() => views.rearrange(t, 5 as never)).toThrow(TypeError);
    expect(() => views.rearrange(t, [0, 1], 5 as never)).toThrow(TypeError);
  });

  test("rank 0 and empty tensors have views too", () => {
    expect(views.unsqueeze(tensor(7), 0).toArray()).toEqual([7]);
    expect(views.permute(tensor(7)).item()).toBe(7);
    expect(views.reshape(zeros([0, 3]), [3, [0, 2]]).shape).toEqual([3, 0]);
    expect(views.broadcastTo(zeros([1, 0]), [4, 0]).shape).toEqual([4, 0]);
    expect(views.rearrange(zeros([0, 3]), "a b -> (a b)").size).toBe(0);
  });

  test("D3 D4 a reversed tensor has views, and too many modes are refused", () => {
    expect(views.slice(arange(5).flip(0), { start: 1, stop: 3 }).toArray()).toEqual([3, 2]);
    expect(thrown(() => views.reshape(zeros([1]), [1, 1, 1, 1, 1, 1, 1, 1, 1]))).toMatchObject({
      code: "SW_TENSOR_SHAPE_LIMIT",
    });
  });
});

// A model that knows nothing of strides: a shape, and for each ordinal, first mode fastest, its place in memory.
interface Model {
  readonly shape: Shape;
  readonly places: readonly number[];
}

const sizeOf = (mode: unknown): number => leaves([mode] as never).reduce((product, extent) => product * extent, 1);

/** Picks elements by a coordinate of modes: `pick` gives the source's coordinate of each one of the result. */
function picked(m: Model, shape: Shape, pick: (coordinate: readonly number[]) => readonly number[]): Model {
  const [from, to] = [m.shape.map(sizeOf), shape.map(sizeOf)];
  const total = to.reduce((product, size) => product * size, 1);
  return {
    shape,
    places: Array.from({ length: total }, (_, ordinal) => {
      let rest = ordinal;
      const coordinate = to.map((size) => {
        const digit = rest % size;
        rest = (rest - digit) / size;
        return digit;
      });
      let weight = 1;
      let index = 0;
      pick(coordinate).forEach((digit, mode) => {
        index += digit * weight;
        weight *= from[mode] as number;
      });
      return m.places[index] as number;
    }),
  };
}

/** One step of a chain: what the library does and what the model does, chosen by two numbers. */
function step(t: Tensor, m: Model, choice: number, seed: number): [Tensor, Model] | undefined {
  const rank = m.shape.length;
  const mode = rank === 0 ? 0 : seed % rank;
  const extent = m.shape[mode];
  switch (choice) {
    case 0: {
      const order = m.shape.map((_, i) => (i + seed) % rank);
      const shape = order.map((from) => m.shape[from] as Shape[number]);
      return [
        views.permute(t, ...order),
        picked(m, shape, (c) => m.shape.map((_, i) => c[order.indexOf(i)] as number)),
      ];
    }
    case 1: {
      if (typeof extent !== "number") return undefined;
      const start = seed % extent;
      const step = (extent - start) % 2 === 0 ? 2 : 1;
      const shape = m.shape.with(mode, (extent - start) / step);
      const key = m.shape.map((_, i) => (i === mode ? { start, step } : {}));
      return [views.slice(t, key), picked(m, shape, (c) => c.with(mode, start + step * (c[mode] as number)))];
    }
    case 2: {
      if (rank === 0) return undefined;
      const index = seed % sizeOf(extent);
      const key = m.shape.map((_, i) => (i === mode ? index : {}));
      if (rank === 1) {
        expect(views.slice(t, [index])).toBe(m.places[index]);
        return undefined;
      }
      return [views.slice(t, key), picked(m, m.shape.toSpliced(mode, 1), (c) => c.toSpliced(mode, 0, index))];
    }
    case 3:
      if (rank >= 6) return undefined;
      return [views.unsqueeze(t, mode), { shape: m.shape.toSpliced(mode, 0, 1), places: m.places }];
    case 4:
      if (extent !== 1) return undefined;
      return [views.squeeze(t, mode), { shape: m.shape.toSpliced(mode, 1), places: m.places }];
    case 5: {
      if (extent !== 1 || m.places.length > 200) return undefined;
      const shape = m.shape.with(mode, 2 + (seed % 2));
      return [views.broadcastTo(t, shape), picked(m, shape, (c) => c.with(mode, 0))];
    }
    case 6: {
      if (rank < 2) return undefined;
      // The first two modes become one: the same elements in the same order.
      const shape = [[m.shape[0], m.shape[1]], ...m.shape.slice(2)] as Shape;
      const output = nested(shape, { next: 0 });
      return [views.rearrange(t, output as never), { shape, places: m.places }];
    }
    default: {
      // One mode of all elements, where they lie a constant step apart.
      const base = (m.places[1] ?? 0) - (m.places[0] ?? 0);
      const even = m.places.every((place, i) => i === 0 || place - (m.places[i - 1] as number) === base);
      const shape = [m.places.length];
      if (even && (base >= 0 || m.places.length < 2)) return [views.reshape(t, shape), { shape, places: m.places }];
      expect(thrown(() => views.reshape(t, shape))).toMatchObject({ code: "SW_LAYOUT_NO_VIEW" });
      return undefined;
    }
  }
}

function nested(tree: unknown, counter: { next: number }): unknown {
  return Array.isArray(tree) ? tree.map((mode) => nested(mode, counter)) : counter.next++;
}

describe("chains of views", () => {
  test("law: up to eight of them show what a model of places shows, and every element writes through", () => {
    const chain = fc.array(fc.tuple(fc.nat({ max: 7 }), fc.nat({ max: 1000 })), { maxLength: 8 });
    const shapes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(shapes, fc.boolean(), chain, (shape, flipped, steps) => {
        const size = shape.reduce((product, extent) => product * extent, 1);
        const base = arange(size).reshape(shape);
        let view: Tensor = flipped ? base.flip(0) : base;
        let model: Model = { shape, places: places(view) };
        for (const [choice, seed] of steps) [view, model] = step(view, model, choice, seed) ?? [view, model];
        expect(view.layout.shape).toEqual(model.shape);
        expect(places(view)).toEqual(model.places);
        const at = (size * 7) % model.places.length;
        base.buffer.beginWrite(base.generation, "test");
        base.buffer.view(Float32Array)[model.places[at] as number] = -1;
        const flat = view.rank === 0 ? view : views.rearrange(view, [nested(model.shape, { next: 0 })] as never);
        expect(views.slice(flat, view.rank === 0 ? [] : [at])).toBe(-1);
        base.dispose();
      }),
      { numRuns: 400 },
    );
  });
});
