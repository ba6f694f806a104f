import type { EntryOf } from "../layout-entry.js";

/** A layout that parties agree on between themselves; its payload says how long it is (4.11). */
export const privateLayout: EntryOf<"private"> = {
  layoutClass: "private",
  bufferCount: () => undefined,
  read: (reader, { tag, accept }) => {
    const id = reader.u64("extension_layout_id");
    if (!accept("layout", id)) {
      reader.relax("R14", id, "one that is accepted");
    }
    const length = reader.u32("extension_data_length");
    return { kind: "private", tag, id, data: reader.window(length, "extension_data").slice() };
  },
  write: (writer, { id, data }) => {
    writer.u64(id, "extension_layout_id");
    writer.u32(data.byteLength, "extension_data_length");
    writer.append(data);
  },
};

/** A layout of no meaning yet. Its payload has no known length: what follows the byte offset stays raw (A31). */
export const unknownLayout: EntryOf<"unknown"> = {
  layoutClass: "private",
  bufferCount: () => undefined,
  read: (reader, { tag, flags }) => {
    const rest = reader.window(reader.remaining, "layout payload").slice();
    return { kind: "unknown", tag, flags, rest };
  },
  write: (writer, { rest }) => writer.append(rest),
};
