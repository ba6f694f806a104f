import { zeros } from "@sw/tensor";
import { expect, test } from "vitest";
import { tagOfDType } from "../src/dtypes.js";
import { type Descriptor, encodeDescriptor, encodeHurray, openHurray } from "../src/index.js";
import { decodeMessage, encodeMessage } from "../src/messages/index.js";
import { readItems } from "../src/stream/index.js";
import { Meter } from "./meter.js";

const COUNT = 2000;

const member: Descriptor = {
  versionMinor: 0,
  typeTag: tagOfDType("uint8"),
  shape: [1n],
  byteOffset: 0n,
  layout: { kind: "rowMajor" },
  buffers: [{ byteSize: 1n, alignment: 64, deviceTag: 0, syncMode: 0, memoryClass: 0 }],
};

function joined(chunks: Iterable<Uint8Array>): Uint8Array {
  return new Uint8Array(Buffer.concat([...chunks]));
}

function fileOf(count: number): Uint8Array {
  const empty = zeros([0]);
  return encodeHurray(Object.fromEntries(Array.from({ length: count }, (_, k) => [`layers.${k}.weight`, empty])));
}

function metadataOf(count: number): Uint8Array {
  const list = Array.from({ length: count }, (_, k) => BigInt(k));
  const keys = Object.fromEntries(Array.from({ length: count }, (_, k) => [`key ${k}`, "x"]));
  return encodeHurray({}, { metadata: { list, ...keys } });
}

function groupOf(count: number): Uint8Array {
  const head: Descriptor = {
    versionMinor: 0,
    typeTag: tagOfDType("uint8"),
    shape: [1n],
    byteOffset: 0n,
    layout: { kind: "composite", rule: "group", combine: "none", memberCount: count },
    buffers: [],
  };
  const one = encodeDescriptor(member);
  return joined([encodeDescriptor(head), ...Array.from({ length: count }, () => [one, new Uint8Array(1)]).flat()]);
}

function helloOf(count: number): Uint8Array {
  return encodeMessage({
    streamId: 1,
    kind: "clientHello",
    protocolVersion: 1,
    maxMessageSize: 1 << 20,
    capabilityFlags: 0n,
    layouts: Array.from({ length: count }, () => ({ tag: 1 })),
    devices: [],
    memoryClasses: [],
  });
}

const readStream = async (bytes: Uint8Array): Promise<void> => {
  for await (const item of readItems([bytes])) expect(item).toBeDefined();
};

/** What grows without bound in an input, and how it is read. */
const GROWING: readonly [string, (count: number) => Uint8Array, (bytes: Uint8Array) => unknown][] = [
  ["an index", fileOf, (bytes) => openHurray(bytes)],
  ["metadata", metadataOf, (bytes) => openHurray(bytes)],
  ["a composite's members", groupOf, readStream],
  ["the layouts of a greeting", helloOf, (bytes) => decodeMessage(bytes)],
];

for (const [what, make, read] of GROWING) {
  test(`reading twice as long ${what} takes twice the steps`, async () => {
    const meter = new Meter();
    const steps = async (count: number): Promise<number> => {
      const bytes = make(count);
      meter.install();
      try {
        return (await meter.cost(async () => void (await read(bytes)))).steps;
      } finally {
        meter.uninstall();
      }
    };
    const once = await steps(COUNT);
    const twice = await steps(2 * COUNT);
    expect(once).toBeGreaterThan(COUNT);
    expect(twice).toBeLessThan(2.01 * once);
  });
}
