import { expect, test } from "vitest";
import { HurrayFormatError, HurrayLimitError, type Rule } from "../src/index.js";

const STRETCHES: readonly (readonly [number, number, string])[] = [
  [1, 95, "SW_HURRAY_DESCRIPTOR_INVALID"],
  [96, 110, "SW_HURRAY_DATA_INVALID"],
  [111, 124, "SW_HURRAY_COMPOSITE_INVALID"],
  [125, 145, "SW_HURRAY_FILE_INVALID"],
  [146, 154, "SW_HURRAY_METADATA_INVALID"],
  [155, 167, "SW_HURRAY_STREAM_INVALID"],
];
const EXCEPTIONS: { readonly [code: string]: readonly number[] } = {
  SW_HURRAY_TRUNCATED: [1, 6, 125, 132, 155],
  SW_HURRAY_VERSION: [3, 4, 69, 70, 127, 161],
  SW_HURRAY_BUFFER_SIZE: [17, 65, 85, 99],
  SW_HURRAY_CHECKSUM: [136, 137],
};

test("every rule of the checklist has the code that the README names", () => {
  for (const [first, last, usual] of STRETCHES) {
    for (let number = first; number <= last; number++) {
      const own = Object.keys(EXCEPTIONS).find((code) => EXCEPTIONS[code]!.includes(number));
      const error = new HurrayFormatError("read", `R${number}` as Rule, "field", 7, "it is wrong", 1, "2");
      expect(error.code).toBe(own ?? usual);
    }
  }
});

test("messages say what is wrong, what was found and expected, and where", () => {
  const format = new HurrayFormatError(
    "read",
    "R17",
    "byte_offset",
    36,
    "byte_offset is not allowed",
    49n,
    "at most 48",
  );
  expect(format.message).toBe("read: byte_offset is not allowed: got 49, expected at most 48 (R17, byte 36).");
  const limit = new HurrayLimitError("values", "bytes", 9n, "at most 8", "Ask for a part.");
  expect(limit.message).toBe("values: the limit on bytes is passed: got 9, expected at most 8. Ask for a part.");
});
