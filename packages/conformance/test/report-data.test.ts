import { expect, test } from "vitest";
import { ConformanceError, formatJUnit, type Report, reportData } from "../src/index.js";
import { parseXml } from "./xml.js";

const id = "layout/compose/[[2],[1]];\"<&>'";
const message = 'got \u0000\u001f\ud800 ]]> \ud83d\ude00\n\ttwo & "three"';
const error = new ConformanceError("SW_CONFORMANCE_VALUE", id, message, {
  operands: "  a <b>",
  coordinate: [1, 2],
  got: "1",
});

const REPORT: Report = {
  candidate: "a\n\"b\" <c> & 'd'",
  ok: false,
  passed: ["kernels/add/float32/a", "kernels/add/float32/b"],
  failed: [{ id, error }],
  skipped: [{ id: "kernels/add/float32/c", reason: 'no "add" <here>' }],
  excepted: [{ id: "kernels/mul/float32/a", reason: "issue 9", error }],
  stale: [{ id: "kernels/add/float32/b", reason: "issue 8", because: "passed" }],
  partlyDeclined: [],
  unchecked: [],
  checks: 7,
};

test("plain data of a report survive JSON", () => {
  const data = JSON.parse(JSON.stringify(reportData(REPORT)));
  expect(data).toEqual(reportData(REPORT));
  expect(data.failed).toEqual([
    { id, code: "SW_CONFORMANCE_VALUE", message: error.message, operands: "  a <b>", coordinate: [1, 2], got: "1" },
  ]);
  expect(data.excepted[0]).toMatchObject({
    id: "kernels/mul/float32/a",
    reason: "issue 9",
    code: "SW_CONFORMANCE_VALUE",
  });
});

test("JUnit XML is well-formed whatever a text holds, and counts what is in it", () => {
  const root = parseXml(formatJUnit(REPORT));
  expect(root.attributes).toEqual({
    name: `conformance of ${REPORT.candidate}`,
    tests: "5",
    failures: "2",
    skipped: "2",
    errors: "0",
  });
  const [add, layout, mul] = root.children;
  expect([add, layout, mul].map((suite) => suite!.attributes["name"])).toEqual([
    "kernels/add",
    "layout/compose",
    "kernels/mul",
  ]);
  expect(add!.attributes).toMatchObject({ tests: "3", failures: "1", skipped: "1" });
  const bodies = add!.children.map(({ attributes, children }) => [
    attributes["name"],
    children[0]?.name,
    children[0]?.attributes,
  ]);
  expect(bodies).toEqual([
    ["kernels/add/float32/a", undefined, undefined],
    [
      "kernels/add/float32/b",
      "failure",
      { type: "SW_CONFORMANCE_STALE", message: "declared to fail, and passes: issue 8" },
    ],
    ["kernels/add/float32/c", "skipped", { message: 'no "add" <here>' }],
  ]);
  // What XML cannot have is shown as what stands for nothing.
  const [failed] = layout!.children;
  expect(failed!.attributes["name"]).toBe(id);
  expect(failed!.children[0]!.text).toBe(`${id}: got \ufffd\ufffd\ufffd ]]> \ud83d\ude00\n\ttwo & "three"\n  a <b>`);
});
