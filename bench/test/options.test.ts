import { expect, test } from "vitest";
import { chosen, readOptions } from "../src/options.mjs";

const ROWS = [{ id: "add-4" }, { id: "add-1e6" }, { id: "exp" }, { id: "soak", asked: true }];
const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

test("a quick run has fewer rounds and shorter ones", () => {
  expect(readOptions([])).toMatchObject({ rounds: 11, batch: 40, quick: false, peers: true });
  expect(readOptions(["--quick", "--no-peers"])).toMatchObject({ rounds: 5, batch: 8, quick: true, peers: false });
});

test("what a package manager puts before the options is no option", () => {
  expect(readOptions(["--", "--strict"]).strict).toBe(true);
});

test("an option that does not exist is refused", () => {
  expect(() => readOptions(["--fast"])).toThrow(TypeError);
});

test("rows are chosen by name or by the beginning of it", () => {
  expect(ids(chosen(ROWS, readOptions(["--only", "exp,add-*"]).only, false))).toEqual(["add-4", "add-1e6", "exp"]);
});

test("a row that has to be asked for is measured when it is", () => {
  expect(ids(chosen(ROWS, undefined, false))).toEqual(["add-4", "add-1e6", "exp"]);
  expect(ids(chosen(ROWS, undefined, true))).toContain("soak");
  expect(ids(chosen(ROWS, ["soak"], false))).toEqual(["soak"]);
});

test("a name that no row has is refused, with those there are", () => {
  expect(() => chosen(ROWS, ["log"], false)).toThrow("got log, expected some of add-4, add-1e6, exp, soak");
});
