/**
 * Tensors from a server and to it, by the messages of the protocol, over anything that carries bytes both ways.
 * Imports no tensor.
 *
 * @packageDocumentation
 */
export { HurrayPeerError } from "../errors.js";
export type { Channel } from "./channel.js";
export { type ConnectOptions, connect, type GetOptions, type HurrayClient, type PutOptions } from "./client.js";
export type { ConnectionOptions } from "./connection.js";
export { fileStore, type ServedFile } from "./file-store.js";
export type { LayoutChoice } from "./hello.js";
export type { Clock } from "./patience.js";
export { type ServeOptions, serve } from "./server.js";
export { getShards, type ShardOptions } from "./shards.js";
export { type MemoryStore, memoryStore, type StoreOptions, type TensorStore } from "./store.js";
export { type WebSocketLike, type WebSocketOptions, webSocketChannel } from "./websocket.js";
