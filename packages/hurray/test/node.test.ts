import {
  mkdir,
  mkdtemp,
  readFile as readBytes,
  readdir,
  rm,
  stat,
  symlink,
  truncate,
  writeFile as writeBytes,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BufferPool, heapMemory } from "@sw/buffer";
import { wasmMemory } from "@sw/buffer/wasm";
import { arange, type Tensor, tensor } from "@sw/tensor";
import { withScope } from "@sw/tensor/seam";
import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeHurray, store } from "../src/index.js";
import { createFile, openFile, readFile, writeFile } from "../src/node/index.js";
import { thrown } from "./support.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hurray-"));
});
afterAll(() => rm(folder, { recursive: true }));

const W = arange(6).reshape([2, 3]);

test("what is written is read again: values, layouts, metadata", async () => {
  const path = join(folder, "a.hrry");
  const report = await writeFile(
    path,
    { w: W, wT: W.T, mask: tensor([true, false]) },
    { metadata: { accuracy: 0.97 } },
  );
  expect((await stat(path)).size).toBe(report.byteLength);
  const { tensors, metadata } = await readFile(path);
  expect(Object.keys(tensors)).toEqual(["w", "wT", "mask"]);
  expect(tensors["w"]!.toArray()).toEqual(W.toArray());
  expect(tensors["wT"]!.strides).toEqual([1, 3]);
  expect(tensors["mask"]!.toArray()).toEqual([true, false]);
  expect(metadata).toEqual({ accuracy: 0.97 });
  expect(new Uint8Array(await readBytes(path))).toEqual(
    encodeHurray({ w: W, wT: W.T, mask: tensor([true, false]) }, { metadata: { accuracy: 0.97 } }),
  );
});

test("tensors of an open file are read one by one, straight into the memory in force", async () => {
  const path = join(folder, "b.hrry");
  await writeFile(path, { w: W, other: arange(3) });
  const file = await openFile(path);
  try {
    const pool = new BufferPool({ source: heapMemory() });
    const wasm = new BufferPool({ source: wasmMemory({ initialBytes: 1 << 18, maximumBytes: 1 << 22 }) });
    for (const memory of [pool, wasm]) {
      const { promise } = withScope({ memory }, () => ({ promise: file.load("w") }));
      const { tensor: t, copied } = await promise;
      expect(t.buffer.owner).toBe(memory);
      expect(copied).toBe(true);
      expect(t.toArray()).toEqual(W.toArray());
    }
    expect((await file.load("w", { copy: "if-needed" })).copied).toBe(false);
  } finally {
    await file.close();
  }
  expect((await thrown(() => file.tensor("w")))["code"]).toBe("SW_HURRAY_CLOSED");
});

test("what is read in the background, through memory in between, is the same", async () => {
  const path = join(folder, "g.hrry");
  const big = arange(6_000_000);
  await writeFile(path, { w: W, big, mask: tensor([true, false]) });
  for (const background of [false, true]) {
    const file = await openFile(path, { background });
    expect(file.source.readNow === undefined).toBe(background);
    expect((await file.tensor("w")).toArray()).toEqual(W.toArray());
    expect((await file.tensor("mask")).toArray()).toEqual([true, false]);
    const bytes = big.buffer.view(Uint8Array).slice(); // memory that grows takes windows away
    expect(Buffer.compare((await file.tensor("big")).buffer.view(Uint8Array), bytes)).toBe(0);
    // More than is read at once while the host waits.
    expect(Buffer.compare((await file.buffers("big"))[0]!, bytes)).toBe(0);
    await file.close();
  }
});

test("SW_HURRAY_CLOSED a file that is closed while it is read is read no further, nor another that has its number", async () => {
  const path = join(folder, "h.hrry");
  await writeFile(path, { big: arange(12_000_000) });
  const file = await openFile(path);
  const reading = thrown(() => file.tensor("big"));
  await file.close();
  expect((await reading)["code"]).toBe("SW_HURRAY_CLOSED");
});

test("a save that fails half-way leaves the old file untouched and nothing beside it", async () => {
  const own = join(folder, "c");
  await mkdir(own);
  const path = join(own, "c.hrry");
  await writeFile(path, { w: W });
  const before = await readBytes(path);
  const failures: readonly (() => Promise<unknown>)[] = [
    () => writeFile(path, { w: W, bad: null as unknown as Tensor }),
    () => writeFile(path, { w: W, "": W }),
    () => writeFile(path, { w: W }, { signal: AbortSignal.abort(new Error("no")) }),
    () => {
      const t = arange(3);
      const saving = writeFile(path, { w: W, t });
      t.set(1, 0);
      return saving;
    },
    () => {
      const controller = new AbortController();
      return writeFile(
        path,
        { w: W, v: W },
        { signal: controller.signal, onTensor: () => controller.abort(new Error("stop")) },
      );
    },
    () =>
      writeFile(
        path,
        { w: W },
        {
          onTensor: () => {
            throw new Error("the disk is full");
          },
        },
      ),
  ];
  for (const fail of failures) {
    await thrown(fail);
    expect(await readBytes(path)).toEqual(before);
    expect(await readdir(own)).toEqual(["c.hrry"]);
  }
});

test("createFile appends tensors; the file is there when it is finished, and never where it is not", async () => {
  const own = join(folder, "f");
  await mkdir(own);
  const path = join(own, "f.hrry");
  await writeFile(path, { old: W });
  const before = await readBytes(path);
  const endings: readonly ((file: Awaited<ReturnType<typeof createFile>>) => Promise<unknown>)[] = [
    (file) => file.abort(),
    (file) => file[Symbol.asyncDispose](),
    async (file) => {
      const { descriptor } = store(W);
      await thrown(() => file.add("short", { descriptor, pieces: () => [new Uint8Array(5)] }));
    },
    async (file) => {
      async function* broken() {
        yield new Uint8Array(8);
        throw new Error("the network is gone");
      }
      const error = await thrown(() => file.add("t", { descriptor: store(W).descriptor, pieces: broken }));
      expect(error.message).toBe("the network is gone");
    },
  ];
  for (const end of endings) {
    const file = await createFile(path);
    await file.add("new", W);
    expect((await readdir(own)).length).toBe(2);
    await end(file);
    expect(await readBytes(path)).toEqual(before);
    expect(await readdir(own)).toEqual(["f.hrry"]);
    expect((await thrown(() => file.finish()))["code"]).toBe("SW_HURRAY_CLOSED");
  }
  const file = await createFile(path, { metadata: {} });
  for (let k = 0; k < 3; k++) await file.add(`t${k}`, W);
  expect(await readBytes(path)).toEqual(before);
  const { byteLength } = await file.finish({ steps: 3n });
  expect((await stat(path)).size).toBe(byteLength);
  const { tensors, metadata } = await readFile(path);
  expect([Object.keys(tensors), metadata]).toEqual([["t0", "t1", "t2"], { steps: 3n }]);
  expect((await thrown(() => createFile(join(own, "none", "x.hrry"))))["code"]).toBe("ENOENT");
});

test("a link stays a link, and permissions stay", async () => {
  const path = join(folder, "real.hrry");
  await writeBytes(path, "old", { mode: 0o640 });
  await symlink(path, join(folder, "link.hrry"));
  await writeFile(join(folder, "link.hrry"), { w: W });
  expect((await stat(path)).mode & 0o777).toBe(0o640);
  expect((await readFile(path)).tensors["w"]!.toArray()).toEqual(W.toArray());
});

test("a folder that does not exist, or a path that is no file, is the host's error", async () => {
  expect((await thrown(() => writeFile(join(folder, "none", "x.hrry"), { w: W })))["code"]).toBe("ENOENT");
  expect((await thrown(() => writeFile(join(folder, "link.hrry", "x.hrry"), { w: W })))["code"]).toBe("ENOTDIR");
  expect((await thrown(() => openFile(join(folder, "none.hrry"))))["code"]).toBe("ENOENT");
});

test("a file that is none is refused, and its handle closed", async () => {
  const path = join(folder, "text.hrry");
  await writeBytes(path, "x".repeat(200));
  expect(await thrown(() => openFile(path))).toMatchObject({ rule: "R126" });
  await writeBytes(path, "");
  expect(await thrown(() => readFile(path))).toMatchObject({ rule: "R125" });
});

test("a file that becomes shorter while it is open is an error", async () => {
  const path = join(folder, "d.hrry");
  await writeFile(path, { w: W });
  const file = await openFile(path);
  await truncate(path, 4100);
  expect(await thrown(() => file.tensor("w"))).toMatchObject({ code: "SW_HURRAY_SOURCE_SHORT", byteOffset: 4100 });
  await file.close();
});

test("readFile returns what it has read when a later tensor cannot be", async () => {
  const path = join(folder, "e.hrry");
  await writeFile(path, { w: W, v: W });
  const bytes = await readBytes(path);
  bytes[bytes.indexOf("HRRY", 4096, "latin1") + 14] = 0x40; // the second tensor becomes float8
  await writeBytes(path, bytes);
  const pool = new BufferPool({ source: heapMemory() });
  const { promise } = withScope({ memory: pool }, () => ({ promise: readFile(path) }));
  expect(await thrown(() => promise)).toMatchObject({ code: "SW_HURRAY_TYPE_UNSUPPORTED", typeTag: 0x40 });
  expect(pool.statistics().live).toBe(0);
});

test("signals are heard", async () => {
  const path = join(folder, "a.hrry");
  const signal = AbortSignal.abort(new Error("no"));
  expect((await thrown(() => readFile(path, { signal }))).message).toBe("no");
  expect((await thrown(() => openFile(path, { signal }))).message).toBe("no");
});
