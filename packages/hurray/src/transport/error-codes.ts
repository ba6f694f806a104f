import { HurrayFormatError, HurrayLimitError, HurrayUnsupportedError } from "../errors.js";

/** The codes of ERROR messages (11.5); those from 0xF0 on are ours. Code 4 is not sent: what cannot be transcoded is served as it is stored. */
export const ERROR_CODES = {
  versionMismatch: 1,
  unknownTensor: 2,
  layoutUnavailable: 3,
  deviceUnavailable: 5,
  invalidMessage: 6,
  messageTooLarge: 7,
  shardMismatch: 8,
  /** Too much at once: ask again later, or for less. */
  limit: 0xf0,
  /** What was asked for exists, and cannot be given or taken. */
  failed: 0xf1,
  /** Who asked does not want it any more. */
  cancelled: 0xf2,
} as const;

/** What the codes mean, for the messages of errors. */
export const ERROR_NAMES: { readonly [code: number]: string } = {
  1: "version mismatch",
  2: "unknown tensor",
  3: "layout unavailable",
  4: "transcode limit exceeded",
  5: "device unavailable",
  6: "invalid message",
  7: "message too large",
  8: "shard mismatch",
};

/** A request that is refused, by an ERROR message with this code and text. */
export class Refusal extends Error {
  readonly errorCode: number;
  constructor(errorCode: number, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "Refusal";
    this.errorCode = errorCode;
  }
}

/** The code by which a peer is told of an error. */
export function errorCodeOf(error: unknown): number {
  if (error instanceof Refusal) return error.errorCode;
  if (error instanceof HurrayLimitError) return ERROR_CODES.limit;
  if (error instanceof HurrayUnsupportedError && error.code === "SW_HURRAY_DEVICE_UNSUPPORTED") {
    return ERROR_CODES.deviceUnavailable;
  }
  if (!(error instanceof HurrayFormatError)) return ERROR_CODES.failed;
  switch (error.rule) {
    case "R156":
      return ERROR_CODES.messageTooLarge;
    case "R161":
      return ERROR_CODES.versionMismatch;
    case "R166":
      return ERROR_CODES.shardMismatch;
    default:
      return ERROR_CODES.invalidMessage;
  }
}

/** What a peer is told of an error; of one that is none of its business only that there is one. */
export function errorTextOf(error: unknown): string {
  const isTheirs =
    error instanceof Refusal ||
    error instanceof HurrayFormatError ||
    error instanceof HurrayLimitError ||
    error instanceof HurrayUnsupportedError;
  return isTheirs ? error.message.slice(0, 200) : "it failed";
}
