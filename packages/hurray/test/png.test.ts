import { inflateSync } from "node:zlib";
import { arange, tensor } from "@sw/tensor";
import { describe, expect, test } from "vitest";
import { HurrayLimitError, HurrayUnsupportedError, HurrayValueError, store } from "../src/index.js";
import { type PngOptions, pngOf, type StoredTensor } from "../src/interchange/index.js";
import { quantize, toSparse } from "../src/values/index.js";
import { thrown } from "./support-interchange.js";

/** The CRC-32 of the specification, bit by bit. */
function checksum(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let k = 0; k < 8; k++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

/** Reads a picture as the specification says, of the one kind that is written. */
function pixelsOf(png: Uint8Array): number[][] {
  expect([...png.subarray(0, 8)]).toEqual([137, 80, 78, 71, 13, 10, 26, 10]);
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const chunks = new Map<string, Uint8Array>();
  for (let at = 8; at < png.byteLength; ) {
    const length = view.getUint32(at);
    expect(view.getUint32(at + 8 + length)).toBe(checksum(png.subarray(at + 4, at + 8 + length)));
    chunks.set(String.fromCharCode(...png.subarray(at + 4, at + 8)), png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  expect([...chunks.keys()]).toEqual(["IHDR", "IDAT", "IEND"]);
  const header = chunks.get("IHDR")!;
  expect([...header.subarray(8)]).toEqual([8, 0, 0, 0, 0]);
  const size = new DataView(header.buffer, header.byteOffset);
  const [width, height] = [size.getUint32(0), size.getUint32(4)];
  const data = inflateSync(chunks.get("IDAT")!);
  expect(data.length).toBe((width + 1) * height);
  return Array.from({ length: height }, (_, y) => {
    const row = data.subarray(y * (width + 1), (y + 1) * (width + 1));
    expect(row[0]).toBe(0);
    return [...row.subarray(1)];
  });
}

const draw = async (item: StoredTensor, options?: PngOptions): Promise<number[][]> =>
  pixelsOf(await pngOf(item, options));

describe("pictures", () => {
  test("the least value is black, the largest white, the others between them", async () => {
    expect(await draw(store(arange(6).reshape([2, 3])))).toEqual([
      [0, 51, 102],
      [153, 204, 255],
    ]);
  });

  test("any layout is drawn as its coordinates say: column-major, sparse, quantised", async () => {
    expect(await draw(store(arange(6).reshape([2, 3]).T))).toEqual([
      [0, 153],
      [51, 204],
      [102, 255],
    ]);
    expect(
      await draw(
        toSparse(
          store(
            tensor([
              [0, 2],
              [1, 0],
            ]),
          ),
          "csr",
        ),
      ),
    ).toEqual([
      [0, 255],
      [128, 0],
    ]);
    const quantized = quantize(Float32Array.of(0, 1, 2, 3), [2, 2], { scheme: "perTensor", storage: "uint2" });
    expect(await draw(quantized)).toEqual([
      [0, 85],
      [170, 255],
    ]);
  });

  test("values beyond the range are black or white; a range may go down", async () => {
    const item = store(tensor([[-5, 0, 1, 2, 9]]));
    expect(await draw(item, { range: [0, 2] })).toEqual([[0, 0, 128, 255, 255]]);
    expect(await draw(item, { range: [2, 0] })).toEqual([[255, 255, 128, 0, 0]]);
  });

  test("a NaN is black, infinities are the ends, and none of them counts for the range", async () => {
    const item = store(tensor([[Number.NaN, Number.NEGATIVE_INFINITY, 1, 2, Number.POSITIVE_INFINITY]]));
    expect(await draw(item)).toEqual([[0, 0, 0, 255, 255]]);
    expect(await draw(store(tensor([[Number.NaN, Number.NaN]])))).toEqual([[0, 0]]);
    expect(await draw(store(tensor([[3, 3]])))).toEqual([[0, 0]]);
    expect(await draw(store(tensor([[-1.7e308, 0, 1.7e308]], { dtype: "float64" })))).toEqual([[0, 128, 255]]);
  });

  test("truth is white; integers of 64 bits are drawn as the nearest number", async () => {
    expect(await draw(store(tensor([[true, false]])))).toEqual([[255, 0]]);
    expect(await draw(store(tensor([[-(2n ** 62n), 0n, 2n ** 62n]])))).toEqual([[0, 128, 255]]);
  });

  test("an element may be several pixels", async () => {
    expect(await draw(store(tensor([[0, 1]])), { scale: 2 })).toEqual([
      [0, 0, 255, 255],
      [0, 0, 255, 255],
    ]);
  });

  test.each([[[]], [[2]], [[1, 2, 3]], [[0, 3]], [[3, 0]]])("SW_HURRAY_VALUE shape %s is no picture", async (shape) => {
    const error = await thrown(() =>
      pngOf(store(tensor(new Float32Array(shape.reduce((a, b) => a * b, 1))).reshape(shape))),
    );
    expect(error).toBeInstanceOf(HurrayValueError);
    expect(error["field"]).toBe("shape");
  });

  test("SW_HURRAY_VALUE a range or a scale that is none", async () => {
    const item = store(tensor([[0, 1]]));
    for (const range of [
      [1, 1],
      [0, Number.NaN],
      [0, Number.POSITIVE_INFINITY],
    ] as const) {
      expect((await thrown(() => pngOf(item, { range })))["field"]).toBe("range");
    }
    for (const scale of [0, -1, 1.5, Number.NaN]) {
      expect((await thrown(() => pngOf(item, { scale })))["field"]).toBe("scale");
    }
  });

  test("SW_HURRAY_LIMIT more pixels than allowed are refused, whatever the tensor holds", async () => {
    const item = store(tensor([[0, 1]]));
    for (const options of [{ scale: 4096 }, { maximumPixels: 1 }]) {
      expect(await thrown(() => pngOf(item, options))).toBeInstanceOf(HurrayLimitError);
    }
    const wide = { ...item.descriptor, shape: [2n ** 40n, 2n ** 40n] };
    expect(await thrown(() => pngOf({ ...item, descriptor: wide }))).toBeInstanceOf(HurrayLimitError);
  });

  test("SW_HURRAY_TYPE_UNSUPPORTED complex numbers are no greys", async () => {
    const { descriptor } = store(tensor([[0, 1]]));
    const item = { descriptor: { ...descriptor, typeTag: 0x50, shape: [1n, 1n] }, buffers: [new Uint8Array(8)] };
    const error = await thrown(() => pngOf(item));
    expect(error).toBeInstanceOf(HurrayUnsupportedError);
    expect(error["code"]).toBe("SW_HURRAY_TYPE_UNSUPPORTED");
  });
});
