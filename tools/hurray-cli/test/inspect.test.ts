import { encodeHurray, store } from "@sw/hurray";
import type { Descriptor } from "@sw/hurray/descriptor";
import { quantize, toSparse } from "@sw/hurray/values";
import { arange, tensor } from "@sw/tensor";
import { describe, expect, test } from "vitest";
import { plain, put, putStream, putTensors, run } from "./support.js";

const metadata = { accuracy: 0.97, seed: 7n, labels: ["a", "b"], note: "x".repeat(100) };

describe("inspect", () => {
  test("a file as a table of tensors and metadata", async () => {
    const w = arange(6).reshape([2, 3]);
    const path = putTensors("m.hrry", { w, "w T": w.T, flag: tensor(true) }, { metadata });
    const { code, out } = await run("inspect", path);
    expect(code).toBe(0);
    expect(plain(out)).toMatchInlineSnapshot(`
      "m.hrry: Hurray file 1.0, index checksum, buffers aligned to 4096; 3 tensors, 12.6 kB

      name   type     shape  layout        data
      w      float32  [2,3]  row-major     24 B
      "w T"  float32  [3,2]  column-major  24 B
      flag   bool     []     row-major      1 B

      metadata  type       value
      accuracy  float64    0.97
      seed      int64      7
      labels    string[2]  ["a","b"]
      note      string     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
      "
    `);
  });

  test("as JSON, with bigints that numbers do not hold as text", async () => {
    const path = putTensors("m.hrry", { w: tensor([1, 2]) }, { metadata: { big: 2n ** 60n } });
    const { out } = await run("inspect", path, "--json");
    expect(JSON.parse(out)).toMatchObject({
      format: "hrry",
      tensors: [
        { name: "w", type: "float32", shape: [2], layout: { kind: "rowMajor", name: "row-major" }, byteLength: 8 },
      ],
      metadata: { big: { type: "int64", value: "1152921504606846976" } },
    });
  });

  test("sparse and quantised tensors, shards, statistics and composites in words", async () => {
    const q = quantize(Float32Array.of(0, 1, 2, 3, 0, 0, 0, 9), [2, 4], {
      scheme: "perBlock",
      storage: "int4",
      axis: 1,
      blockSize: 2,
    });
    const dense = store(arange(8).reshape([2, 4]));
    const shard = { parentShape: [4n, 4n], offset: [2n, 0n] };
    const statistics = {
      computedMask: 0b101,
      nnz: 7n,
      sparsityRatio: 0,
      valueMin: 0,
      valueMax: 7,
      valueAbsMax: 7,
      valueMean: 0,
      valueStddev: 0,
      nmN: 0,
      nmM: 0,
      hasNan: false,
      hasInf: false,
    };
    const head: Descriptor = {
      ...dense.descriptor,
      layout: { kind: "composite", rule: "group", combine: "none", memberCount: 1 },
      buffers: [],
    };
    const path = await putStream(
      "s.stream",
      q,
      toSparse(dense, "csr"),
      { ...dense, descriptor: { ...dense.descriptor, shard, statistics } },
      { descriptor: head, members: [dense] },
    );
    expect(plain((await run("inspect", path)).out)).toMatchInlineSnapshot(`
      "s.stream: raw Hurray stream; 5 tensors, 717 B

      name  type     shape  layout          data
      #0    int4     [2,4]  row-major       36 B  per block, 2 along axis 1
      #1    float32  [2,4]  CSR, 7 stored  108 B
      #2    float32  [2,4]  row-major       32 B  shard at [2,0] of [4,4]; nnz 7 min 0 max 7 absmax 7
      #3    float32  [2,4]  group of 1       0 B
      #4    float32  [2,4]  row-major       32 B
      "
    `);
  });

  test("a descriptor byte by byte", async () => {
    const path = putTensors("m.hrry", { w: tensor([[1], [2]]) });
    expect((await run("inspect", path, "w")).out).toMatchInlineSnapshot(`
      "w: descriptor of 61 bytes from byte 64

      byte  bytes                    field              value  meaning
      -- header
        64  48 52 52 59              magic                     HRRY
        68  01                       version_major          1
        69  00                       version_minor          0
        70  3d 00 00 00              descriptor_length     61
        74  00 00 00 00              flags                  0
        78  03                       type_tag               3  float32
        79  01                       layout_tag             1  row-major
        80  02 00 00 00              rank                   2
      -- shape
        84  02 00 00 00 00 00 00 00  shape[0]               2
        92  01 00 00 00 00 00 00 00  shape[1]               1
      -- byte offset
       100  00 00 00 00 00 00 00 00  byte_offset            0
      -- buffers
       108  01                       buffer_count           1
       109  08 00 00 00 00 00 00 00  byte_size[0]           8
       117  40 00 00 00              alignment[0]          64
       121  00                       device_tag[0]          0  CPU
       122  00                       sync_mode[0]           0  synchronised by the producer
       123  00                       memory_class[0]        0  standard
       124  00                       reserved
      "
    `);
    const { fields } = JSON.parse((await run("inspect", path, "w", "--json")).out) as { fields: unknown[] };
    expect(fields[0]).toEqual({
      byteOffset: 64,
      byteLength: 4,
      section: "header",
      field: "magic",
      value: "48525259",
      note: "HRRY",
    });
  });

  test("a long field is cut in the middle", async () => {
    const { descriptor } = store(tensor([1]));
    const long: Descriptor = { ...descriptor, versionMinor: 1, tail: new Uint8Array(1000) };
    const path = await putStream("s.stream", { descriptor: long, buffers: [new Uint8Array(4)] });
    const { out } = await run("inspect", path, "#0");
    expect(out).toContain("  …  (936 bytes)");
    expect(out.split("\n").filter((line) => line.includes("00 00 00 00 00 00 00 00"))).toHaveLength(9);
  });

  test("a broken descriptor in the table is said to be, with code 3, and is shown byte by byte all the same", async () => {
    const bytes = encodeHurray({ good: tensor([1]), bad: tensor([2]) });
    const second = bytes.lastIndexOf(0x48, 4200);
    bytes[second + 14] = 0xff;
    const path = put("m.hrry", bytes);
    const { code, out } = await run("inspect", path);
    expect(code).toBe(3);
    expect(out).toMatch(/^good +float32/m);
    expect(out).toMatch(/^bad +broken .*R9, byte/m);
    const shown = await run("inspect", path, "bad");
    expect(shown.code).toBe(0);
    expect(shown.out).toMatch(/ff +type_tag +255 +of no meaning/);
  });

  test("a name that is not there, code 3", async () => {
    const path = putTensors("m.hrry", { w: tensor([1]) });
    expect(await run("inspect", path, "v")).toMatchObject({
      code: 3,
      err: expect.stringContaining('got "v", expected one of "w".'),
    });
  });
});

describe("ls", () => {
  test("names, one a line, those with control characters quoted", async () => {
    const path = putTensors("m.hrry", { b: tensor([1]), "a b": tensor([[2n]]), "x\ny": tensor(true) });
    expect((await run("ls", path)).out).toBe('b\na b\n"x\\ny"\n');
    expect((await run("ls", "-l", path)).out).toBe(
      'float32  [1]    4  b\nint64    [1,1]  8  "a b"\nbool     []     1  "x\\ny"\n',
    );
    expect(JSON.parse((await run("ls", path, "--json")).out)).toEqual(["b", "a b", "x\ny"]);
    expect(JSON.parse((await run("ls", path, "--json", "--long")).out)[1]).toEqual({
      name: "a b",
      type: "int64",
      shape: "[1,1]",
      byteLength: 8,
    });
  });

  test("an empty stream and an empty file", async () => {
    expect(await run("ls", putTensors("m.hrry", {}))).toEqual({ code: 0, out: "", err: "" });
    expect((await run("inspect", putTensors("m.hrry", {}))).out).toContain("; 0 tensors, ");
  });

  test("a stream that ends within a tensor, code 3", async () => {
    const path = await putStream("s.stream", store(tensor([1, 2])));
    const { readFileSync } = await import("node:fs");
    const cut = put("cut.stream", readFileSync(path).subarray(0, -1));
    expect(await run("ls", cut)).toMatchObject({ code: 3, err: expect.stringContaining("ends within #0") });
  });
});
