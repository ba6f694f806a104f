import { openFeed } from "../bytes/feed.js";
import { HurrayLimitError, HurraySourceError } from "../errors.js";
import { countOption } from "../number-option.js";
import type { StoredTensor, StreamedTensor } from "../stored.js";

/** What bringing a tensor into memory is told. @since 0.1.0 */
export interface CollectOptions {
  /** Bytes that a tensor may take, 2³¹ − 1 when absent. */
  readonly maximumBytes?: number;
  readonly signal?: AbortSignal;
}

/**
 * Brings a tensor that comes in pieces into memory: as many bytes as arrive, whatever was declared.
 *
 * @throws HurrayLimitError `SW_HURRAY_LIMIT` when it declares more than `maximumBytes`.
 * @throws HurraySourceError `SW_HURRAY_SOURCE_SHORT` when fewer or more bytes come than declared; and what its source throws.
 * @example
 * ```ts
 * import { npyBytes, readNpy, toStored } from "@sw/hurray/interchange";
 * import { load, store } from "@sw/hurray";
 * import { arange } from "@sw/tensor";
 *
 * const streamed = await readNpy(npyBytes(store(arange(3))));
 * console.log(load(await toStored(streamed)).tensor.data()); // Float32Array(3) [ 0, 1, 2 ]
 * ```
 * @since 0.1.0
 */
export function toStored(streamed: StreamedTensor, options: CollectOptions = {}): Promise<StoredTensor> {
  return collect("toStored", streamed, options);
}

/** The same, for an operation of another name. */
export async function collect(
  operation: string,
  streamed: StreamedTensor,
  options: CollectOptions,
): Promise<StoredTensor> {
  const { descriptor } = streamed;
  checkBytes(
    operation,
    descriptor.buffers.reduce((sum, { byteSize }) => sum + byteSize, 0n),
    options,
  );
  const buffers: Uint8Array[] = [];
  for (const [k, { byteSize }] of descriptor.buffers.entries()) {
    const feed = openFeed(streamed.pieces(k), operation, options.signal);
    try {
      const bytes = await feed.take(Number(byteSize));
      const isExact = bytes.byteLength === Number(byteSize) && (await feed.atEnd());
      if (!isExact) throw another(operation, k, bytes.byteLength, byteSize);
      buffers.push(bytes);
    } finally {
      await feed.close();
    }
  }
  return { descriptor, buffers };
}

/** Refuses more bytes than a tensor may take. */
export function checkBytes(operation: string, byteLength: bigint, options: CollectOptions): void {
  const maximumBytes = countOption(operation, "maximumBytes", options.maximumBytes, 0, 2 ** 31 - 1);
  if (byteLength <= BigInt(maximumBytes)) return;
  throw new HurrayLimitError(
    operation,
    "the bytes of a tensor",
    byteLength,
    `at most ${maximumBytes}`,
    "Take it in pieces, or set maximumBytes.",
  );
}

function another(operation: string, buffer: number, given: number, expected: bigint): HurraySourceError {
  const bytes = BigInt(given) === expected ? `more than ${given}` : `${given}`;
  return new HurraySourceError(
    "SW_HURRAY_SOURCE_SHORT",
    `${operation}: buffer ${buffer} has not as many bytes as it declares: got ${bytes}, expected ${expected}.`,
    given,
  );
}
