import { type ServeOptions, serve, serveLimits } from "../transport/server.js";
import type { TensorStore } from "../transport/store.js";
import { type WebSocketLike, webSocketChannel } from "../transport/websocket.js";

/** What is needed of a WebSocket server: that of the library `ws` has it. @since 0.1.0 */
export interface WebSocketServerLike {
  on(event: "connection", listener: (socket: WebSocketLike) => void): unknown;
}

/**
 * Serves tensors to everyone who connects to a WebSocket server. The server stays its owner's: it listens, limits its
 * connections (`verifyClient`, `maxPayload`) and is closed there.
 *
 * @example
 * ```ts no-run
 * import { memoryStore } from "@sw/hurray/transport";
 * import { attachWebSocket } from "@sw/hurray/node";
 * import { WebSocketServer } from "ws";
 *
 * attachWebSocket(new WebSocketServer({ port: 8080 }), memoryStore());
 * ```
 * @since 0.1.0
 */
export function attachWebSocket(server: WebSocketServerLike, store: TensorStore, options: ServeOptions = {}): void {
  serveLimits("attachWebSocket", options);
  server.on("connection", (socket) => {
    serve(webSocketChannel(socket), store, options).catch((error: unknown) => options.onError?.(error));
  });
}
