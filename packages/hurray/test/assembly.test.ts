import fc from "fast-check";
import { expect, test } from "vitest";
import { createAssembly } from "../src/messages/assembly.js";

test("buffers are those that were sent, however the pieces are cut and whatever becomes of their memory", () => {
  const sizes = fc.array(fc.oneof(fc.nat(40), fc.integer({ min: 65_000, max: 400_000 })), { maxLength: 4 });
  const lengths = fc.array(fc.integer({ min: 1, max: 200_000 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(sizes, lengths, (wanted, cuts) => {
      const total = wanted.reduce((sum, size) => sum + size, 0);
      const sent = Uint8Array.from({ length: total }, (_, k) => (k * 2654435761) >>> 24);
      const assembly = createAssembly(wanted, "test");
      for (let at = 0, k = 0; at < total; k++) {
        const piece = sent.slice(at, at + cuts[k % cuts.length]!);
        assembly.append(piece);
        at += piece.byteLength;
        piece.fill(0);
      }
      const buffers = assembly.buffers();
      expect(buffers.map(({ byteLength }) => byteLength)).toEqual(wanted);
      let at = 0;
      for (const buffer of buffers) {
        // Comparing by `toEqual` takes seconds.
        expect(buffer.every((byte, k) => byte === sent[at + k])).toBe(true);
        at += buffer.byteLength;
      }
    }),
    { numRuns: 50 },
  );
});
