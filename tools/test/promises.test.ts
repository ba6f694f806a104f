import { expect, test } from "vitest";
import { brokenPromises, promisedLines } from "./promises.js";

const PROGRAM = `
// Not printed.
const a = 1; // nor this
console.log(a); // 1
// nor this
for (const x of [2, 3]) console.log(x);
// 2
// 3
console.log("a");
`;

test("what an example promises is in the comments of console.log", () => {
  expect(promisedLines(PROGRAM)).toEqual(["1", "2", "3"]);
});

test("a promise is kept by a line of its own, in order; more may be printed", () => {
  expect(brokenPromises(["1", "3"], ["1", "2", "3 ", "4"])).toEqual([]);
  expect(brokenPromises(["1", "3"], ["3", "1"])).toEqual(["3"]);
  expect(brokenPromises(["1", "1"], ["1"])).toEqual(["1"]);
});
