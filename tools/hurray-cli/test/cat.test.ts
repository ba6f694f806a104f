import { store } from "@sw/hurray";
import { type Descriptor, encodeDescriptor } from "@sw/hurray/descriptor";
import type { StoredTensor } from "@sw/hurray/stream";
import { quantize, toSparse } from "@sw/hurray/values";
import { arange, tensor } from "@sw/tensor";
import { describe, expect, test } from "vitest";
import { putStream, putTensors, run } from "./support.js";

/** A row-major tensor of a type. */
function typed(
  typeTag: number,
  shape: readonly number[],
  bytes: Uint8Array,
  patch: Partial<Descriptor> = {},
): StoredTensor {
  const { descriptor } = store(tensor([1]));
  const buffers = [{ ...descriptor.buffers[0]!, byteSize: BigInt(bytes.byteLength) }];
  const d: Descriptor = { ...descriptor, typeTag, shape: shape.map(BigInt), buffers, ...patch };
  encodeDescriptor(d);
  return { descriptor: d, buffers: [bytes] };
}

describe("cat", () => {
  test("prints what Tensor.toString prints, of the whole and of what a key takes", async () => {
    const t = arange(24).reshape([2, 3, 4]);
    const path = putTensors("m.hrry", { t, other: tensor([0]) });
    expect(await run("cat", path, "t")).toEqual({ code: 0, out: `${t}\n`, err: "" });
    expect((await run("print", path, "t", "0, ..., ::-2")).out).toBe(`${t.index("0, ..., ::-2")}\n`);
    expect((await run("cat", path, "t", "--", "-1, 1:")).out).toBe(`${t.index("-1, 1:")}\n`);
    expect((await run("cat", path, "t", "0,0,3")).out).toBe("3.0\n");
  });

  test("cuts large tensors unless all is asked for, and takes a precision", async () => {
    const path = putTensors("m.hrry", { t: tensor(new Uint16Array(2000).map((_, k) => k)), third: tensor([1 / 3]) });
    expect((await run("cat", path, "t")).out).toContain("...");
    const { out } = await run("cat", path, "t", "--all");
    expect(out).not.toContain("...");
    expect(out).toContain("1999]");
    expect((await run("cat", path, "third", "--precision", "2")).out).toBe("[0.33]\n");
  });

  test("JSON keeps the sign of a zero, as text", async () => {
    const path = putTensors("m.hrry", { a: tensor([-0, 0]) });
    expect((await run("cat", path)).out).toBe("[-0.  0.]\n");
    expect(JSON.parse((await run("cat", path, "--json")).out).values).toEqual(["-0", 0]);
  });

  test("complex numbers are pairs: shape and keys are those of the tensor", async () => {
    const parts = Float64Array.of(1, -2, 3, 4, 5, 10.5, 7, 8, 9, -0, 11, Number.NaN);
    const path = await putStream("c.stream", typed(0x51, [3, 2], new Uint8Array(parts.buffer)));
    const small = await putStream("d.stream", typed(0x50, [], new Uint8Array(Float32Array.of(1, 2).buffer)));
    expect((await run("cat", path)).out).toMatchInlineSnapshot(`
      "[[( 1.,  -2. )
        ( 3.,   4. )]

       [( 5.,  10.5)
        ( 7.,   8. )]

       [( 9.,  -0. )
        (11.,   nan)]]
      "
    `);
    expect((await run("cat", path, "#0", "2, ::-1")).out).toMatchInlineSnapshot(`
      "[(11., nan)
       ( 9., -0.)]
      "
    `);
    expect((await run("cat", path, "#0", "0, 0")).out).toBe("( 1., -2.)\n");
    expect((await run("cat", small)).out).toBe("(1., 2.)\n");
    expect((await run("cat", path, "#0", "0, 0, 1")).code).toBe(2);
    const json = async (...args: string[]): Promise<unknown> =>
      JSON.parse((await run("cat", "--json", ...args)).out) as unknown;
    expect(await json(path)).toMatchObject({
      type: "complex128",
      shape: [3, 2],
      values: [
        [
          [1, -2],
          [3, 4],
        ],
        [
          [5, 10.5],
          [7, 8],
        ],
        [
          [9, "-0"],
          [11, "NaN"],
        ],
      ],
    });
    expect(await json(path, "#0", "1, 0")).toMatchObject({ shape: [], values: [5, 10.5] });
    expect(await json(small)).toMatchObject({ type: "complex64", shape: [], values: [1, 2] });
    const many = await putStream("e.stream", typed(0x50, [1001], new Uint8Array(8 * 1001)));
    expect((await run("cat", many)).out.split("\n").map((line) => line.trim())).toHaveLength(8);
    expect((await run("cat", many, "#0", ":1000")).out.split("\n")).toHaveLength(1001);
  });

  test("JSON has nested values; 64-bit integers that numbers do not hold, NaN and infinities are text", async () => {
    const path = putTensors("m.hrry", { a: tensor([[1, Number.NaN]]), b: tensor([2n ** 60n, -1n]) });
    expect(JSON.parse((await run("cat", path, "a", "--json")).out)).toEqual({
      name: "a",
      type: "float32",
      shape: [1, 2],
      values: [[1, "NaN"]],
    });
    expect(JSON.parse((await run("cat", path, "b", "--json")).out).values).toEqual(["1152921504606846976", -1]);
  });

  test("the name may be left out where there is one tensor; else the names are told", async () => {
    expect((await run("cat", putTensors("m.hrry", { only: tensor([7]) }))).out).toBe("[7.]\n");
    const two = putTensors("n.hrry", { a: tensor([1]), b: tensor([2]) });
    expect(await run("cat", two)).toMatchObject({ code: 2, err: expect.stringContaining('expected one of "a", "b".') });
  });

  test("a key that is none, or out of range, is wrong usage", async () => {
    const path = putTensors("m.hrry", { a: tensor([1, 2]) });
    for (const key of ["9", "1,1", "::0", "a"]) expect((await run("cat", path, "a", key)).code).toBe(2);
  });

  test("sparse and quantised tensors, partitions, overlays; elements that tensors do not have", async () => {
    const values = Float32Array.of(0, 0.5, -1, 0, 0, 2);
    const q = quantize(values, [2, 3], { scheme: "perTensor", storage: "uint8" });
    const sparse = toSparse(
      store(
        tensor([
          [0, 5, 0],
          [6, 0, 0],
        ]),
      ),
      "coo",
    );
    const { descriptor } = store(tensor([1]));
    const part = (at: bigint, value: number): StoredTensor => ({
      ...store(tensor([value])),
      descriptor: { ...descriptor, shard: { parentShape: [2n], offset: [at] } },
    });
    const head: Descriptor = {
      ...descriptor,
      shape: [2n],
      layout: { kind: "composite", rule: "partition", combine: "none", memberCount: 2 },
      buffers: [],
    };
    const path = await putStream(
      "s.stream",
      q,
      sparse,
      { descriptor: head, members: [part(0n, 3), part(1n, 4)] },
      typed(0x48, [3], Uint8Array.of(0x08, 0x07)),
      typed(0x40, [2], Uint8Array.of(0x38, 0x7e)),
      typed(0x50, [1], new Uint8Array(Float32Array.of(1, -2).buffer)),
      typed(0x46, [1], Uint8Array.of(...new Uint8Array(14), 0xff, 0x3f)),
      typed(0x20, [3], Uint8Array.of(0b101)),
    );
    const show = async (name: string): Promise<string> => (await run("cat", path, name)).out;
    expect(await show("#0")).toMatch(/^\[\[ 0\. +0\.494/);
    expect(await show("#1")).toBe("[[0. 5. 0.]\n [6. 0. 0.]]\n");
    expect(await show("#2")).toBe("[3. 4.]\n");
    expect(await show("#5")).toBe("[-8  0  7]\n");
    expect(await show("#6")).toBe("[  1. 448.]\n");
    expect(await show("#7")).toBe("[( 1., -2.)]\n");
    expect(await show("#8")).toBe("[1.]\n");
    expect(await show("#9")).toBe("[ True False  True]\n");
  });

  test("a group has members and no values, code 3", async () => {
    const { descriptor, buffers } = store(tensor([1]));
    const layout = { kind: "composite", rule: "group", combine: "none", memberCount: 1 } as const;
    const path = await putStream("s.stream", {
      descriptor: { ...descriptor, layout, buffers: [] },
      members: [{ descriptor, buffers }],
    });
    expect(await run("cat", path, "#0")).toMatchObject({ code: 3, out: "" });
    expect((await run("cat", path, "#1")).out).toBe("[1.]\n");
  });
});
