import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { openHurray, store } from "@sw/hurray";
import type { Descriptor } from "@sw/hurray/descriptor";
import { openNpz, openSafetensors } from "@sw/hurray/interchange";
import type { StoredTensor } from "@sw/hurray/stream";
import { quantize, toSparse } from "@sw/hurray/values";
import { arange, tensor } from "@sw/tensor";
import { describe, expect, test } from "vitest";
import { pathOf, plain, put, putStream, putTensors, run, runWith, Terminal } from "./support.js";

const metadata = { author: "me", steps: 7n };

/** A file with one tensor of each kind that all formats have. */
function common(name = "in.hrry"): string {
  return putTensors(
    name,
    {
      f32: arange(6).reshape([2, 3]),
      i64: tensor([2n ** 60n, -1n]),
      u8: tensor(Uint8Array.of(1, 2)),
      flag: tensor([true, false]),
      f16: tensor([1.5], { dtype: "float16" }),
    },
    { metadata },
  );
}

async function descriptorOf(path: string, name: string): Promise<Descriptor> {
  return (await openHurray(readFileSync(path))).descriptor(name);
}

describe("convert between formats", () => {
  test.each(["npz", "safetensors"])("to %s and back: the same values", async (format) => {
    const path = common();
    const other = pathOf(`out.${format}`);
    const back = pathOf("back.hrry");
    expect(await run("convert", path, other)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/out\.\w+: 5 tensors, \d+ B of data\n$/),
    });
    expect((await run("convert", other, back)).code).toBe(0);
    expect(await run("diff", path, back, "--values")).toEqual({ code: 0, out: "", err: "" });
    // The formats may differ.
    expect((await run("diff", path, other, "--values")).code).toBe(0);
    expect((await run("ls", other)).out.split("\n").sort().join(" ").trim()).toBe("f16 f32 flag i64 u8");
  });

  test("metadata goes where there is a place for it, as text where there is only text", async () => {
    const path = common();
    const file = pathOf("out.safetensors");
    expect(await run("convert", path, file)).toMatchObject({ err: "" });
    expect([...(await openSafetensors(readFileSync(file))).metadata]).toEqual([
      ["author", "me"],
      ["steps", "7"],
    ]);
    const back = pathOf("back.hrry");
    await run("convert", file, back);
    expect((await openHurray(readFileSync(back))).metadata).toEqual({ author: "me", steps: "7" });
    expect((await run("convert", path, pathOf("out.npz"))).err).toMatch(/metadata is left out: npz has none/);
  });

  test("an npy file is named after its file, and holds one tensor", async () => {
    const path = common();
    const file = pathOf("w.npy");
    expect(await run("convert", path, file)).toMatchObject({
      code: 4,
      err: expect.stringContaining("holds one tensor: got 5"),
    });
    expect(existsSync(file)).toBe(false);
    expect((await run("convert", path, file, "--only", "f32")).code).toBe(0);
    expect((await run("inspect", file)).out).toMatch(/^w +float32 +\[2,3\] +row-major/m);
    expect((await run("cat", file)).out).toBe((await run("cat", path, "f32")).out);
  });

  test("tensors that are column-major stay so in npy, and become row-major in safetensors; sparse ones are filled", async () => {
    const csr = toSparse(
      store(
        tensor([
          [0, 5],
          [6, 0],
        ]),
      ),
      "csr",
    );
    const path = await putStream("in.stream", store(arange(6).reshape([2, 3]).T), csr);
    const npz = pathOf("out.npz");
    expect((await run("convert", path, npz)).code).toBe(0);
    expect((await (await openNpz(readFileSync(npz))).descriptor("#0")).layout).toEqual({ kind: "columnMajor" });
    expect((await run("cat", npz, "#1")).out).toBe("[[0. 5.]\n [6. 0.]]\n");
    const safe = pathOf("out.safetensors");
    expect((await run("convert", path, safe)).code).toBe(0);
    expect((await run("diff", path, safe, "--values")).code).toBe(0);
  });

  test("an archive may be compressed; the format may be told beside the name", async () => {
    const path = putTensors("in.hrry", { zeros: tensor(new Float32Array(10_000)) });
    const [loose, tight] = [pathOf("loose"), pathOf("tight")];
    await run("convert", path, loose, "--to", "npz");
    await run("convert", path, tight, "--to", "npz", "--compress");
    expect(readFileSync(tight).byteLength).toBeLessThan(readFileSync(loose).byteLength / 10);
    expect((await run("diff", tight, path)).code).toBe(0);
  });

  test("composites go whole into a Hurray file, nested ones too, and nowhere else", async () => {
    const { descriptor } = store(tensor([1]));
    const part = (at: bigint, value: number): StoredTensor => ({
      ...store(tensor([value])),
      descriptor: { ...descriptor, shard: { parentShape: [2n], offset: [at] } },
    });
    const layout = { kind: "composite", rule: "partition", combine: "none", memberCount: 2 } as const;
    const partition = {
      descriptor: { ...descriptor, shape: [2n], layout, buffers: [] },
      members: [part(0n, 3), part(1n, 4)],
    };
    const group = {
      ...partition,
      descriptor: { ...partition.descriptor, layout: { ...layout, rule: "group", memberCount: 1 } as const },
      members: [partition],
    };
    const path = await putStream("in.stream", group);
    const out = pathOf("out.hrry");
    expect((await run("convert", path, out)).code).toBe(0);
    expect((await run("cat", out, "#1")).out).toBe("[3. 4.]\n");
    expect((await run("diff", path, out)).code).toBe(0);
    expect((await run("convert", out, pathOf("half.hrry"), "--dtype", "float16")).code).toBe(0);
    expect((await run("verify", pathOf("half.hrry"))).code).toBe(0);
    expect(await run("convert", path, pathOf("out.npz"))).toMatchObject({
      code: 4,
      err: expect.stringContaining("npz has no composites"),
    });
  });
});

describe("convert what is stored", () => {
  test("--layout", async () => {
    const path = putTensors("in.hrry", { w: arange(16).reshape([4, 4]) });
    for (const [layout, kind] of [
      ["csr", "csr"],
      ["coo", "coo"],
      ["column-major", "columnMajor"],
      ["morton", "morton"],
      ["hilbert", "hilbert"],
      ["tiled:2x2", "tiled"],
    ]) {
      const out = pathOf(`${kind}.hrry`);
      expect((await run("convert", path, out, "--layout", layout!)).code).toBe(0);
      expect((await descriptorOf(out, "w")).layout.kind).toBe(kind);
      expect((await run("diff", path, out, "--values")).code).toBe(0);
    }
    expect((await run("convert", path, pathOf("x.hrry"), "--layout", "tiled:0x2")).code).toBe(2);
    expect((await run("convert", path, pathOf("x.npz"), "--layout", "csr")).code).toBe(4);
  });

  test.each([
    ["hilbert", [5, 6], "R28"],
    ["csf", [5, 6], "R31"],
    ["csr", [2, 3, 4], "R30"],
    ["csc", [3], "R30"],
    ["coo", [], ""],
    ["morton", [], ""],
    ["tiled:2x3", [2, 3, 4], ""],
  ])(
    "--layout %s of shape %j is refused, code 4, or left as it is where that is asked for",
    async (layout, shape, rule) => {
      const count = shape.reduce((product, extent) => product * extent, 1);
      const path = putTensors("in.hrry", { w: arange(count).reshape(shape) });
      const out = pathOf("out.hrry");
      const args = ["convert", path, out, "--layout", layout];
      const { code, err } = await run(...args);
      expect(code).toBe(4);
      expect(err).toMatch(/^sw-hurray: convert: w: /);
      expect(err).toContain(rule);
      expect(existsSync(out)).toBe(false);
      expect(await run(...args, "--where-possible")).toMatchObject({
        code: 0,
        err: expect.stringContaining("w stays as"),
      });
      expect((await run("diff", path, out)).code).toBe(0);
    },
  );

  test("data that breaks a rule is the file's fault, code 3, whatever it is to become", async () => {
    const sparse = toSparse(store(tensor([[0, 5]])), "csr");
    sparse.buffers[2]![0] = 1;
    const path = await putStream("s.stream", sparse);
    for (const change of [
      ["--layout", "row-major"],
      ["--dtype", "float16"],
    ]) {
      expect(await run("convert", path, pathOf("x.hrry"), ...change)).toMatchObject({
        code: 3,
        err: expect.stringContaining("R103"),
      });
    }
  });

  test("composites without their members are refused, code 4; broken ones cannot be read, code 3", async () => {
    const { descriptor } = store(tensor([1]));
    const part = (at: bigint, value: number): StoredTensor => ({
      ...store(tensor([value])),
      descriptor: { ...descriptor, shard: { parentShape: [2n], offset: [at] } },
    });
    const layout = { kind: "composite", rule: "partition", combine: "none", memberCount: 2 } as const;
    const head = { ...descriptor, shape: [2n], layout, buffers: [] };
    const path = await putStream("in.stream", { descriptor: head, members: [part(0n, 3), part(1n, 4)] });
    const out = pathOf("out.hrry");
    for (const option of [
      ["--only", "#0"],
      ["--only", "#0", "#1"],
    ]) {
      const { code, err } = await run("convert", path, out, ...option);
      expect([option, code, err]).toEqual([option, 4, expect.stringMatching(/^sw-hurray: convert: .*R1[12]\d/)]);
      expect(existsSync(out)).toBe(false);
    }
    expect((await run("convert", path, out, "--quantize", "int8")).code).toBe(0);
    expect((await run("verify", out)).code).toBe(0);
    const bytes = readFileSync(path);
    const broken = put("broken.stream", bytes.subarray(0, bytes.lastIndexOf("HRRY")));
    expect((await run("convert", broken, out)).code).toBe(3);
  });

  test("--dtype, of integers, floats, 64-bit integers without a detour, and dequantised", async () => {
    const path = putTensors("in.hrry", { a: tensor([1.4, 2.6, 300]), big: tensor([2n ** 60n + 1n, -5n]) });
    const out = pathOf("out.hrry");
    await run("convert", path, out, "--dtype", "uint64");
    expect((await run("cat", out, "big")).out).toBe("[1152921504606846977                   0]\n");
    await run("convert", path, out, "--dtype", "int8");
    expect((await run("cat", out, "a")).out).toBe("[  1   2 127]\n");
    const q = await putStream(
      "q.stream",
      quantize(Float32Array.of(0, 1, 2), [3], { scheme: "perTensor", storage: "uint2" }),
    );
    await run("convert", q, out, "--dtype", "bfloat16");
    expect((await descriptorOf(out, "#0")).quantisation).toBeUndefined();
    expect((await run("ls", "-l", out)).out).toBe("bfloat16  [3]  6  #0\n");
    const sparse = await putStream("s.stream", toSparse(store(tensor([[0, 5]])), "csr"));
    await run("convert", sparse, out, "--dtype", "float16");
    expect((await descriptorOf(out, "#0")).layout).toEqual({ kind: "csr", nnz: 1n });
    expect((await run("convert", path, out, "--dtype", "complex64")).code).toBe(4);
  });

  test("--quantize per tensor, channel and block; what are no floats stays", async () => {
    const path = putTensors("in.hrry", { w: arange(64).reshape([2, 32]), n: tensor([1n]) });
    const out = pathOf("out.hrry");
    const schemeOf = async (...options: string[]): Promise<unknown> => {
      expect(await run("convert", path, out, "--quantize", ...options)).toMatchObject({ code: 0, err: "" });
      expect((await run("diff", path, out, "--values", "--atol", "4.3")).code).toBe(0);
      expect((await descriptorOf(out, "n")).quantisation).toBeUndefined();
      return (await descriptorOf(out, "w")).quantisation;
    };
    expect(await schemeOf("uint8")).toMatchObject({ scheme: "perTensor" });
    expect(await schemeOf("int8", "--axis", "0", "--symmetric")).toMatchObject({ scheme: "perChannel", axis: 0 });
    expect(await schemeOf("int4", "--axis", "1", "--block", "16", "--scales", "float16")).toMatchObject({
      scheme: "perBlock",
      blockSize: 16,
      scaleTypeTag: 1,
    });
  });

  test("what cannot be changed so is refused by name, or left as it is where that is asked for", async () => {
    const path = putTensors("in.hrry", { w: arange(64).reshape([2, 32]), bias: tensor([1, 2]) });
    const out = pathOf("out.hrry");
    const args = ["convert", path, out, "--quantize", "int8", "--axis", "1"];
    expect(await run(...args)).toMatchObject({ code: 4, err: expect.stringMatching(/^sw-hurray: convert: bias: /) });
    expect(existsSync(out)).toBe(false);
    expect(await run(...args, "--where-possible")).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^sw-hurray: convert: bias stays as it is: /),
    });
    expect((await descriptorOf(out, "w")).quantisation).toBeDefined();
    expect((await descriptorOf(out, "bias")).quantisation).toBeUndefined();
  });

  test("types and quantised tensors that another format has no place for are refused, with what helps", async () => {
    const half = putTensors("b.hrry", { w: tensor([1], { dtype: "bfloat16" }) });
    expect(await run("convert", half, pathOf("x.npy"))).toMatchObject({
      code: 4,
      err: expect.stringMatching(/npy has no such type: got bfloat16, .* Add --dtype float32\.\n$/),
    });
    expect((await run("convert", half, pathOf("x.npy"), "--dtype", "float32")).code).toBe(0);
    const q = await putStream(
      "q.stream",
      quantize(Float32Array.of(0, 1), [2], { scheme: "perTensor", storage: "int8" }),
    );
    expect(await run("convert", q, pathOf("x.safetensors"))).toMatchObject({
      code: 4,
      err: expect.stringContaining("no quantised tensors"),
    });
    expect((await run("convert", q, pathOf("x.safetensors"), "--dtype", "float32")).code).toBe(0);
  });

  test("JSON of what was written", async () => {
    const path = putTensors("in.hrry", { w: tensor([1, 2]) });
    const { out } = await run("convert", path, pathOf("o.hrry"), "--dtype", "float16", "--json");
    expect(JSON.parse(out)).toMatchObject({ format: "hrry", tensors: [{ name: "w", type: "float16", byteLength: 4 }] });
  });
});

describe("convert is atomic", () => {
  test("a file that is damaged half way leaves what was there, and nothing beside it", async () => {
    const path = putTensors("in.hrry", { a: arange(10), b: tensor([1, 2]) });
    const bytes = readFileSync(path);
    // The second descriptor.
    bytes[bytes.indexOf("HRRY", 4000) + 14] = 0xff;
    writeFileSync(path, bytes);
    for (const name of ["out.hrry", "out.npz"]) {
      const out = put(name, Uint8Array.of(1, 2, 3));
      expect((await run("convert", path, out)).code).toBe(3);
      expect([...readFileSync(out)]).toEqual([1, 2, 3]);
    }
    expect(readdirSync(dirname(path)).sort()).toEqual(["in.hrry", "out.hrry", "out.npz"]);
  });

  test.each(["out.hrry", "out.npz", "out.safetensors"])("called off in the middle: %s is not there", async (name) => {
    const path = putTensors("in.hrry", { a: arange(3_000_000), b: arange(10) });
    const controller = new AbortController();
    // The bar is told of the bytes: the first one calls it off.
    const stderr = new (class extends Terminal {
      override write(text: string): boolean {
        controller.abort(new DOMException("ended by SIGINT", "AbortError"));
        return super.write(text);
      }
    })();
    const { code } = await runWith({ stderr, signal: controller.signal }, "convert", path, pathOf(name));
    expect(code).toBe(130);
    expect(readdirSync(dirname(path))).toEqual(["in.hrry"]);
  });
});

describe("a place where no file can be", () => {
  test.each(["out.hrry", "out.npz"])("is named as it was given: %s", async (name) => {
    const path = putTensors("in.hrry", { w: tensor([1]) });
    const nowhere = pathOf(`nowhere/${name}`);
    expect(await run("convert", path, nowhere)).toMatchObject({
      code: 3,
      err: `sw-hurray: ${nowhere}: no such file or directory.\n`,
    });
    const folder = pathOf(name);
    mkdirSync(folder);
    expect(await run("convert", path, folder)).toMatchObject({
      code: 3,
      err: `sw-hurray: ${folder}: illegal operation on a directory.\n`,
    });
    expect(readdirSync(dirname(path)).sort()).toEqual(["in.hrry", name]);
  });
});

describe("convert refuses wrong usage", () => {
  test.each([
    [["a.hrry", "b.xyz"], /expected one that ends in \.hrry, \.npy, \.npz, \.safetensors, or --to/],
    [["a.hrry", "b.hrry", "--axis", "1"], /got no --quantize/],
    [["a.hrry", "b.hrry", "--quantize", "int8", "--dtype", "int8"], /got both --dtype and --quantize/],
    [["a.hrry", "b.hrry", "--quantize", "int4", "--block", "32"], /got no --axis/],
    [["a.hrry", "b.hrry", "--quantize", "float8"], /Allowed choices/],
    [["a.hrry", "b.hrry", "--layout", "round"], /Got "round", expected row-major, /],
  ])("%j", async (args, message) => {
    const { code, err } = await run("convert", ...args);
    expect(code).toBe(2);
    expect(plain(err)).toMatch(message);
  });
});
