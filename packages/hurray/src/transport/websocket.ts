import { HurrayPeerError } from "../errors.js";
import { countOption } from "../number-option.js";
import type { Channel } from "./channel.js";
import { type Clock, HOST_CLOCK } from "./patience.js";

/** What is needed of a WebSocket: those of pages and of Node have it, and those of the library `ws`. @since 0.1.0 */
export interface WebSocketLike {
  binaryType: string;
  readonly readyState: number;
  /** Bytes that are sent, and that the host has not taken yet. */
  readonly bufferedAmount: number;
  send(bytes: Uint8Array<ArrayBuffer>): void;
  close(code?: number): void;
  addEventListener(
    type: "open" | "message" | "error" | "close",
    listener: (event: { readonly data?: unknown }) => void,
  ): void;
  /** Stops reading from the network; pages have no such thing. */
  pause?(): void;
  resume?(): void;
}

/** How a WebSocket is used. @since 0.1.0 */
export interface WebSocketOptions {
  /** Timers for tests; those of the host when absent. */
  readonly clock?: Clock;
  /** Bytes that may have arrived and wait to be read, before a socket that cannot be paused is given up; 64 MiB when absent. */
  readonly maximumWaitingBytes?: number;
}

/** Bytes under way from which on a writer waits, and a socket that can be is paused. */
const ENOUGH = 1024 * 1024;
const WAITING = 64 * 1024 * 1024;
/** How often a full socket is asked, in milliseconds; there is no event. */
const TICK = 4;
const OPEN = 1;

/**
 * Makes a channel of a WebSocket, or of its address: bytes go in binary messages, cut anywhere. The channel is there at
 * once; what is written waits for the socket to open.
 *
 * @throws What the host says against the address.
 * @since 0.1.0
 */
export function webSocketChannel(target: string | URL | WebSocketLike, options: WebSocketOptions = {}): Channel {
  const { clock = HOST_CLOCK } = options;
  const field = "maximumWaitingBytes";
  const maximumWaitingBytes = countOption("webSocketChannel", field, options[field], 0, WAITING);
  const socket: WebSocketLike = typeof target === "string" || target instanceof URL ? new WebSocket(target) : target;
  socket.binaryType = "arraybuffer";
  const chunks: Uint8Array[] = [];
  let waiting = 0;
  let isPaused = false;
  let isOver = socket.readyState > OPEN;
  let failure: unknown;
  let notify = (): void => {};
  const end = (error?: unknown): void => {
    failure ??= error;
    isOver = true;
    notify();
  };

  const opened = new Promise<void>((resolve) => {
    if (socket.readyState >= OPEN) resolve();
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("close", () => {
      end();
      resolve();
    });
  });
  socket.addEventListener("error", () => end(broken("the WebSocket failed")));
  socket.addEventListener("message", ({ data }) => {
    if (!(data instanceof ArrayBuffer)) {
      end(broken("the peer sends text"));
      socket.close();
      return;
    }
    chunks.push(new Uint8Array(data));
    waiting += data.byteLength;
    if (waiting > ENOUGH && socket.pause !== undefined && !isPaused) {
      isPaused = true;
      socket.pause();
    }
    if (waiting > maximumWaitingBytes && !isPaused) {
      end(broken("more arrives than is read"));
      socket.close();
    }
    notify();
  });

  async function* readable(): AsyncGenerator<Uint8Array, void, void> {
    for (;;) {
      const chunk = chunks.shift();
      if (chunk !== undefined) {
        waiting -= chunk.byteLength;
        if (isPaused && waiting <= ENOUGH) {
          isPaused = false;
          socket.resume?.();
        }
        yield chunk;
      } else if (failure !== undefined) throw failure;
      else if (isOver) return;
      else {
        await new Promise<void>((resolve) => {
          notify = resolve;
        });
      }
    }
  }

  return {
    readable: { [Symbol.asyncIterator]: readable },
    write: async (bytes) => {
      await opened;
      if (isOver) throw failure ?? broken("the WebSocket is closed");
      // What is sent is not shared memory: messages are made here.
      socket.send(bytes as Uint8Array<ArrayBuffer>);
      while (socket.bufferedAmount > ENOUGH && !isOver) {
        await new Promise<void>((resolve) => clock.setTimeout(resolve, TICK));
      }
    },
    close: async () => {
      if (!isOver) socket.close();
    },
  };
}

function broken(problem: string): HurrayPeerError {
  return new HurrayPeerError(
    "SW_HURRAY_DISCONNECTED",
    `webSocketChannel: ${problem}: got its end, expected an open WebSocket with binary messages. Connect again.`,
  );
}
