/** The little that tests use of the library; it brings no types of its own. */
declare module "ws" {
  import type { WebSocketLike } from "../src/transport/index.js";

  export const WebSocket: new (address: string) => WebSocketLike;
  export class WebSocketServer {
    constructor(options: { readonly host: string; readonly port: number }, listening: () => void);
    on(event: "connection", listener: (socket: WebSocketLike) => void): unknown;
    address(): { readonly port: number };
    close(closed: () => void): void;
  }
}
