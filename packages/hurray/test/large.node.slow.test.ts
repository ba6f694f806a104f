import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FileForm } from "../src/file/form.js";
import { encodeDescriptor, readBox } from "../src/index.js";
import { openFile } from "../src/node/index.js";
import { bytesTensor } from "./sparse-file.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hurray-large-"));
});
afterAll(() => rm(folder, { recursive: true }));

const GIB = 2 ** 30;

test("a real file of 5 GiB, most of it holes, with a tensor of 3 GiB that is read in parts", async () => {
  const path = join(folder, "large.hrry");
  const handle = await open(path, "w");
  const form = new FileForm("test", {});
  const put = (bytes: Uint8Array) => handle.write(bytes, 0, bytes.byteLength, form.position - bytes.byteLength);
  const shapes = { first: [2n * 2n ** 30n], matrix: [3n * 1024n, 2n ** 20n], last: [1000n] };
  const starts: Record<string, number> = {};
  await put(form.begin(false));
  for (const [name, shape] of Object.entries(shapes)) {
    const size = Number(shape.reduce((product, extent) => product * extent, 1n));
    for (const step of form.tensor(new TextEncoder().encode(name), encodeDescriptor(bytesTensor(shape)), [size])) {
      if (typeof step === "number") starts[name] = form.position;
      else await put(step);
    }
  }
  for (const bytes of form.end(undefined)) await put(bytes);
  // Something at a few places of the matrix, whose rows are 1 MiB, and in what lies beyond it.
  const mark = (at: number, value: number) => handle.write(Uint8Array.of(value), 0, 1, at);
  const matrix = starts["matrix"]!;
  await mark(matrix, 1);
  await mark(matrix + 3 * GIB - 1, 2);
  await mark(matrix + 2500 * 1048576 + 77, 3);
  await mark(starts["last"]! + 999, 4);
  await handle.close();

  for (const background of [false, true]) {
    const file = await openFile(path, { background });
    expect(file.source.byteLength).toBeGreaterThan(5 * GIB);
    const sum = async (start: number[], extents: number[]) => {
      const box = await readBox(file, "matrix", start, extents);
      const bytes = box.buffer.view(Uint8Array);
      let total = 0;
      for (let k = 0; k < bytes.length; k++) total += bytes[k]!;
      box.dispose();
      return total;
    };
    expect(await sum([2500, 70], [1, 10])).toBe(3);
    expect((await readBox(file, "matrix", [3071, 2 ** 20 - 1], [1, 1])).item()).toBe(2);
    let total = 0;
    for (let row = 0; row < 3072; row += 256) total += await sum([row, 0], [256, 2 ** 20]);
    expect(total).toBe(6);
    const last = (await file.tensor("last")).toArray() as number[];
    expect(last.at(-1)).toBe(4);
    await file.close();
  }
});
