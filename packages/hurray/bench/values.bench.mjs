// How fast are elements unpacked, packed, converted, gathered and dequantised, beside a copy of the unpacked bytes?
//   pnpm build && node packages/hurray/bench/values.bench.mjs [folder of the built package]
// Prints million elements a second and the time over that of TypedArray.set, the fastest of many rounds of each, taken in
// turn so that what else the machine does cancels. The set copies the elements as they are when unpacked. Aim: 4 copies
// for packing and unpacking; the tables of toNumbers take 4 to 15.
import process from "node:process";

const folder = process.argv[2] ?? "../dist";
const values = await import(`${folder}/values/index.js`);
const { packElements, unpackElements, toNumbers, fromNumbers, quantize, valuesOf } = values;

const COUNT = 2 ** 22;
const ROUNDS = 30;
const WIDTHS = { bool: 1, uint2: 2, int2: 2, uint4: 4, int4: 4, float6_e2m3: 6 };

/** Prints how fast `run` is beside `copy`. */
function print(what, copy, run) {
  const least = [copy, run].map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round += 1) {
    [copy, run].forEach((work, k) => {
      const start = process.hrtime.bigint();
      work();
      least[k] = Math.min(least[k], Number(process.hrtime.bigint() - start));
    });
  }
  const rate = ((COUNT * 1e3) / least[1]).toFixed(0).padStart(6);
  console.log(`${what.padEnd(34)} ${rate} million/s   ${(least[1] / least[0]).toFixed(1)} of a copy`);
}

const bytes = new Uint8Array(COUNT).map((_, i) => (i * 2654435761) >>> 24);
const copy = new Uint8Array(COUNT);
const setBytes = () => copy.set(bytes);
for (const [type, bits] of Object.entries(WIDTHS)) {
  const packed = bytes.slice(0, (COUNT / 8) * bits);
  const into = unpackElements(type, packed, 0, COUNT);
  print(`unpack ${type}`, setBytes, () => unpackElements(type, packed, 0, COUNT, into));
  print(`pack ${type}`, setBytes, () => packElements(type, into, packed));
}

const floats = new Float32Array(COUNT).map((_, i) => Math.sin(i));
const into = new Float32Array(COUNT);
const setFloats = () => into.set(floats);
for (const type of ["float16", "bfloat16", "float8_e4m3", "float4_e2m1"]) {
  const codes = fromNumbers(type, floats);
  print(`toNumbers ${type}`, setFloats, () => toNumbers(type, codes, into));
  print(`fromNumbers ${type}`, setFloats, () => fromNumbers(type, floats));
}
const shape = [2 ** 11, 2 ** 11];
for (const options of [
  { scheme: "perTensor", storage: "uint8" },
  { scheme: "perChannel", storage: "int8", axis: 0 },
  { scheme: "perBlock", storage: "int4", axis: 1, blockSize: 32 },
]) {
  const t = quantize(floats, shape, options);
  print(`dequantise ${options.scheme} ${options.storage}`, setFloats, () => valuesOf(t));
}
const handle = { byteSize: BigInt(COUNT * 4), alignment: 64, deviceTag: 0, syncMode: 0, memoryClass: 0 };
for (const layout of [
  { kind: "columnMajor" },
  { kind: "tiled", tile: [32n, 32n], outer: "rowMajor", inner: "rowMajor" },
  { kind: "morton", bits: [11, 11] },
  { kind: "hilbert", order: 11 },
]) {
  const descriptor = {
    versionMinor: 0,
    typeTag: 3,
    shape: shape.map(BigInt),
    byteOffset: 0n,
    layout,
    buffers: [handle],
  };
  const t = { descriptor, buffers: [new Uint8Array(floats.buffer)] };
  print(`gather ${layout.kind} float32`, setFloats, () => valuesOf(t));
}
