import { expect, test } from "vitest";
import { crc32c } from "../src/index.js";

test("CRC-32C of the usual check text and of published examples", () => {
  expect(crc32c(new TextEncoder().encode("123456789"))).toBe(0xe3069283);
  expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
  expect(crc32c(new Uint8Array(32).fill(0xff))).toBe(0x62a8ab43);
  expect(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i))).toBe(0x46dd794e);
  expect(crc32c(new Uint8Array())).toBe(0);
});

test("a CRC continued over two parts is the CRC of the whole, wherever it is cut", () => {
  const bytes = Uint8Array.from({ length: 41 }, (_, i) => (i * 73) & 0xff);
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(crc32c(bytes.subarray(cut), crc32c(bytes.subarray(0, cut)))).toBe(crc32c(bytes));
  }
});
