import { describe, expect, inject, test } from "vitest";
import type {} from "../../../vitest.browser.config.js"; // what the lane provides

describe("the page of a browser lane", () => {
  test("is cross-origin isolated exactly where its lane says so", () => {
    expect(crossOriginIsolated).toBe(inject("isolated"));
  });

  test("has the constructor of shared memory exactly where it is isolated", () => {
    expect("SharedArrayBuffer" in globalThis).toBe(inject("isolated"));
  });
});
