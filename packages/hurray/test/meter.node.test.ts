import { expect, test } from "vitest";
import { Meter } from "./meter.js";

test("the meter of hostile inputs counts each field read and each byte taken", async () => {
  const meter = new Meter();
  meter.install();
  const held: unknown[] = [];
  try {
    const view = new DataView(new ArrayBuffer(800));
    const read = await meter.cost(() => {
      for (let at = 0; at < 800; at += 8) held.push(view.getBigUint64(at, true));
    });
    expect(read.steps).toBe(100);
    const buffers = await meter.cost(() => void held.push(new Uint8Array(50_000_000)));
    expect(buffers.bytes).toBeGreaterThan(40_000_000);
    const objects = await meter.cost(() => void held.push(Array.from({ length: 100_000 }, (_, k) => [k])));
    expect(objects.bytes).toBeGreaterThan(2_000_000);
  } finally {
    meter.uninstall();
  }
  const after = await meter.cost(() => void new DataView(new ArrayBuffer(8)).getUint8(0));
  expect(after.steps).toBe(0);
});
