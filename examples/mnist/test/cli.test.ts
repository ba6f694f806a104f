import { describe, expect, test } from "vitest";
import { type CliOptions, dataFolder, isCliError, parseOptions } from "../src/cli.js";
import { installedFolder } from "../src/data.js";
import { thrown, Written } from "./support.js";

/** Parses a command line, and returns its options or its error with what was written. */
function parse(...args: string[]): { options?: CliOptions; exitCode?: unknown; out: string; error: string } {
  const out = new Written();
  const error = new Written();
  const sinks = { out: (text: string) => out.write(text), error: (text: string) => error.write(text) };
  try {
    return { options: parseOptions(args, sinks), out: out.text, error: error.text };
  } catch (thrownError) {
    if (!isCliError(thrownError)) throw thrownError;
    return { exitCode: thrownError.exitCode, out: out.text, error: error.text };
  }
}

describe("parseOptions", () => {
  test("without options the recipe runs on the JS backend", () => {
    expect(parse().options).toEqual({
      model: "mlp",
      seed: 1,
      epochs: 4,
      batch: 60,
      hidden: 128,
      backend: "js",
      out: "mnist.hrry",
      report: "mnist-report.svg",
    });
  });

  test("every option reaches the job", () => {
    const args =
      "--model cnn --seed 7 --epochs 2 --batch 100 --hidden 64 --backend wasm --out a.hrry --report b.svg --data c";
    expect(parse(...args.split(" ")).options).toEqual({
      model: "cnn",
      seed: 7,
      epochs: 2,
      batch: 100,
      hidden: 64,
      backend: "wasm",
      out: "a.hrry",
      report: "b.svg",
      data: "c",
    });
  });

  test("a leading -- that a runner passed on is dropped", () => {
    expect(parse("--", "--seed", "9").options).toMatchObject({ seed: 9 });
  });

  test("help is no error, and names every option", () => {
    const { exitCode, out, error } = parse("--help");
    expect([exitCode, error]).toEqual([0, ""]);
    for (const name of ["model", "seed", "epochs", "batch", "hidden", "backend", "out", "report", "data"]) {
      expect(out).toContain(`--${name} `);
    }
  });

  test.each([
    [["--sed", "1"], /^error: unknown option '--sed' .*--seed/],
    [["--seed"], /^error: option '--seed <n>' argument missing$/],
    [["--seed", "x"], /Got "x", expected an integer from 0 to 4294967295\.$/],
    [["--seed", "1.5"], /Got "1\.5", expected an integer/],
    [["--seed=-1"], /Got "-1", expected an integer/],
    [["--epochs", "0"], /'--epochs <n>' argument '0' is invalid\. Got "0", expected an integer from 1 to 1000\.$/],
    [["--epochs", "1e3"], /Got "1e3"/],
    [["--batch", "10001"], /Got "10001", expected an integer from 1 to 10000\.$/],
    [["--hidden", "0"], /expected an integer from 1 to 4096\.$/],
    [["--backend", "gpu"], /'gpu' is invalid\. Allowed choices are js, wasm\.$/],
    [["--out", ""], /Got "", expected a path\.$/],
    [["extra"], /^error: too many arguments/],
  ])("a bad option gives one line and exit code 1: %j", (args, message) => {
    const { exitCode, out, error } = parse(...args);
    expect(exitCode).toBe(1);
    expect(out).toBe("");
    expect(error.endsWith("\n")).toBe(true);
    const line = error.slice(0, -1);
    expect(line).not.toContain("\n");
    expect(line).toMatch(/^error: /);
    expect(line).toMatch(message);
  });
});

describe("dataFolder", () => {
  test("the installed package, unless a folder is named", () => {
    const options = parse().options as CliOptions;
    expect(dataFolder(options)).toBe(installedFolder());
    expect(dataFolder({ ...options, data: "here" })).toBe("here");
  });
});

test("errors of other kinds are not the command line's", () => {
  expect(isCliError(thrown(() => parseOptions(undefined as never, { out: () => {}, error: () => {} })))).toBe(false);
});
