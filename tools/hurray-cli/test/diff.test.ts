import { store } from "@sw/hurray";
import type { Descriptor } from "@sw/hurray/descriptor";
import type { StoredTensor } from "@sw/hurray/stream";
import { quantize } from "@sw/hurray/values";
import { arange, tensor } from "@sw/tensor";
import { describe, expect, test } from "vitest";
import { plain, putStream, putTensors, run } from "./support.js";

describe("diff", () => {
  test("the same: code 0, and nothing is said", async () => {
    const a = putTensors("a.hrry", { w: tensor([1, Number.NaN]), z: tensor([]) }, { metadata: { seed: 1n } });
    const b = putTensors("b.hrry", { w: tensor([1, Number.NaN]), z: tensor([]) }, { metadata: { seed: 1n } });
    expect(await run("diff", a, b)).toEqual({ code: 0, out: "", err: "" });
    expect(JSON.parse((await run("diff", a, b, "--json")).out).differences).toEqual([]);
  });

  test("names, types, shapes, layouts, values and metadata, code 1", async () => {
    const m = arange(6).reshape([2, 3]);
    const a = putTensors(
      "a.hrry",
      {
        gone: tensor([1]),
        type: tensor([1, 2]),
        shape: tensor([1, 2]),
        layout: m,
        values: tensor([1, 2, 3]),
        long: tensor([2n ** 60n]),
      },
      { metadata: { seed: 1n, same: true } },
    );
    const b = putTensors(
      "b.hrry",
      {
        type: tensor([1n, 2n]),
        shape: tensor([1]),
        layout: m.T.contiguous().T,
        values: tensor([1, 2.5, 9]),
        long: tensor([2n ** 60n + 1n]),
        come: tensor([1]),
      },
      { metadata: { seed: 2n, same: true } },
    );
    const { code, out } = await run("diff", a, b);
    expect(code).toBe(1);
    expect(plain(out)).toMatchInlineSnapshot(`
      "gone: only in the first file
      type: type: "float32", then "int64"
      shape: shape: [2], then [1]
      layout: layout: {"kind":"rowMajor","name":"row-major"}, then {"kind":"columnMajor","name":"column-major"}
      values: 2 of 3 values differ, by 6 at most; first at [1]: 2, 2.5
      long: 1 of 1 values differ, by 1 at most; first at [0]: 1152921504606846976, 1152921504606846977
      come: only in the second file
      metadata seed: {"type":"int64","value":1}, then {"type":"int64","value":2}
      "
    `);
    expect((await run("diff", a, b, "--values")).out).not.toMatch(/type:|layout:|metadata/);
    expect((await run("diff", a, b, "--structure")).out).not.toContain("values differ");
    const { differences } = JSON.parse((await run("diff", a, b, "--json")).out);
    expect(differences).toContainEqual({
      name: "values",
      what: "values",
      values: { differing: 2, of: 3, largest: 6, first: [1], before: 2, after: 2.5 },
    });
  });

  test("within a tolerance values are the same", async () => {
    const a = putTensors("a.hrry", { w: tensor([100, 0]) });
    const b = putTensors("b.hrry", { w: tensor([101, 0.001]) });
    expect((await run("diff", a, b)).code).toBe(1);
    expect((await run("diff", a, b, "--rtol", "0.01")).code).toBe(1);
    expect((await run("diff", a, b, "--rtol", "0.01", "--atol", "0.01")).code).toBe(0);
  });

  test("a quantised tensor beside what it was made of: values within a tolerance, whatever is stored", async () => {
    const values = Float32Array.of(-1, -0.5, 0, 0.25, 0.5, 1);
    const q = await putStream("q.stream", quantize(values, [6], { scheme: "perTensor", storage: "int8" }));
    const f = await putStream("f.stream", store(tensor(values)));
    expect((await run("diff", q, f)).out).toMatch(/^"?#0"?: type: "int8", then "float32"$/m);
    expect((await run("diff", q, f, "--values", "--atol", "0.01")).code).toBe(0);
  });

  test("complex values are compared by their distance, and shown as pairs", async () => {
    const complex = (...parts: number[]): StoredTensor => {
      const { descriptor, buffers } = store(tensor(parts));
      return { descriptor: { ...descriptor, typeTag: 0x50, shape: [BigInt(parts.length / 2)] }, buffers };
    };
    const a = await putStream("a.stream", complex(1, 2, 3, 4));
    const b = await putStream("b.stream", complex(1, 2, 0, 8));
    expect((await run("diff", a, b)).out).toMatch(
      /1 of 2 values differ, by 5 at most; first at \[1\]: \(3, 4\), \(0, 8\)\n/,
    );
    expect((await run("diff", a, b, "--atol", "5")).code).toBe(0);
    expect((await run("diff", a, b, "--rtol", "0.625")).code).toBe(0);
    expect((await run("diff", a, b, "--rtol", "0.624")).code).toBe(1);
    const [difference] = JSON.parse((await run("diff", a, b, "--json")).out).differences;
    expect(difference.values).toMatchObject({ differing: 1, of: 2, before: [3, 4], after: [0, 8] });
    const real = await putStream("r.stream", store(tensor([1, 3])));
    expect((await run("diff", a, real, "--values")).out).toContain(
      "2 of 2 values differ, by 4 at most; first at [0]: (1, 2), 1",
    );
  });

  test("NaN and infinities are the same as themselves, and near to nothing", async () => {
    const file = (name: string, values: number[], dtype: "float32" | "float64" = "float32"): string =>
      putTensors(name, { w: tensor(values, { dtype }) });
    const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
    const show = async (before: number[], after: number[], ...options: string[]): Promise<string> =>
      (await run("diff", "--values", file("a.hrry", before), file("b.hrry", after, "float64"), ...options)).out;
    expect(await show([nan, inf, -inf, 0], [nan, inf, -inf, -0])).toBe("");
    expect(await show([nan, 1], [nan, 2])).toContain("1 of 2 values differ, by 1 at most; first at [1]: 1, 2");
    for (const [x, y] of [
      [5, inf],
      [inf, 5],
      [inf, -inf],
      [nan, 5],
      [5, nan],
      [nan, inf],
    ]) {
      expect(await show([x!], [y!], "--rtol", "10", "--atol", "1e308")).toContain("1 of 1 values differ");
    }
  });

  test("what cannot be compared keeps no other tensor from it, code 3; bytes that are the same are no difference", async () => {
    const { descriptor } = store(tensor([1]));
    const dense = store(tensor([1, 2]));
    const last = store(tensor([1, 3]));
    const group: Descriptor = {
      ...descriptor,
      layout: { kind: "composite", rule: "group", combine: "none", memberCount: 1 },
      buffers: [],
    };
    const a = await putStream("a.stream", { descriptor: group, members: [store(tensor([1]))] }, dense);
    const b = await putStream("b.stream", store(tensor([1])), last, dense);
    const { code, out } = await run("diff", "--values", a, b);
    expect([code, out]).toEqual([3, expect.stringMatching(/^#0: cannot be compared: .*\n#1: shape: /)]);
    const json = JSON.parse((await run("diff", "--values", "--json", a, b)).out);
    expect(json.differences[0]).toMatchObject({ name: "#0", what: "cannot be compared", error: expect.any(String) });
    expect((await run("diff", a, a)).code).toBe(0);
  });

  test("a negative zero is shown as one", async () => {
    const a = putTensors("a.hrry", { w: tensor([-0]) });
    const b = putTensors("b.hrry", { w: tensor([1]) });
    expect((await run("diff", a, b)).out).toContain("first at [0]: -0, 1\n");
    expect((await run("diff", a, putTensors("c.hrry", { w: tensor([0]) }))).code).toBe(0);
  });

  test("NaN beside a number differs without end", async () => {
    const a = putTensors("a.hrry", { w: tensor([Number.NaN]) });
    const b = putTensors("b.hrry", { w: tensor([1]) });
    expect((await run("diff", a, b, "--atol", "1e9")).out).toContain("by Infinity at most; first at [0]: NaN, 1");
  });
});
