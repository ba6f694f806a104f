import { expect, test } from "vitest";
import { chart } from "../src/chart.mjs";
import { RESULTS, result } from "./results.js";

test("a chart has a bar for each row that is compared with another", () => {
  const svg = chart(RESULTS, "one machine");
  expect(svg.match(/<rect /g)).toHaveLength(1);
  expect(svg).toContain('class="met"');
  expect(svg).toContain("1.50× (1.30)");
});

test("what a reader wrote is text, not markup", () => {
  const row = { id: "a<b", title: "", unit: "µs" };
  const svg = chart([result(row, { strideweave: [1], peer: [4] }, [{ faster: 2, than: "best" }])], "A & B");
  expect(svg).toContain("a&lt;b");
  expect(svg).toContain("A &amp; B");
});

test("a chart of nothing is a picture still", () => {
  expect(chart([], "nothing")).toMatch(/^<svg [^>]*>/);
});
