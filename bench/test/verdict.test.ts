import { expect, test } from "vitest";
import { bestPeer, judge, type Measured, worst } from "../src/verdict.mjs";

const measured = (over: Partial<Measured>): Measured => ({
  samples: { strideweave: [10, 10, 10], fast: [15, 15, 15], slow: [40, 40, 40] },
  ours: "strideweave",
  peers: ["slow", "fast"],
  ...over,
});

test("the best peer is the one with the least median, among those that were measured", () => {
  expect(bestPeer(measured({}))).toBe("fast");
  expect(bestPeer(measured({ samples: { fast: [], slow: [1] } }))).toBe("slow");
  expect(bestPeer(measured({ peers: [] }))).toBeUndefined();
});

test("a reach is met by the median", () => {
  expect(judge({ faster: 1.5, than: "best" }, measured({}))).toMatchObject({
    got: { low: 1.5, median: 1.5, high: 1.5 },
    verdict: "met",
  });
});

test("a reach between the median and the upper quartile is within spread, above it is missed", () => {
  const samples = { strideweave: [10, 10, 10, 10, 10], fast: [8, 9, 10, 12, 13] };
  expect(judge({ faster: 1.1, than: "best" }, measured({ samples })).verdict).toBe("within spread");
  expect(judge({ faster: 1.21, than: "best" }, measured({ samples })).verdict).toBe("missed");
});

test("a limit on the measure itself is met from below", () => {
  const samples = { strideweave: [1, 2, 3] };
  expect(judge({ atMost: 2 }, measured({ samples })).verdict).toBe("met");
  expect(judge({ atMost: 1.5 }, measured({ samples })).verdict).toBe("within spread");
  expect(judge({ atMost: 1.4 }, measured({ samples })).verdict).toBe("missed");
});

test("a share of the limit counts work a time: ours did twice the work in twice the time", () => {
  const samples = { strideweave: [20, 20], machine: [9, 9] };
  const outcome = judge(
    { share: 0.88, of: "registers" },
    measured({ samples, work: 200, limit: { name: "machine", work: 100 } }),
  );
  expect(outcome).toMatchObject({ got: { median: 0.9 }, verdict: "met" });
});

test("another of our own is compared with by name", () => {
  const samples = { strideweave: [10], "strideweave untransposed": [9] };
  expect(judge({ faster: 0.95, than: "strideweave untransposed" }, measured({ samples }))).toMatchObject({
    got: { median: 0.9 },
    verdict: "missed",
  });
});

test("what one of the two sides was not measured for has no verdict", () => {
  expect(judge({ faster: 1, than: "best" }, measured({ peers: [] })).verdict).toBe("not measured");
  expect(judge({ atMost: 1 }, measured({ samples: {} })).verdict).toBe("not measured");
  expect(judge({ share: 1, of: "registers" }, measured({})).verdict).toBe("not measured");
});

test("the worst of a row's verdicts is its own", () => {
  expect(worst(["met", "within spread", "met"])).toBe("within spread");
  expect(worst(["missed", "not measured"])).toBe("missed");
  expect(worst([])).toBe("met");
});
