// How fast is CRC-32C? Aim: 1 GB/s. Beside it, in turn, so that what else the machine does cancels: the loop that takes a
// byte a step, a sum of the same words, and the checksum of zip in the host's own zlib where it has one. Build first.
import zlib from "node:zlib";
import { crc32c } from "@sw/hurray";

const bytes = Uint8Array.from({ length: 4 * 1024 * 1024 }, (_, k) => Math.imul(k, 2654435761) >>> 13);
const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? (remainder >>> 1) ^ 0x82f63b78 : remainder >>> 1;
  return remainder;
});
function plain(input) {
  let crc = -1;
  for (let k = 0; k < input.length; k++) crc = table[(crc ^ input[k]) & 0xff] ^ (crc >>> 8);
  return ~crc >>> 0;
}
function sum(input) {
  const words = new Int32Array(input.buffer);
  let total = 0;
  for (let k = 0; k < words.length; k++) total = (total + words[k]) | 0;
  return total;
}

if (crc32c(bytes) !== plain(bytes)) throw new Error("the checksums differ");
const rows = { crc32c, "a byte a step": plain, "a sum of words": sum };
if (zlib.crc32 !== undefined) rows["zlib's CRC-32, not JavaScript"] = zlib.crc32;
const best = {};
// The fastest of many rounds, taken in turn: other work on the machine only ever adds.
for (let round = 0; round < 60; round++) {
  for (const [row, run] of Object.entries(rows)) {
    const begin = performance.now();
    run(bytes);
    best[row] = Math.min(best[row] ?? Number.POSITIVE_INFINITY, performance.now() - begin);
  }
}
for (const [row, time] of Object.entries(best)) {
  const speed = (bytes.byteLength / 1e6 / time).toFixed(2);
  console.log(`${row.padEnd(30)} ${speed} GB/s   ${(time / best.crc32c).toFixed(2)} of the time of crc32c`);
}
