/** A layout that a peer takes, in a list of preferences. @since 0.1.0 */
export interface LayoutPreference {
  readonly tag: number;
  /** Of private layouts (tags 0xF0 to 0xFE), and of them only. */
  readonly metadata?: Uint8Array;
}

/** What peers tell each other first (11.2). @since 0.1.0 */
export interface Hello {
  /** Of the protocol; 1. */
  readonly protocolVersion: number;
  /** Bytes of a message that the sender takes at most. */
  readonly maxMessageSize: number;
  /** Bit 0 transcoding, 1 parallel streams, 2 RDMA, 3 GPUDirect. */
  readonly capabilityFlags: bigint;
  /** By preference, the first liked best. */
  readonly layouts: readonly LayoutPreference[];
  readonly devices: readonly number[];
  /** Absent or empty: standard memory only (A24). */
  readonly memoryClasses?: readonly number[];
}

/** What a message says, by kind; fields have the format's names (11.1 to 11.5). @since 0.1.0 */
export type MessageContent =
  | ({ readonly kind: "clientHello" } & Hello)
  | ({ readonly kind: "serverHello" } & Hello)
  | {
      readonly kind: "tensorRequest";
      readonly tensorKey: string;
      readonly preferredLayouts: readonly LayoutPreference[];
      readonly preferredDevice: number;
      /** A power of two. */
      readonly minAlignment: number;
      /** Bit 0 allows transcoding, 1 parallel streams. */
      readonly requestFlags: number;
    }
  | {
      readonly kind: "tensorDescriptor";
      /** Its bytes, for `decodeDescriptor`. */
      readonly descriptor: Uint8Array;
      readonly totalDataBytes: bigint;
      readonly shardIndex: number;
      readonly totalShards: number;
    }
  | {
      readonly kind: "tensorData";
      /** From the start of the tensor's buffers, concatenated in the order of the table (A21). */
      readonly byteOffsetInBuffer: bigint;
      readonly data: Uint8Array;
    }
  | { readonly kind: "tensorDataEnd" }
  | {
      readonly kind: "tensorPut";
      readonly tensorKey: string;
      /** Its bytes, for `decodeDescriptor`. */
      readonly descriptor: Uint8Array;
      readonly totalDataBytes: bigint;
    }
  | { readonly kind: "tensorPutAck" }
  | { readonly kind: "error"; readonly errorCode: number; readonly message: string }
  /** Sent without a payload; one that is received is sent back in the pong (A22). */
  | { readonly kind: "ping"; readonly payload?: Uint8Array }
  | { readonly kind: "pong"; readonly payload?: Uint8Array }
  | {
      readonly kind: "rdmaRegister";
      readonly remoteAddr: bigint;
      readonly length: bigint;
      readonly rkey: Uint8Array;
    }
  | { readonly kind: "rdmaReady" };

/** One message of the protocol. @since 0.1.0 */
export type Message = { readonly streamId: number } & MessageContent;

/** The kinds of messages. @since 0.1.0 */
export type MessageKind = MessageContent["kind"];

/** The kinds in the order of their types, from 1 on. */
export const MESSAGE_KINDS: readonly MessageKind[] = [
  "clientHello",
  "serverHello",
  "tensorRequest",
  "tensorDescriptor",
  "tensorData",
  "tensorDataEnd",
  "tensorPut",
  "tensorPutAck",
  "error",
  "ping",
  "pong",
  "rdmaRegister",
  "rdmaReady",
];
