import { type AddressInfo, createServer, connect as open, type Socket } from "node:net";
import { HurrayPeerError } from "../errors.js";
import { countOption } from "../number-option.js";
import type { Channel } from "../transport/channel.js";
import { type ConnectOptions, connect, type HurrayClient } from "../transport/client.js";
import { type ServeOptions, serve, serveLimits } from "../transport/server.js";
import type { TensorStore } from "../transport/store.js";

/** Where a server is: the path of a Unix socket, or a host and a port; this machine when the host is absent. @since 0.1.0 */
export type SocketAddress = { readonly path: string } | { readonly host?: string; readonly port: number };

/** How a server listens. @since 0.1.0 */
export interface ListenOptions extends ServeOptions {
  /** Clients at the same time; further ones are turned away. 64 when absent. */
  readonly maximumConnections?: number;
}

/** A server that listens. @since 0.1.0 */
export interface Listening {
  /** Where it is; with the port that was chosen where 0 was asked for. */
  readonly address: SocketAddress;
  /** Ends it and all its connections. Closing twice is nothing. */
  close(): Promise<void>;
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const CONNECTIONS = 64;
const LOCAL = "127.0.0.1";
/** How long a peer may take to end its side, in milliseconds. */
const LINGER = 500;

/**
 * Connects to a server over TCP or a Unix socket.
 *
 * @throws HurrayPeerError `SW_HURRAY_DISCONNECTED` when nobody is there (`cause` says why), and as `connect`.
 * @since 0.1.0
 */
export async function connectSocket(where: SocketAddress, options: ConnectOptions = {}): Promise<HurrayClient> {
  options.signal?.throwIfAborted();
  const socket = open({ ...placeOf(where), allowHalfOpen: true, noDelay: true });
  const channel = socketChannel(socket);
  try {
    await opened(socket, where, options.signal);
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return connect(channel, options);
}

/**
 * Serves tensors over TCP or a Unix socket to everyone who connects.
 *
 * @throws What the host says against it, e.g. `EADDRINUSE`.
 * @since 0.1.0
 */
export async function listen(
  store: TensorStore,
  where: SocketAddress,
  options: ListenOptions = {},
): Promise<Listening> {
  options.signal?.throwIfAborted();
  serveLimits("listen", options);
  const maximumConnections = countOption("listen", "maximumConnections", options.maximumConnections, 1, CONNECTIONS);
  const ending = new AbortController();
  const served = new Set<Promise<void>>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    const work = serve(socketChannel(socket), store, { ...options, signal: ending.signal })
      .catch((error: unknown) => {
        if (!ending.signal.aborted) options.onError?.(error);
      })
      .finally(() => served.delete(work));
    served.add(work);
  });
  server.maxConnections = maximumConnections;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(placeOf(where), () => {
      server.off("error", reject);
      resolve();
    });
  });
  const place = server.address() as AddressInfo | string;
  const close = async (): Promise<void> => {
    options.signal?.removeEventListener("abort", close);
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    ending.abort(
      new HurrayPeerError("SW_HURRAY_DISCONNECTED", "listen: the server is closed: got its end, expected an open one."),
    );
    await Promise.all([closed, ...served]);
  };
  options.signal?.addEventListener("abort", close);
  return {
    address: typeof place === "string" ? { path: place } : { host: place.address, port: place.port },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * Makes a channel of a socket: TCP, Unix, TLS. Made with `allowHalfOpen`, a socket still receives what was asked for
 * when its own side has ended.
 * @since 0.1.0
 */
export function socketChannel(socket: Socket): Channel {
  // Errors come out where something waits; without a listener they would end the process.
  socket.on("error", () => {});
  return {
    readable: { [Symbol.asyncIterator]: () => socket.iterator({ destroyOnReturn: false }) },
    write: (bytes) =>
      new Promise((resolve, reject) => {
        // Called when the host has taken the bytes, which is what holds the sender back.
        socket.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    close: () =>
      new Promise((resolve) => {
        if (socket.closed) return resolve();
        const timer = setTimeout(() => socket.destroy(), LINGER);
        socket.once("close", () => {
          clearTimeout(timer);
          resolve();
        });
        socket.end();
      }),
  };
}

function placeOf(where: SocketAddress): { path: string } | { host: string; port: number } {
  return "path" in where ? { path: where.path } : { host: where.host ?? LOCAL, port: where.port };
}

/** Waits until a socket is connected. */
function opened(socket: Socket, where: SocketAddress, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      signal?.removeEventListener("abort", onAbort);
      socket.off("connect", onConnect);
      socket.off("error", onError);
    };
    const onAbort = (): void => {
      settle();
      reject(signal?.reason);
    };
    const onConnect = (): void => {
      settle();
      resolve();
    };
    const onError = (cause: Error & { readonly code?: string }): void => {
      settle();
      const place = "path" in where ? where.path : `${where.host ?? LOCAL}:${where.port}`;
      const message = `connectSocket: nobody is there: got ${cause.code}, expected a server at ${place}.`;
      reject(new HurrayPeerError("SW_HURRAY_DISCONNECTED", message, { cause }));
    };
    signal?.addEventListener("abort", onAbort);
    socket.once("connect", onConnect);
    socket.once("error", onError);
  });
}
