import { HurrayFormatError } from "../errors.js";
import { MAXIMUM_MESSAGE } from "../messages/codec.js";
import type { Hello, LayoutPreference } from "../messages/types.js";
import { isWithin, refuseValue } from "../number-option.js";

/** The device whose memory is reached here. */
export const CPU = 0;

/** The layouts of the format, plain ones first. */
export const LAYOUT_TAGS: readonly number[] = [1, 2, 3, 4, 5, 0x40, 6, 7, 8, 9, 10, 11];

export const CAN_TRANSCODE = 1n;

/** Bytes that a peer must take in one message for anything to be sent to it. */
export const LEAST_MESSAGE = 1024;

/** A layout that a peer takes: its tag, or of a private one the tag and what else is agreed about it. @since 0.1.0 */
export type LayoutChoice = number | LayoutPreference;

/** What either side says first. */
export function helloOf(
  layouts: readonly LayoutPreference[],
  capabilityFlags: bigint,
  maximumMessageBytes: number = MAXIMUM_MESSAGE,
): Hello {
  return {
    protocolVersion: 1,
    maxMessageSize: maximumMessageBytes,
    capabilityFlags,
    layouts,
    devices: [CPU],
    memoryClasses: [0],
  };
}

/** Layouts as messages list them. */
export function preferencesOf(operation: string, layouts: readonly LayoutChoice[]): LayoutPreference[] {
  if (!Array.isArray(layouts)) {
    throw new TypeError(`${operation}: the layouts are no list: got ${typeof layouts}, expected tags, like [2, 1].`);
  }
  return layouts.map((layout: LayoutChoice) => {
    const preference = typeof layout === "object" && layout !== null ? layout : { tag: layout };
    if (isWithin(preference.tag, 0, 255)) return preference;
    return refuseValue(operation, "layouts", preference.tag, 0, "tags, like [2, 1]");
  });
}

/** Refuses options that are no object, as only `undefined` may be. */
export function checkOptions(operation: string, options: unknown): void {
  if (typeof options === "object" && options !== null) return;
  const given = options === null ? "null" : typeof options;
  throw new TypeError(`${operation}: the options are no object: got ${given}, expected options, or nothing.`);
}

/** Refuses a peer that takes no messages worth sending. */
export function checkHello({ maxMessageSize }: Hello, start: number, operation: string): void {
  if (maxMessageSize >= LEAST_MESSAGE) return;
  const problem = "the peer takes too small messages";
  const expected = `at least ${LEAST_MESSAGE}`;
  throw new HurrayFormatError(operation, "R156", "max_message_size", start, problem, maxMessageSize, expected);
}
