// How many descriptors are parsed a second: all those of the test vectors, and a plain one alone?
//   pnpm build && node packages/hurray/bench/descriptor.bench.mjs [folder of the built package]
// Prints millions a second, the best of several rounds; the aim is 0.3 over all vectors.
import { readFileSync } from "node:fs";
import process from "node:process";

const folder = process.argv[2] ?? "../dist";
const { decodeDescriptor, encodeDescriptor } = await import(`${folder}/descriptor/index.js`);

const vectors = new URL("../test/vectors/", import.meta.url);
const { cases } = JSON.parse(readFileSync(new URL("manifest.json", vectors), "utf8"));
const all = cases
  .filter((c) => c.kind === "descriptor" || c.kind === "odd-descriptor")
  .map((c) => new Uint8Array(readFileSync(new URL(c.file, vectors))));
const accept = () => true;
const plain = all.filter((bytes) => bytes[15] <= 3 && bytes.length < 100);
const decoded = all.map((bytes) => decodeDescriptor(bytes, { accept }));

const ROUNDS = 40;
const PASSES = 100;

function best(count, run) {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = process.hrtime.bigint();
    for (let pass = 0; pass < PASSES; pass += 1) run();
    least = Math.min(least, Number(process.hrtime.bigint() - start));
  }
  return ((count * PASSES * 1e3) / least).toFixed(3);
}

const decodeAll = best(all.length, () => {
  for (const bytes of all) decodeDescriptor(bytes, { accept });
});
const decodePlain = best(plain.length, () => {
  for (const bytes of plain) decodeDescriptor(bytes);
});
const encodeAll = best(all.length, () => {
  for (const descriptor of decoded) encodeDescriptor(descriptor);
});
console.log(`decode, all ${all.length} vectors   ${decodeAll} million a second`);
console.log(`decode, ${plain.length} plain ones     ${decodePlain}`);
console.log(`encode, all vectors       ${encodeAll}`);
