import { tensor, UnsupportedError, views } from "@sw/tensor";
import { blockInt4, blockInt8, dequantize, mxfp4, quantize } from "@sw/tensor/compound";
import { describe, expect, test } from "vitest";

const values = tensor(
  Float32Array.from({ length: 4 * 64 }, (_, i) => ((i * 37) % 101) / 8 - 6),
  { shape: [4, 64] },
);

describe("VA-32 the functions of views on a quantised tensor", () => {
  for (const type of [blockInt8, blockInt4, mxfp4]) {
    const c = quantize(values, type, { blockSize: 32 });
    const whole = dequantize(c);
    /** Each entry of the layout is one number of elements: 4 rows, and 32 in 2 blocks. */
    const cases: readonly (readonly [string, <T extends typeof c | typeof whole>(t: T) => T])[] = [
      ["permute", (t) => views.permute(t, 1, 0)],
      ["slice of the first rows", (t) => views.slice(t, [{ stop: 2 }, {}])],
      ["unsqueeze", (t) => views.unsqueeze(t, 1)],
      ["squeeze of what was unsqueezed", (t) => views.squeeze(views.unsqueeze(t, 0), 0)],
      ["broadcastInDim", (t) => views.broadcastInDim(t, [4, [32, 2], 3], [0, 1])],
    ];

    test.each(cases)(`${type.name}: %s shows what it shows of the values`, (_name, view) => {
      const shown = dequantize(view(c));
      const expected = view(whole);
      expect(shown.shape).toEqual(expected.shape);
      expect(shown.toArray()).toEqual(expected.toArray());
    });

    test(`VA-10 VA-39 ${type.name}: rearrange, reading and other origins are refused`, () => {
      expect(() => views.rearrange(c as never, "a b -> b a")).toThrow(UnsupportedError);
      expect(() => views.slice(c as never, [0, 0])).toThrow(UnsupportedError);
      expect(() => views.slice(c, [{ start: 1 }, {}])).toThrow(UnsupportedError);
    });
  }
});
