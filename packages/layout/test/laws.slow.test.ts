import { describe, test } from "vitest";
import { LAWS } from "./laws.js";

describe("the laws of the algebra, by enumeration, at length", () => {
  test.each(LAWS)("$name", ({ check }) => check(10_000));
});
