import { expect } from "vitest";
import { type Descriptor, elementTypeNamed } from "../src/descriptor/index.js";
import {
  decodeMessage,
  encodeMessage,
  type Message,
  type MessageContent,
  readMessages,
} from "../src/messages/index.js";
import type { SendableItem, StoredItem } from "../src/stream/index.js";
import type { Channel, Clock } from "../src/transport/index.js";

/** One direction of a channel in memory: bytes are cut anew, and writes wait while `room` bytes are not read. */
class Pipe implements AsyncIterable<Uint8Array> {
  /** Bytes written and not read. */
  waiting = 0;
  /** The most bytes that ever waited. */
  most = 0;
  written = 0;
  isEnded = false;
  private isHeld = false;
  readonly chunks: Uint8Array[] = [];
  private readonly listeners: (() => void)[] = [];
  private readonly cut: (bytes: Uint8Array) => Uint8Array[];
  private readonly room: number;

  constructor(cut: (bytes: Uint8Array) => Uint8Array[], room: number) {
    this.cut = cut;
    this.room = room;
  }

  private changed(): void {
    for (const listener of this.listeners.splice(0)) listener();
  }

  private async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => this.listeners.push(resolve));
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.isEnded) throw new Error("EPIPE");
    this.chunks.push(...this.cut(bytes).filter((chunk) => chunk.byteLength > 0));
    this.waiting += bytes.byteLength;
    this.written += bytes.byteLength;
    this.most = Math.max(this.most, this.waiting);
    this.changed();
    await this.until(() => this.waiting <= this.room || this.isEnded);
  }

  /** Lets nothing be read, or lets it be read again. */
  hold(isHeld: boolean): void {
    this.isHeld = isHeld;
    this.changed();
  }

  end(): void {
    this.isEnded = true;
    this.changed();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
    for (;;) {
      await this.until(() => (this.chunks.length > 0 && !this.isHeld) || this.isEnded);
      const chunk = this.chunks.shift();
      if (chunk === undefined) return;
      this.waiting -= chunk.byteLength;
      this.changed();
      yield chunk;
    }
  }
}

export interface Pair {
  readonly client: Channel;
  readonly server: Channel;
  readonly up: Pipe;
  readonly down: Pipe;
}

/** Both ends of a channel in memory. */
export function channelPair(cut: (bytes: Uint8Array) => Uint8Array[] = (bytes) => [bytes], room: number = 65536): Pair {
  const up = new Pipe(cut, room);
  const down = new Pipe(cut, room);
  const end = (readable: Pipe, writable: Pipe): Channel => ({
    readable,
    write: (bytes) => writable.write(bytes),
    close: async () => {
      writable.end();
      readable.end();
    },
  });
  return { client: end(down, up), server: end(up, down), up, down };
}

/** Cuts bytes into pieces of one length. */
export const piecesOf =
  (length: number) =>
  (bytes: Uint8Array): Uint8Array[] => {
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < bytes.byteLength; at += length) pieces.push(bytes.subarray(at, at + length));
    return pieces;
  };

/** A clock that stands until it is moved. */
export class FakeClock implements Clock {
  now = 0;
  private readonly timers = new Map<number, { readonly at: number; readonly callback: () => void }>();
  private last = 0;

  setTimeout(callback: () => void, milliseconds: number): number {
    this.timers.set(++this.last, { at: this.now + milliseconds, callback });
    return this.last;
  }

  clearTimeout(timer: unknown): void {
    this.timers.delete(timer as number);
  }

  /** Timers that run. */
  get running(): number {
    return this.timers.size;
  }

  /** Lets time pass; what is waiting for other things happens first. */
  async pass(milliseconds: number): Promise<void> {
    await settled();
    this.now += milliseconds;
    for (const [id, { at, callback }] of [...this.timers]) {
      if (at > this.now || !this.timers.delete(id)) continue;
      callback();
    }
    await settled();
  }
}

/** Lets everything happen that needs no time. */
export async function settled(): Promise<void> {
  for (let k = 0; k < 8; k++) await new Promise((resolve) => setImmediate(resolve));
}

/** The other end of a channel, which says and hears messages as a test wants it. */
export class Peer {
  readonly channel: Channel;
  private readonly messages: AsyncIterator<Message>;

  constructor(channel: Channel) {
    this.channel = channel;
    this.messages = readMessages(channel.readable, { maximumMessageBytes: 2 ** 31 })[Symbol.asyncIterator]();
  }

  async say(...messages: readonly Message[]): Promise<void> {
    for (const message of messages) await this.channel.write(encodeMessage(message));
  }

  /** The next message; `undefined` at the end. */
  async hear(): Promise<Message | undefined> {
    const { value, done } = await this.messages.next();
    return done ? undefined : (value as Message);
  }
}

export const HELLO: Extract<MessageContent, { kind: "clientHello" }> = {
  kind: "clientHello",
  protocolVersion: 1,
  maxMessageSize: 65536,
  capabilityFlags: 0n,
  layouts: [{ tag: 1 }],
  devices: [0],
};

export const REQUEST: Extract<MessageContent, { kind: "tensorRequest" }> = {
  kind: "tensorRequest",
  tensorKey: "w",
  preferredLayouts: [],
  preferredDevice: 0,
  minAlignment: 64,
  requestFlags: 0,
};

const UINT8 = elementTypeNamed("uint8").tag;

/** A tensor of bytes with the values 0, 1, 2, … */
export function bytesTensor(length: number): { descriptor: Descriptor; buffers: Uint8Array[] } {
  const bytes = new Uint8Array(length);
  for (let k = 0; k < length; k++) bytes[k] = k;
  return {
    descriptor: {
      versionMinor: 0,
      typeTag: UINT8,
      shape: [BigInt(length)],
      byteOffset: 0n,
      layout: { kind: "rowMajor" },
      buffers: [{ byteSize: BigInt(length), alignment: 64, deviceTag: 0, syncMode: 0, memoryClass: 0 }],
    },
    buffers: [bytes],
  };
}

/** What bytes on a wire say. */
export function said(chunks: readonly Uint8Array[]): Message[] {
  const bytes = new Uint8Array(Buffer.concat(chunks));
  const messages: Message[] = [];
  for (let at = 0; at < bytes.byteLength; ) {
    messages.push(decodeMessage(bytes.subarray(at)));
    at += 12 + new DataView(bytes.buffer).getUint32(at + 8, true);
  }
  return messages;
}

/** Expects the same item, byte for byte; for large buffers `toEqual` takes minutes. */
export function expectSame(item: SendableItem | undefined, expected: StoredItem): void {
  expect(item?.descriptor).toEqual(expected.descriptor);
  if ("members" in expected) {
    const { members = [] } = item as { members?: readonly SendableItem[] };
    expect(members).toHaveLength(expected.members.length);
    for (const [k, member] of expected.members.entries()) expectSame(members[k], member);
    return;
  }
  const { buffers = [] } = item as { buffers?: readonly Uint8Array[] };
  expect(buffers.map((bytes) => bytes.byteLength)).toEqual(expected.buffers.map((bytes) => bytes.byteLength));
  for (const [k, bytes] of expected.buffers.entries()) expect(Buffer.compare(buffers[k]!, bytes)).toBe(0);
}
