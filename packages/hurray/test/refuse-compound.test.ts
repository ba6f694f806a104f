import { encodeHurray, store } from "@sw/hurray";
import { UnsupportedError, zeros } from "@sw/tensor";
import { blockInt8, quantize } from "@sw/tensor/compound";
import { expect, test } from "vitest";

test("VA-10 a tensor of several parts is not saved as if it were one", () => {
  const c = quantize(zeros([2, 4]), blockInt8, { blockSize: 4 }) as never;
  expect(() => encodeHurray({ c })).toThrow(UnsupportedError);
  expect(() => store(c)).toThrow(UnsupportedError);
});
