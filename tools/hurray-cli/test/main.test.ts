import { tensor } from "@sw/tensor";
import { describe, expect, test } from "vitest";
import { put, putTensors, run, runWith } from "./support.js";

const COMMANDS = ["inspect", "ls", "cat", "verify", "diff", "convert", "serve", "fetch"];

describe("help", () => {
  test("of the program, on stdout when asked for, on stderr with code 2 when nothing was", async () => {
    const asked = await run("--help");
    expect(asked).toMatchObject({ code: 0, err: "" });
    expect(asked.out).toMatchSnapshot();
    expect(await run()).toEqual({ code: 2, out: "", err: asked.out });
    expect((await run("help")).out).toBe(asked.out);
  });

  test.each(COMMANDS)("of %s", async (command) => {
    const { code, out, err } = await run(command, "--help");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatchSnapshot();
    expect((await run("help", command)).out).toBe(out);
  });

  test("every command is in the program's", async () => {
    const { out } = await run("--help");
    const listed = [...out.matchAll(/^ {2}([a-z]+)[ |]/gm)].map((match) => match[1]);
    expect(listed.filter((name) => name !== "help" && name !== "sw")).toEqual(expect.arrayContaining(COMMANDS));
  });
});

test("the version is that of the package", async () => {
  expect(await run("--version")).toEqual({ code: 0, out: "0.0.0\n", err: "" });
});

describe("wrong usage is one line and code 2", () => {
  test.each([
    [["lss"], /^sw-hurray: unknown command 'lss' \(Did you mean ls\?\)\n$/],
    [["ls"], /^sw-hurray: missing required argument 'file'\n$/],
    [["ls", "a", "b"], /^sw-hurray: too many arguments/],
    [["ls", "--lnog", "a"], /^sw-hurray: unknown option '--lnog' \(Did you mean --long\?\)\n$/],
    [["ls", "a", "--timeout", "0"], /Got "0", expected an integer of at least 1\.\n$/],
    [["cat", "a", "--precision", "x"], /Got "x", expected an integer of at least 0\.\n$/],
    [["cat", "a", "--tokens", "1,,2"], /Got "1,,2", expected integers between commas\.\n$/],
    [["diff", "a", "b", "--rtol", "-1"], /Got "-1", expected a number of at least 0\.\n$/],
    [["verify", "a", "--as", "zip"], /Allowed choices are file, stream\.\n$/],
  ])("%j", async (args, message) => {
    const { code, out, err } = await run(...args);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(message);
    expect(err.trimEnd()).not.toContain("\n");
  });
});

describe("what cannot be read is one line and code 3", () => {
  test("a file that is not there, a folder, an unknown format", async () => {
    expect(await run("ls", "/nowhere/x.hrry")).toEqual({
      code: 3,
      out: "",
      err: "sw-hurray: /nowhere/x.hrry: no such file or directory.\n",
    });
    expect((await run("ls", "/")).err).toMatch(/^sw-hurray: .*folder|directory/);
    const path = put("x.bin", new TextEncoder().encode("GIF89a, not a tensor"));
    expect(await run("ls", path)).toMatchObject({ code: 3, err: expect.stringContaining('begins with "GIF89a, "') });
  });

  test("an error of the library is one line, with its stack where --debug is given, before or after the command", async () => {
    const path = put("x.hrry", new TextEncoder().encode("HRRYFILE, and no more"));
    const { code, err } = await run("ls", path);
    expect(code).toBe(3);
    expect(err).toMatch(/^sw-hurray: openHurray: this is no Hurray file: .* \(R125, byte 0\)\.\n$/);
    expect((await run("ls", path, "--debug")).err).toMatch(/R125, byte 0\)\.\n {4}at /);
    expect((await run("--debug", "ls", path)).err).toMatch(/R125, byte 0\)\.\n {4}at /);
  });
});

test("a run that is called off answers 130", async () => {
  const path = putTensors("x.hrry", { a: tensor([1]) });
  const signal = AbortSignal.abort(new DOMException("ended by SIGINT", "AbortError"));
  expect(await runWith({ signal }, "cat", path)).toMatchObject({
    code: 130,
    out: "",
    err: "sw-hurray: ended by SIGINT\n",
  });
});
