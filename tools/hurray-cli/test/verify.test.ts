import { encodeHurray, store } from "@sw/hurray";
import { toSparse } from "@sw/hurray/values";
import { tensor } from "@sw/tensor";
import { expect, test } from "vitest";
import { plain, put, putStream, putTensors, run, runWith, Terminal } from "./support.js";

test("a sound file: code 0 and one line", async () => {
  const path = putTensors("m.hrry", { a: tensor([1]) });
  expect(await run("verify", path)).toMatchObject({ code: 0, err: "" });
  expect(plain((await run("verify", path)).out)).toBe("m.hrry: sound\n");
});

test("violations with rule, byte, tensor and field, code 1; notes only where they are wanted", async () => {
  const bytes = encodeHurray({ a: tensor([1]), b: tensor([2]) });
  bytes[40] = 1;
  bytes[64 + 13] = 0x80;
  bytes[1000] = 9;
  const path = put("m.hrry", bytes);
  const good = putTensors("good.hrry", { a: tensor([1]) });
  const { code, out, err } = await run("verify", path, good);
  expect([code, err]).toEqual([1, ""]);
  expect(plain(out)).toMatchInlineSnapshot(`
    "m.hrry: byte 40: R129: reserved bytes: reserved bytes are not zero: got 1, expected 0.
    m.hrry: byte 74: R8: a, flags: flags is not allowed: got 0x80000000, expected bits 0 to 4 only.
    m.hrry: byte 1000: note: padding: padding is not zero: got 9, expected 0 from byte 117 to 4096.
    m.hrry: 2 violations, 1 note
    good.hrry: sound
    "
  `);
  const quiet = await run("verify", "--no-notes", path);
  expect(quiet.out).not.toContain("note:");
  const json = JSON.parse((await run("verify", path, good, "--json")).out);
  expect(json.files[0].findings[0]).toMatchObject({ severity: "violation", rule: "R129", byteOffset: 40 });
  expect(json.files[1]).toMatchObject({ violations: 0, notes: 0, findings: [] });
});

test("a file that cannot be read keeps no other from being checked: code 3 in the end, also beside violations", async () => {
  const bytes = encodeHurray({ a: tensor([1]) });
  bytes[40] = 1;
  const bad = put("bad.hrry", bytes);
  const good = putTensors("good.hrry", { a: tensor([1]) });
  const { code, out, err } = await run("verify", bad, "/nowhere/x.hrry", good);
  expect(code).toBe(3);
  expect(err).toBe("sw-hurray: /nowhere/x.hrry: no such file or directory.\n");
  expect(plain(out)).toMatch(/^bad\.hrry: byte 40: R129: .*\nbad\.hrry: 1 violation\ngood\.hrry: sound\n$/);
  const json = JSON.parse((await run("verify", "--json", "/nowhere/x.hrry", good)).out);
  expect(json.files).toEqual([
    {
      path: "/nowhere/x.hrry",
      violations: 0,
      notes: 0,
      findings: [],
      error: "/nowhere/x.hrry: no such file or directory.",
    },
    { path: good, violations: 0, notes: 0, findings: [] },
  ]);
  expect((await run("verify", "--debug", "/nowhere/x.hrry")).err).toContain("\n    at ");
});

test("a run that is called off checks no other file", async () => {
  const signal = AbortSignal.abort(new DOMException("ended by SIGINT", "AbortError"));
  const good = putTensors("good.hrry", { a: tensor([1]) });
  expect(await runWith({ signal }, "verify", good, good)).toMatchObject({ code: 130, out: "" });
});

test("a raw stream, told by its first bytes, and what is to be a file all the same", async () => {
  const sparse = toSparse(store(tensor([[0, 5]])), "csr");
  sparse.buffers[2]![0] = 1;
  const path = await putStream("s.stream", sparse);
  expect((await run("verify", path)).out).toMatch(/R103: #0, buffer 2: /);
  expect((await run("verify", path, "--as", "file")).out).toMatch(/R126|R132/);
});

test("private layouts are refused unless accepted", async () => {
  const { descriptor, buffers } = store(tensor([1]));
  const layout = { kind: "private", tag: 0xf1, id: 9n, data: new Uint8Array() } as const;
  const path = await putStream("s.stream", { descriptor: { ...descriptor, layout }, buffers });
  expect((await run("verify", path)).out).toContain("R14");
  expect((await run("verify", path, "--private")).code).toBe(0);
});

test("a bar on a terminal, which is gone when a finding is printed", async () => {
  const path = putTensors("m.hrry", { a: tensor([1]), b: tensor([2]) });
  const stderr = new Terminal();
  expect((await runWith({ stderr }, "verify", path)).code).toBe(0);
  expect(stderr.text).toContain("checking [");
});
