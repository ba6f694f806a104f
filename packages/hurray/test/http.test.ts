import { arange } from "@sw/tensor";
import { describe, expect, test } from "vitest";
import { type HttpOptions, httpSource } from "../src/http/index.js";
import { encodeHurray, openHurray } from "../src/index.js";
import { thrown } from "./support.js";

const W = arange(300_000);
const BYTES = encodeHurray({ w: W, small: arange(3) });
const URL_ = "https://example.org/model.hrry";

interface Asked {
  readonly start: number;
  readonly end: number;
  /** Which request this is, from 0. */
  readonly count: number;
}

/** A server in memory: what it answers to a range, and what it did. */
function server(
  answer: (asked: Asked, signal: AbortSignal | undefined) => Response | Promise<Response> = (one) => part(one),
) {
  const asked: Asked[] = [];
  const seen = { running: 0, most: 0, headers: [] as Headers[] };
  const fetch: typeof globalThis.fetch = async (_input, init) => {
    const headers = new Headers(init?.headers);
    seen.headers.push(headers);
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.get("range") ?? "")!;
    const one = { start: Number(from), end: Number(to) + 1, count: asked.length };
    asked.push(one);
    seen.running++;
    seen.most = Math.max(seen.most, seen.running);
    try {
      await new Promise((resolve) => setTimeout(resolve, 1));
      init?.signal?.throwIfAborted();
      return await answer(one, init?.signal ?? undefined);
    } finally {
      seen.running--;
    }
  };
  return { fetch, asked, seen };
}

function part({ start, end }: { start: number; end: number }, more: Record<string, string> = {}, cut = 0): Response {
  const last = Math.min(end, BYTES.byteLength);
  const headers = { "content-range": `bytes ${start}-${last - 1}/${BYTES.byteLength}`, etag: '"1"', ...more };
  return new Response(BYTES.slice(start, last - cut), { status: 206, headers });
}

const quick = { delay: async () => {} };
const open = (fetch: typeof globalThis.fetch, options: HttpOptions = {}) =>
  httpSource(URL_, { fetch, ...quick, ...options });

describe("a file on a web server", () => {
  test("is opened by few requests, and a tensor is fetched in parts that are asked for together, others not at all", async () => {
    const { fetch, asked, seen } = server();
    const source = await open(fetch, { partBytes: 256 * 1024, concurrency: 3, headers: { authorization: "x" } });
    expect(asked).toEqual([{ start: 0, end: 1024, count: 0 }]);
    const file = await openHurray(source);
    // Trailer and index; the header was there.
    expect(asked.length).toBe(3);
    seen.most = 0;
    const t = await file.tensor("w");
    expect(Buffer.compare(t.buffer.view(Uint8Array), W.buffer.view(Uint8Array))).toBe(0);
    // Three at a time: 1,200,000 bytes in 5 parts; the descriptor came with the first bytes.
    expect([asked.length, seen.most]).toEqual([8, 3]);
    expect(asked.slice(3).every(({ start, end }) => end - start <= 256 * 1024 && start >= 4096)).toBe(true);
    expect(seen.headers.every((headers) => headers.get("authorization") === "x")).toBe(true);
  });

  test("no more requests run at a time than is allowed, over all who read", async () => {
    const { fetch, asked, seen } = server();
    const source = await open(fetch, { partBytes: 10_000, concurrency: 2 });
    const reads = Array.from({ length: 5 }, (_, k) => source.slice(100_000 * k + 5000, 100_000 * k + 55_000));
    for (const [k, bytes] of (await Promise.all(reads)).entries()) {
      expect(Buffer.compare(bytes, BYTES.subarray(100_000 * k + 5000, 100_000 * k + 55_000))).toBe(0);
    }
    expect([asked.length, seen.most]).toEqual([26, 2]);
  });

  test("a file shorter than the first request, and an empty one", async () => {
    const short = Uint8Array.of(1, 2, 3);
    const headers = { "content-range": "bytes 0-2/3" };
    const source = await open(async () => new Response(short, { status: 206, headers }));
    expect([source.byteLength, [...(await source.slice(1, 3))]]).toEqual([3, [2, 3]]);
    const none = { status: 416, headers: { "content-range": "bytes */0" } };
    expect((await open(async () => new Response(null, none))).byteLength).toBe(0);
  });
});

describe("what goes wrong on the way", () => {
  test("is tried again: no answer, 408, 429, 5xx, and a body that ends early from the byte that was reached", async () => {
    const failures: readonly ((asked: Asked) => Response)[] = [
      () => {
        throw new TypeError("network");
      },
      ...[408, 429, 500, 503].map((status) => () => new Response("wait", { status })),
      (asked) => part(asked, {}, 60),
    ];
    for (const fail of failures) {
      const { fetch, asked } = server((one) => (one.count % 2 === 1 ? fail(one) : part(one)));
      const waits: number[] = [];
      const source = await open(fetch, {
        delay: async (attempt) => {
          waits.push(attempt);
        },
      });
      expect(Buffer.compare(await source.slice(5000, 5100), BYTES.subarray(5000, 5100))).toBe(0);
      const isShort = asked[2]!.start === 5040;
      expect(asked.length).toBe(3);
      // Bytes that came are not asked for again, and need no patience.
      expect([asked[2]!.start, waits]).toEqual(isShort ? [5040, []] : [5000, [0]]);
    }
  });

  test("bytes that came before the connection broke are kept", async () => {
    const { fetch, asked } = server((one) => {
      if (one.count !== 1) return part(one);
      let sent = false;
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          if (sent) controller.error(new TypeError("terminated"));
          else controller.enqueue(BYTES.slice(one.start, one.start + 7));
          sent = true;
        },
      });
      const headers = { "content-range": `bytes ${one.start}-${one.end - 1}/${BYTES.byteLength}`, etag: '"1"' };
      return new Response(body, { status: 206, headers });
    });
    const source = await open(fetch);
    expect(Buffer.compare(await source.slice(5000, 5100), BYTES.subarray(5000, 5100))).toBe(0);
    expect(asked.map(({ start }) => start)).toEqual([0, 5000, 5007]);
  });

  test("SW_HURRAY_HTTP after as many attempts as are allowed, with the last reason", async () => {
    const busy = server((one) => (one.count === 0 ? part(one) : new Response("", { status: 503 })));
    const source = await open(busy.fetch, { retries: 2 });
    expect(await thrown(() => source.slice(5000, 5100))).toMatchObject({
      name: "HurrayHttpError",
      code: "SW_HURRAY_HTTP",
      status: 503,
      url: URL_,
    });
    expect(busy.asked.length).toBe(4);
    const network = new TypeError("network");
    const dead = server(() => {
      throw network;
    });
    const error = await thrown(() => open(dead.fetch, { retries: 1 }));
    expect(error).toMatchObject({ code: "SW_HURRAY_HTTP", status: 0, cause: network });
    expect(error.message).toBe(
      'httpSource: nothing came at byte 0: got 2 attempts that failed, the last by "network", expected an answer.',
    );
  });

  test("is not tried again where it would not help", async () => {
    for (const status of [404, 403, 416, 304]) {
      const { fetch, asked } = server(() => new Response(null, { status }));
      expect(await thrown(() => open(fetch))).toMatchObject({ code: "SW_HURRAY_HTTP", status });
      expect(asked.length).toBe(1);
    }
  });
});

describe("servers that do not keep to ranges", () => {
  test("SW_HURRAY_RANGES_IGNORED one that sends the file whole is told so, its body let go", async () => {
    let cancelled = false;
    const body = () =>
      new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new Uint8Array(1000)),
        cancel: () => {
          cancelled = true;
        },
      });
    const error = await thrown(() => open(async () => new Response(body())));
    expect(error).toMatchObject({ name: "HurrayHttpError", code: "SW_HURRAY_RANGES_IGNORED", status: 200 });
    expect(error.message).toBe(
      'httpSource: the server does not give parts of the file: got status 200, expected the range asked for. Use another server, or allow the whole file: { whole: "allow" }.',
    );
    expect(cancelled).toBe(true);
    cancelled = false;
    const large = await thrown(() => open(async () => new Response(body()), { whole: "allow", maximumBytes: 10_000 }));
    expect([large["code"], large["given"], cancelled]).toEqual(["SW_HURRAY_LIMIT", 11_000n, true]);
  });

  test("the whole file is taken where that is allowed", async () => {
    const source = await open(async () => new Response(BYTES.slice()), { whole: "allow" });
    expect((await (await openHurray(source)).tensor("small")).toArray()).toEqual([0, 1, 2]);
  });

  test("answers that are other bytes than those asked for are refused", async () => {
    const length = BYTES.byteLength;
    const rows: readonly (readonly [Record<string, string>, Record<string, unknown>])[] = [
      [{ "content-range": "" }, { code: "SW_HURRAY_HTTP" }],
      [{ "content-range": `bytes 0-99/${length}` }, { code: "SW_HURRAY_HTTP" }],
      [{ "content-range": `bytes 5000-5100/${length}` }, { code: "SW_HURRAY_HTTP" }],
      [{ "content-range": `bytes 5000-4999/${length}` }, { code: "SW_HURRAY_HTTP" }],
      [{ "content-range": "bytes 5000-5099/*" }, { code: "SW_HURRAY_HTTP" }],
      [{ "content-range": `items 5000-5099/${length}` }, { code: "SW_HURRAY_HTTP" }],
      [{ "content-encoding": "gzip" }, { code: "SW_HURRAY_HTTP" }],
      [{ "content-range": `bytes 5000-5099/${length + 1}` }, { code: "SW_HURRAY_CHANGED", byteOffset: 5000 }],
      [{ etag: '"2"' }, { code: "SW_HURRAY_CHANGED", byteOffset: 5000 }],
      [{ "last-modified": "Mon, 01 Jan 2024 00:00:00 GMT" }, { code: "SW_HURRAY_CHANGED" }],
    ];
    for (const [headers, expected] of rows) {
      const { fetch, asked } = server((one) => part(one, one.count === 0 ? {} : headers));
      const source = await open(fetch);
      expect(await thrown(() => source.slice(5000, 5100)), JSON.stringify(headers)).toMatchObject(expected);
      expect(asked.length).toBe(2);
    }
    const longer = server((one) => {
      const answer = part(one);
      return one.count === 0 ? answer : new Response(BYTES.slice(5000, 5101), { status: 206, headers: answer.headers });
    });
    const source = await open(longer.fetch);
    expect(await thrown(() => source.slice(5000, 5100))).toMatchObject({ code: "SW_HURRAY_HTTP", status: 206 });
    const whole = server((one) => (one.count === 0 ? part(one) : new Response(BYTES.slice())));
    const other = await open(whole.fetch);
    expect(await thrown(() => other.slice(5000, 5100))).toMatchObject({ code: "SW_HURRAY_RANGES_IGNORED" });
  });
});

describe("the end", () => {
  test("a signal ends opening, waiting between attempts, and reads; what else is under way goes on", async () => {
    const signal = AbortSignal.abort(new Error("no"));
    expect((await thrown(() => open(server().fetch, { signal }))).message).toBe("no");
    const control = new AbortController();
    const waiting = open(server(() => new Response("", { status: 503 })).fetch, {
      signal: control.signal,
      delay: () => {
        setTimeout(() => control.abort(new Error("enough")));
        return new Promise(() => {});
      },
    });
    expect((await thrown(() => waiting)).message).toBe("enough");
    const one = new AbortController();
    const hung = server((asked, given) =>
      asked.start === 6000
        ? new Promise((_, reject) => given?.addEventListener("abort", () => reject(given.reason)))
        : part(asked),
    );
    const source = await open(hung.fetch);
    const file = { ...source, slice: source.slice };
    const reading = thrown(async () => file.slice(6000, 6100, one.signal));
    setTimeout(() => one.abort(new Error("stop")), 5);
    expect((await reading).message).toBe("stop");
    expect((await source.slice(5000, 5001)).byteLength).toBe(1);
  });

  test("the signal of a load reaches the request", async () => {
    const control = new AbortController();
    const { fetch } = server((asked, given) =>
      asked.end - asked.start > 100_000
        ? new Promise((_, reject) => {
            given?.addEventListener("abort", () => reject(given.reason));
            control.abort(new Error("stop"));
          })
        : part(asked),
    );
    const file = await openHurray(await open(fetch));
    expect((await thrown(() => file.tensor("w", { signal: control.signal }))).message).toBe("stop");
  });

  test("SW_HURRAY_CLOSED after close, for what is under way as well", async () => {
    const hung = server((asked, given) =>
      asked.count === 0
        ? part(asked)
        : new Promise((_, reject) => given?.addEventListener("abort", () => reject(given.reason))),
    );
    const source = await open(hung.fetch);
    const reading = thrown(async () => source.slice(5000, 5100));
    await new Promise((resolve) => setTimeout(resolve, 5));
    await source.close?.();
    expect((await reading)["code"]).toBe("SW_HURRAY_CLOSED");
    expect((await thrown(async () => source.slice(5000, 5100)))["code"]).toBe("SW_HURRAY_CLOSED");
    expect((await thrown(async () => source.slice(0, 8)))["code"]).toBe("SW_HURRAY_CLOSED");
  });

  test("options are checked", async () => {
    const rows: readonly (readonly [HttpOptions, string])[] = [
      [{ partBytes: 0 }, "SW_HURRAY_VALUE"],
      [{ concurrency: 0 }, "SW_HURRAY_VALUE"],
      [{ retries: -1 }, "SW_HURRAY_VALUE"],
      [{ maximumBytes: 1.5 }, "SW_HURRAY_VALUE"],
      [{ partBytes: "1" as never }, "TypeError"],
      [{ retries: null as never }, "TypeError"],
      [null as never, "TypeError"],
    ];
    for (const [options, code] of rows) {
      const error = await thrown(() =>
        httpSource(URL_, options === null ? options : { fetch: server().fetch, ...options }),
      );
      expect([error["code"] ?? error.name, error.message]).toEqual([code, expect.stringContaining("httpSource: ")]);
    }
  });

  test("an option that is undefined is as one that is absent", async () => {
    const absent = { partBytes: undefined, concurrency: undefined, retries: undefined, delay: undefined };
    const source = await httpSource(URL_, { fetch: server().fetch, ...(absent as object) });
    expect(Buffer.compare(await source.slice(1000, 5000), BYTES.subarray(1000, 5000))).toBe(0);
    expect(source.pieceBytes).toBe(16 * 1024 * 1024);
  });

  test("what nothing can be fetched from is refused at once, and what does not answer as fetch does", async () => {
    const { fetch, asked } = server();
    for (const url of ["::::", undefined as never]) {
      const error = await thrown(() => httpSource(url, { fetch }));
      expect([error["code"], error["field"]]).toEqual(["SW_HURRAY_VALUE", "url"]);
    }
    expect(asked).toEqual([]);
    const silent = await thrown(() => open(async () => undefined as never));
    expect([silent.name, silent.message]).toEqual(["TypeError", expect.stringContaining("expected a Response")]);
  });

  test("the reason of the last failure is told, however deep it lies", async () => {
    const reason = new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:9") });
    const error = await thrown(() => open(() => Promise.reject(reason), { retries: 1 }));
    expect(error.message).toContain('got 2 attempts that failed, the last by "connect ECONNREFUSED 127.0.0.1:9"');
  });
});
