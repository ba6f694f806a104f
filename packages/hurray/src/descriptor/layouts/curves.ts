import type { EntryOf } from "../layout-entry.js";
import { DYNAMIC } from "../shape.js";
import { compactSpan } from "./dense.js";

/** Bits of an element offset beyond which no buffer holds the element: its size has 64 bits, and an element takes one at least. */
const OFFSET_BITS = 68;

/** Elements in the order of interleaved coordinate bits (4.4). */
export const morton: EntryOf<"morton"> = {
  layoutClass: "dense",
  bufferCount: () => 1,
  read: (reader, { shape }) => {
    const bits = reader.u32s(shape.length, "morton_bits");
    bits.forEach((count, k) => {
      const extent = shape[k]!;
      if (count === 0) reader.refuse("R24", 0, "at least 1", undefined, 4 * k);
      if (count < 64 && extent !== DYNAMIC && extent > 1n << BigInt(count)) {
        reader.refuse("R25", `${count} bits`, `enough for ${extent}`, undefined, 4 * k);
      }
    });
    return { kind: "morton", bits };
  },
  write: (writer, { bits }, rank) => writer.list("u32", bits, rank, "morton_bits"),
  // The largest code has every bit set that takes part (A5): bit b of dimension d is bit b·rank + d.
  span: ({ bits }) => {
    const rank = bits.length;
    let highest = 0n;
    bits.forEach((count, d) => {
      // What lies beyond every buffer need not be told apart, and hostile counts of bits make huge numbers.
      for (let b = 0; b < count; b++) {
        const place = Math.min(b * rank + d, OFFSET_BITS);
        highest |= 1n << BigInt(place);
        if (place === OFFSET_BITS) break;
      }
    });
    return { lowest: 0n, highest };
  },
};

/** Elements along Hilbert's curve through a cube of 2^order elements a dimension (4.5). */
export const hilbert: EntryOf<"hilbert"> = {
  layoutClass: "dense",
  bufferCount: () => 1,
  read: (reader, { shape }) => {
    const order = reader.within("R26", reader.u32("hilbert_order"), 1);
    const rank = reader.u32("hilbert_rank");
    if (rank < 2 || rank !== shape.length) {
      reader.refuse("R27", rank, `the rank, ${shape.length}, at least 2`);
    }
    const other = shape.find((extent) => extent !== DYNAMIC && (order >= 64 || extent !== 1n << BigInt(order)));
    if (other !== undefined) {
      reader.failAt(reader.start - 4, "R28", "hilbert_order", order, "log2 of each dimension");
    }
    return { kind: "hilbert", order };
  },
  write: (writer, { order }, rank) => {
    writer.u32(order, "hilbert_order");
    writer.u32(rank, "hilbert_rank");
  },
  span: (_layout, stored) => compactSpan(stored),
};
