import { quote } from "../bytes/quote.js";
import { HurrayPeerError } from "../errors.js";
import { ERROR_NAMES } from "./error-codes.js";

/** The error of what waits for a peer that says nothing. */
export function timedOut(operation: string, milliseconds: number, streamId?: number): HurrayPeerError {
  return new HurrayPeerError(
    "SW_HURRAY_TIMEOUT",
    `${operation}: the peer is silent: got nothing for ${milliseconds} ms, expected it to go on. Allow more time, if it is only slow.`,
    streamId === undefined ? {} : { streamId },
  );
}

/** The error of what waits when the connection ends, and of what comes later. */
export function disconnected(operation: string, cause?: unknown): HurrayPeerError {
  return new HurrayPeerError(
    "SW_HURRAY_DISCONNECTED",
    `${operation}: the connection is over: got its end, expected an open one. Connect again.`,
    cause === undefined ? {} : { cause },
  );
}

/** The error of what the peer refuses. */
export function refused(operation: string, streamId: number, errorCode: number, text: string): HurrayPeerError {
  const name = ERROR_NAMES[errorCode] ?? "by agreement";
  return new HurrayPeerError(
    "SW_HURRAY_PEER",
    `${operation}: the peer refuses: got error ${errorCode} (${name}), expected an answer. It says ${quote(text)}.`,
    { errorCode, peerMessage: text, streamId },
  );
}
