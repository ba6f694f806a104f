import fc from "fast-check";
import { expect, test } from "vitest";
import {
  decodeDescriptor,
  descriptorFlags,
  descriptorLength,
  encodeDescriptor,
  layoutTag,
} from "../src/descriptor/index.js";
import { descriptors } from "./descriptor-arbitrary.js";

const accept = (): boolean => true;

test("law: every layout, type and section comes back from its bytes, and the bytes from what came back", () => {
  const kinds = new Set<string>();
  fc.assert(
    fc.property(descriptors, (descriptor) => {
      const bytes = encodeDescriptor(descriptor);
      const again = decodeDescriptor(bytes, { accept });
      expect(again).toEqual(descriptor);
      expect(encodeDescriptor(again)).toEqual(bytes);
      expect(descriptorLength(bytes.subarray(0, 10))).toBe(bytes.length);
      const view = new DataView(bytes.buffer);
      expect([descriptorFlags(descriptor), layoutTag(descriptor)]).toEqual([view.getUint32(10, true), bytes[15]]);
      kinds.add(descriptor.layout.kind);
    }),
    { numRuns: 1500 },
  );
  expect(kinds.size).toBe(13);
});

test("law: a descriptor that is cut anywhere is refused, whatever length it claims", () => {
  fc.assert(
    fc.property(descriptors, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (descriptor, share) => {
      const bytes = encodeDescriptor(descriptor);
      const end = bytes.length - (descriptor.tail?.length ?? 0);
      const cut = bytes.slice(0, Math.floor(share * end));
      expect(() => decodeDescriptor(cut, { accept })).toThrow(/R1,/);
      if (cut.length < 10) return;
      new DataView(cut.buffer).setUint32(6, cut.length, true);
      expect(() => decodeDescriptor(cut, { accept })).toThrow(/R5,|R6,/);
    }),
  );
});
