import { HurrayHttpError, HurraySourceError } from "../errors.js";

/** What is known of a file on a server, by which later answers are told to be of the same file. */
export interface Identity {
  readonly byteLength: number;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** Reads `Content-Range: bytes first-last/total`; a refused range has a total alone. */
export function contentRange(response: Response): { first: number; last: number; total: number } | undefined {
  const text = response.headers.get("content-range") ?? "";
  const match = /^bytes (?:(\d{1,15})-(\d{1,15})|\*)\/(\d{1,15})$/.exec(text.trim());
  if (match === null) return undefined;
  const [, first, last, total] = match;
  return { first: Number(first), last: Number(last), total: Number(total) };
}

/** Whether asking again may help. */
export function isPassing(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** Says what a server did wrong. */
export function refused(url: string, problem: string, given: string, expected: string, status = 0): HurrayHttpError {
  return new HurrayHttpError(
    "SW_HURRAY_HTTP",
    url,
    status,
    `httpSource: ${problem}: got ${given}, expected ${expected}.`,
  );
}

/** Says that a server sends files whole only. */
export function ignored(url: string, given: string): HurrayHttpError {
  const advice = 'Use another server, or allow the whole file: { whole: "allow" }';
  const message = `httpSource: the server does not give parts of the file: got ${given}, expected the range asked for. ${advice}.`;
  return new HurrayHttpError("SW_HURRAY_RANGES_IGNORED", url, 200, message);
}

/**
 * Checks that an answer with status 206 is what was asked for: bytes from `start` on, to before `end` at most, not
 * compressed, of the file that is known, if one is. Gives what it tells of the file.
 */
export function checkPart(
  url: string,
  response: Response,
  start: number,
  end: number,
  known: Identity | undefined,
): Identity {
  checkEncoding(url, response);
  const range = contentRange(response);
  if (range === undefined || Number.isNaN(range.first)) {
    const given = response.headers.get("content-range") ?? "no Content-Range, or one that the page may not see";
    throw refused(url, "the answer does not say which part of the file it is", given, "bytes first-last/total", 206);
  }
  const { first, last, total } = range;
  if (first !== start || last < first || last >= Math.min(end, total)) {
    const given = `bytes ${first} to ${last} of ${total}`;
    throw refused(url, "the answer is another part of the file", given, `bytes from ${start} to ${end - 1}`, 206);
  }
  const identity = identityOf(response, total);
  if (known !== undefined) checkIdentity(identity, known, start);
  return identity;
}

/** A compressed answer has other bytes at other places. */
export function checkEncoding(url: string, response: Response): void {
  const encoding = response.headers.get("content-encoding") ?? "identity";
  if (encoding === "identity") return;
  throw refused(url, "the answer is compressed", `Content-Encoding ${encoding}`, "identity", response.status);
}

function identityOf(response: Response, byteLength: number): Identity {
  const { headers } = response;
  return { byteLength, etag: headers.get("etag"), lastModified: headers.get("last-modified") };
}

function checkIdentity(given: Identity, known: Identity, start: number): void {
  for (const field of ["byteLength", "etag", "lastModified"] as const) {
    if (given[field] === known[field]) continue;
    throw new HurraySourceError(
      "SW_HURRAY_CHANGED",
      `httpSource: the file on the server has changed since it was opened: got ${field} ${given[field]}, expected ${known[field]}. Open it again.`,
      start,
    );
  }
}
