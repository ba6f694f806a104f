import { abortable } from "../bytes/abortable.js";
import { allocate } from "../bytes/feed.js";
import { HurrayHttpError, HurrayLimitError, HurraySourceError, HurrayValueError } from "../errors.js";
import { countOption } from "../number-option.js";
import { bytesSource } from "../source/bytes.js";
import type { HurraySource } from "../source/source.js";
import { checkEncoding, checkPart, contentRange, type Identity, ignored, isPassing, refused } from "./answer.js";
import { createLimiter } from "./limiter.js";

/** How a file is fetched. @since 0.1.0 */
export interface HttpOptions {
  /** What fetches; that of the host when absent. */
  readonly fetch?: typeof fetch;
  /** Sent with every request. */
  readonly headers?: HeadersInit;
  /** Bytes of one request; larger reads are split. 4 MiB when absent. */
  readonly partBytes?: number;
  /** Requests under way at a time, over all readers of the source; 4 when absent. */
  readonly concurrency?: number;
  /** How often in a row a request that brought nothing is made again; 3 when absent. */
  readonly retries?: number;
  /** What is waited for before the next attempt, 0 being the first; a tenth of a second when absent, doubled each time. */
  readonly delay?: (attempt: number) => Promise<void>;
  /** `"allow"` takes the whole file from a server that gives no parts of it; `"refuse"`, the default, is an error then. */
  readonly whole?: "refuse" | "allow";
  /** The most bytes of a file taken whole; 256 MiB when absent. */
  readonly maximumBytes?: number;
  /** Ends everything that the source does, now and later. */
  readonly signal?: AbortSignal;
}

/** Bytes of the first request: the header of a file, and often its first descriptor. */
const FIRST = 1024;

/**
 * Opens a file on a web server. Its length, and whether the server gives parts of files, is learned by fetching the
 * first 1,024 bytes; afterwards what is read is fetched, in parts that are asked for at the same time. A request that
 * fails on the way, or is answered by 408, 429 or 5xx, is made again from the byte that was reached.
 *
 * @throws HurrayHttpError `SW_HURRAY_RANGES_IGNORED` for a server that sends the file whole, `SW_HURRAY_HTTP` for any
 * other answer than the bytes asked for, as they are in the file.
 * @throws HurraySourceError, from reads, `SW_HURRAY_CHANGED` when ETag, date or length are others than at the beginning;
 * `SW_HURRAY_CLOSED` after `close`.
 * @throws HurrayLimitError `SW_HURRAY_LIMIT` for a whole file beyond `maximumBytes`; HurrayValueError for wrong options.
 * @example
 * ```ts no-run
 * import { openHurray } from "@sw/hurray";
 * import { httpSource } from "@sw/hurray/http"; // needs a server
 *
 * const file = await openHurray(await httpSource("https://example.org/model.hrry"));
 * const weights = await file.tensor("layer 7"); // fetches this tensor and no other
 * ```
 * @since 0.1.0
 */
export async function httpSource(url: string | URL, options: HttpOptions = {}): Promise<HurraySource> {
  const settings = settingsOf(String(url), options);
  const answer = await withRetries(settings, settings.signal, 0, async () => {
    const response = await request(settings, 0, FIRST, settings.signal);
    if (response.status === 206) {
      const identity = checkPart(settings.url, response, 0, FIRST, undefined);
      const head = new Uint8Array(Math.min(FIRST, identity.byteLength));
      const filled = await pour(settings, response, head);
      if (filled < head.byteLength) throw new Passing(undefined);
      return { identity, head };
    }
    // No part of an empty file can be given.
    if (response.status === 416 && contentRange(response)?.total === 0) return bytesSource(new Uint8Array());
    if (response.status === 200 && options.whole === "allow") return bytesSource(await takeWhole(settings, response));
    throw await bad(settings, response);
  });
  return "head" in answer ? partsSource(settings, answer.identity, answer.head) : answer;
}

interface Settings extends Required<Omit<HttpOptions, "headers" | "signal" | "whole">> {
  readonly url: string;
  readonly headers: HeadersInit | undefined;
  readonly signal: AbortSignal | undefined;
}

function settingsOf(url: string, options: HttpOptions): Settings {
  if (typeof options !== "object" || options === null) {
    const given = options === null ? "null" : typeof options;
    throw new TypeError(`httpSource: the options are no object: got ${given}, expected { partBytes, … }, or nothing.`);
  }
  checkUrl(url);
  // Called as a function of its own: that of the host refuses another receiver.
  const own = options.fetch ?? globalThis.fetch;
  return {
    url,
    headers: options.headers,
    signal: options.signal,
    fetch: (input, init) => own(input, init),
    delay: options.delay ?? ((attempt) => new Promise((resolve) => setTimeout(resolve, 100 * 2 ** attempt))),
    partBytes: countOption("httpSource", "partBytes", options.partBytes, 1, 4 * 1024 * 1024),
    concurrency: countOption("httpSource", "concurrency", options.concurrency, 1, 4),
    retries: countOption("httpSource", "retries", options.retries, 0, 3),
    maximumBytes: countOption("httpSource", "maximumBytes", options.maximumBytes, 0, 256 * 1024 * 1024),
  };
}

/** An address that nothing can be fetched from is no failure that passes. Pages have addresses that begin at their own. */
function checkUrl(url: string): void {
  try {
    new URL(url, (globalThis as { location?: { href: string } }).location?.href);
  } catch {
    throw new HurrayValueError("httpSource", "url", "the address is none", url, "a URL, like https://example.org/file");
  }
}

function partsSource(settings: Settings, identity: Identity, head: Uint8Array): HurraySource {
  const { byteLength } = identity;
  const { partBytes, concurrency, url } = settings;
  const limited = createLimiter(concurrency);
  const closing = new AbortController();
  const fetchPart = async (start: number, target: Uint8Array, signal: AbortSignal): Promise<void> => {
    for (let done = 0; done < target.byteLength; ) {
      const at = start + done;
      const end = start + target.byteLength;
      done += await withRetries(settings, signal, at, async () => {
        const response = await request(settings, at, end, signal);
        if (response.status !== 206) throw await bad(settings, response);
        checkPart(url, response, at, end, identity);
        const filled = await pour(settings, response, target.subarray(done));
        // Whatever came is kept, and the next request asks for the rest.
        if (filled === 0) throw new Passing(undefined);
        return filled;
      });
    }
  };
  const slice = async (start: number, end: number, signal?: AbortSignal): Promise<Uint8Array> => {
    for (const given of [closing.signal, settings.signal, signal]) given?.throwIfAborted();
    if (end <= head.byteLength) return head.slice(start, end);
    const bytes = allocate(end - start, "httpSource");
    const group = new AbortController();
    const release = [closing.signal, settings.signal, signal].map((given) => follow(group, given));
    const parts: Promise<void>[] = [];
    for (let at = 0; at < bytes.byteLength; at += partBytes) {
      const part = bytes.subarray(at, at + partBytes);
      parts.push(
        limited(async () => {
          group.signal.throwIfAborted();
          await fetchPart(start + at, part, group.signal);
        }),
      );
    }
    try {
      await Promise.all(parts);
      return bytes;
    } catch (error) {
      group.abort(error);
      // None of them writes any more, nor is left alone with its error.
      await Promise.allSettled(parts);
      throw error;
    } finally {
      for (const forget of release) forget();
    }
  };
  const close = async (): Promise<void> => {
    const message = "httpSource: the source is closed: got a read, expected none.";
    closing.abort(new HurraySourceError("SW_HURRAY_CLOSED", message, 0));
  };
  return { byteLength, pieceBytes: partBytes * concurrency, slice, close };
}

/** Something that may go away by itself; the reason where there is one to be told in the end. */
class Passing extends Error {
  constructor(cause: unknown) {
    super("", { cause });
  }
}

/** Makes attempts until one does not fail in passing, or there have been enough. */
async function withRetries<T>(
  { retries, delay, url }: Settings,
  signal: AbortSignal | undefined,
  at: number,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof Passing)) throw error;
      if (attempt < retries) await abortable(delay(attempt), signal);
      else if (error.cause instanceof HurrayHttpError) throw error.cause;
      else {
        const given = `${attempt + 1} attempts that failed${lastReason(error.cause)}`;
        const failed = refused(url, `nothing came at byte ${at}`, given, "an answer");
        failed.cause = error.cause;
        throw failed;
      }
    }
  }
}

/** What the innermost error said: hosts wrap it in one that says only that fetching failed. */
function lastReason(error: unknown): string {
  let inner = error;
  for (let depth = 0; depth < 8 && inner instanceof Error && inner.cause instanceof Error; depth++) inner = inner.cause;
  return inner instanceof Error && inner.message !== "" ? `, the last by "${inner.message}"` : "";
}

async function request(
  settings: Settings,
  start: number,
  end: number,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const headers = new Headers(settings.headers);
  headers.set("range", `bytes=${start}-${end - 1}`);
  let response: Response;
  try {
    response = await settings.fetch(settings.url, { headers, cache: "no-store", ...(signal && { signal }) });
  } catch (error) {
    throw new Passing(error);
  }
  if (typeof response === "object" && response !== null && "headers" in response) return response;
  throw new TypeError(`httpSource: fetch gave no answer: got ${typeof response}, expected a Response.`);
}

/** Lets an answer go, and says what it was instead of the bytes asked for. */
async function bad({ url }: Settings, response: Response): Promise<Error> {
  await response.body?.cancel().catch(() => {});
  const { status } = response;
  if (status === 200) return ignored(url, "status 200");
  const error = refused(url, "the server does not give the file", `status ${status}`, "206, part of the file", status);
  return isPassing(status) ? new Passing(error) : error;
}

/** Fills memory with the body of an answer; gives how many bytes came. */
async function pour({ url }: Settings, response: Response, target: Uint8Array): Promise<number> {
  const reader = response.body?.getReader();
  let filled = 0;
  try {
    for (;;) {
      // Bytes that came before the connection broke are good.
      const result = await reader?.read().catch(() => undefined);
      if (result === undefined || result.done) return filled;
      if (filled + result.value.byteLength > target.byteLength) {
        const given = `${filled + result.value.byteLength} bytes or more`;
        throw refused(url, "the answer is longer than the range asked for", given, `${target.byteLength}`, 206);
      }
      target.set(result.value, filled);
      filled += result.value.byteLength;
    }
  } finally {
    // Nothing, where it has ended.
    await reader?.cancel().catch(() => {});
  }
}

/** Takes a whole file; its memory grows with what comes. */
async function takeWhole({ url, maximumBytes }: Settings, response: Response): Promise<Uint8Array> {
  checkEncoding(url, response);
  const chunks: Uint8Array[] = [];
  let byteLength = 0;
  const reader = response.body?.getReader();
  try {
    for (;;) {
      const result = await reader?.read();
      if (result === undefined || result.done) break;
      byteLength += result.value.byteLength;
      if (byteLength > maximumBytes) {
        const expected = `at most ${maximumBytes}`;
        throw new HurrayLimitError("httpSource", "the bytes of a file taken whole", BigInt(byteLength), expected, "");
      }
      chunks.push(result.value);
    }
  } catch (error) {
    if (error instanceof HurrayLimitError) throw error;
    throw new Passing(error);
  } finally {
    await reader?.cancel().catch(() => {});
  }
  const announced = response.headers.get("content-length");
  if (announced !== null && Number(announced) !== byteLength) throw new Passing(undefined);
  const whole = new Uint8Array(byteLength);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

/** Ends what one controller is for when a signal is given; gives a function that undoes it. */
function follow(controller: AbortController, signal: AbortSignal | undefined): () => void {
  if (signal === undefined) return () => {};
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort);
  return () => signal.removeEventListener("abort", abort);
}
