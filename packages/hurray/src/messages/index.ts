/**
 * The messages by which a tensor is asked for, sent and put: one at a time, and what one side of a connection says. Imports no tensor.
 *
 * @packageDocumentation
 */
export type { ByteInput } from "../bytes/feed.js";
export { decodeMessage, encodeMessage, type MessageOptions } from "./codec.js";
export { type ReadMessagesOptions, readMessages } from "./read.js";
export { type ReceivedItem, type ReceiveItemsOptions, receiveItems } from "./receive.js";
export type { Hello, LayoutPreference, Message, MessageContent, MessageKind } from "./types.js";
