import type { ByteReader } from "../bytes/reader.js";
import type { ByteWriter } from "../bytes/writer.js";
import { readLength } from "../descriptor/header.js";
import { readLayouts, readList, readText, writeBytes, writeLayouts, writeList, writeText } from "./lists.js";
import type { Hello, MessageContent, MessageKind } from "./types.js";

/** The version of the protocol that is spoken here. */
const VERSION = 1;

const CAPABILITIES = 15n;
const RDMA = 4n;
const GPUDIRECT = 8n;
const REQUEST_FLAGS = 3;

type ContentOf<K extends MessageKind> = Extract<MessageContent, { kind: K }>;

/** How the payload of one kind of message is read and written. */
interface Payload<K extends MessageKind> {
  read(reader: ByteReader): Omit<ContentOf<K>, "kind">;
  write(writer: ByteWriter, content: ContentOf<K>): void;
}

const NOTHING = { read: () => ({}), write: () => {} };

/** Every payload. */
export const PAYLOADS: { readonly [K in MessageKind]: Payload<K> } = {
  clientHello: { read: readHello, write: writeHello },
  serverHello: {
    read: (reader) => {
      const at = reader.position;
      const hello = readHello(reader);
      if (hello.protocolVersion > VERSION) {
        const problem = "the server speaks a later version than the client";
        reader.failAt(at, "R161", "protocol_version", hello.protocolVersion, `at most ${VERSION}`, problem);
      }
      return hello;
    },
    write: writeHello,
  },
  tensorRequest: {
    read: (reader) => {
      const tensorKey = readText(reader, "tensor_key");
      const preferredLayouts = readLayouts(reader, "preferred_layouts");
      const preferredDevice = reader.u8("preferred_device");
      const minAlignment = reader.u32("min_alignment");
      if (minAlignment === 0 || (minAlignment & (minAlignment - 1)) !== 0) {
        reader.refuse("R167", minAlignment, "a power of two");
      }
      const requestFlags = reader.u32("request_flags");
      if (requestFlags > REQUEST_FLAGS) reader.refuse("R162", requestFlags, "bits 0 and 1 only");
      return { tensorKey, preferredLayouts, preferredDevice, minAlignment, requestFlags };
    },
    write: (writer, { tensorKey, preferredLayouts, preferredDevice, minAlignment, requestFlags }) => {
      writeText(writer, tensorKey, "tensor_key");
      writeLayouts(writer, preferredLayouts, "preferred_layouts");
      writer.u8(preferredDevice, "preferred_device");
      writer.u32(minAlignment, "min_alignment");
      writer.u32(requestFlags, "request_flags");
    },
  },
  tensorDescriptor: {
    read: (reader) => {
      const descriptor = readDescriptor(reader);
      const totalDataBytes = reader.u64("total_data_bytes");
      const shardIndex = reader.u32("shard_index");
      return { descriptor, totalDataBytes, shardIndex, totalShards: reader.u32("total_shards") };
    },
    write: (writer, { descriptor, totalDataBytes, shardIndex, totalShards }) => {
      writer.append(descriptor);
      writer.u64(totalDataBytes, "total_data_bytes");
      writer.u32(shardIndex, "shard_index");
      writer.u32(totalShards, "total_shards");
    },
  },
  tensorData: {
    read: (reader) => {
      const byteOffsetInBuffer = reader.u64("byte_offset_in_buffer");
      return { byteOffsetInBuffer, data: reader.window(reader.remaining, "data") };
    },
    write: (writer, { byteOffsetInBuffer, data }) => {
      writer.u64(byteOffsetInBuffer, "byte_offset_in_buffer");
      writer.append(data);
    },
  },
  tensorDataEnd: NOTHING,
  tensorPut: {
    read: (reader) => {
      const tensorKey = readText(reader, "tensor_key");
      const length = reader.u32("length of descriptor");
      const descriptor = readDescriptor(reader);
      if (descriptor.byteLength !== length) {
        const problem = "the message and the descriptor differ about its length";
        reader.refuse("R163", length, `${descriptor.byteLength}`, problem);
      }
      return { tensorKey, descriptor, totalDataBytes: reader.u64("total_data_bytes") };
    },
    write: (writer, { tensorKey, descriptor, totalDataBytes }) => {
      writeText(writer, tensorKey, "tensor_key");
      writeBytes(writer, descriptor, "descriptor");
      writer.u64(totalDataBytes, "total_data_bytes");
    },
  },
  tensorPutAck: NOTHING,
  error: {
    read: (reader) => ({ errorCode: reader.u32("error_code"), message: readText(reader, "message") }),
    write: (writer, { errorCode, message }) => {
      writer.u32(errorCode, "error_code");
      writeText(writer, message, "message");
    },
  },
  ping: { read: readPing, write: writePing },
  pong: { read: readPing, write: writePing },
  rdmaRegister: {
    read: (reader) => {
      const remoteAddr = reader.u64("remote_addr");
      const length = reader.u64("length");
      return { remoteAddr, length, rkey: reader.window(reader.u32("length of rkey"), "rkey") };
    },
    write: (writer, { remoteAddr, length, rkey }) => {
      writer.u64(remoteAddr, "remote_addr");
      writer.u64(length, "length");
      writeBytes(writer, rkey, "rkey");
    },
  },
  rdmaReady: NOTHING,
};

function readHello(reader: ByteReader): Hello {
  const protocolVersion = reader.u32("protocol_version");
  reader.within("R161", protocolVersion, VERSION);
  const maxMessageSize = reader.u32("max_message_size");
  const capabilityFlags = reader.u64("capability_flags");
  if (capabilityFlags > CAPABILITIES) reader.refuse("R162", capabilityFlags, "bits 0 to 3 only");
  if ((capabilityFlags & GPUDIRECT) !== 0n && (capabilityFlags & RDMA) === 0n) {
    reader.refuse("R162", capabilityFlags, "bit 2 (RDMA) with bit 3 (GPUDirect)");
  }
  const layouts = readLayouts(reader, "layouts");
  const hello = { protocolVersion, maxMessageSize, capabilityFlags, layouts, devices: readList(reader, "devices") };
  if (reader.remaining === 0) return hello;
  const memoryClasses = readList(reader, "memory_classes");
  // What a later version appends means nothing here (A24).
  if (protocolVersion > VERSION) reader.advance(reader.remaining, "later fields");
  return { ...hello, memoryClasses };
}

function writeHello(writer: ByteWriter, hello: Hello): void {
  writer.u32(hello.protocolVersion, "protocol_version");
  writer.u32(hello.maxMessageSize, "max_message_size");
  writer.u64(hello.capabilityFlags, "capability_flags");
  writeLayouts(writer, hello.layouts, "layouts");
  writeList(writer, hello.devices, "devices");
  if (hello.memoryClasses !== undefined) writeList(writer, hello.memoryClasses, "memory_classes");
}

/** Takes a descriptor by its own length; it is not decoded, since who only passes messages on need not know it. */
function readDescriptor(reader: ByteReader): Uint8Array {
  const start = reader.position;
  const length = readLength(reader);
  reader.position = start;
  return reader.window(length, "descriptor");
}

function readPing(reader: ByteReader): { payload?: Uint8Array } {
  return reader.remaining === 0 ? {} : { payload: reader.window(reader.remaining, "payload") };
}

function writePing(writer: ByteWriter, { payload }: { readonly payload?: Uint8Array }): void {
  if (payload !== undefined) writer.append(payload);
}
