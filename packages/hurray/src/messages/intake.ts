import { type Binder, createBinder } from "../composite/bind.js";
import { decodeDescriptor } from "../descriptor/descriptor.js";
import type { Descriptor } from "../descriptor/types.js";
import { HurrayFormatError, type Rule } from "../errors.js";
import type { StoredItem } from "../stored.js";
import { checkBufferSizes, type Receive } from "../stream/read.js";
import { type Assembly, createAssembly } from "./assembly.js";
import type { Placed } from "./read.js";
import type { Message } from "./types.js";

/** How what comes on a stream is put together. */
export type IntakeOptions = Receive & {
  /** Takes the data of a tensor; may refuse it by its descriptor, before any data comes. In memory when absent. */
  readonly assemble?: (descriptor: Descriptor) => Assembly;
};

/** Puts together what is sent on one stream, a tensor or a composite, and holds it to the rules of 11.4. */
export interface Intake {
  /** Under which a client puts it; a server's answer goes by its stream. */
  readonly tensorKey: string | undefined;
  /** Takes the next message of the stream; gives the item that is whole with it, if one is. */
  take(placed: Placed): StoredItem | undefined;
  /** Takes the end of the connection: R155, R121 when it comes within an item. */
  end(byteOffset: number): void;
}

type Opening = Extract<Message, { kind: "tensorDescriptor" | "tensorPut" }>;

/** A tensor whose data is on its way. */
interface Transfer {
  readonly total: bigint;
  readonly assembly: Assembly;
  received: bigint;
}

/** Opens an intake; rules R157, R164 and R165, and those of descriptors and composites. */
export function createIntake(options: IntakeOptions): Intake {
  const { operation } = options;
  const binder: Binder = createBinder(options);
  let tensorKey: string | undefined;
  let transfer: Transfer | undefined;

  /** Takes the descriptor of the next tensor, and checks what can be checked before data comes. */
  const begin = (message: Opening, end: number, refuse: Refuse): void => {
    if (transfer !== undefined) {
      refuse("R164", "message_type", "a tensor begins within another one", message.kind, "its data or its end");
    }
    const { maximumDescriptorBytes } = options;
    const length = message.descriptor.byteLength;
    if (length > maximumDescriptorBytes) {
      const problem = "the descriptor is larger than is accepted";
      refuse("R156", "descriptor_length", problem, length, `at most ${maximumDescriptorBytes}`);
    }
    // What follows the descriptor in its message has a fixed length.
    const start = end - (message.kind === "tensorPut" ? 8 : 16) - length;
    const descriptor = decodeDescriptor(message.descriptor, { ...options, base: start });
    checkBufferSizes(descriptor, options, start);
    let total = 0n;
    for (const { byteSize, syncMode } of descriptor.buffers) {
      total += byteSize;
      if (syncMode !== 0) refuse("R157", "sync_mode", "a buffer is synchronised by its sender alone", syncMode, "0");
    }
    if (message.totalDataBytes !== total) {
      const problem = "the message and the descriptor differ about the data";
      refuse("R165", "total_data_bytes", problem, message.totalDataBytes, `${total}`);
    }
    // Members of a composite go by the key of its head.
    if (message.kind === "tensorPut" && binder.open === 0) tensorKey = message.tensorKey;
    binder.begin(descriptor, start);
    const assembly = options.assemble?.(descriptor) ?? createAssembly(sizesOf(descriptor), operation);
    transfer = { total, assembly, received: 0n };
  };

  /** Takes data of the tensor under way. */
  const append = (offset: bigint, data: Uint8Array, refuse: Refuse): void => {
    if (transfer === undefined) {
      refuse("R164", "message_type", "data comes before its descriptor", "tensorData", "a descriptor");
    }
    const { received, total, assembly } = transfer;
    if (offset !== received) {
      refuse("R164", "byte_offset_in_buffer", "data leaves a gap or overlaps", offset, `${received}`);
    }
    transfer.received += BigInt(data.byteLength);
    if (transfer.received > total) {
      const given = `${transfer.received} bytes`;
      refuse("R165", "data", "there is more data than was announced", given, `${total}`);
    }
    assembly.append(data);
  };

  /** Takes the end of the tensor under way. */
  const finish = (refuse: Refuse): StoredItem | undefined => {
    if (transfer === undefined) {
      refuse("R164", "message_type", "data ends before its descriptor", "tensorDataEnd", "a descriptor");
    }
    const { received, total, assembly } = transfer;
    if (received !== total) {
      refuse("R165", "total_data_bytes", "data is missing", `${received} bytes`, `${total}`);
    }
    transfer = undefined;
    return binder.finish(assembly.buffers());
  };

  return {
    get tensorKey() {
      return tensorKey;
    },
    take: ({ message, start, end }) => {
      const refuse: Refuse = (rule, field, problem, given, expected) => {
        throw new HurrayFormatError(operation, rule, field, start, problem, given, expected);
      };
      switch (message.kind) {
        case "tensorDescriptor":
        case "tensorPut":
          begin(message, end, refuse);
          return undefined;
        case "tensorData":
          append(message.byteOffsetInBuffer, message.data, refuse);
          return undefined;
        case "tensorDataEnd":
          return finish(refuse);
        default:
          return refuse("R164", "message_type", "this is no part of a tensor", message.kind, "its data or its end");
      }
    },
    end: (byteOffset) => {
      if (transfer === undefined) return binder.end(byteOffset);
      const { received, total } = transfer;
      const problem = "the input ends within a tensor";
      throw new HurrayFormatError(operation, "R155", "data", byteOffset, problem, `${received} bytes`, `${total}`);
    },
  };
}

/** The lengths of a tensor's buffers. */
export function sizesOf({ buffers }: Descriptor): number[] {
  return buffers.map(({ byteSize }) => Number(byteSize));
}

type Refuse = (rule: Rule, field: string, problem: string, given: unknown, expected: string) => never;
