import { wrapMemory } from "@sw/buffer";
import { blocked, type Layout, layout, parseLayout, strided as stridedLayout } from "@sw/layout";
import { fromBuffer, type Tensor, tensor, views, zeros } from "@sw/tensor";
import { withLeaf } from "@sw/tensor/seam";
import { describe, expect, test } from "vitest";
import { padded } from "./padded-tensors.js";

type Call = (t: Tensor) => unknown;

const over = (l: Layout): Tensor => fromBuffer("float32", zeros([200]).buffer, l);
const plain = (): Tensor => zeros([4, 6]);
const nested = (): Tensor => over(parseLayout("(4,(2,3)):(6,(1,2))"));
const huge = (): Tensor => over(parseLayout("(0,4):(2147483647,1)"));
const eight = (): Tensor => zeros([1, 1, 1, 1, 1, 1, 1, 1]);
const overlapping = (): Tensor => over(parseLayout("(3,3):(1,1)"));
const readOnly = (): Tensor =>
  fromBuffer("float32", wrapMemory(new Float32Array(24), { readOnly: true }), stridedLayout([4, 6], [6, 1]));

/** For each method the ways in which it is refused: a tensor, and a call of it. */
const METHODS: Readonly<Record<string, readonly (readonly [() => Tensor, Call])[]>> = {
  permute: [
    [plain, (t) => t.permute([0, 0])],
    [plain, (t) => t.permute([0])],
    [plain, (t) => t.permute([0, 2])],
    [plain, (t) => t.permute([0, 0.5])],
    [plain, (t) => t.permute(undefined as never)],
    [plain, (t) => t.permute(5 as never)],
  ],
  transpose: [
    [plain, (t) => t.transpose(0, 2)],
    [plain, (t) => t.transpose(0.5, 1)],
    [plain, (t) => t.transpose(undefined as never, 1)],
  ],
  T: [],
  slice: [
    [plain, (t) => t.slice(0, 0, 9)],
    [plain, (t) => t.slice(0, 3, 1)],
    [plain, (t) => t.slice(0, 0, 1, 0)],
    [plain, (t) => t.slice(2, 0, 1)],
    [plain, (t) => t.slice(0, 0.5, 1)],
    [plain, (t) => t.slice(0.5, 0, 1)],
    [plain, (t) => t.slice(undefined as never, 0)],
    [plain, (t) => t.slice(0, 0, 1, 2 ** 53)],
    [nested, (t) => t.slice(1, 0, 2)],
  ],
  select: [
    [plain, (t) => t.select(0, 4)],
    [plain, (t) => t.select(0, -1)],
    [plain, (t) => t.select(3, 0)],
    [plain, (t) => t.select(0, "1" as never)],
    [nested, (t) => t.select(1, 6)],
  ],
  index: [
    [plain, (t) => t.index("4")],
    [plain, (t) => t.index("x")],
    [plain, (t) => t.index([1n as never])],
    [plain, (t) => t.index([{ stop: 1, step: 2 ** 53 }])],
    [eight, (t) => t.index("None, ...")],
    [nested, (t) => t.index(":, ::2")],
  ],
  flip: [
    [plain, (t) => t.flip(2)],
    [plain, (t) => t.flip("0" as never)],
    [nested, (t) => t.flip(1)],
  ],
  window: [
    [plain, (t) => t.window({ shape: [5], strides: [6] })],
    [plain, (t) => t.window({ shape: [5], strides: [] })],
    [plain, (t) => t.window({ shape: [1], strides: [2 ** 53] })],
    [plain, (t) => t.window({ shape: [1], strides: [1], offset: 0.5 })],
    [plain, (t) => t.T.window({ shape: [1], strides: [1] })],
    [plain, (t) => t.window(null as never)],
  ],
  unsqueeze: [
    [plain, (t) => t.unsqueeze(3)],
    [plain, (t) => t.unsqueeze(0.5)],
    [eight, (t) => t.unsqueeze(0)],
    [huge, (t) => t.unsqueeze(1).unsqueeze(0).unsqueeze(9)],
  ],
  squeeze: [
    [plain, (t) => t.squeeze(0)],
    [plain, (t) => t.squeeze(2)],
    [plain, (t) => t.squeeze(null as never)],
    [() => over(layout([[1]])), (t) => t.squeeze(0)],
    [() => over(layout([[1]])), (t) => t.squeeze()],
  ],
  expand: [
    [plain, (t) => t.expand([4, 7])],
    [plain, (t) => t.expand([6])],
    [plain, (t) => t.expand([4, -6])],
    [plain, (t) => t.expand([2 ** 20, 2 ** 20, 4, 6])],
    [plain, (t) => t.expand(["4" as never, 6])],
    [plain, (t) => t.expand(undefined as never)],
    [() => zeros([1]), (t) => t.expand([2 ** 31])],
    [eight, (t) => t.expand([1, 1, 1, 1, 1, 1, 1, 1, 1])],
    [nested, (t) => t.expand([4, 12])],
  ],
  reshape: [
    [plain, (t) => t.reshape([5, 5])],
    [plain, (t) => t.reshape([-1, 5])],
    [plain, (t) => t.reshape([-1, -1])],
    [plain, (t) => t.reshape([2 ** 53, 1])],
    [plain, (t) => t.reshape([0.5])],
    [plain, (t) => t.reshape(undefined as never)],
    [plain, (t) => t.reshape(24 as never)],
    [plain, (t) => t.reshape([24, 1, 1, 1, 1, 1, 1, 1, 1])],
  ],
  tryReshape: [
    [plain, (t) => t.tryReshape([5, 5])],
    [plain, (t) => t.tryReshape(undefined as never)],
    [plain, (t) => t.tryReshape([24, 1, 1, 1, 1, 1, 1, 1, 1])],
  ],
  view: [
    [plain, (t) => t.view([5, 5])],
    [plain, (t) => t.T.view([24])],
    [plain, (t) => t.view([24, 1, 1, 1, 1, 1, 1, 1, 1])],
  ],
  contiguous: [],
  toLayout: [
    [plain, (t) => t.toLayout(5 as never)],
    [plain, (t) => t.toLayout(layout([4]))],
    [plain, (t) => t.toLayout(layout([4, 5]))],
    [plain, (t) => t.toLayout(layout([4, 6], [1, 1]))],
    [plain, (t) => t.toLayout(layout([4, 6], [2 ** 31, 1]))],
    [plain, (t) => t.toLayout(layout([4, 6], [2 ** 29, 1]))],
    [plain, (t) => t.toLayout(layout([2 ** 20, 2 ** 20]))],
    [() => withLeaf(plain(), "shape"), (t) => t.toLayout(layout([4, 8]))],
  ],
  at: [
    [plain, (t) => t.at(0)],
    [plain, (t) => t.at(0, 6)],
    [plain, (t) => t.at(0, "1" as never)],
  ],
  set: [
    [plain, (t) => t.set(0, 0)],
    [plain, (t) => t.set(0, 0, 6)],
    [plain, (t) => t.set("1" as never, 0, 0)],
    [() => zeros([2, 2], { dtype: "uint8" }), (t) => t.set(256, 0, 0)],
    [overlapping, (t) => t.set(0, 0, 0)],
    [readOnly, (t) => t.set(0, 0, 0)],
  ],
  fill: [
    [plain, (t) => t.fill("1" as never)],
    [() => zeros([2, 2], { dtype: "uint8" }), (t) => t.fill(256)],
    [overlapping, (t) => t.fill(0)],
    [readOnly, (t) => t.fill(0)],
    [() => withLeaf(plain(), "shape"), (t) => t.fill(0)],
  ],
  copyFrom: [
    [plain, (t) => t.copyFrom(zeros([5]))],
    [plain, (t) => t.copyFrom(zeros([1, 4, 6]))],
    [plain, (t) => t.copyFrom(5 as never)],
    [plain, (t) => t.copyFrom(zeros([6], { dtype: "int32" }) as never)],
    [plain, (t) => t.copyFrom(padded(blocked([1, 3, 2], 1, 2), [1, 3, 2]))],
    [overlapping, (t) => t.copyFrom(zeros([3]))],
    [readOnly, (t) => t.copyFrom(zeros([6]))],
    [readOnly, (t) => t.copyFrom(t as never)],
    [() => withLeaf(plain(), "shape"), (t) => t.copyFrom(zeros([6]))],
  ],
  item: [[plain, (t) => t.item()]],
  data: [],
  toArray: [],
  toString: [],
  strides: [[nested, (t) => t.strides]],
  iterate: [[() => tensor(1), (t) => [...t]]],
};

/** The same call of each method, for memory that is gone and for padded tensors. */
const GOOD: Readonly<Record<string, Call>> = {
  permute: (t) => t.permute([1, 0]),
  transpose: (t) => t.transpose(0, 1),
  T: (t) => t.T,
  slice: (t) => t.slice(0, 0, 1),
  select: (t) => t.select(0, 0),
  index: (t) => t.index("0"),
  flip: (t) => t.flip(0),
  window: (t) => t.window({ shape: [1], strides: [1] }),
  unsqueeze: (t) => t.unsqueeze(0),
  squeeze: (t) => t.squeeze(),
  expand: (t) => t.expand(t.shape),
  reshape: (t) => t.reshape([-1]),
  tryReshape: (t) => t.tryReshape([-1]),
  view: (t) => t.view([-1]),
  contiguous: (t) => t.contiguous(),
  toLayout: (t) => t.toLayout(layout(t.shape)),
  at: (t) => t.at(0, 0),
  set: (t) => t.set(1, 0, 0),
  fill: (t) => t.fill(1),
  copyFrom: (t) => t.copyFrom(zeros([1]) as never),
  item: (t) => t.item(),
  data: (t) => t.data(),
  toArray: (t) => t.toArray(),
  toString: (t: Tensor) => String(t),
  iterate: (t) => [...t],
};

const VIEWS: Readonly<Record<string, readonly Call[]>> = {
  slice: [
    (t) => views.slice(t, [4, {}]),
    (t) => views.slice(t, [4, 0]),
    (t) => views.slice(t, [{}]),
    (t) => views.slice(t, [{ start: 4 }, {}]),
    (t) => views.slice(t, [{ step: 3 }, {}]),
    (t) => views.slice(t, [{ start: 0.5 }, {}]),
    (t) => views.slice(t, ["0" as never, {}]),
    (t) => views.slice(t, [[0, 0], {}]),
    (t) => views.slice(t, null as never),
    () => views.slice(nested(), [0, { stop: 2 }]),
  ],
  rearrange: [
    (t) => views.rearrange(t, "a b -> a ("),
    (t) => views.rearrange(t, "a b c -> a b c"),
    (t) => views.rearrange(t, [0]),
    (t) => views.rearrange(t, [0, 0]),
    (t) => views.rearrange(t, [0, 1, []]),
    (t) => views.rearrange(t, 5 as never),
    (t) => views.rearrange(t, "a b -> b a", [0, 1]),
    (t) => views.rearrange(t, [0, 1, "1", "1", "1", "1", "1", "1", "1"]),
  ],
  permute: [
    (t) => views.permute(t, 0),
    (t) => views.permute(t, 0, 0),
    (t) => views.permute(t, 0, -1),
    (t) => views.permute(t, 0, 0.5),
  ],
  reshape: [
    (t) => views.reshape(t, [5]),
    (t) => views.reshape(t, [24]),
    (t) => views.reshape(t, [-1]),
    (t) => views.reshape(t, [[]]),
    (t) => views.reshape(t, 5 as never),
    (t) => views.reshape(t.T, [24, 1, 1, 1, 1, 1, 1, 1, 1]),
  ],
  asStrided: [
    (t) => views.asStrided(t, [24], [2]),
    (t) => views.asStrided(t, [3, 3], [1, 1]),
    (t) => views.asStrided(t, [24], [1]),
    (t) => views.asStrided(t, [2], [1, 1]),
    (t) => views.asStrided(t, [2], 1 as never),
    (t) => views.asStrided(t, [-2], [1]),
  ],
  broadcastTo: [
    (t) => views.broadcastTo(t, [4, 7]),
    (t) => views.broadcastTo(t, [4]),
    (t) => views.broadcastTo(t, ["4" as never, 6]),
    (t) => views.broadcastTo(t, undefined as never),
    () => views.broadcastTo(zeros([1]), [2 ** 31]),
    () => views.broadcastTo(zeros([1]), [2 ** 53]),
  ],
  broadcastInDim: [
    (t) => views.broadcastInDim(t, [4, 7], [0, 1]),
    (t) => views.broadcastInDim(t, [4, 6], [1, 0]),
    (t) => views.broadcastInDim(t, [4, 6], [0]),
    (t) => views.broadcastInDim(t, [4, 6], undefined as never),
    (t) => views.broadcastInDim(t, [4, 6], [0, 0.5]),
    (t) => views.broadcastInDim(t, [1, 1, 1, 1, 1, 1, 1, 4, 6], [7, 8]),
  ],
  unsqueeze: [
    (t) => views.unsqueeze(t, 3),
    (t) => views.unsqueeze(t, 0.5),
    (t) => views.unsqueeze(t, undefined as never),
    () => views.unsqueeze(eight(), 0),
  ],
  squeeze: [
    (t) => views.squeeze(t, 0),
    (t) => views.squeeze(t, 2),
    (t) => views.squeeze(t, "0" as never),
    () => views.squeeze(over(layout([[1]])), 0),
  ],
};

/** Refuses errors of the engine's own, and those that begin with another name. */
function expectNamed(name: string, call: () => unknown, label: string): void {
  let error: unknown;
  try {
    call();
  } catch (thrown) {
    error = thrown;
  }
  expect(error, label).toBeInstanceOf(Error);
  expect((error as Error).message, label).toMatch(new RegExp(`^${name}: .*: got .*[,;] expected `));
}

const gone = (): Tensor => {
  const t = plain();
  t.dispose();
  return t;
};

describe("field case 24: an axis, an index or an extent that is a bigint or a symbol is refused, and shown", () => {
  const one = zeros([1]);
  const calls: Readonly<Record<string, (x: never) => unknown>> = {
    permute: (x) => plain().permute([x, 0 as never]),
    transpose: (x) => plain().transpose(0, x),
    slice: (x) => plain().slice(x, 0),
    "slice ": (x) => plain().slice(0, x),
    "slice  ": (x) => plain().slice(0, 0, x),
    select: (x) => plain().select(x, 0),
    "select ": (x) => plain().select(0, x),
    flip: (x) => plain().flip(x),
    unsqueeze: (x) => plain().unsqueeze(x),
    squeeze: (x) => one.squeeze(x),
    expand: (x) => one.expand([x]),
    reshape: (x) => one.reshape([x]),
    at: (x) => one.at(x),
    index: (x) => one.index([x]),
  };
  const inViews: Readonly<Record<string, (x: never) => unknown>> = {
    slice: (x) => views.slice(one, [x]),
    permute: (x) => views.permute(plain(), x, 0),
    unsqueeze: (x) => views.unsqueeze(one, x),
    squeeze: (x) => views.squeeze(one, x),
    broadcastInDim: (x) => views.broadcastInDim(one, [1, 1], [x]),
  };
  test.each([...Object.entries(calls), ...Object.entries(inViews)])("%s", (name, call) => {
    for (const wrong of [1n, 0n, -1n, 10n ** 30n, Symbol("s")]) {
      expect(() => call(wrong as never), String(wrong)).toThrow(TypeError);
      expectNamed(name.trim(), () => call(wrong as never), `${name}: ${String(wrong)}`);
    }
  });
});

describe("an error begins with the method that was called", () => {
  test("none is missing", () => {
    const own = Object.getOwnPropertyNames(Object.getPrototypeOf(plain()));
    const harmless = [
      "constructor",
      "@sw/tensor/Tensor/1",
      "size",
      "rank",
      "isPadded",
      "isContiguous",
      "grad",
      "dispose",
    ];
    const methods = own.filter((name) => !harmless.includes(name));
    expect([...methods, "iterate"].sort()).toEqual(Object.keys(METHODS).sort());
  });
  for (const [name, calls] of Object.entries(METHODS)) {
    test(name, () => {
      calls.forEach(([make, call], i) => {
        expectNamed(name, () => call(make()), `${name} ${i}: ${call}`);
      });
    });
  }
  test.each(Object.entries(GOOD))("%s of memory that was returned", (name, call) => {
    expect(() => call(gone())).toThrow(expect.objectContaining({ code: "SW_BUFFER_STALE" }));
    expect(() => call(gone())).toThrow(new RegExp(`^${name}: `));
  });
  test("a loop over a matrix that is disposed in it", () => {
    const t = plain();
    expect(() => {
      for (const row of t) (row as Tensor).dispose();
    }).toThrow(/^iterate: /);
  });
  test.each(Object.entries(GOOD))("%s of a padded tensor, where that is refused", (name, call) => {
    try {
      call(padded(blocked([3, 3, 2], 1, 2), [3, 3, 2]));
    } catch (error) {
      expect((error as Error).message).toMatch(new RegExp(`^${name}: .*: got .*, expected `));
    }
  });
});

describe("an error begins with the function of views that was called", () => {
  test("none is missing", () => {
    expect(Object.keys(VIEWS).sort()).toEqual(Object.keys(views).sort());
  });
  for (const [name, calls] of Object.entries(VIEWS)) {
    test(name, () => {
      calls.forEach((call, i) => {
        expectNamed(name, () => call(plain()), `${name} ${i}: ${call}`);
      });
    });
  }
});
