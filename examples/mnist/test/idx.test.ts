import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkPair, IdxFormatError, parseIdx } from "../src/idx.js";
import { firstEntries, originalBytes, thrown } from "./support.js";

const IMAGES = { file: "images", extents: [undefined, 28, 28] } as const;
const LABELS = { file: "labels", extents: [undefined] } as const;

/** The first five test images (3,936 bytes), with one byte changed. */
function changed(position: number, value: number): Uint8Array {
  const bytes = firstEntries("testImages", 5);
  bytes[position] = value;
  return bytes;
}

describe("the original files", () => {
  test("60,000 training images are read as a tensor", () => {
    expect(parseIdx(originalBytes("trainImages"), IMAGES).tensor.shape).toEqual([60000, 28, 28]);
  });

  test("the first test label is a seven, and its image has ink in the middle", () => {
    expect(parseIdx(originalBytes("testLabels"), LABELS).tensor.at(0)).toBe(7);
    const { tensor } = parseIdx(originalBytes("testImages"), IMAGES);
    expect([tensor.at(0, 0, 0), tensor.at(0, 7, 7)]).toEqual([0, 185]);
  });

  test("no pixel is copied: a write into the bytes is seen in the tensor", () => {
    const bytes = firstEntries("testImages", 5);
    const { tensor, headerByteLength } = parseIdx(bytes, IMAGES);
    bytes[headerByteLength + 784 + 28 + 2] = 99;
    expect(headerByteLength).toBe(16);
    expect(tensor.at(1, 1, 2)).toBe(99);
  });

  test("the bytes may be a window of a larger buffer", () => {
    const bytes = firstEntries("testImages", 5);
    const larger = new Uint8Array(bytes.length + 20);
    larger.set(bytes, 13);
    const { tensor } = parseIdx(larger.subarray(13, 13 + bytes.length), IMAGES);
    expect(tensor.data()).toEqual(bytes.slice(16));
  });
});

describe("wrong input", () => {
  test.each([
    ["no byte at all", 0, 4],
    ["within the magic number", 3, 4],
    ["within the header", 15, 16],
    ["after the header", 16, 3936],
    ["one byte before the end", 3935, 3936],
  ])("a file cut short: %s", (_, given, expected) => {
    const bytes = firstEntries("testImages", 5).subarray(0, given);
    const error = thrown(() => parseIdx(bytes, IMAGES));
    expect(error).toBeInstanceOf(IdxFormatError);
    expect(error).toMatchObject({ code: "SW_IDX_TRUNCATED", given, expected, byteOffset: given, file: "images" });
  });

  test("a file cut short says where and what was expected", () => {
    const bytes = firstEntries("testImages", 5).subarray(0, 1000);
    expect(thrown(() => parseIdx(bytes, IMAGES)).message).toBe(
      "readIdx: images: the data of shape [5,28,28] is truncated at byte 1000: got 1000 bytes, expected 3936.",
    );
  });

  test("a file cut at any byte is refused", () => {
    const bytes = firstEntries("testImages", 5);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), (length) => {
        expect(thrown(() => parseIdx(bytes.subarray(0, length), IMAGES))).toMatchObject({ code: "SW_IDX_TRUNCATED" });
      }),
    );
  });

  test("another magic number", () => {
    const error = thrown(() => parseIdx(changed(1, 1), IMAGES));
    expect(error).toMatchObject({ code: "SW_IDX_MAGIC", given: 1, expected: 0, byteOffset: 0, file: "images" });
    expect(error.message).toBe("readIdx: images: not an IDX file: got 0x00010803 at byte 0, expected 0x00000803.");
  });

  test("a compressed file is recognised", () => {
    const bytes = firstEntries("testImages", 5);
    bytes.set([0x1f, 0x8b]);
    expect(thrown(() => parseIdx(bytes, IMAGES)).message).toMatch(/compressed: unpack it with gunzip\.$/);
  });

  test("elements that are not unsigned bytes", () => {
    const error = thrown(() => parseIdx(changed(2, 0x0d), IMAGES));
    expect(error).toMatchObject({ code: "SW_IDX_TYPE", given: 13, expected: 8, byteOffset: 2 });
    expect(error.message).toBe(
      "readIdx: images: the elements are not unsigned bytes: got type 13 at byte 2, expected 8.",
    );
  });

  test("another rank: labels where images belong", () => {
    const error = thrown(() => parseIdx(firstEntries("testLabels", 5), IMAGES));
    expect(error).toMatchObject({ code: "SW_IDX_RANK", given: 1, expected: 3, byteOffset: 3 });
    expect(error.message).toBe("readIdx: images: another number of axes: got 1 at byte 3, expected 3.");
  });

  test("images of another size", () => {
    const error = thrown(() => parseIdx(changed(15, 29), IMAGES));
    expect(error).toMatchObject({ code: "SW_IDX_EXTENT", given: 29, expected: 28, byteOffset: 12 });
    expect(error.message).toBe("readIdx: images: axis 2 has another extent at byte 12: got 29, expected 28.");
  });

  test("a count beyond the data", () => {
    expect(thrown(() => parseIdx(changed(7, 6), IMAGES))).toMatchObject({
      code: "SW_IDX_TRUNCATED",
      given: 3936,
      expected: 4720,
    });
  });

  test("a count of four billion is refused without allocating for it", () => {
    const bytes = firstEntries("testImages", 5);
    bytes.set([255, 255, 255, 255], 4);
    expect(thrown(() => parseIdx(bytes, IMAGES))).toMatchObject({
      code: "SW_IDX_TRUNCATED",
      expected: 16 + 784 * 4294967295,
    });
  });

  test("a count short of the data", () => {
    const error = thrown(() => parseIdx(changed(7, 4), IMAGES));
    expect(error).toMatchObject({ code: "SW_IDX_TRAILING", given: 3936, expected: 3152, byteOffset: 3152 });
    expect(error.message).toBe(
      "readIdx: images: there is more data than the count at byte 4 says: got 3936 bytes, expected 3152 for shape [4,28,28].",
    );
  });

  test("images and labels of different counts", () => {
    const images = parseIdx(firstEntries("testImages", 5), IMAGES);
    const labels = parseIdx(firstEntries("testLabels", 4), LABELS);
    const error = thrown(() => checkPair(images, labels, 10));
    expect(error).toMatchObject({ code: "SW_IDX_COUNT", given: 4, expected: 5, byteOffset: 4, file: "labels" });
    expect(error.message).toBe(
      "readIdx: labels: the labels do not belong to the images: got 4 labels at byte 4, expected 5 as in images.",
    );
  });

  test("a label that is no digit", () => {
    const bytes = firstEntries("testLabels", 5);
    bytes[8 + 2] = 10;
    const images = parseIdx(firstEntries("testImages", 5), IMAGES);
    const error = thrown(() => checkPair(images, parseIdx(bytes, LABELS), 10));
    expect(error).toMatchObject({ code: "SW_IDX_LABEL", given: 10, expected: 9, byteOffset: 10 });
    expect(error.message).toBe("readIdx: labels: a label is no class at byte 10: got 10, expected 0 to 9.");
  });
});
