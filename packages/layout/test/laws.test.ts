import { describe, test } from "vitest";
import { LAWS } from "./laws.js";

describe("the laws of the algebra, by enumeration", () => {
  test.each(LAWS)("$name", ({ check }) => check(300));
});
