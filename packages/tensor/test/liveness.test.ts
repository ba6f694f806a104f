import type { Allocator } from "@sw/buffer";
import { blocked } from "@sw/layout";
import { arange, cast, eye, format, full, linspace, matrix, rand, tensor, zeros } from "@sw/tensor";
import { blockInt4, blockInt8, dequantize, mxfp4, quantize } from "@sw/tensor/compound";
import { defaultPool, withScope } from "@sw/tensor/seam";
import { expect, test } from "vitest";

const live = (): number => defaultPool().statistics().live;

const x = rand([4, 30], { seed: 1 });
const padded = x.toLayout(blocked([4, 30], 1, 8));
const notFinite = full([32], Number.NaN);
const longer = zeros([31]);
const q = quantize(x, blockInt8, { blockSize: 10, zeroPoints: true });

/** What runs without kernels, and how many buffers it leaves: those of its result. */
const CALLS: Readonly<Record<string, readonly [call: () => unknown, left: number]>> = {
  "a view": [() => x.T.slice(0, 1).flip(0).index("::2"), 0],
  contiguous: [() => x.T.contiguous(), 1],
  "reshape that copies": [() => x.T.reshape([-1]), 1],
  "view that would copy": [() => x.T.view([-1]), 0],
  toLayout: [() => x.toLayout(blocked([4, 30], 1, 8)), 1],
  "toLayout of a padded tensor": [() => padded.toLayout(blocked([4, 30], 0, 3)), 1],
  cast: [() => cast(x, "float16"), 1],
  quantize: [() => quantize(x, mxfp4, { blockSize: 15 }), 2],
  "quantize with zero points": [() => quantize(x.T, blockInt4, { axis: 1, blockSize: 2, zeroPoints: true }), 3],
  "quantize of what is not finite": [() => quantize(notFinite, mxfp4), 0],
  dequantize: [() => dequantize(q), 1],
  "dequantize to float16": [() => dequantize(q, "float16"), 1],
  data: [() => padded.data(), 0],
  toArray: [() => padded.toArray(), 0],
  format: [() => format(padded), 0],
  fill: [() => x.T.fill(0.5), 0],
  "fill with what does not fit": [() => x.fill("1" as never), 0],
  copyFrom: [() => x.copyFrom(x.flip(0)), 0],
  "copyFrom between padded tensors": [() => padded.copyFrom(padded.permute([0, 1])), 0],
  "copyFrom of another shape": [() => x.copyFrom(longer), 0],
  eye: [() => eye(3), 1],
  linspace: [() => linspace(0, 1, 4), 1],
  rand: [() => rand([3], { seed: 1 }), 1],
  "tensor that ends in a word": [() => tensor([1, "x" as never]), 0],
  "tensor of unequal rows": [() => tensor([[1], [1, 2]]), 0],
  "full of what does not fit": [() => full([3], 1.5, { dtype: "int8" }), 0],
  "arange that outgrows its dtype": [() => arange(0, 300, 1, { dtype: "int8" }), 0],
  "linspace of fractions in integers": [() => linspace(0, 1, 3, { dtype: "int8" }), 0],
  "rand of no interval": [() => rand([3], { seed: 1, low: Number.NaN }), 0],
  "eye of no dtype": [() => eye(3, { dtype: "nope" as never }), 0],
  "matrix of unequal rows": [() => matrix([[1, 2], [3]]), 0],
};

/** The memory in force, which fails once, at one allocation. */
function failingAt(place: number): Allocator {
  const pool = defaultPool();
  let next = 0;
  return new Proxy(pool, {
    get(target, name) {
      if (name !== "allocate") {
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      }
      return (...given: Parameters<typeof pool.allocate>) => {
        if (next++ === place) throw new Error("no memory");
        return target.allocate(...given);
      };
    },
  });
}

test("field case 10 (a): 10,000 tensors made, viewed and disposed leave nothing", () => {
  const before = live();
  for (let i = 0; i < 10_000; i++) {
    const t = zeros([1, 1500]);
    const view = t.reshape([1, 150, 10]);
    view.dispose();
    t.dispose(); // a second time: it does nothing
  }
  expect(live()).toBe(before);
});

test.each(Object.entries(CALLS))(
  "field case 10 (d): %s leaves its result, also when it throws",
  (_name, [call, left]) => {
    const before = live();
    try {
      call();
    } catch {
      // What is refused is asserted elsewhere: here it is what it leaves.
    }
    expect(live() - before).toBe(left);
  },
);

test.each(Object.entries(CALLS))(
  "field case 10 (d): %s leaves nothing where any of its allocations fails",
  (_name, [call, left]) => {
    let failures = 0;
    for (let place = 0; place < 6; place++) {
      const before = live();
      let message = "";
      try {
        withScope({ memory: failingAt(place) }, call as () => never);
      } catch (error) {
        message = (error as Error).message;
      }
      if (message !== "no memory") continue;
      failures++;
      expect(live(), `allocation ${place}`).toBe(before);
    }
    expect(failures).toBeGreaterThanOrEqual(left);
  },
);
